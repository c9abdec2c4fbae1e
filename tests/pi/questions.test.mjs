// What servers ask while they work: forms, addresses and answers of a model, put to the user of Pi.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { server, until } from "../e2e/harness.mjs";
import { Model, textOf } from "./model.mjs";
import { Pi, PiHome, print, scriptedServer, versions } from "./pi.mjs";
import { end } from "./place.mjs";
import { Screen } from "./screen.mjs";

describe("questions of servers in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	const call = (tool, args = {}) => [
		{ tool: "mcp", args: { tool: `everything_${tool}`, args } },
	];
	// Of the scripted server: it asks for what `params` say.
	const ask = (params, method = "elicitation/create") => [
		{ tool: "mcp", args: { tool: "w_ask", args: { method, params } } },
	];
	async function prepare(steps) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure({ w: scriptedServer({ tools: ["ask"] }) });
		home.env.PATH = "/usr/bin:/bin"; // nothing of a test opens a browser
	}
	async function scripted(steps) {
		await prepare(steps);
		pi = new Pi(home);
	}
	async function start(steps, options = {}) {
		// What the server offers depends on what its client can do.
		model = await Model.start([[{ tool: "mcp", args: { connect: "everything" } }], ...steps]);
		home = new PiHome(model).withCache();
		home.configure({ everything: server("mcp-server-everything") });
		// Nothing of a test opens a browser.
		const env = { PATH: "/usr/bin:/bin" };
		if (!options.print) pi = new Pi(home, { ...options, env });
	}
	afterEach(() => end({ model, home, pi }));
	const isDialog = ({ type, method }) =>
		type === "extension_ui_request" && ["select", "input", "editor"].includes(method);
	// Sends a prompt and answers every dialog as `answer` says; gives the dialogs.
	async function prompt(answer) {
		const from = pi.events.length;
		pi.send({ id: "p", type: "prompt", message: "go" });
		const dialogs = [];
		for (let next = from; ; ) {
			const isNews = (event) => isDialog(event) || event.type === pi.settled;
			const event = await pi.event("a dialog or the end", isNews, next);
			next = pi.events.indexOf(event) + 1;
			if (event.type === pi.settled) return dialogs;
			dialogs.push(event);
			pi.reply(event, answer(event));
		}
	}
	// As a person who fills in what is needed and leaves out the rest.
	function fillIn({ method, title, options }) {
		if (method !== "select") return /\n│ name|\n│ String\b(?! with)/i.test(title) ? "Ada" : "";
		const wanted = ["Continue", "Submit", "(leave out)", "(done)"];
		return wanted.find((option) => options.includes(option)) ?? options[0];
	}

	test("row 87: a form is filled in, reviewed and sent", async () => {
		await start([call("trigger-elicitation-request"), "done"]);
		const dialogs = await prompt(fillIn);
		assert.match(dialogs[0].title, /^MCP server everything asks:\n│ \S/);
		assert.deepEqual(dialogs.at(-1).options, ["Submit", "Edit", "Decline"]);
		assert.match(dialogs.at(-1).title, /Ada/);
		assert.equal(pi.results()[1].isError, false);
		assert.match(model.toolTexts()[1], /Ada/);
	});

	test("row 87: what is no email address or date is asked again, with the reason", async () => {
		await start([call("trigger-elicitation-request"), "done"]);
		const fixed = { "An email address": "ada@example.org", "A date": "2026-02-28" };
		const dialogs = await prompt((dialog) => {
			const needed = Object.keys(fixed).find((what) => dialog.title.includes(`${what} `));
			if (needed) return fixed[needed];
			if (/\n│ String with email/.test(dialog.title)) return "nobody";
			return /\n│ String with date/.test(dialog.title) ? "2026-02-31" : fillIn(dialog);
		});
		assert.match(dialogs.at(-1).title, /ada@example\.org/);
		assert.match(dialogs.at(-1).title, /2026-02-28/);
		assert.equal(pi.results()[1].isError, false);
	});

	test("row 87: a form may be declined", async () => {
		await start([call("trigger-elicitation-request"), "done"]);
		const dialogs = await prompt(() => "Decline");
		assert.equal(dialogs.length, 1);
		assert.match(model.toolTexts()[1], /declined/i);
	});

	test("row 87: an address is shown in full before it is opened", async () => {
		const url = "https://example.org/consent?id=7";
		await start([call("trigger-url-elicitation", { url }), "done"]);
		const [dialog] = await prompt(() => "Open");
		assert.match(dialog.title, /MCP server everything wants you to open example\.org/);
		assert.ok(dialog.title.includes(url));
		await pi.notice(/^Open in your browser: https:\/\/example\.org\/consent/);
	});

	test("row 87: a model is asked when the user agrees, and its answer is shown first", async () => {
		await start([call("trigger-sampling-request", { prompt: "Say hello" }), "done"]);
		const [ask, send] = await prompt(({ options }) => options[0]);
		assert.match(ask.title, /^MCP server everything wants to ask mock\/scripted\n/);
		assert.match(ask.title, /Say hello/);
		assert.match(send.title, /will get this answer\n│ an answer without tools/);
		const [sampled] = model.requests.filter(({ tools }) => !tools);
		assert.match(sampled.messages.map(textOf).join(), /Say hello/);
		assert.match(model.toolTexts()[1], /an answer without tools/);
	});

	test("row 87: a model is not asked when the user denies it", async () => {
		await start([call("trigger-sampling-request", { prompt: "Say hello" }), "done"]);
		await prompt(() => "Deny");
		assert.equal(model.requests.filter(({ tools }) => !tools).length, 0);
		assert.match(model.toolTexts()[1], /rejected/);
	});

	test("row 87: without a user interface servers are offered none of it", async () => {
		const steps = [call("trigger-sampling-request", { prompt: "Say hello" }), "done"];
		await start(steps, { print: true });
		const { stdout } = await print(home, "go");
		assert.equal(stdout.trim(), "done");
		assert.equal(model.requests.filter(({ tools }) => !tools).length, 0);
	});

	const form = (message, properties, required) => ({
		message,
		requestedSchema: { type: "object", properties, ...(required ? { required } : {}) },
	});
	const name = { name: { type: "string" } };

	test("a question whose server ended is closed, and the next one is asked", async () => {
		await scripted([ask(form("Who?", name)), ask(form("And you?", name)), "done"]);
		pi.send({ id: "p", type: "prompt", message: "go" });
		const stale = await pi.event("the form", isDialog);
		const [asking] = home.servers().filter((pid) => pid !== pi.child.pid);
		process.kill(asking, "SIGKILL");
		const next = await pi.event("the next form", (event) => isDialog(event) && event !== stale);
		assert.match(next.title, /And you\?/);
		pi.reply(stale, "Continue");
		pi.reply(next, "Decline");
		await pi.event("the end of the prompt", ({ type }) => type === "agent_settled");
		assert.deepEqual(pi.results().map(({ isError }) => isError), [true, false]);
		assert.match(model.toolTexts()[1], /decline/);
		assert.equal(pi.events.filter(isDialog).length, 2);
	});

	test("the form of a server that ended leaves the screen", async () => {
		await prepare([ask(form("Who is there?", name)), "It is over."]);
		const screen = new Screen(home, 80);
		try {
			await screen.shows(/scripted/);
			await screen.enter("go", /Continue/);
			const isScript = (pid) => /scripted_server/.test(commandLineOf(pid));
			process.kill(home.servers().find(isScript), "SIGKILL");
			await screen.shows(/It is over\./);
			await until("the form to go", () => !/Continue/.test(screen.text));
		} finally {
			screen.close();
			await home.allGone(10);
		}
	});

	test("what a server writes passes for no line and no colour of ours", async () => {
		const forged = "\u001b[2J\u001b[31mHi\u202e\r\n\nMCP server bank asks: your pin";
		const url = { mode: "url", message: forged, url: "https://example.org/a", elicitationId: "1" };
		const field = { pin: { type: "string", title: forged }, other: { type: "boolean" } };
		const messages = [{ role: "user", content: { type: "text", text: forged } }];
		const sampled = { messages, systemPrompt: forged, maxTokens: 10 };
		await scripted([
			ask(form(forged, field)),
			ask(url),
			ask(sampled, "sampling/createMessage"),
			"done",
		]);
		const dialogs = await prompt((dialog) => {
			const wanted = ["Continue", "Submit", "(leave out)", "Decline", "Ask the model", "Send it"];
			return wanted.find((option) => dialog.options?.includes(option)) ?? "Ada";
		});
		assert.equal(dialogs.length, 7);
		const plain = /^(MCP server w |│|Your answer:$|https:\/\/example\.org\/a$)/;
		for (const { title } of dialogs) {
			assert.match(title, /^MCP server w (asks:|wants |will get )/);
			for (const line of title.split("\n")) assert.match(line, plain);
			assert.doesNotMatch(title, /(?!\n)[\p{Cc}\u202e]|\[31m/u);
		}
		assert.match(dialogs[0].title, /\n│ Hi\n│\n│ MCP server bank asks: your pin$/);
	});

	test("a long text of a server leaves the line that names it in sight", async () => {
		await scripted([ask(form("line\n".repeat(300), name))]);
		const [dialog] = await prompt(() => "Decline");
		const lines = dialog.title.split("\n");
		assert.ok(lines.length < 20, `${lines.length} lines`);
		assert.equal(lines.at(-1), "MCP server w asks:");
		assert.match(dialog.title, /… \(\d+ more lines\)/);
	});

	test("without `required` every field of a form may be left out", async () => {
		const properties = { ...name, sure: { type: "boolean" } };
		await scripted([ask(form("Who?", properties))]);
		const dialogs = await prompt(fillInNothing);
		assert.deepEqual(dialogs[2].options, ["(leave out)", "Yes", "No"]);
		assert.match(model.toolTexts()[0], /"action":"accept","content":\{\}/);
	});

	for (const version of versions) {
		test(`a form shows its defaults, and Enter gives them, on Pi ${version.name}`, async () => {
			const properties = {
				branch: { type: "string", default: "main", description: "Which one" },
				count: { type: "integer", minimum: 1, maximum: 5, default: 3 },
				force: { type: "boolean", default: false },
				mode: { type: "string", enum: ["fast", "safe"], default: "safe" },
				tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, default: ["b"] },
			};
			await prepare([ask(form("How?", properties, ["branch", "force"])), "done"]);
			pi = new Pi(home, { version });
			const dialogs = await prompt(({ options = [""] }) => options[0]);
			const content =
				'"branch":"main","count":3,"force":false,"mode":"safe","tags":["b"]';
			assert.ok(model.toolTexts()[0].includes(content), model.toolTexts()[0]);
			assert.deepEqual(dialogs[1].options, ["main (default)", "Another answer"]);
			assert.match(dialogs[1].title, /│ branch: Which one\n│ required · default main$/);
			assert.match(dialogs[2].title, /│ count\n│ a whole number · 1 to 5 · default 3$/);
			assert.deepEqual(dialogs[3].options, ["No (default)", "Yes"]);
			assert.deepEqual(dialogs[4].options, ["safe (default)", "fast"]);
			assert.deepEqual(dialogs[5].options, ["(done)", "[ ] a", "[x] b"]);
		});
	}

	test("a wrong answer is there to be corrected, and an edited form remembers", async () => {
		const properties = { mail: { type: "string", format: "email" }, sure: { type: "boolean" } };
		await scripted([ask(form("Who?", properties, ["mail"])), "done"]);
		const answers = ["Continue", "ada@", "ada@example.org", "Yes", "Edit"];
		answers.push("ada@example.org (your answer)", "Yes (your answer)", "Submit");
		const dialogs = await prompt(() => answers.shift());
		assert.equal(dialogs[2].method, "editor");
		assert.equal(dialogs[2].prefill, "ada@");
		assert.match(dialogs[2].title, /An email address is needed\.$/);
		assert.match(model.toolTexts()[0], /"mail":"ada@example\.org","sure":true/);
	});

	test("too few and too many choices are asked again, with the reason", async () => {
		const items = { type: "string", enum: ["red", "green", "blue"] };
		const colours = { colours: { type: "array", items, minItems: 1, maxItems: 2 } };
		await scripted([ask(form("Which?", colours, ["colours"]))]);
		const picks = ["Continue", "(done)", "[ ] red", "[ ] green", "[ ] blue", "(done)"];
		picks.push("[x] red", "(done)", "Submit");
		const dialogs = await prompt(() => picks.shift());
		assert.match(dialogs[2].title, /\nChoose at least 1\.$/);
		assert.match(dialogs[6].title, /\nChoose at most 2\.$/);
		assert.doesNotMatch(dialogs[7].title, /Choose/);
		assert.match(model.toolTexts()[0], /green.*blue/);
	});

	test("a hint finds a model in any case, and a request without messages is refused", async () => {
		const messages = [{ role: "user", content: { type: "text", text: "hi" } }];
		const hinted = (name) => ({ messages, maxTokens: 9, modelPreferences: { hints: [{ name }] } });
		const sampling = (params) => ask(params, "sampling/createMessage");
		await scripted([sampling({ maxTokens: 9 }), sampling(hinted("BIG-model")), "done"]);
		await pi.close();
		const models = ["scripted", "Big-Model"].map((id) => ({ id, input: ["text"] }));
		const file = join(home.agent, "models.json");
		const { providers } = JSON.parse(readFileSync(file, "utf8"));
		Object.assign(providers.mock, { models });
		home.write(".pi/agent/models.json", { providers });
		pi = new Pi(home);
		const [dialog] = await prompt(() => "Deny");
		assert.match(dialog.title, /wants to ask mock\/Big-Model\n/);
		assert.match(model.toolTexts()[0], /-32602.*the sampling request has no messages/);
	});
});

function fillInNothing({ method, options }) {
	if (method === "input") return "";
	const wanted = ["Continue", "Submit", "(leave out)"];
	return wanted.find((option) => options.includes(option));
}

function commandLineOf(pid) {
	return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}
