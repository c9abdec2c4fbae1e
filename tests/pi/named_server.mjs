// An MCP server whose tools have the names given as arguments, JSON strings; each description is
// as long as real ones are.
import { createInterface } from "node:readline";

const description = `What this tool does and when to use it. ${"It is said at length. ".repeat(4)}`;
const inputSchema = { type: "object" };
const tools = process.argv
	.slice(2)
	.map((name) => ({ name: JSON.parse(name), description, inputSchema }));

function resultOf({ method, params }) {
	if (method === "tools/list") return { tools };
	if (method !== "initialize") return {};
	const { protocolVersion } = params;
	const serverInfo = { name: "named", version: "1" };
	return { protocolVersion, capabilities: { tools: {} }, serverInfo };
}

createInterface({ input: process.stdin }).on("line", (line) => {
	const message = JSON.parse(line);
	if (message.id === undefined) return;
	const answer = { jsonrpc: "2.0", id: message.id, result: resultOf(message) };
	process.stdout.write(`${JSON.stringify(answer)}\n`);
});
