// The client of version 1 of the TypeScript SDK for the jobs of ../common.json, as that says.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
	LoggingMessageNotificationSchema,
	ProgressNotificationSchema,
	ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { answer, capabilities, info, logged, runJobs, step } from "./common.mjs";

const [era, transport, ...target] = process.argv.slice(2);
const client = new Client(info, { capabilities });
client.fallbackRequestHandler = answer;
client.setNotificationHandler(LoggingMessageNotificationSchema, logged);
client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => step(params));
const [command, ...args] = target;
const links = {
	stdio: () => new StdioClientTransport({ command, args, env: process.env }),
	sse: () => new SSEClientTransport(new URL(command)),
};
const byUrl = () => new StreamableHTTPClientTransport(new URL(command));
await client.connect((links[transport] ?? byUrl)());
await runJobs((method, params) => client.request({ method, params }, ResultSchema), era);
await client.close();
