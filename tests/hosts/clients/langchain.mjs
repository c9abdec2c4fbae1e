// langchain.mjs URL: a host that is made with LangChain. URL: the model.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const client = new MultiServerMCPClient({
	mcpServers: {
		"pi-mcp": { transport: "stdio", command: "pi-mcp", args: ["serve"], env: process.env },
	},
});
const model = new ChatOpenAI({
	model: "scripted",
	apiKey: "x",
	configuration: { baseURL: `${process.argv[2]}/v1` },
});
const agent = createAgent({ model, tools: await client.getTools() });
const { messages } = await agent.invoke({ messages: "go" }, { recursionLimit: 100 });
console.log(messages.at(-1).content);
await client.close();
