// sdk_v2.mjs URL: a host that is made with version 2 of the TypeScript SDK, which asks for revision
// 2026-07-28 first. URL: the model.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { accepted, capabilities, converse, info } from "./conversation.mjs";

const client = new Client(info, { capabilities, versionNegotiation: { mode: "auto" } });
client.setRequestHandler("elicitation/create", accepted);
// It hands on only some variables when it is not told which.
const { env } = process;
await client.connect(new StdioClientTransport({ command: "pi-mcp", args: ["serve"], env }));
await converse({
	instructions: client.getInstructions(),
	tools: (await client.listTools()).tools,
	call: (name, args) => client.callTool({ name, arguments: args }),
});
await client.close();
