// The common server on version 2 of the TypeScript SDK: server_v2.mjs TRANSPORT [PORT];
// ../common.json. It serves revision 2026-07-28 and those before it; `http` has sessions for these.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from
	"@modelcontextprotocol/node";
import { createMcpHandler, inputRequired, isLegacyRequest, McpServer } from
	"@modelcontextprotocol/server";
import { SSEServerTransport } from "@modelcontextprotocol/server-legacy/sse";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import {
	answered,
	info,
	person,
	picture,
	question,
	text,
	thought,
	wait,
	weather,
} from "./common.mjs";

const [transport, port] = process.argv.slice(2);
let hasGrown = false; // of all sessions

function addGrown(server) {
	server.registerTool("grown", { description: "Is there after grow." }, () => text("I am new"));
}

function commonServer() {
	const capabilities = { logging: {}, tools: { listChanged: true } };
	const server = new McpServer(info, { capabilities });
	const tool = (name, config, run) => server.registerTool(name, config, run);
	const about = (description) => ({ description });
	const hello = {
		title: "Say hello",
		description: "Greets a person.",
		inputSchema: z.object({ name: z.string() }),
		annotations: { readOnlyHint: true },
		_meta: { "example.org/kind": "greeting" },
	};
	tool("hello", hello, ({ name }) => text(`Hello, ${name}!`));
	const outputSchema = z.object({
		city: z.string(),
		degrees: z.number(),
		wind: z.object({ knots: z.number().int(), from: z.string() }),
		warnings: z.array(z.string()),
	});
	const inputSchema = z.object({ city: z.string() });
	const ofCity = { description: "Weather.", inputSchema, outputSchema };
	tool("weather", ofCity, ({ city }) => ({
		...text(JSON.stringify(weather(city))),
		structuredContent: weather(city),
	}));
	tool("picture", about("A picture of one point."), () => ({
		content: [
			...text("one point").content,
			{ type: "image", data: picture, mimeType: "image/png", annotations: { priority: 0.5 } },
		],
		_meta: { "example.org/size": 1 },
	}));
	tool("fail", about("Fails."), () => {
		throw new Error("the printer has no paper");
	});
	const counting = { description: "Counts.", inputSchema: z.object({ to: z.number().int() }) };
	tool("count", counting, async ({ to }, { mcpReq }) => {
		const { progressToken } = mcpReq._meta;
		for (let progress = 1; progress <= to; progress += 1) {
			const params = { progressToken, progress, total: to, message: `step ${progress}` };
			await mcpReq.notify({ method: "notifications/progress", params });
		}
		return text(`counted to ${to}`);
	});
	tool("log", about("Logs two messages."), async ({ mcpReq }) => {
		await mcpReq.log("info", "one");
		await mcpReq.log("warning", { two: 2, is: "two" });
		return text("logged");
	});
	const asking = { mode: "form", message: question, requestedSchema: person };
	tool("ask", about("Asks who it is."), async ({ mcpReq }) =>
		answered(await mcpReq.elicitInput(asking)));
	tool("form", about("Needs to know who it is."), ({ mcpReq }) => {
		const { who } = mcpReq.inputResponses ?? {};
		if (who) return answered(who);
		return inputRequired({ inputRequests: { who: inputRequired.elicit(asking) } });
	});
	tool("think", about("Asks the host's model."), async ({ mcpReq }) =>
		text(`it thinks: ${(await mcpReq.requestSampling(thought)).content.text}`));
	tool("roots", about("The roots of the host."), async ({ mcpReq }) => {
		const { roots } = await mcpReq.send({ method: "roots/list" });
		return text(roots.map(({ uri }) => uri).join(","));
	});
	tool("grow", about("Adds a tool."), () => {
		if (!hasGrown) addGrown(server); // which says so before 2026-07-28
		hasGrown = true;
		modern?.notify.toolsChanged();
		return text("grown");
	});
	tool("wait", about("Waits until it is cancelled."), ({ mcpReq }) => wait(mcpReq.signal));
	if (hasGrown) addGrown(server);
	return server;
}

const sessions = new Map();
const modern = transport === "stdio" || transport === "sse" ? undefined : createMcpHandler(
	commonServer,
	{ legacy: transport === "stateless" ? "stateless" : "reject" },
);

// Revisions before 2026-07-28, with a session each.
async function legacy(request, response) {
	const id = request.headers["mcp-session-id"];
	if (id && !sessions.has(id)) {
		const error = { code: -32001, message: "Session not found" };
		response.writeHead(404, { "content-type": "application/json" });
		return response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
	}
	let link = sessions.get(id);
	if (!link) {
		const onsessioninitialized = (made) => sessions.set(made, link);
		link = new NodeStreamableHTTPServerTransport({
			sessionIdGenerator: randomUUID,
			onsessioninitialized,
		});
		await commonServer().connect(link);
	}
	await link.handleRequest(request, response, request.body);
}

async function bodyOf(request) {
	let body = "";
	for await (const chunk of request) body += chunk;
	return body ? JSON.parse(body) : undefined;
}

async function sse(request, response) {
	if (request.method === "GET") {
		const link = new SSEServerTransport("/messages", response);
		sessions.set(link.sessionId, link);
		return commonServer().connect(link);
	}
	const link = sessions.get(new URL(request.url, "http://x").searchParams.get("sessionId"));
	if (link) return link.handlePostMessage(request, response);
	response.writeHead(404).end("Session not found");
}

async function http(request, response) {
	request.body = await bodyOf(request);
	const old = transport === "http" &&
		(await isLegacyRequest(await toWebRequest(request, request.body), request.body));
	await (old ? legacy(request, response) : toNodeHandler(modern)(request, response, request.body));
}

if (transport === "stdio") serveStdio(commonServer);
else createServer(transport === "sse" ? sse : http).listen(Number(port), "127.0.0.1");
