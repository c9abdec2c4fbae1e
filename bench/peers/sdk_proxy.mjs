// The least that the official SDK can do between a host and one server: sdk_proxy COMMAND [ARGS...]
// answers tools/list and tools/call with what the server answers.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);
const name = { name: "sdk_proxy", version: "1" };

const toServer = new Client(name);
await toServer.connect(new StdioClientTransport({ command, args }));

const toHost = new Server(name, { capabilities: { tools: {} } });
toHost.setRequestHandler(ListToolsRequestSchema, ({ params }) => toServer.listTools(params));
toHost.setRequestHandler(CallToolRequestSchema, ({ params }) => toServer.callTool(params));
process.stdin.on("end", () => toServer.close().finally(() => process.exit()));
await toHost.connect(new StdioServerTransport());
