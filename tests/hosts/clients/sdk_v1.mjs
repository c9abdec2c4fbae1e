// sdk_v1.mjs URL: a host that is made with version 1 of the TypeScript SDK. URL: the model.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { accepted, capabilities, converse, info } from "./conversation.mjs";

const client = new Client(info, { capabilities });
client.setRequestHandler(ElicitRequestSchema, accepted);
// It hands on only some variables when it is not told which.
const { env } = process;
await client.connect(new StdioClientTransport({ command: "pi-mcp", args: ["serve"], env }));
await converse({
	instructions: client.getInstructions(),
	tools: (await client.listTools()).tools,
	call: (name, args) => client.callTool({ name, arguments: args }),
});
await client.close();
