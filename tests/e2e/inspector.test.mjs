// The MCP Inspector's command line as a second, independent host.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Home, bin, binary, run, server } from "./harness.mjs";

describe("MCP Inspector in CLI mode", { timeout: 120_000 }, () => {
	let home;
	before(() => {
		home = new Home();
		home.configure({ everything: server("mcp-server-everything") });
	});
	after(() => home.remove());

	const inspect = async (...args) => {
		const command = ["--cli", binary, "serve", "--cwd", home.project, ...args];
		const ended = await run(bin("mcp-inspector"), command, { env: home.env });
		assert.equal(ended.status, 0, ended.stderr);
		return JSON.parse(ended.stdout);
	};

	test("it lists one tool", async () => {
		const { tools } = await inspect("--method", "tools/list");
		assert.deepEqual(tools.map((tool) => tool.name), ["mcp"]);
	});

	test("it calls a tool of a server behind us", async () => {
		const call = ["--method", "tools/call", "--tool-name", "mcp"];
		const args = ["--tool-arg", "tool=everything_echo", 'args={"message":"inspected"}'];
		const { content } = await inspect(...call, ...args);
		assert.match(content[0].text, /inspected/);
		await home.allGone();
	});
});
