// The MCP server behind pi-mcp in stateless.test.mjs: stateless_server.mjs REVISION LOG, of
// 2025-11-25 (a handshake, questions by requests) or 2026-07-28 (none, questions by results). What
// it is told of its calls goes into the file LOG.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [revision, log] = process.argv.slice(2);
const byResult = revision === "2026-07-28";
const tool = (name, annotations) => ({
	name,
	description: `Does ${name}`,
	inputSchema: { type: "object", properties: {} },
	annotations,
});
const tools = [
	tool("look", { readOnlyHint: true }),
	tool("ask", { readOnlyHint: true }),
	tool("wait", { readOnlyHint: true }),
	tool("touch", { readOnlyHint: true }),
	tool("delete_all", { destructiveHint: true }),
];
const text = (words) => ({ content: [{ type: "text", text: words }] });
const form = (message, name) => ({
	method: "elicitation/create",
	params: {
		message,
		requestedSchema: { type: "object", properties: { [name]: { type: "string" } } },
	},
});
const said = ({ action, content }) => `${action} ${JSON.stringify(content ?? {})}`;

const send = (message) =>
	process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (words) => appendFileSync(log, `${words}\n`);

let asker; // id of the call that waits for the user
let listen; // id of what wants to hear of changes

function askByResult(id, { inputResponses, requestState }) {
	if (requestState !== "the state") {
		const inputRequests = { who: form("Who?", "name"), where: form("Where?", "place") };
		return send({
			id,
			result: { resultType: "input_required", inputRequests, requestState: "the state" },
		});
	}
	const { who, where } = inputResponses;
	send({ id, result: text(`${said(who)} ${said(where)}`) });
}

function touch(id) {
	const _meta = { "io.modelcontextprotocol/subscriptionId": listen };
	send({
		method: "notifications/resources/updated",
		params: { uri: "note://x", ...(byResult ? { _meta } : {}) },
	});
	send({ id, result: text("touched") });
}

function call(id, params) {
	const { name, _meta = {} } = params;
	note(name);
	const { progressToken } = _meta;
	if (progressToken !== undefined) {
		send({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
	}
	if (name === "wait") return;
	if (name === "touch") return touch(id);
	if (name === "ask" && byResult) return askByResult(id, params);
	if (name === "ask") {
		asker = id;
		return send({ id: "question", ...form("Who?", "name") });
	}
	send({ method: "notifications/message", params: { level: "warning", data: "on the way" } });
	send({ id, result: text(`did ${name}`) });
}

const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
const serverInfo = { name: "stateless", version: "1" };
const answers = {
	initialize: () => ({ protocolVersion: revision, capabilities, serverInfo }),
	"server/discover": () => ({ supportedVersions: [revision], capabilities, serverInfo }),
	"tools/list": () => ({ tools }),
	"resources/list": () => ({ resources: [{ uri: "note://x", name: "x" }] }),
	"resources/templates/list": () => ({ resourceTemplates: [] }),
	"resources/read": ({ uri }) => ({ contents: [{ uri, text: "a note" }] }),
	"resources/subscribe": () => ({}),
	"resources/unsubscribe": () => ({}),
	"logging/setLevel": () => ({}),
	ping: () => ({}),
};
const foreign = byResult ? "initialize" : "server/discover";

function request(id, method, params) {
	if (method === "tools/call") return call(id, params);
	if (method === "subscriptions/listen" && byResult) {
		listen = id;
		const { notifications } = params;
		const _meta = { "io.modelcontextprotocol/subscriptionId": id };
		const method = "notifications/subscriptions/acknowledged";
		return send({ method, params: { notifications, _meta } });
	}
	const answer = method === foreign ? undefined : answers[method];
	if (!answer) return send({ id, error: { code: -32601, message: `no ${method}` } });
	const ttl = byResult ? { ttlMs: 0, cacheScope: "private" } : {};
	send({ id, result: { ...answer(params), ...ttl } });
}

for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params = {}, result, error } = JSON.parse(line);
	if (method && id !== undefined) request(id, method, params);
	if (method === "notifications/cancelled") note("cancelled");
	if (id === "question" && !method) {
		send({ id: asker, result: text(result ? said(result) : `error ${error.code}`) });
	}
}
