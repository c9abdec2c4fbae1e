// The first minutes of somebody new: an empty home directory, then one thing broken at a time.
// Every message names the thing, the reason and the next step.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Home, Host, binary, cli, server } from "./harness.mjs";

describe("a fresh user", { timeout: 240_000 }, () => {
	let home;
	beforeEach(() => (home = new Home()));
	afterEach(() => home.remove());

	const withHost = async (work) => {
		const host = await Host.connect(home);
		try {
			return await work(host);
		} finally {
			await host.close();
		}
	};

	test("without any configuration, status says so and how to add a server", async () => {
		const { status, stdout } = await cli(home, ["status"]);
		assert.equal(status, 0);
		assert.match(stdout, /^No servers are configured\.\n/);
		assert.match(stdout, /pi-mcp add|mcp\.json/);
		const { text } = await withHost((host) => host.mcp({}));
		assert.match(text, /^MCP: 0\/0 servers, 0 tools/);
	});

	test("add, then call, is all it takes", async () => {
		const { command } = server("mcp-server-everything");
		assert.equal((await cli(home, ["add", "everything", "--", command])).status, 0);
		const { stdout, stderr, status } = await cli(home, ["call", "everything_echo", "message=hi"]);
		assert.equal(status, 0, stderr);
		assert.match(stdout, /hi/);
	});

	test("a misspelt program is named, with what to check", async () => {
		home.configure({ mine: { command: "nxp", args: ["-y", "x"] } });
		const { stderr, stdout, status } = await cli(home, ["connect", "mine"]);
		assert.equal(status, 4);
		assert.match(stderr + stdout, /mine/);
		assert.match(stderr + stdout, /nxp/);
		assert.match(stderr + stdout, /not found|no such/i);
	});

	test("a server that dies at start shows its last words", async () => {
		home.configure({ mine: { command: "sh", args: ["-c", "echo the disk is on fire >&2; exit 3"] } });
		const { stderr, stdout, status } = await cli(home, ["connect", "mine"]);
		assert.equal(status, 4);
		assert.match(stderr + stdout, /the disk is on fire/);
		assert.match(stderr + stdout, /\b3\b/);
	});

	test("a broken configuration file is named with line and column, the rest works", async () => {
		home.write(".pi/agent/mcp.json", '{\n  "mcpServers": {\n    "a": {,}\n  }\n}\n');
		home.write(".config/mcp/mcp.json", { mcpServers: { b: server("mcp-server-everything") } });
		const { stdout, stderr, status } = await cli(home, ["status"]);
		assert.equal(status, 7);
		assert.match(stderr, /mcp\.json: line 3/);
		assert.match(stdout, /○  b /);
	});

	test("a missing variable in a secret is named before anything is started", async () => {
		const env = { API_TOKEN: "${NOT_SET_ANYWHERE}" };
		home.configure({ mine: { ...server("mcp-server-everything"), env } });
		const { stderr, stdout } = await cli(home, ["connect", "mine"]);
		assert.match(stderr + stdout, /NOT_SET_ANYWHERE/);
	});

	test("a damaged cache is replaced, not fatal", async () => {
		home.configure({ e: server("mcp-server-everything") });
		home.write(".pi/agent/mcp-cache.json", "\0\0 not json");
		const { text } = await withHost((host) => host.mcp({ tool: "e_echo", args: { message: "ok" } }));
		assert.match(text, /ok/);
	});

	test("a cache that cannot be written is no reason to refuse a call", async () => {
		home.configure({ e: server("mcp-server-everything") });
		home.write(".pi/agent/mcp-cache.json/in-the-way", "");
		const { text } = await withHost((host) => host.mcp({ tool: "e_echo", args: { message: "ok" } }));
		assert.match(text, /ok/);
	});

	test("junk on a server's standard output does not disturb it", async () => {
		const real = server("mcp-server-everything").command;
		home.configure({ e: { command: "sh", args: ["-c", `echo Welcome to my server; exec ${real}`] } });
		const { text } = await withHost((host) => host.mcp({ tool: "e_echo", args: { message: "ok" } }));
		assert.match(text, /ok/);
	});

	test("an entry that starts pi-mcp itself is not followed", async () => {
		const itself = { command: binary, args: ["serve"] };
		home.write("project/.mcp.json", { mcpServers: { "pi-mcp": itself } });
		home.configure({ e: server("mcp-server-everything") });
		const { stdout } = await cli(home, ["status"]);
		assert.match(stdout, /^1 server, 0 tools \(1 needs trust\)\n/);
		await withHost(async (host) => {
			await host.mcp({ connect: "e" });
			const names = home.processes().map(Home.nameOf);
			assert.equal(names.filter((name) => name === "pi-mcp").length, 1);
		});
	});

	test("a mistyped command suggests the help", async () => {
		const { status, stderr } = await cli(home, ["serch", "x"]);
		assert.equal(status, 2);
		assert.match(stderr, /serch/);
		assert.match(stderr, /search|--help/);
	});

	test("help can be read before anything is set up", async () => {
		const { status, stdout } = await cli(home, ["--help"]);
		assert.equal(status, 0);
		assert.match(stdout, /serve/);
		assert.equal(existsSync(join(home.root, ".pi")), false);
	});
});
