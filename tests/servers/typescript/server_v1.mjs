// The common server on version 1 of the TypeScript SDK: server_v1.mjs TRANSPORT [PORT];
// ../common.json.
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
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
		inputSchema: { name: z.string() },
		annotations: { readOnlyHint: true },
		_meta: { "example.org/kind": "greeting" },
	};
	tool("hello", hello, ({ name }) => text(`Hello, ${name}!`));
	const outputSchema = {
		city: z.string(),
		degrees: z.number(),
		wind: z.object({ knots: z.number().int(), from: z.string() }),
		warnings: z.array(z.string()),
	};
	const ofCity = { description: "Weather.", inputSchema: { city: z.string() }, outputSchema };
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
	const counting = { description: "Counts.", inputSchema: { to: z.number().int() } };
	tool("count", counting, async ({ to }, { _meta, sendNotification }) => {
		const { progressToken } = _meta;
		for (let progress = 1; progress <= to; progress += 1) {
			const params = { progressToken, progress, total: to, message: `step ${progress}` };
			await sendNotification({ method: "notifications/progress", params });
		}
		return text(`counted to ${to}`);
	});
	tool("log", about("Logs two messages."), async ({ sendNotification }) => {
		const method = "notifications/message";
		await sendNotification({ method, params: { level: "info", data: "one" } });
		await sendNotification({ method, params: { level: "warning", data: { two: 2, is: "two" } } });
		return text("logged");
	});
	// `sendRequest` goes by the stream of the call.
	tool("ask", about("Asks who it is."), async ({ sendRequest }) => {
		const params = { mode: "form", message: question, requestedSchema: person };
		return answered(await sendRequest({ method: "elicitation/create", params }, z.any()));
	});
	tool("think", about("Asks the host's model."), async ({ sendRequest }) => {
		const asked = { method: "sampling/createMessage", params: thought };
		return text(`it thinks: ${(await sendRequest(asked, z.any())).content.text}`);
	});
	tool("roots", about("The roots of the host."), async ({ sendRequest }) => {
		const { roots } = await sendRequest({ method: "roots/list" }, z.any());
		return text(roots.map(({ uri }) => uri).join(","));
	});
	tool("grow", about("Adds a tool."), () => {
		if (!hasGrown) addGrown(server); // which says so
		hasGrown = true;
		return text("grown");
	});
	tool("wait", about("Waits until it is cancelled."), ({ signal }) => wait(signal));
	if (hasGrown) addGrown(server);
	return server;
}

const sessions = new Map();

async function opened(request, response) {
	const id = request.headers["mcp-session-id"];
	if (transport === "http" && id) {
		const error = { code: -32001, message: "Session not found" };
		if (!sessions.has(id)) response.status(404).json({ jsonrpc: "2.0", id: null, error });
		return sessions.get(id);
	}
	const sessionIdGenerator = transport === "http" ? randomUUID : undefined;
	const onsessioninitialized = (made) => sessions.set(made, link);
	const link = new StreamableHTTPServerTransport({ sessionIdGenerator, onsessioninitialized });
	await commonServer().connect(link);
	if (transport === "stateless") response.on("close", () => link.close());
	return link;
}

if (transport === "stdio") {
	await commonServer().connect(new StdioServerTransport());
} else {
	const app = express();
	app.use(express.json());
	if (transport === "sse") {
		app.get("/sse", async (_, response) => {
			const link = new SSEServerTransport("/messages", response);
			sessions.set(link.sessionId, link);
			await commonServer().connect(link);
		});
		app.post("/messages", (request, response) => {
			const link = sessions.get(request.query.sessionId);
			if (link) link.handlePostMessage(request, response, request.body);
			else response.status(404).send("Session not found");
		});
	} else {
		if (transport === "stateless") {
			for (const method of ["get", "delete"]) app[method]("/mcp", (_, out) => out.sendStatus(405));
		}
		app.all("/mcp", async (request, response) => {
			await (await opened(request, response))?.handleRequest(request, response, request.body);
		});
	}
	app.listen(Number(port), "127.0.0.1");
}
