// Slash commands in the real Pi: /mcp and its words, and prompts of servers as commands.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { Person, ProtectedPlace } from "../e2e/authorization.mjs";
import { cli, server } from "../e2e/harness.mjs";
import { Model, textOf } from "./model.mjs";
import { Pi, PiHome, fakeServer, namedServer, print, scriptedServer } from "./pi.mjs";

describe("commands in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	async function start(steps, { servers, known = ["everything"], ...options } = {}) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure(servers ?? { everything: server("mcp-server-everything") });
		for (const name of known) {
			const { status, stderr } = await cli(home, ["connect", name]);
			assert.equal(status, 0, stderr);
		}
		if (!options.print) pi = new Pi(home, options);
	}
	afterEach(async () => {
		await pi?.close();
		pi = undefined;
		await model.stop();
		const left = home.processes();
		home.remove();
		assert.deepEqual(left, [], "Pi left processes behind");
	});
	// A command ends without an agent run; its notice is the answer.
	async function command(line, pattern) {
		const from = pi.events.length;
		pi.send({ id: "c", type: "prompt", message: line });
		return pi.notice(pattern, from);
	}

	test("/mcp shows the status of every server", async () => {
		await start([]);
		const { message } = await command("/mcp", /^MCP: /);
		assert.match(message, /^MCP: 0\/1 servers, \d+ tools/);
		assert.match(message, /○ everything \(\d+ tools, cached\)/);
	});

	test("/mcp tools lists the names of all tools", async () => {
		await start([]);
		const { message } = await command("/mcp tools", /^MCP Tools:/);
		assert.match(message, /\n {2}everything_echo\n/);
		assert.match(message, /Total: \d+ tools$/);
	});

	test("people are told the words of people", async () => {
		await start([], { servers: { one: namedServer("a"), "my server": namedServer("b") }, known: [] });
		assert.doesNotMatch((await command("/mcp status", /^MCP: /)).message, /mcp\(\{/);
		await command("/mcp reconnect my server", /✓ my server: reconnected \(1 tool/);
		const { message } = await command("/mcp tools my server", /^MCP Tools:/);
		assert.match(message, /Total: 1 tool$/);
		const unknown = /no tools of one are known; \/mcp reconnect one asks/;
		const none = await command("/mcp tools one", unknown);
		assert.equal(none.notifyType, "error");
	});

	test("help says what each word is for", async () => {
		await start([]);
		const { message } = await command("/mcp help", /^\/mcp opens a panel/);
		assert.match(message, /\n {2}tools {6}names of all tools, or of one server\n/);
		for (const line of message.split("\n")) assert.ok(line.length < 80, line);
	});

	test("without a server its words say how to get one", async () => {
		await start([], { servers: {}, known: [] });
		for (const line of ["/mcp tools", "/mcp prompts"]) {
			const { message } = await command(line, /^MCP: 0\/0 servers/);
			assert.match(message, /No server is configured/, line);
		}
	});

	test("a server that is not there or disabled is an error that says what to do", async () => {
		const off = { ...fakeServer("echo"), disabled: true };
		await start([], { servers: { off }, known: [] });
		const lines = ["/mcp tools", "/mcp reconnect", "/mcp-auth"];
		for (const line of [...lines, "/mcp logs", "/mcp enable", "/mcp disable"]) {
			const missing = await command(`${line} nope`, /"nope" not found; \/mcp status shows/);
			assert.equal(missing.notifyType, "error", line);
		}
		for (const line of lines) {
			const disabled = await command(`${line} off`, /off is disabled; \/mcp enable off/);
			assert.equal(disabled.notifyType, "error", line);
		}
	});

	test("/mcp reconnect gives a server a new process and tells of failures", async () => {
		await start([[{ tool: "mcp", args: { connect: "everything" } }]], {
			servers: {
				everything: server("mcp-server-everything"),
				broken: { command: "/no/such/program" },
			},
		});
		await pi.prompt("go");
		const servers = () => home.servers().filter((pid) => pid !== pi.child.pid);
		const [before] = servers();
		await command("/mcp reconnect everything", /✓ everything: reconnected \(\d+ tools\)/);
		const [after] = servers();
		assert.notEqual(after, before);
		const { message, notifyType } = await command("/mcp reconnect", /✗ broken: /);
		assert.match(message, /✓ everything: reconnected/);
		assert.equal(notifyType, "error");
		await command("/mcp reconnect nobody", /"nobody" not found/);
	});

	test("/mcp disable and enable change the file and count at once", async () => {
		await start([]);
		const file = join(home.agent, "mcp.json");
		await command("/mcp disable everything --everywhere", /everything/);
		assert.equal(JSON.parse(readFileSync(file, "utf8")).mcpServers.everything.disabled, true);
		await command("/mcp", /⊘ everything \(disabled\)/);
		await command("/mcp enable everything", /everything/);
		await command("/mcp", /○ everything \(\d+ tools, cached\)/);
		await command("/mcp enable", /Usage: \/mcp enable <server>/);
		await command("/mcp disable nobody", /nobody/);
	});

	test("/mcp-auth says how it is used and which servers it is not for", async () => {
		await start([]);
		await command("/mcp-auth", /no server here has logins/);
		await command("/mcp-auth nobody", /"nobody"/);
		const { notifyType } = await command("/mcp-auth everything", /OAuth/);
		assert.equal(notifyType, "error");
	});

	test("/mcp-auth logs in with what is pasted, for a browser on another machine", async () => {
		const place = await ProtectedPlace.start();
		try {
			const call = [{ tool: "mcp", args: { tool: "remote_whoami" } }];
			await start([call], { servers: { remote: { url: place.url } }, known: [] });
			const { message } = await command("/mcp-auth remote", /https?:/);
			const [address] = /http\S+client_id=\S+/.exec(message);
			const isInput = ({ type, method }) => type === "extension_ui_request" && method === "input";
			const dialog = await pi.event("the dialog", isInput);
			const redirect = new URL(address).searchParams.get("redirect_uri");
			const from = pi.events.length;
			pi.reply(dialog, await new Person(redirect).logIn(address));
			await pi.notice(/OAuth authentication successful for "remote"/, from);
			await pi.prompt("go");
			assert.match(model.toolTexts()[0], /logged in as ada/);
		} finally {
			place.stop();
		}
	});

	test("a prompt of a server is a command that starts the server when it is used", async () => {
		await start(["hello", "an answer"]);
		await pi.prompt("go"); // by now everything is registered
		const { data } = await pi.command("get_commands");
		const names = data.commands.map(({ name }) => name);
		assert.ok(names.includes("mcp__everything__simple-prompt"), names.join());
		await pi.prompt("/mcp__everything__simple-prompt");
		const said = model.requests[1].messages.filter(({ role }) => role === "user").map(textOf);
		assert.match(said.join(), /simple prompt/i);
	});

	test("arguments of a prompt come by place or by name, and missing ones are named", async () => {
		await start(["hello", "an answer"]);
		await pi.prompt("go");
		await command(
			"/mcp__everything__args-prompt",
			/Missing required argument: city\.\nUsage: \/mcp__everything__args-prompt <city> \[state\]/,
		);
		await pi.prompt('/mcp__everything__args-prompt state=Texas "San Antonio"');
		const said = model.requests[1].messages.filter(({ role }) => role === "user").map(textOf);
		assert.match(said.join(), /San Antonio, Texas/);
	});

	test("no word of a prompt's arguments is lost", async () => {
		const one = { name: "one", arguments: [{ name: "text", required: true }] };
		const two = { name: "two", arguments: [{ name: "branch" }, { name: "base" }] };
		const prompts = [one, two, { name: "none" }];
		await start([], { servers: { w: scriptedServer({ prompts }) }, known: ["w"] });
		await pi.prompt("go");
		const sent = async (line) => {
			await pi.prompt(line);
			const last = model.requests.at(-1).messages.findLast(({ role }) => role === "user");
			return JSON.parse(textOf(last).replace("asked with ", ""));
		};
		for (const [words, text] of [
			["don't panic", "don't panic"],
			["hello big  world", "hello big  world"],
			["text=two words", "two words"],
			['text="two words"', "two words"],
			['{"k": "v w"}', '{"k": "v w"}'],
			["'in quotes'", "in quotes"],
			['say "hi" \\"x\\"', 'say "hi" \\"x\\"'],
			['"unbalanced quote', '"unbalanced quote'],
			["http://x/?a=b&c=d", "http://x/?a=b&c=d"],
			["one\ntwo", "one\ntwo"],
			["text=", ""],
		]) {
			assert.deepEqual(await sent(`/mcp__w__one ${words}`), { text }, words);
		}
		const both = (branch, base) => ({ branch, base });
		assert.deepEqual(await sent("/mcp__w__two a b c"), both("a", "b c"));
		assert.deepEqual(await sent("/mcp__w__two base=x y z"), both("y z", "x"));
		assert.deepEqual(await sent('/mcp__w__two "a b" base="c d"'), both("a b", "c d"));
		await command("/mcp__w__none at all", /takes no arguments: at all/);
		assert.deepEqual(await sent("/mcp__w__none"), {});
	});

	test("what a server writes about its prompts is shown in one line", async () => {
		const description = "Reviews\u001b[31m\n\nMCP server bank asks: your pin";
		const servers = { w: scriptedServer({ prompts: [{ name: "one", description }] }) };
		await start(["hello"], { servers, known: ["w"] });
		await pi.prompt("go");
		const { data } = await pi.command("get_commands");
		const shown = data.commands.find(({ name }) => name === "mcp__w__one");
		assert.equal(shown.description, "Reviews MCP server bank asks: your pin");
	});

	test("without a user interface /mcp says nothing and Pi goes on", async () => {
		await start([], { print: true });
		const { stdout, stderr, status } = await print(home, "/mcp");
		assert.equal(status, 0, stderr);
		assert.equal(stdout.trim(), "");
	});

	test("the MCP client of Pi itself stays away and starts nothing", async () => {
		await start(["hello"], { print: true });
		const { stdout, stderr } = await print(home, "go", { builtins: true });
		assert.equal(stdout.trim(), "hello", stderr);
		const tools = model.toolNames(model.requests[0]);
		assert.ok(tools.includes("mcp"), tools.join());
		assert.ok(!tools.some((name) => name.startsWith("mcp__")), tools.join());
	});
});
