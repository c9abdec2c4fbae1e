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

	const withoutNames = (text) => text.replace(/ \(.*?\)/, "");
	const paidFor = ({ name, description, inputSchema }) => ({
		name,
		description: withoutNames(description),
		inputSchema,
	});
	const tokensOf = (tools) => encode(JSON.stringify(tools.map(paidFor))).length;

	test("costs at most 215 tokens without the names of servers", async () => {
		const host = await Host.connect(home);
		const { tools } = await host.client.listTools();
		const tokens = tokensOf(tools);
		console.log(`the mcp tool: ${tokens} tokens, ${JSON.stringify(tools).length} bytes`);
		assert.ok(tokens <= 215, `${tokens} tokens`);
		assert.ok(JSON.stringify(tools.map(paidFor)).length <= 1100);
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

	// Many servers with long names, and with names that a tokenizer has never seen.
	test("names of servers cost 120 tokens, what is said of them 400", async () => {
		const crowd = new Home();
		const prose =
			"Reads & writes issues, pull-requests, wikis (and 17 other things) of GitHub's API v3.";
		const kinds = {
			few: [3, (i) => `server-${i}`],
			many: [60, (i) => `mcp_server.${i * 7919}`],
			odd: [200, (i) => `xqzk${(i * 2654435761).toString(36)}-Ünïcode-検索${i}`],
		};
		for (const [kind, [count, nameOf]] of Object.entries(kinds)) {
			const servers = {};
			for (let i = 0; i < count; i++) {
				servers[nameOf(i)] = { command: "true", ...(i % 3 ? { description: prose } : {}) };
			}
			crowd.configure(servers);
			crowd.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
			const host = await Host.connect(crowd);
			const { tools } = await host.client.listTools();
			const [named] = /\(.*?\)/.exec(tools[0].description.split("\n")[0]);
			const said = host.client.getInstructions();
			const [names, instructions] = [encode(named).length, encode(said).length];
			console.log(`${kind}: names ${names}, instructions ${instructions} tokens`);
			assert.ok(names <= 120, named);
			assert.ok(instructions <= 400, said);
			assert.equal(kind === "few", !/\+\d+ more/.test(named), named);
			assert.match(said, /one search for each need/);
			await host.close();
		}
		crowd.remove();
	});

	test("is the same bytes before and after connects and restarts", async () => {
		const host = await Host.connect(home);
		const first = await definition(host);
		await host.mcp({ connect: "everything" });
		assert.equal(await definition(host), first);
		await host.close();
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
