// The Pi extension: puts into Pi what `pi-mcp serve --host pi` offers. While Pi starts only this
// file and registered.ts are read, as each costs Pi's loader time; the rest once Pi has started.
import type {
	ExtensionAPI,
	ExtensionCommandContext,
	ExtensionContext,
} from "@earendil-works/pi-coding-agent";
import type { Command } from "./commands.ts";
import { Registered } from "./registered.ts";
import type { Session } from "./session.ts";

// Pi goes on starting for about so long after session_start. What nobody waits for comes later.
const startingMs = 50;

class Extension {
	readonly #pi: ExtensionAPI;
	readonly #registered: Registered;
	#ctx: ExtensionContext | undefined; // of the session that runs
	#session: Session | undefined;
	#opened: Promise<void> = Promise.resolve();
	#hurry: () => void = () => {}; // somebody waits for `#opened`

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
		this.#registered = new Registered(pi);
	}

	// Returns at once: Pi's start does not wait for us, the first prompt does.
	start(ctx: ExtensionContext): void {
		this.#ctx = ctx;
		this.#opened = this.#open(ctx).catch((error: Error) => {
			if (ctx !== this.#ctx) return; // its session has ended
			if (ctx.hasUI) ctx.ui.notify(`MCP: ${error.message}`, "error");
			else console.error(`MCP: ${error.message}`);
		});
	}

	async ready(): Promise<void> {
		await (await this.#running())?.ready();
	}

	async close(): Promise<void> {
		this.#ctx = undefined;
		await (await this.#running())?.close();
	}

	async run(command: Command, line: string, ctx: ExtensionCommandContext): Promise<void> {
		const { runCommand } = await import("./commands.ts");
		const session = await this.#running();
		if (session) await runCommand(command, line, { session, ctx });
	}

	// Nothing of a session that cannot start, which the user was told.
	async complete(command: Command, prefix: string) {
		const { completionsOf } = await import("./commands.ts");
		const servers = async () => (await (await this.#running())?.status()) ?? [];
		return completionsOf(command, prefix, servers).catch(() => null);
	}

	// Undefined when it could not be loaded, which the user was told.
	async #running(): Promise<Session | undefined> {
		this.#hurry();
		await this.#opened;
		return this.#session;
	}

	async #open(ctx: ExtensionContext): Promise<void> {
		await new Promise<void>((go) => {
			this.#hurry = go;
			setTimeout(go, startingMs);
		});
		if (ctx !== this.#ctx) return;
		const { Session } = await import("./session.ts");
		this.#session ??= new Session(this.#pi, this.#registered);
		if (ctx === this.#ctx) this.#session.start(ctx);
	}
}

export default function piMcp(pi: ExtensionAPI): void {
	const extension = new Extension(pi);
	pi.registerFlag("mcp-config", { description: "MCP configuration file", type: "string" });
	pi.registerCommand("mcp", {
		description: "Show and manage MCP servers",
		getArgumentCompletions: (prefix) => extension.complete("mcp", prefix),
		handler: (line, ctx) => extension.run("mcp", line, ctx),
	});
	pi.registerCommand("mcp-auth", {
		description: "Log in to an MCP server (OAuth)",
		getArgumentCompletions: (prefix) => extension.complete("mcp-auth", prefix),
		handler: (line, ctx) => extension.run("mcp-auth", line, ctx),
	});
	pi.on("session_start", (_event, ctx) => extension.start(ctx));
	pi.on("input", () => extension.ready());
	pi.on("before_agent_start", () => extension.ready());
	pi.on("session_shutdown", () => extension.close());
}
