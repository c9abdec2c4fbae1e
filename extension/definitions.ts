// The tools that Pi has from us. They are there when Pi starts, as the gateway gave them last for
// this folder: Pi draws the history before the gateway answers, and the first prompt waits for what
// it says now (docs/decisions/0049-tools-at-load.md).
import type {
	AgentToolUpdateCallback,
	ExtensionAPI,
	ToolAnnotations,
	ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { createHash } from "node:crypto";
import {
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Tool, ToolDefinitions, ToolList } from "./gateway.ts";
import { type Origin, renderersOf } from "./rendering.ts";
import { shownLine } from "./shown_text.ts";
import type { Json } from "./wire.ts";

export interface ToolCall {
	name: string;
	callId: string;
	args: Json;
	origin?: Origin | undefined; // of a tool of a server
	isDeferred: boolean; // it is only there for scripts
	signal: AbortSignal | undefined;
	onUpdate: AgentToolUpdateCallback<unknown> | undefined;
}
type Run = (call: ToolCall) => ReturnType<ToolDefinition["execute"]>;

interface Given {
	origin?: Origin | undefined;
	about?: string | undefined; // its server
	exposure?: "deferred" | "hidden";
}

const promptSnippets = new Map([
	["mcp", "Use the user's MCP servers"],
	["mcp_write", "Call tools of the user's MCP servers that change something"],
]);

// Where nothing was remembered, and the gateway does not answer in time.
const unknown: ToolList = {
	tools: [
		{
			name: "mcp",
			description:
				"Use the user's MCP servers: " +
				'{search:"words"} finds tools, {tool:"name",args:{...}} calls one',
			inputSchema: { type: "object", properties: {} },
		},
	],
	look: { style: "compact", lines: 1 },
	codemode: false,
	origins: {},
	about: {},
};

const foldersMax = 100; // that are remembered

function folder(): string {
	const { PI_CODING_AGENT_DIR } = process.env;
	const agent = PI_CODING_AGENT_DIR?.replace(/^~(?=\/|$)/, homedir());
	return join(agent || join(homedir(), ".pi/agent"), "mcp-pi-tools");
}

// Short enough for the name of a file.
export function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

// What Pi knows of them; a title of theirs is not among it.
function annotationsOf({ annotations }: Tool): ToolAnnotations | undefined {
	if (!annotations) return undefined;
	const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
	return Object.fromEntries(
		Object.entries(annotations).filter(
			([hint, value]) => hints.includes(hint) && typeof value === "boolean",
		),
	);
}

function namespaceOf({ server }: Origin, description?: string) {
	return { name: `mcp__${server}`, aliases: [server], ...(description ? { description } : {}) };
}

// What a script gets: the CallToolResult. A schema that points into itself would point elsewhere.
function outputSchemaOf({ outputSchema = {} }: Tool): Json {
	const isWhole = !JSON.stringify(outputSchema).includes('"$ref"');
	const text = { type: "string" };
	const block = { type: "object", properties: { type: text, text } };
	return {
		type: "object",
		properties: {
			content: { type: "array", items: block },
			structuredContent: isWhole ? outputSchema : {},
			isError: { type: "boolean" },
		},
		required: ["content"],
	};
}

export class Definitions {
	readonly #pi: ExtensionAPI;
	readonly #run: Run;
	readonly #own = new Map<string, string>(); // name -> definition as registered
	readonly #deferred = new Map<string, string>(); // the same of those that are there for scripts
	#look = unknown.look;
	#remembered = ""; // as it stands in the file
	readonly #source: string; // Source.id

	constructor(pi: ExtensionAPI, run: Run, source: string) {
		this.#pi = pi;
		this.#run = run;
		this.#source = source;
	}

	// What was offered last in this folder; nobody is waited for.
	recall(cwd: string): void {
		for (const tool of unknown.tools) this.register(tool, unknown);
		try {
			this.#remembered = readFileSync(this.#fileOf(cwd), "utf8");
			const list = { ...unknown, ...(JSON.parse(this.#remembered) as ToolList) };
			for (const tool of list.tools) this.register(tool, list);
		} catch {
			// Nothing was remembered, or not by this version: it is written again.
		}
	}

	// For the next start. Without the file that one draws a little less.
	remember(cwd: string, list: ToolList): void {
		const text = JSON.stringify(list);
		if (text === this.#remembered) return;
		this.#remembered = text;
		try {
			const file = this.#fileOf(cwd);
			mkdirSync(folder(), { recursive: true, mode: 0o700 });
			writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
			renameSync(`${file}.${process.pid}`, file);
			this.#forgetOldest();
		} catch {
			// A folder that cannot be written, or another Pi that cleans up too.
		}
	}

	// One that the model may have.
	has(name: string): boolean {
		return this.#own.has(name);
	}

	isDeferred(name: string): boolean {
		return this.#deferred.has(name);
	}

	register(tool: Tool, { look, origins, about }: ToolList): void {
		const origin = origins[tool.name];
		const of = origin && about[origin.server];
		const definition = JSON.stringify([tool, look, origin, of]);
		if (this.#own.get(tool.name) === definition) return;
		this.#look = look;
		this.#own.set(tool.name, definition);
		this.#deferred.delete(tool.name);
		this.#give(tool, { origin, about: of });
	}

	// Exactly these are there for scripts. Pi takes no tool back, so the others are hidden.
	deferOnly({ tools, origins, about }: ToolDefinitions): void {
		const offered = new Map(tools.map((tool) => [tool.name, tool]));
		for (const [name] of this.#deferred) {
			if (offered.has(name)) continue;
			this.#deferred.delete(name);
			this.#give({ name, inputSchema: {} }, { exposure: "hidden" });
		}
		for (const [name, tool] of offered) {
			const origin = origins[name];
			const definition = JSON.stringify([tool, origin]);
			if (this.#deferred.get(name) === definition) continue;
			this.#deferred.set(name, definition);
			this.#give(tool, { origin, about: origin && about[origin.server], exposure: "deferred" });
		}
	}

	#give(tool: Tool, { origin, about, exposure }: Given): void {
		const promptSnippet = promptSnippets.get(tool.name);
		const isDeferred = exposure === "deferred";
		const annotations = annotationsOf(tool);
		this.#pi.registerTool({
			name: tool.name,
			label: shownLine(tool.title ?? "MCP"),
			description: tool.description ?? "",
			parameters: tool.inputSchema,
			...(promptSnippet ? { promptSnippet } : {}),
			...(annotations ? { annotations } : {}),
			...(origin ? { namespace: namespaceOf(origin, about) } : {}),
			...(exposure ? { exposure } : {}),
			outputSchema: outputSchemaOf(tool),
			...renderersOf(this.#look, origin),
			execute: (callId, params, signal, onUpdate) => {
				const args = params as Json;
				return this.#run({ name: tool.name, callId, args, origin, isDeferred, signal, onUpdate });
			},
		});
	}

	#fileOf(cwd: string): string {
		const name = this.#source ? `${cwd}\0${this.#source}` : cwd;
		return join(folder(), `${digestOf(name)}.json`);
	}

	#forgetOldest(): void {
		const files = readdirSync(folder()).map((name) => join(folder(), name));
		if (files.length <= foldersMax) return;
		const byAge = files.map((file) => ({ file, at: statSync(file).mtimeMs }));
		byAge.sort((a, b) => a.at - b.at);
		for (const { file } of byAge.slice(0, -foldersMax)) unlinkSync(file);
	}
}
