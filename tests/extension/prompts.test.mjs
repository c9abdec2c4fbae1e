// Prompts of servers as commands: how a line becomes arguments, and what is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Prompts, wordsOf } from "../../extension/prompts.ts";

test("quotes keep spaces in a word that they enclose as a whole; others are characters", () => {
	for (const [line, words] of [
		["", []],
		["  a  b ", ["a", "b"]],
		[`"a b" 'c d'`, ["a b", "c d"]],
		[`k="a b" k=c`, ["k=a b", "k=c"]],
		["it's 5\" long", ["it's", '5"', "long"]],
		[`"a b`, ['"a', "b"]],
		[`""`, [""]],
		["a=b=c", ["a=b=c"]],
	]) {
		assert.deepEqual(wordsOf(line), words, line);
	}
});

const text = (value) => ({ role: "user", content: { type: "text", text: value } });

// The command of a prompt with these arguments ("name" or "name!" for a required one), and what
// became of it.
function start(names, { messages = [text("hello")], idle = true, name = "server__do" } = {}) {
	const commands = new Map();
	const seen = { sent: [], asked: [], told: [] };
	const pi = {
		registerCommand: (command, options) => commands.set(command, options),
		sendUserMessage: (message, options) => seen.sent.push([message, options]),
	};
	const gateway = { prompt: async (_name, values) => (seen.asked.push(values), messages) };
	const prompts = new Prompts(pi, { gateway: async () => gateway });
	const args = names.map((each) => ({
		name: each.replace("!", ""),
		required: each.endsWith("!"),
	}));
	assert.equal(prompts.register([{ name, arguments: args }]), true);
	const [[command, options]] = commands;
	const ctx = {
		hasUI: true,
		isIdle: () => idle,
		ui: { notify: (message) => seen.told.push(message) },
	};
	const run = (line) => options.handler(line, ctx);
	return { ...seen, prompts, command, run, complete: options.getArgumentCompletions };
}

for (const [names, line, values] of [
	[["a", "b"], "x y", { a: "x", b: "y" }],
	[["a", "b"], "b=y x", { b: "y", a: "x" }],
	[["a"], "x and more", { a: "x and more" }],
	[["a"], "a=x and more", { a: "x and more" }],
	[["a", "b"], `"x y" z`, { a: "x y", b: "z" }],
	[["a"], "unknown=x", { a: "unknown=x" }],
	[["a"], "", {}],
]) {
	test(`"${line}" for ${names}: ${JSON.stringify(values)}`, async () => {
		const prompt = start(names);
		await prompt.run(line);
		assert.deepEqual(prompt.told, []);
		assert.deepEqual(prompt.asked, [values]);
		assert.deepEqual(prompt.sent, [["hello", {}]]);
	});
}

test("a missing argument is named with the whole usage, and nothing is asked", async () => {
	const prompt = start(["a!", "b!", "c"]);
	await prompt.run("b=1 ");
	await prompt.run("");
	assert.deepEqual(prompt.asked, []);
	const usage = "Usage: /mcp__server__do <a> <b> [c]";
	assert.deepEqual(prompt.told, [
		`/mcp__server__do: Missing required argument: a.\n${usage}`,
		`/mcp__server__do: Missing required arguments: a, b.\n${usage}`,
	]);
});

test("words for a prompt without arguments, and a prompt without text, are errors", async () => {
	const none = start([]);
	await none.run("x");
	assert.deepEqual(none.told, ["/mcp__server__do: This prompt takes no arguments: x"]);
	const empty = start([], { messages: [text(" \n")] });
	await empty.run("");
	assert.deepEqual(empty.told, ["/mcp__server__do: the prompt has no text"]);
});

test("several messages say whose they are, and what is no text is named", async () => {
	const resource = { type: "resource", resource: { uri: "file:///x", text: "inside" } };
	const messages = [
		text("one"),
		{ role: "assistant", content: resource },
		{ role: "user", content: { type: "image" } },
	];
	const prompt = start([], { messages, idle: false });
	await prompt.run("");
	const all =
		"[user] one\n\n[assistant] [Resource: file:///x]\ninside\n\n[user] [image content]";
	assert.deepEqual(prompt.sent, [[all, { deliverAs: "followUp" }]]);
});

test("names that are not given yet are offered", () => {
	const { complete } = start(["first", "format", "other"]);
	const values = (prefix) => complete(prefix)?.map(({ value }) => value) ?? null;
	assert.deepEqual(values("f"), ["first=", "format="]);
	assert.deepEqual(values("first=x f"), ["first=x format="]);
	assert.equal(values("z"), null);
});

test("a command has only characters that Pi takes, and is registered once", () => {
	const { prompts, command } = start([], { name: "my server__do it" });
	assert.equal(command, "mcp__my_server__do_it");
	assert.equal(prompts.register([{ name: "my server__do it" }]), false);
});
