// What is offered while a command is being written, and what the footer says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { completionsOf } from "../../extension/commands.ts";
import { footerText } from "../../extension/footer.ts";

const asItIs = { mcpFooterStatus: "full", showStatusIcon: false };

function server(name, status = "cached", more = {}) {
	return { name, status, toolCount: 1, remote: false, file: "mcp.json", ...more };
}

const servers = [
	server("files"),
	server("fetch", "needs auth", { remote: true }),
	server("off", "disabled", { remote: true }),
	server("asks", "needs trust"),
	server("two  spaces"),
];

async function offered(command, prefix) {
	const items = await completionsOf(command, prefix, async () => servers);
	return items && items.map(({ value }) => value);
}

test("verbs are offered by how they begin, without asking for servers", async () => {
	const nobody = () => assert.fail("asked for servers");
	const items = await completionsOf("mcp", "re", nobody);
	assert.deepEqual(
		items.map(({ value }) => value),
		["reconnect"],
	);
	assert.equal(await completionsOf("mcp", "zzz", nobody), null);
	assert.equal(await completionsOf("mcp", "status ", nobody), null);
	assert.equal(await completionsOf("mcp", "nonsense ", nobody), null);
	assert.equal((await completionsOf("mcp", "", nobody)).length, 7);
});

test("behind a verb the servers that it is for are offered", async () => {
	assert.deepEqual(await offered("mcp", "tools "), ["tools files", "tools fetch"]);
	assert.deepEqual(await offered("mcp", "connect "), [
		"connect files",
		"connect fetch",
		"connect asks",
	]);
	assert.deepEqual(await offered("mcp", "enable "), ["enable off"]);
	assert.deepEqual(await offered("mcp", "logs  f"), ["logs  files", "logs  fetch"]);
	assert.equal(await offered("mcp", "enable x"), null);
});

test("a login is offered for remote servers that are in use", async () => {
	assert.deepEqual(await offered("mcp-auth", ""), ["fetch"]);
	assert.equal(await offered("mcp-auth", "files"), null);
});

for (const [all, text] of [
	[[], undefined],
	[[server("a", "disabled")], undefined],
	[[server("a", "connected"), server("b")], "MCP: 1/2 servers"],
	[[server("a", "connecting"), server("b", "failed")], "MCP: connecting to a..."],
	[[server("a", "connecting"), server("b", "connecting")], "MCP: connecting to 2 servers..."],
	[
		[server("a", "failed"), server("b", "needs auth")],
		"MCP: 0/2 servers, 1 failed, 1 needs auth",
	],
	[
		[server("a", "not connected", { reason: "no command" })],
		"MCP: 0/1 servers, 1 misconfigured",
	],
	[[server("a", "needs trust")], "MCP: 1 server needs trust"],
	[[server("a", "needs trust"), server("b", "needs trust")], "MCP: 2 servers need trust"],
	[[server("a", "needs trust", { forbidden: true })], undefined],
	[[server("a", "connected"), server("b", "needs trust")], "MCP: 1/1 servers, 1 needs trust"],
]) {
	test(`the footer: ${text}`, () => {
		assert.equal(footerText(all, asItIs), text);
	});
}
