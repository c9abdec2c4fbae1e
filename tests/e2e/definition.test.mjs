// What the model pays for: one small tool whose definition never changes.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { Home, Host, server } from "./harness.mjs";

const definition = async (host) => {
	const { tools } = await host.client.listTools();
	assert.deepEqual(tools.map((tool) => tool.name), ["mcp"]);
	return JSON.stringify(tools);
};

describe("the definition of the mcp tool", { timeout: 120_000 }, () => {
	let home;
	before(() => {
		home = new Home();
		home.configure({ everything: server("mcp-server-everything") });
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
	});
	after(() => home.remove());

	const paidFor = ({ name, description, inputSchema }) => ({ name, description, inputSchema });
	const tokensOf = (tools) => encode(JSON.stringify(tools.map(paidFor))).length;

	test("costs at most 200 tokens and 1000 bytes", async () => {
		const host = await Host.connect(home);
		const { tools } = await host.client.listTools();
		const tokens = tokensOf(tools);
		console.log(`the mcp tool: ${tokens} tokens, ${JSON.stringify(tools).length} bytes`);
		assert.ok(tokens <= 200, `${tokens} tokens`);
		assert.ok(JSON.stringify(tools).length <= 1000, `${JSON.stringify(tools).length} bytes`);
		await host.close();
	});

	test("costs at most 300 tokens where mcp only reads and mcp_write does the rest", async () => {
		const host = await Host.connect(home, "--split");
		const { tools } = await host.client.listTools();
		console.log(`mcp and mcp_write: ${tokensOf(tools)} tokens`);
		assert.ok(tokensOf(tools) <= 300);
		assert.deepEqual(
			tools.map(({ name, annotations }) => [name, annotations.readOnlyHint]),
			[
				["mcp", true],
				["mcp_write", false],
			],
		);
		const write = { name: "mcp", arguments: { tool: "everything_toggle-simulated-logging" } };
		await host.mcp({ connect: "everything" });
		const refused = await host.client.callTool(write);
		assert.match(refused.content[0].text, /mcp_write\(\{ tool/);
		const done = await host.client.callTool({ ...write, name: "mcp_write" });
		assert.match(done.content[0].text, /logging/);
		await host.close();
	});

	test("is the same bytes before and after connects, restarts and other servers", async () => {
		const host = await Host.connect(home);
		const first = await definition(host);
		await host.mcp({ connect: "everything" });
		assert.equal(await definition(host), first);
		await host.close();
		const other = server("mcp-server-memory");
		home.configure({ other, everything: server("mcp-server-everything") });
		const again = await Host.connect(home);
		assert.equal(await definition(again), first);
		await again.close();
	});

	test("teaches every mode", async () => {
		const host = await Host.connect(home);
		const text = await definition(host);
		for (const word of ["status", "list", "search", "describe", "connect", "call"]) {
			assert.match(text, new RegExp(word, "i"));
		}
		await host.close();
	});
});
