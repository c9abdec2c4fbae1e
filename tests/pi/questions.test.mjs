// What servers ask while they work: forms, addresses and answers of a model, put to the user of Pi.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { server } from "../e2e/harness.mjs";
import { Model, textOf } from "./model.mjs";
import { Pi, PiHome, print } from "./pi.mjs";

describe("questions of servers in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	const call = (tool, args = {}) => [
		{ tool: "mcp", args: { tool: `everything_${tool}`, args } },
	];
	async function start(steps, options = {}) {
		// What the server offers depends on what its client can do.
		model = await Model.start([[{ tool: "mcp", args: { connect: "everything" } }], ...steps]);
		home = new PiHome(model).withCache();
		home.configure({ everything: server("mcp-server-everything") });
		// Nothing of a test opens a browser.
		const env = { PATH: "/usr/bin:/bin" };
		if (!options.print) pi = new Pi(home, { ...options, env });
	}
	afterEach(async () => {
		await pi?.close();
		pi = undefined;
		await model.stop();
		const left = home.processes();
		home.remove();
		assert.deepEqual(left, [], "Pi left processes behind");
	});
	const isDialog = ({ type, method }) =>
		type === "extension_ui_request" && ["select", "input"].includes(method);
	// Sends a prompt and answers every dialog as `answer` says; gives the dialogs.
	async function prompt(answer) {
		const from = pi.events.length;
		pi.send({ id: "p", type: "prompt", message: "go" });
		const dialogs = [];
		for (let next = from; ; ) {
			const isNews = (event) => isDialog(event) || event.type === "agent_settled";
			const event = await pi.event("a dialog or the end", isNews, next);
			next = pi.events.indexOf(event) + 1;
			if (event.type === "agent_settled") return dialogs;
			dialogs.push(event);
			pi.reply(event, answer(event));
		}
	}
	// As a person who fills in what is needed and leaves out the rest.
	function fillIn({ method, title, options }) {
		if (method === "input") return /\nname|\nString\b(?! with)/i.test(title) ? "Ada" : "";
		const wanted = ["Continue", "Submit", "(leave out)", "(done)"];
		return wanted.find((option) => options.includes(option)) ?? options[0];
	}

	test("row 87: a form is filled in, reviewed and sent", async () => {
		await start([call("trigger-elicitation-request"), "done"]);
		const dialogs = await prompt(fillIn);
		assert.match(dialogs[0].title, /^MCP server everything asks: /);
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
			if (/\nString with email/.test(dialog.title)) return "nobody";
			return /\nString with date/.test(dialog.title) ? "2026-02-31" : fillIn(dialog);
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
		assert.match(send.title, /will get this answer\nan answer without tools/);
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
});
