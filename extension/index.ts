// The Pi extension: puts into Pi what `pi-mcp serve --host pi` offers. While Pi starts only this
// file and what it imports are read, as each costs Pi's loader time; the rest once Pi has started.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type {
	BeforeAgentStartEvent,
	ExtensionAPI,
	ExtensionCommandContext,
	ExtensionContext,
	SessionShutdownEvent,
	SessionStartEvent,
} from "@earendil-works/pi-coding-agent";
import type { Command } from "./commands.ts";
import { Definitions, digestOf, type ToolCall } from "./definitions.ts";
import { Registered } from "./registered.ts";
import type { Session, Source } from "./session.ts";
import type { Json } from "./wire.ts";

// Pi goes on starting for about so long after session_start. What nobody waits for comes later.
const startingMs = 50;

// For programs that are built on Pi (library.d.ts).
export interface McpAdapterOptions {
	config?: Json; // all of the configuration, as in mcp.json: no file counts beside it
	configPath?: string; // in place of ~/.pi/agent/mcp.json; above --mcp-config
}

// Loaded once, also for two sessions of one program: see Session.
let sessions: Promise<typeof import("./session.ts")> | undefined;
let commands: Promise<typeof import("./commands.ts")> | undefined;

class Extension {
	readonly #pi: ExtensionAPI;
	readonly #source: Source;
	readonly #registered: Registered;
	readonly #definitions: Definitions;
	#ctx: ExtensionContext | undefined; // of the session that runs
	#session: Session | undefined;
	#opened: Promise<void> = Promise.resolve();
	#hurry: () => void = () => {}; // somebody waits for `#opened`
	#isDeciding = false; // this session begins with Pi's decision about the folder

	constructor(pi: ExtensionAPI, source: Source) {
		this.#pi = pi;
		this.#source = source;
		this.#registered = new Registered(pi);
		this.#definitions = new Definitions(pi, (call) => this.#call(call), source.id);
		this.#definitions.recall(process.cwd());
	}

	// Pi decides whether it trusts the folder, before session_start.
	decides(): void {
		this.#isDeciding = true;
	}

	// Returns at once: Pi's start does not wait for us, the first prompt does. After /reload, and in
	// another session of a folder that it knows, Pi keeps its answer, which is not about what came
	// since; and it says yes to a file that was not there as well.
	start(ctx: ExtensionContext, reason: SessionStartEvent["reason"]): void {
		this.#ctx = ctx;
		const decides = reason === "startup" || this.#isDeciding;
		const isDecided = decides && existsSync(join(ctx.cwd, ".pi/mcp.json"));
		this.#isDeciding = false;
		this.#opened = this.#open(ctx, isDecided).catch((error: Error) => {
			if (ctx !== this.#ctx) return; // its session has ended
			if (ctx.hasUI) ctx.ui.notify(`MCP: ${error.message}`, "error");
			else console.error(`MCP: ${error.message}`);
		});
	}

	async ready(ctx: ExtensionContext): Promise<void> {
		const session = await this.#running();
		session?.heed(ctx);
		await session?.ready();
	}

	async introduce(event: BeforeAgentStartEvent, ctx: ExtensionContext) {
		await this.ready(ctx);
		return this.#session?.introduce(event);
	}

	async close(reason: SessionShutdownEvent["reason"]): Promise<void> {
		this.#ctx = undefined;
		await (await this.#running())?.close(reason);
	}

	async run(command: Command, line: string, ctx: ExtensionCommandContext): Promise<void> {
		const { runCommand } = await (commands ??= import("./commands.ts"));
		const session = await this.#running();
		if (!session) return;
		session.heed(ctx);
		await runCommand(command, line, { session, ctx });
	}

	// Nothing of a session that cannot start, which the user was told.
	async complete(command: Command, prefix: string) {
		const { completionsOf } = await (commands ??= import("./commands.ts"));
		const servers = async () => (await (await this.#running())?.status()) ?? [];
		return completionsOf(command, prefix, servers).catch(() => null);
	}

	async #call(call: ToolCall) {
		const session = await this.#running();
		if (!session) throw new Error("the MCP extension could not be loaded");
		return session.run(call);
	}

	// Undefined when it could not be loaded, which the user was told.
	async #running(): Promise<Session | undefined> {
		this.#hurry();
		await this.#opened;
		return this.#session;
	}

	async #open(ctx: ExtensionContext, isDecided: boolean): Promise<void> {
		await new Promise<void>((go) => {
			this.#hurry = go;
			setTimeout(go, startingMs);
		});
		if (ctx !== this.#ctx) return;
		const { Session } = await (sessions ??= import("./session.ts"));
		this.#session ??= new Session(this.#pi, this.#definitions, this.#registered, this.#source);
		if (ctx === this.#ctx) this.#session.start(ctx, isDecided);
	}
}

function jsonOf(config: unknown): string {
	const isObject = typeof config === "object" && config !== null && !Array.isArray(config);
	if (!isObject) throw new TypeError("config must be an object, as mcp.json holds one");
	try {
		return JSON.stringify(config);
	} catch (error) {
		throw new TypeError(`config cannot be written as JSON: ${(error as Error).message}`);
	}
}

// What the caller does with its objects later changes nothing.
function sourceOf({ config, configPath }: McpAdapterOptions): Source {
	if (config === undefined && configPath === undefined) return { id: "" };
	if (config !== undefined && configPath !== undefined) {
		throw new TypeError("config is all there is: give either config or configPath");
	}
	if (config !== undefined) {
		const given = jsonOf(config);
		return { given, id: digestOf(given) };
	}
	if (typeof configPath !== "string" || !configPath.trim()) {
		throw new TypeError("configPath must be the path of a file");
	}
	return { path: configPath, id: digestOf(JSON.stringify([configPath])) };
}

// Throws where the options are wrong.
export function createMcpAdapter(options: McpAdapterOptions = {}): (pi: ExtensionAPI) => void {
	const source = sourceOf(options);
	return (pi) => activate(pi, source);
}

export default createMcpAdapter();

function activate(pi: ExtensionAPI, source: Source): void {
	const extension = new Extension(pi, source);
	pi.registerFlag("mcp-config", { description: "MCP configuration file", type: "string" });
	for (const name of ["mcp", "pi-mcp"]) {
		pi.registerCommand(name, {
			description: "Show and manage MCP servers",
			getArgumentCompletions: (prefix) => extension.complete("mcp", prefix),
			handler: (line, ctx) => extension.run("mcp", line, ctx),
		});
	}
	pi.registerCommand("mcp-auth", {
		description: "Log in to an MCP server (OAuth)",
		getArgumentCompletions: (prefix) => extension.complete("mcp-auth", prefix),
		handler: (line, ctx) => extension.run("mcp-auth", line, ctx),
	});
	pi.on("project_trust", () => {
		extension.decides();
		return { trusted: "undecided" }; // the decision is Pi's
	});
	pi.on("session_start", ({ reason }, ctx) => extension.start(ctx, reason));
	pi.on("input", (_event, ctx) => extension.ready(ctx));
	pi.on("before_agent_start", (event, ctx) => extension.introduce(event, ctx));
	pi.on("session_shutdown", ({ reason }) => extension.close(reason));
}
