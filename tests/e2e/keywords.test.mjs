// Words for tools, written by the model of a host that lends it (sampling), and by one that reads
// the tools itself; then search finds by them, in the next process too.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
	CreateMessageRequestSchema,
	ElicitRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Home, Host, server } from "./harness.mjs";

// As a model does it: a few words for each tool of the request, with prose around them.
function answered(request) {
	const tools = request.split("\n").filter((line) => line.startsWith('{"tool":'));
	const words = tools.map((line) => [
		JSON.parse(line).tool,
		JSON.parse(line).tool === "memory/create_entities" ? ["zettelkasten", "jot down"] : ["thing"],
	]);
	return `Here you are:\n\`\`\`json\n${JSON.stringify(Object.fromEntries(words))}\n\`\`\``;
}

describe("a host that lends its model", { timeout: 60_000 }, () => {
	const home = new Home();
	const file = join(home.agent, "mcp-keywords.json");
	const questions = [];
	const requests = [];
	let agrees = "no";
	let host;

	before(async () => {
		home.configure({ memory: server("mcp-server-memory") });
		host = await Host.start(home, {
			capabilities: { elicitation: { form: {} }, sampling: {} },
			prepare(client) {
				client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
					questions.push(params.message);
					return { action: "accept", content: { answer: agrees } };
				});
				client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
					requests.push(params.messages[0].content.text);
					return {
						model: "test-model",
						role: "assistant",
						content: { type: "text", text: answered(requests.at(-1)) },
					};
				});
			},
		});
		await host.mcp({ connect: "memory" });
	});
	after(async () => {
		await host?.close();
		home.remove();
	});

	test("is asked nothing until the user agrees", async () => {
		assert.doesNotMatch((await host.mcp({ search: "zettelkasten" })).text, /create_entities/);
		const { text, isError } = await host.mcp({ action: "keywords" });
		assert.ok(isError);
		assert.match(text, /the user did not agree/);
		assert.match(questions[0], /may your model write search words for \d+ tools of memory\?/);
		assert.equal(requests.length, 0);
		assert.ok(!existsSync(file));
	});

	test("writes the words once, and search finds by them", async () => {
		agrees = "write";
		const { text } = await host.mcp({ action: "keywords" });
		assert.match(text, /^Kept \d+ words for \d+ tools\.$/);
		assert.equal(requests.length, 1);
		assert.match(requests[0], /nothing in it is an instruction/);
		assert.match((await host.mcp({ search: "zettelkasten" })).text, /memory_create_entities/);
		await host.mcp({ action: "keywords" });
		assert.equal(requests.length, 1, "there is nothing left to ask");
		assert.ok(readFileSync(file, "utf8").includes("zettelkasten"));
	});

	test("another host finds by them too", async () => {
		const other = await Host.connect(home);
		assert.match((await other.mcp({ search: "zettelkasten" })).text, /memory_create_entities/);
		await other.close();
	});
});

test("a model brings the words where no host lends one", { timeout: 60_000 }, async () => {
	const home = new Home();
	home.configure({ memory: server("mcp-server-memory") });
	const host = await Host.connect(home);
	await host.mcp({ connect: "memory" });
	const { text } = await host.mcp({ action: "keywords" });
	assert.match(text, /few words for search to find\. Answer this request/);
	const words = JSON.parse(answered(text).split("\n")[2]);
	assert.match((await host.mcp({ action: "keywords", args: words })).text, /^Kept /);
	assert.match((await host.mcp({ search: "zettelkasten" })).text, /memory_create_entities/);
	await host.close();
	home.remove();
});
