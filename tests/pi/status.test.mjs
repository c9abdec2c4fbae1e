// What Pi shows of the servers by itself: the footer and notices, and nothing without a user.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { cli, until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { Pi, PiHome, fakeServer, print } from "./pi.mjs";

const broken = { command: "/no/such/program" };

describe("status in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	async function start(steps, servers, options = {}) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure(servers);
		for (const [path, text] of Object.entries(options.files ?? {})) home.write(path, text);
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
	const footers = () => pi.shown("setStatus").map(({ statusText }) => statusText);
	const footer = (text) =>
		until(`the footer ${text}`, () => footers().at(-1) === text, 30).catch((error) => {
			throw new Error(`${error.message}; it was ${JSON.stringify(footers())}`);
		});

	test("the footer counts connected servers and follows every change", async () => {
		const connect = (name) => [{ tool: "mcp", args: { connect: name } }];
		await start([connect("fake"), connect("broken")], { fake: fakeServer("echo"), broken });
		await footer("MCP: 0/2 servers");
		await pi.prompt("go");
		await footer("MCP: 1/2 servers, 1 failed");
		pi.send({ id: "c", type: "prompt", message: "/mcp disable broken --everywhere" });
		await footer("MCP: 1/1 servers");
		pi.send({ id: "d", type: "prompt", message: "/mcp disable fake --everywhere" });
		await footer(undefined);
	});

	test("row 94: notices sum up what was started and name what failed", async () => {
		await start([], {
			fake: { ...fakeServer("echo"), lifecycle: "eager" },
			broken: { ...broken, lifecycle: "eager" },
			unused: fakeServer("add"),
		});
		const failed = await pi.notice(/^MCP: Failed to connect to broken: .*no\/such\/program/);
		assert.equal(failed.notifyType, "error");
		const summary = await pi.notice(/^MCP: 1\/2 servers connected \(\d+ tools\)$/);
		assert.equal(summary.notifyType, "info");
		await footer("MCP: 1/3 servers, 1 failed");
	});

	test("a broken configuration file is told at the start, with its place", async () => {
		const files = { "project/.mcp.json": "{ broken" };
		await start([], { fake: fakeServer("echo") }, { files });
		const told = await pi.notice(/\.mcp\.json: line 1, column 3: .*left out until/);
		assert.equal(told.notifyType, "warning");
		await footer("MCP: 0/1 servers");
	});

	test("notices tell once that a server that is kept ended and that it is back", async () => {
		await start([], { kept: { ...fakeServer("echo"), lifecycle: "keep-alive" } });
		await pi.notice(/^MCP: 1 server connected/);
		const [server] = home.servers().filter((pid) => PiHome.nameOf(pid) === "fake_server");
		process.kill(server, "SIGKILL");
		const ended = await pi.notice(/^MCP: kept ended \(killed by SIGKILL\) and is started again$/);
		assert.equal(ended.notifyType, "warning");
		const back = await pi.notice(/^MCP: kept is back$/);
		assert.equal(back.notifyType, "info");
		await footer("MCP: 1/1 servers");
		assert.equal(pi.shown("notify").length, 3);
	});

	test("/mcp logs shows the last error and what the server wrote to its stderr", async () => {
		const script = "echo 'the reason is this' >&2; exit 3";
		await start([], { loud: { command: "/bin/sh", args: ["-c", script], lifecycle: "eager" } });
		await pi.notice(/^MCP: Failed to connect to loud/);
		pi.send({ id: "c", type: "prompt", message: "/mcp logs loud" });
		const { message } = await pi.notice(/^loud: failed\nLast error: /);
		assert.match(message, /stderr:\n(.*\n)*the reason is this/);
		pi.send({ id: "d", type: "prompt", message: "/mcp logs" });
		await pi.notice(/Usage: \/mcp logs <server>/);
	});

	test("without a user interface nothing is shown and nothing fails", async () => {
		const servers = { fake: { ...fakeServer("echo"), lifecycle: "eager" }, broken };
		await start([[{ tool: "mcp", args: { connect: "broken" } }], "done"], servers, { print: true });
		const printed = await print(home, "go");
		assert.equal(printed.stdout.trim(), "done", printed.stderr);
		assert.equal(printed.stderr.trim(), "");
		for (const command of ["/mcp", "/mcp logs fake", "/mcp disable fake", "/mcp-auth fake"]) {
			const { stdout, status, stderr } = await print(home, command, { mode: ["--mode", "json"] });
			assert.equal(status, 0, stderr);
			assert.doesNotMatch(stdout, /extension_ui_request|extension_error/);
		}
		const { stdout } = await cli(home, ["config", "fake", "--json"]);
		assert.doesNotMatch(stdout, /"disabled": ?true/);
	});
});
