// The least that the official SDK can do between a host and one server: sdk_proxy COMMAND [ARGS...]
// answers tools/list and tools/call with what the server answers; with --http PORT in front, to
// clients at http://127.0.0.1:PORT/mcp, each of which has a session.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const words = process.argv.slice(2);
const port = words[0] === "--http" ? Number(words.splice(0, 2)[1]) : 0;
const [command, ...args] = words;
const name = { name: "sdk_proxy", version: "1" };

const toServer = new Client(name);
await toServer.connect(new StdioClientTransport({ command, args }));

async function serve(transport) {
	const toHost = new Server(name, { capabilities: { tools: {} } });
	toHost.setRequestHandler(ListToolsRequestSchema, ({ params }) => toServer.listTools(params));
	toHost.setRequestHandler(CallToolRequestSchema, ({ params }) => toServer.callTool(params));
	await toHost.connect(transport);
	return transport;
}

const sessions = new Map();

function begin() {
	const transport = new StreamableHTTPServerTransport({
		sessionIdGenerator: randomUUID,
		enableJsonResponse: true,
		onsessioninitialized: (id) => sessions.set(id, transport),
	});
	return serve(transport);
}

if (port) {
	createServer(async (request, response) => {
		const known = sessions.get(request.headers["mcp-session-id"]);
		await (known ?? (await begin())).handleRequest(request, response);
	}).listen(port, "127.0.0.1");
} else {
	process.stdin.on("end", () => toServer.close().finally(() => process.exit()));
	await serve(new StdioServerTransport());
}
