// The client of version 2 of the TypeScript SDK for the jobs of ../common.json, as that says.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from
	"@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { answer, capabilities, info, logged, runJobs, step } from "./common.mjs";

const [era, transport, ...target] = process.argv.slice(2);
const client = new Client(info, { capabilities, versionNegotiation: { mode: era } });
for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"]) {
	client.setRequestHandler(method, answer);
}
client.setNotificationHandler("notifications/message", logged);
client.setNotificationHandler("notifications/progress", ({ params }) => step(params));
const [command, ...args] = target;
const links = {
	stdio: () => new StdioClientTransport({ command, args, env: process.env }),
	sse: () => new SSEClientTransport(new URL(command)),
};
const byUrl = () => new StreamableHTTPClientTransport(new URL(command));
await client.connect((links[transport] ?? byUrl)());
const logLevel = { "io.modelcontextprotocol/logLevel": "info" };
await runJobs((method, params) => {
	const _meta = { ...params._meta, ...(era === "legacy" ? {} : logLevel) };
	return client.request({ method, params: { ...params, _meta } }, z.any());
}, era);
await client.close();
