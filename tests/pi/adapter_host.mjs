// A program built on Pi's library that brings MCP servers of its own:
// adapter_host.mjs LIBRARY PROGRAM AGENT_DIR SESSIONS. pi-mcp is in node_modules of the folder
// PROGRAM; SESSIONS is JSON, for each session the options of createMcpAdapter(), and what is said
// in it. All run at the same time. Prints what came of each, as JSON.
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createJiti } from "jiti";

const [, , library, program, agentDir, sessions] = process.argv;
const cwd = process.cwd();
const pi = await import(library);
// Node.js alone reads no TypeScript in node_modules.
const { createMcpAdapter } = await createJiti(join(program, "host.mjs")).import("pi-mcp");

// What of Pi's user interface these sessions need.
function userInterface(notices) {
	return {
		notify: (text) => notices.push(text),
		select: async () => undefined,
		setStatus: () => {},
		addAutocompleteProvider: () => {},
	};
}

async function start({ options, prompts }) {
	const before = structuredClone(options);
	const settingsManager = pi.SettingsManager.create(cwd, agentDir, { projectTrusted: false });
	const extensionFactories = [createMcpAdapter(options)];
	const loader = { cwd, agentDir, settingsManager, extensionFactories };
	const resourceLoader = new pi.DefaultResourceLoader(loader);
	await resourceLoader.reload();
	const sessionManager = pi.SessionManager.inMemory(cwd);
	const parts = { cwd, agentDir, settingsManager, resourceLoader, sessionManager };
	const { session } = await pi.createAgentSession(parts);
	const results = []; // in the order of the calls
	session.subscribe(({ type, toolCallId: id, isError, result }) => {
		if (type === "tool_execution_start") results.push({ id });
		if (type !== "tool_execution_end") return;
		const text = result.content.map((part) => part.text ?? "").join("\n");
		Object.assign(results.find((each) => each.id === id), { isError, text });
	});
	const notices = [];
	await session.bindExtensions({ uiContext: userInterface(notices), mode: "rpc" });
	const run = async () => {
		for (const prompt of prompts) await session.prompt(prompt);
		return { results, notices, unchanged: isDeepStrictEqual(before, options) };
	};
	return { session, run };
}

const started = await Promise.all(JSON.parse(sessions).map(start));
const outcomes = await Promise.all(started.map(({ run }) => run()));
console.log(JSON.stringify(outcomes));
for (const { session } of started) session.dispose();
process.exit(0); // the end of its pipes ends the gateways
