// What is offered while a command is being written, and what the footer says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { completionsOf, divided, unknownWord } from "../../extension/command_words.ts";
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
	const all = (await completionsOf("mcp", "", nobody)).map(({ value }) => value);
	for (const word of ["setup", "add", "edit", "logout", "token", "secret", "trust", "quiet"]) {
		assert.ok(all.includes(word), word);
	}
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

test("flags are offered behind what a verb is about", async () => {
	const nobody = () => assert.fail("asked for servers");
	const of = async (prefix) =>
		(await completionsOf("mcp", prefix, nobody))?.map(({ value }) => value);
	assert.deepEqual(await of("setup "), ["setup --undo"]);
	assert.deepEqual(await of("disable files -"), [
		"disable files --here",
		"disable files --everywhere",
	]);
	assert.deepEqual(await of("token my server --r"), ["token my server --remove"]);
	assert.deepEqual(await offered("mcp", "logout "), ["logout fetch"]);
	assert.deepEqual(await offered("mcp", "disable two"), null);
});

test("an unknown word is named, with the one that may have been meant", () => {
	assert.match(unknownWord("lgout"), /^\/mcp has no word "lgout"\. Did you mean \/mcp logout\?/);
	assert.match(unknownWord("stat"), /Did you mean \/mcp status\?/);
	assert.match(unknownWord("nonsense"), /^\/mcp has no word "nonsense"\. There are: status, /);
});

test("a flag is told from the name, and one that is unknown is refused", () => {
	const split = divided("disable", ["my", "server", "--here"]);
	assert.deepEqual(split, { subject: "my server", flag: "--here" });
	assert.throws(() => divided("disable", ["x", "--hre"]), /--hre\? Usage: \/mcp disable/);
	assert.equal(divided("logs", ["--odd"]).subject, "--odd");
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
