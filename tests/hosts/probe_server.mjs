// The MCP server behind pi-mcp: probe_server.mjs LOG. Its tools write their names into the file
// LOG. look only reads, put says nothing of itself, delete_all destroys; the others answer as hosts
// find hard: a picture, much text, an error, a question to the user, no answer.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [log] = process.argv.slice(2);
const forWhom = process.env.WORD_TOKEN ? ` for ${process.env.WORD_TOKEN}` : "";
const tool = (name, description, annotations) => ({
	name,
	description,
	inputSchema: { type: "object", properties: {} },
	...(annotations ? { annotations } : {}),
});
const tools = [
	tool("look", "Looks at something", { readOnlyHint: true }),
	tool("put", "Puts something down"),
	tool("delete_all", "Deletes everything for good", { destructiveHint: true }),
	tool("picture", "Draws a red square", { readOnlyHint: true }),
	tool("long", "Tells a long story", { readOnlyHint: true }),
	tool("fail", "Goes wrong", { readOnlyHint: true }),
	tool("ask", "Asks for a name", { readOnlyHint: true }),
	tool("wait", "Waits for ever", { readOnlyHint: true }),
];

const text = (words) => ({ type: "text", text: words });
// A red square of 32 by 32 points.
const png =
	"iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkA" +
	"AAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC";
const story = Array.from({ length: 4000 }, (_, i) => `line ${i} ${"x".repeat(60)}\n`).join("");
const form = {
	type: "object",
	properties: { name: { type: "string", title: "Name" } },
	required: ["name"],
};

const contents = {
	picture: () => [
		text("PROBE did picture"),
		{ type: "image", data: png, mimeType: "image/png" },
	],
	long: () => [text(story)],
	fail: () => [text("it went wrong on purpose")],
	ask: ({ action, content }) => [text(`the answer: ${action} ${JSON.stringify(content ?? {})}`)],
};

function called(name, answer) {
	const content = contents[name]?.(answer) ?? [text(`PROBE did ${name}${forWhom}`)];
	return { content, ...(name === "fail" ? { isError: true } : {}) };
}

const send = (message) =>
	process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

let asker; // id of the call that waits for the user

function call(id, { name }) {
	appendFileSync(log, `${name}\n`);
	if (name === "wait") return;
	if (name !== "ask") return send({ id, result: called(name) });
	asker = id;
	const params = { message: "What is your name?", requestedSchema: form };
	send({ id: "question", method: "elicitation/create", params });
}

function request(id, method, params) {
	if (method === "tools/call") return call(id, params);
	if (method === "tools/list") return send({ id, result: { tools } });
	if (method !== "initialize") return send({ id, result: {} });
	const serverInfo = { name: "probe", version: "1" };
	const { protocolVersion } = params;
	send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
}

for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params = {}, result, error } = JSON.parse(line);
	if (method && id !== undefined) request(id, method, params);
	const answer = result ?? { action: error?.message };
	if (id === "question") send({ id: asker, result: called("ask", answer) });
}
