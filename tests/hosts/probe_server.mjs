// The MCP server behind pi-mcp: probe_server.mjs LOG. Its three tools look, put (which says nothing
// of itself) and delete_all write their names into the file LOG.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [log] = process.argv.slice(2);
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
];

function result(method, params) {
	if (method === "tools/list") return { tools };
	if (method === "tools/call") {
		appendFileSync(log, `${params.name}\n`);
		return { content: [{ type: "text", text: `PROBE did ${params.name}` }] };
	}
	if (method !== "initialize") return {};
	const serverInfo = { name: "probe", version: "1" };
	return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}

for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params = {} } = JSON.parse(line);
	if (id !== undefined && method) {
		const answer = { jsonrpc: "2.0", id, result: result(method, params) };
		process.stdout.write(`${JSON.stringify(answer)}\n`);
	}
}
