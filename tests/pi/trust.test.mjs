// Files of a project in Pi: nothing of them runs before its user has said so. RPC and print mode;
// the terminal is in trust_screen.test.mjs.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { cli, until } from "../e2e/harness.mjs";
import { Clone, trustForSession, trustIt } from "./clone.mjs";
import { Model } from "./model.mjs";
import { Pi, library, print, root, versions } from "./pi.mjs";

const [newest, before] = versions;
const echo = (server) => [{ tool: "mcp", args: { tool: `${server}_echo`, args: { text: "hi" } } }];

describe("files of a project in Pi", { timeout: 290_000 }, () => {
	let home;
	let model;
	let pi;

	// No cache: the first run, in which pi-mcp asks the servers of the user for their tools.
	async function begin(...steps) {
		model = await Model.start(steps);
		home = new Clone(model);
	}
	afterEach(async () => {
		await pi?.close();
		pi = undefined;
		await model.stop();
		await home.allGone(10).finally(() => home.remove());
	});

	const isQuestion = ({ type, method }) => type === "extension_ui_request" && method === "select";
	const questions = (from = 0) => pi.events.slice(from).filter(isQuestion);
	const footer = (text, from = 0) =>
		pi.event(`the footer ${text}`, ({ statusText }) => statusText?.endsWith(text), from);
	// Runs a prompt whose one question is answered so.
	async function promptAnswering(answer) {
		const from = pi.events.length;
		pi.send({ id: "p", type: "prompt", message: "go" });
		const dialog = await pi.event("the question", isQuestion, from);
		pi.reply(dialog, answer);
		await pi.event("the end of the prompt", ({ type }) => type === pi.settled, from);
		assert.equal(questions(from).length, 1);
		return dialog;
	}
	const failures = () => pi.results().map(({ isError }) => isError);
	const text = (result) => result.result.content.map((part) => part.text).join("\n");

	for (const version of versions) {
		const path = version === newest ? ".mcp.json" : ".pi/mcp.json";

		test(`Pi ${version.name} starts nothing of ${path} and asks with the first call`, async () => {
			await begin(echo("lazy"), echo("lazy"), "over");
			home.brings(path, {
				lazy: home.server("lazy", { env: { TOKEN: "${SECRET_TOKEN}" } }),
				eager: home.server("eager", { lifecycle: "eager" }),
			});
			home.configure({ mine: home.server("mine") });
			pi = new Pi(home, { version });
			await until("the user's server to be asked for its tools", () => home.hasRun("mine"), 30);
			await footer("/1 servers, 2 need trust");
			const { title, options } = await promptAnswering(undefined);
			const [ours, ...lines] = title.split("\n");
			assert.match(ours, /^Files of the project in .*\/project want to use MCP servers/);
			for (const line of lines) assert.match(line, /^│/);
			assert.match(title, /│ {3}runs: sh -c ".*ran-lazy/);
			assert.match(title, /│ {3}reads from your environment: SECRET_TOKEN\n/);
			assert.deepEqual(options, [trustIt, trustForSession, "No"]);
			assert.deepEqual(failures(), [true, true], "a closed dialog is a no for the session");
			assert.match(text(pi.results()[1]), /does not allow the project's servers in this session/);
			assert.deepEqual([home.hasRun("lazy"), home.hasRun("eager")], [false, false]);
		});

		test(`Pi ${version.name} without a user interface refuses and names the command`, async () => {
			await begin(echo("lazy"), "over");
			home.brings(".mcp.json", {
				lazy: home.server("lazy"),
				eager: home.server("eager", { lifecycle: "eager" }),
			});
			for (const mode of [["-p"], ["--mode", "json"]]) {
				const { status, stderr } = await print(home, "go", { version, mode });
				assert.equal(status, 0, stderr);
				assert.match(model.toolTexts().at(-1), /not trusted yet\. .* run: pi-mcp trust \(in /);
			}
			assert.deepEqual([home.hasRun("lazy"), home.hasRun("eager")], [false, false]);
		});
	}

	for (const version of [newest, before]) {
		test(`Pi ${version.name} with --no-approve uses nothing of the project`, async () => {
			await begin(echo("lazy"), echo("own"), "over");
			home.brings(".mcp.json", { lazy: home.server("lazy"), own: home.server("replaced") });
			home.brings(".pi/mcp.json", { eager: home.server("eager", { lifecycle: "eager" }) });
			home.configure({ own: home.server("own") });
			const { stderr, status } = await print(home, "go", { version, args: ["-na"] });
			assert.equal(status, 0, stderr);
			const [refused, done] = model.toolTexts();
			assert.match(refused, /the host does not trust this folder.* pi-mcp trust/);
			assert.match(done, /hi/);
			assert.deepEqual(["lazy", "eager", "replaced"].filter((name) => home.hasRun(name)), []);
			assert.ok(home.hasRun("own"));
		});
	}

	test("what is trusted runs, in the next session without a question", async () => {
		await begin(echo("lazy"), "over");
		home.brings(".mcp.json", { lazy: home.server("lazy") });
		pi = new Pi(home);
		await footer("MCP: 1 server needs trust");
		await promptAnswering(trustIt);
		assert.deepEqual(failures(), [false]);
		assert.ok(home.hasRun("lazy"));
		await footer("MCP: 1/1 servers");
		await pi.close();
		pi = new Pi(home);
		await pi.prompt("go");
		assert.deepEqual([failures(), questions()], [[false], []]);
	});

	test("what is trusted for a session is asked about in the next one", async () => {
		await begin(echo("lazy"), "over");
		home.brings(".mcp.json", { lazy: home.server("lazy") });
		pi = new Pi(home);
		await promptAnswering(trustForSession);
		assert.deepEqual(failures(), [false]);
		await pi.close();
		pi = new Pi(home);
		await promptAnswering("No");
		assert.deepEqual(failures(), [true]);
	});

	test("a command that replaces a user's server is the user's until it is trusted", async () => {
		await begin(echo("own"), "over");
		home.brings(".mcp.json", { own: home.server("replaced") });
		home.configure({ own: home.server("own") });
		pi = new Pi(home);
		await pi.prompt("go");
		assert.deepEqual([failures(), questions()], [[false], []]);
		assert.deepEqual([home.hasRun("own"), home.hasRun("replaced")], [true, false]);
	});

	const keptBy = (file) => {
		const path = join(home.agent, file);
		return existsSync(path) ? readFileSync(path, "utf8") : "";
	};

	test("pi --approve counts for that run of Pi alone", async () => {
		await begin(echo("a"), "over", echo("a"), "over");
		home.brings(".pi/mcp.json", { a: home.server("a") });
		const reload = "(pi) => pi.registerCommand('again', { handler: (_, ctx) => ctx.reload() })";
		const reloader = home.write("again.js", `export default ${reload};`);
		pi = new Pi(home, { args: ["--approve", "-e", reloader] });
		await pi.prompt("go");
		await pi.command("new_session");
		await pi.prompt("go");
		await pi.command("prompt", { message: "/again" });
		await pi.prompt("go");
		assert.deepEqual([failures(), questions()], [[false, false, false], []]);
		assert.equal(keptBy("mcp-trust.json"), "");
		const { status, stderr } = await cli(home, ["call", "a_echo", "text=hi"]);
		assert.equal(status, 5, stderr);

		// A later Pi does not trust the folder; one with --approve sees what is there then.
		await pi.close();
		const { stderr: said } = await print(home, "go");
		assert.match(model.toolTexts().at(-1), /the host does not trust this folder/, said);
		home.brings(".pi/mcp.json", { a: home.server("changed") });
		pi = new Pi(home, { args: ["--approve"] });
		await pi.prompt("go");
		assert.deepEqual([failures(), questions(), home.hasRun("changed")], [[false], [], true]);
	});

	test("Pi's yes is about .pi/mcp.json as it is, not about what it says later", async () => {
		await begin(echo("a"), "over");
		const a = home.server("a");
		home.write(".pi/agent/trust.json", { [home.project]: true });
		home.brings(".pi/mcp.json", { a });
		home.brings(".mcp.json", { other: home.server("other", { lifecycle: "eager" }) });
		pi = new Pi(home);
		await pi.prompt("go");
		assert.deepEqual([failures(), questions()], [[false], []]);
		await footer("MCP: 1/1 servers, 1 needs trust");

		// While Pi runs, and when it starts again.
		const b = home.server("added", { lifecycle: "eager" });
		home.brings(".pi/mcp.json", { a: home.server("changed"), b });
		await footer("MCP: 3 servers need trust");
		await pi.close();
		pi = new Pi(home);
		await footer("MCP: 3 servers need trust");
		const { title } = await promptAnswering("No");
		assert.match(title, /ran-changed/);
		assert.match(title, /ran-added/);
		assert.deepEqual(["changed", "added", "other"].filter((name) => home.hasRun(name)), []);

		home.brings(".pi/mcp.json", { a });
		await footer("MCP: 0/1 servers, 1 needs trust");
	});

	test("a .pi/mcp.json that appears while Pi runs is not what Pi said yes to", async () => {
		await begin(echo("late"), "over");
		home.configure({ mine: home.server("mine") });
		pi = new Pi(home, { args: ["--approve"] });
		await until("the user's server to be asked for its tools", () => home.hasRun("mine"), 30);
		home.brings(".pi/mcp.json", { late: home.server("late", { lifecycle: "eager" }) });
		await footer("/1 servers, 1 needs trust");
		// Pi keeps its answer in a new session, where it is none about this file either.
		const from = pi.events.length;
		await pi.command("new_session");
		await footer("/1 servers, 1 needs trust", from);
		await promptAnswering("No");
		assert.deepEqual([failures(), home.hasRun("late")], [[true], false]);
	});

	test("pi-mcp trust in a terminal counts in a session that runs", async () => {
		await begin(echo("lazy"), "over");
		home.brings(".mcp.json", { lazy: home.server("lazy") });
		pi = new Pi(home);
		await footer("MCP: 1 server needs trust");
		const { status, stderr } = await cli(home, ["trust", "--yes"]);
		assert.equal(status, 0, stderr);
		await footer("MCP: 0/1 servers");
		await pi.prompt("go");
		assert.deepEqual([failures(), questions()], [[false], []]);
	});

	test("a host built on Pi may change its mind while a session runs", async () => {
		await begin(echo("a"), "one", echo("a"), "two");
		home.brings(".pi/mcp.json", { a: home.server("a") });
		home.brings(".mcp.json", { b: home.server("b", { lifecycle: "eager" }) });
		const { status, stderr } = await library(home, "library_host.mjs", root, home.agent);
		assert.equal(status, 0, stderr);
		const [refused, done] = model.toolTexts();
		assert.match(refused, /the host does not trust this folder/);
		assert.match(done, /hi/);
		assert.deepEqual([home.hasRun("a"), home.hasRun("b")], [true, false]);
	});

	test("after a no /mcp connect says how to answer anew", async () => {
		await begin("hello");
		home.brings(".mcp.json", { lazy: home.server("lazy") });
		pi = new Pi(home);
		const connect = () => pi.send({ id: "c", type: "prompt", message: "/mcp connect lazy" });
		connect();
		pi.reply(await pi.event("the question", isQuestion), "No");
		await pi.notice(/did not allow the project's server "lazy"\.\nTo answer anew: \/mcp trust/);
		const from = pi.events.length;
		connect();
		await pi.notice(/To answer anew: \/mcp trust/, from);
		pi.send({ id: "d", type: "prompt", message: "/mcp disable lazy" });
		await pi.notice(/lazy is of this project and needs trust; \/mcp connect lazy asks you/, from);
		assert.equal(questions().length, 1);
		assert.equal(home.hasRun("lazy"), false);
	});

	test("/mcp trust asks once more, about all that waits", async () => {
		await begin("hello");
		home.brings(".mcp.json", { lazy: home.server("lazy"), other: home.server("other") });
		pi = new Pi(home);
		pi.send({ id: "c", type: "prompt", message: "/mcp connect lazy" });
		pi.reply(await pi.event("the question", isQuestion), "No");
		await pi.notice(/did not allow/);
		const from = pi.events.length;
		pi.send({ id: "d", type: "prompt", message: "/mcp trust" });
		const question = await pi.event("the question", isQuestion, from);
		assert.match(question.title, /ran-lazy[^]*ran-other/);
		pi.reply(question, trustIt);
		await pi.notice(/^Trusted: .*project\.$/, from);
		pi.send({ id: "e", type: "prompt", message: "/mcp connect other" });
		await pi.notice(/other \(project\) \(2 tools\)/, from);
		pi.send({ id: "f", type: "prompt", message: "/mcp trust" });
		await pi.notice(/trusted already, and nothing in it asks for more/, from);
		assert.deepEqual([home.hasRun("lazy"), home.hasRun("other")], [false, true]);
	});

	test("/mcp trust asks about a folder whose files want nothing", async () => {
		await begin("hello");
		pi = new Pi(home);
		pi.send({ id: "c", type: "prompt", message: "/mcp trust" });
		const isFolder = ({ method, title }) => method === "select" && /Trust the folder/.test(title);
		const question = await pi.event("the question", isFolder);
		pi.reply(question, "Trust it");
		await pi.notice(/^Trusted: /);
		const kept = JSON.parse(readFileSync(join(home.agent, "mcp-trust.json"), "utf8"));
		assert.match(JSON.stringify(kept), /"trusted":true/);
	});
});
