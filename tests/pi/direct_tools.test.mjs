// Direct tools in the real Pi: from the cache, added while Pi runs, and never over another tool.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { server } from "../e2e/harness.mjs";
import { PiHome, fakeServer, print, scriptedServer } from "./pi.mjs";
import { end, open } from "./place.mjs";

// Switches a tool off, as a person may with other extensions.
const switcher = `export default function (pi) {
	pi.registerCommand("off", {
		handler: (name) => pi.setActiveTools(pi.getActiveTools().filter((tool) => tool !== name)),
	});
}
`;

describe("direct tools in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	// `known`: servers that the cache knows.
	async function start(...args) {
		({ model, home, pi } = await open(...args));
	}
	afterEach(() => end({ model, home, pi }));
	// A server's notice of a change is followed up a moment after the call that caused it.
	async function promptUntil(what, isDone) {
		for (let turn = 0; turn < 50; turn++) {
			await pi.prompt("again");
			if (isDone(model.toolNames())) return;
		}
		assert.fail(`${what} never; there were ${model.toolNames()}`);
	}
	const promptUntilDeclared = (name) =>
		promptUntil(`${name} is declared`, (names) => names.includes(name));
	const everything = (directTools) => ({
		everything: { ...server("mcp-server-everything"), directTools },
	});

	test("selected tools are declared from the cache and called like those of Pi", async () => {
		const args = { message: "straight" };
		await start(
			[[{ tool: "everything_echo", args }], "done"],
			everything(["echo", "get-*"]),
			{ known: ["everything"], print: true },
		);
		await print(home, "go");
		const names = model.toolNames(model.requests[0]);
		assert.ok(names.includes("mcp") && names.includes("everything_echo"), names.join());
		assert.ok(names.includes("everything_get-sum"), names.join());
		assert.ok(!names.includes("everything_toggle-simulated-logging"), names.join());
		assert.match(model.toolTexts()[0], /straight/);
	});

	test("declaring direct tools starts no server", async () => {
		await start(["hello"], everything(true), { known: ["everything"] });
		await pi.prompt("go");
		assert.ok(model.toolNames().includes("everything_echo"));
		assert.equal(home.servers().filter((pid) => pid !== pi.child.pid).length, 0);
	});

	test("a failing direct tool is a failed tool result", async () => {
		await start(
			[[{ tool: "everything_get-sum", args: { a: 1 } }], "done"],
			everything(true),
			{ known: ["everything"] },
		);
		await pi.prompt("go");
		assert.equal(pi.results()[0].isError, true);
	});

	test("tools of a server that is connected for the first time join the next turn", async () => {
		await start(
			[
				[{ tool: "mcp", args: { connect: "everything" } }],
				[{ tool: "everything_echo", args: { message: "hot" } }],
			],
			everything(["echo"]),
		);
		await pi.prompt("go");
		assert.ok(!model.toolNames(model.requests[0]).includes("everything_echo"));
		assert.ok(model.toolNames(model.requests[1]).includes("everything_echo"));
		assert.match(model.toolTexts().at(-1), /hot/);
	});

	test("tools that a server withdraws or adds are followed", async () => {
		const grow = [{ tool: "mcp", args: { tool: "fake_add_tool", args: { name: "grown" } } }];
		await start(
			[grow],
			{ fake: { ...fakeServer("add_tool"), directTools: true } },
			{ known: ["fake"] },
		);
		await pi.prompt("go");
		await promptUntilDeclared("fake_grown");
	});

	const scripted = (...tools) => ({ ...scriptedServer({ tools }), directTools: true });

	test("a tool that its server offers again is back, unless the user switched it off", async () => {
		const change = (tool) => ["alpha", "beta"].map((name) => ({ tool, args: { name } }));
		await start([], { w: scripted("add", "remove", "alpha", "beta") }, {
			known: ["w"],
			extra: switcher,
		});
		await promptUntilDeclared("w_beta");
		await pi.command("prompt", { message: "/off w_beta" });
		model.next = [change("w_remove")];
		await promptUntil("w_alpha is gone", (names) => !names.includes("w_alpha"));
		model.next = [change("w_add")];
		await promptUntilDeclared("w_alpha");
		assert.ok(!model.toolNames().includes("w_beta"), model.toolNames().join());
	});

	test("after the gateway ended a direct call and new tools work as before", async () => {
		await start([], { w: scripted("add", "echo") }, { known: ["w"] });
		await promptUntilDeclared("w_echo");
		const gateways = () => home.processes().filter((pid) => PiHome.nameOf(pid) === "pi-mcp");
		process.kill(gateways()[0], "SIGKILL");
		const { message } = await pi.notice(/gateway ended unexpectedly/);
		assert.match(message, /starts again with the next call\. \S+ ended \(SIGKILL\)$/);
		model.next = [[{ tool: "w_echo", args: { text: "alive" } }]];
		await pi.prompt("again");
		assert.match(model.toolTexts().at(-1), /alive/);
		model.next = [[{ tool: "w_add", args: { name: "grown" } }]];
		await promptUntilDeclared("w_grown");
		assert.equal(gateways().length, 1);
	});

	test("a search activates the tools it shows", async () => {
		await start(
			[[{ tool: "mcp", args: { search: "echo message back", limit: 1 } }]],
			everything("search"),
			{ known: ["everything"] },
		);
		await pi.prompt("go");
		assert.ok(!model.toolNames(model.requests[0]).includes("everything_echo"));
		assert.ok(model.toolNames(model.requests[1]).includes("everything_echo"));
	});

	test("a name that Pi has stays with Pi", async () => {
		const add = (name) => ({ tool: "mcp", args: { tool: "add_tool", args: { name } } });
		await start(
			[[add("read"), add("peek")]],
			{ fake: { ...fakeServer("add_tool"), directTools: true } },
			{ known: ["fake"], settings: { toolPrefix: "none" } },
		);
		await pi.prompt("go");
		await promptUntilDeclared("peek");
		const tools = model.requests.at(-1).tools.map((tool) => tool.function);
		assert.ok(tools.some(({ name }) => name === "peek"));
		const [read] = tools.filter(({ name }) => name === "read");
		assert.ok("path" in read.parameters.properties, "Pi's own read");
	});

	test("the MCP_DIRECT_TOOLS variable has the last word", async () => {
		await start(["hello"], everything(true), {
			known: ["everything"],
			env: { MCP_DIRECT_TOOLS: "everything/echo" },
		});
		await pi.prompt("go");
		const direct = model.toolNames().filter((name) => name.startsWith("everything"));
		assert.deepEqual(direct, ["everything_echo"]);
	});
});
