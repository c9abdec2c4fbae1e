// An MCP server whose lists a test writes: scripted_server.mjs '{"tools":[],"prompts":[]}', a tool
// as its name or as an object with more of its members. Of its tools these do something; every
// other one answers with its arguments as JSON.
//   ask {method, params}: asks the client; the text is its result or error as JSON
//   add {name}, remove {name}: changes the list of tools and says so
//   log {params}: a log message
//   progress {params}: reports that, then answers
const { tools: names = [], prompts = [] } = JSON.parse(process.argv[2]);
const toolOf = (tool) => {
	const { name, ...more } = typeof tool === "string" ? { name: tool } : tool;
	return { name, description: name, inputSchema: { type: "object" }, ...more };
};
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const waiting = new Map();
let tools = names.map(toolOf);

function send(message) {
	process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask({ method, params }) {
	const id = `q${waiting.size}`;
	send({ id, method, params });
	return new Promise((answered) => waiting.set(id, answered));
}

function change(next) {
	tools = next;
	send({ method: "notifications/tools/list_changed" });
}

async function call({ name, arguments: args = {}, _meta = {} }) {
	const others = () => tools.filter((tool) => tool.name !== args.name);
	if (name === "ask") return text(await ask(args));
	if (name === "add") change([...others(), toolOf(args.name)]);
	if (name === "remove") change(others());
	if (name === "log") send({ method: "notifications/message", params: args });
	if (name === "progress") {
		const params = { progressToken: _meta.progressToken, ...args.params };
		send({ method: "notifications/progress", params });
	}
	return text(args);
}

function result(method, params) {
	if (method === "tools/list") return { tools };
	if (method === "prompts/list") return { prompts };
	if (method === "tools/call") return call(params);
	if (method === "prompts/get") {
		const said = { type: "text", text: `asked with ${JSON.stringify(params.arguments)}` };
		return { messages: [{ role: "user", content: said }] };
	}
	if (method !== "initialize") return {};
	const capabilities = { tools: { listChanged: true }, prompts: {}, logging: {} };
	const { protocolVersion } = params;
	return { protocolVersion, capabilities, serverInfo: { name: "scripted", version: "1" } };
}

async function receive({ id, method, params = {}, ...answer }) {
	if (method === undefined) waiting.get(id)?.(answer.result ?? answer.error);
	else if (id !== undefined) send({ id, result: await result(method, params) });
}

let buffer = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
	const lines = (buffer + chunk).split("\n");
	buffer = lines.pop();
	for (const line of lines) void receive(JSON.parse(line));
});
