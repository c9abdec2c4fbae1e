// The commands /mcp and /mcp-auth: what people ask the gateway for.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { textOf } from "./gateway.ts";
import { wordsOf } from "./prompts.ts";
import type { Session } from "./session.ts";
import type { Json } from "./wire.ts";

const verbs = {
	status: "every server and its state",
	tools: "names of all tools, or of one server",
	reconnect: "end and start all servers, or one",
	enable: "use a disabled server again",
	disable: "keep a server configured but do not use it",
	logs: "last error and stderr of a server",
};
type Verb = keyof typeof verbs;
export type Command = "mcp" | "mcp-auth";

// More than any catalog has.
const toolsMax = 1_000_000;

function isVerb(word: string | undefined): word is Verb {
	return word !== undefined && Object.hasOwn(verbs, word);
}

// Whether components of our own can be shown. Pi before 0.80 does not say its mode.
function isTerminal({ mode }: Partial<ExtensionCommandContext>): boolean {
	return mode === undefined ? process.stdout.isTTY === true : mode === "tui";
}

export function completionsOf(prefix: string) {
	const items = Object.entries(verbs)
		.filter(([verb]) => verb.startsWith(prefix))
		.map(([value, description]) => ({ value, label: value, description }));
	return items.length > 0 ? items : null;
}

interface Place {
	session: Session;
	ctx: ExtensionCommandContext;
}

// Failures are told to the user, if there is one.
export async function runCommand(
	command: Command,
	line: string,
	{ session, ctx }: Place,
): Promise<void> {
	const commands = new Commands(session);
	const run = command === "mcp" ? commands.run(line, ctx) : commands.authorize(line, ctx);
	await run.catch((error: Error) => {
		if (ctx.hasUI) ctx.ui.notify(`MCP: ${error.message}`, "error");
	});
}

class Commands {
	readonly #session: Session;

	constructor(session: Session) {
		this.#session = session;
	}

	async run(line: string, ctx: ExtensionCommandContext): Promise<void> {
		if (!ctx.hasUI) return; // there is nobody to tell
		const [first, server] = wordsOf(line);
		if (first === undefined && isTerminal(ctx)) return this.#panel(ctx);
		const verb = isVerb(first) ? first : "status";
		if (verb === "status") await this.#show({}, ctx);
		else if (verb === "tools") await this.#tools(server, ctx);
		else if (verb === "reconnect") await this.#show({ action: "reconnect", server }, ctx);
		else await this.#manage(verb, server, ctx);
	}

	// Loaded when it is wanted, so that Pi's start does not pay for it.
	async #panel(ctx: ExtensionCommandContext): Promise<void> {
		const { openPanel } = await import("./panel.ts");
		const server = await openPanel(this.#session, ctx);
		if (server) await this.authorize(server, ctx);
	}

	// True when the answer is no failure.
	async #show(args: Json, ctx: ExtensionCommandContext): Promise<boolean> {
		const gateway = await this.#session.gateway();
		const answer = await gateway.call("mcp", args);
		ctx.ui.notify(textOf(answer), answer.isError ? "error" : "info");
		return !answer.isError;
	}

	// The login ends by itself when the browser runs on this machine; else what the browser shows at
	// the end is pasted.
	async authorize(line: string, ctx: ExtensionCommandContext): Promise<void> {
		if (!ctx.hasUI) return;
		const [server] = wordsOf(line);
		if (!server) throw new Error("Usage: /mcp-auth <server-name>");
		if (!(await this.#show({ action: "auth-start", server }, ctx))) return;
		const title = `Login to ${server}: when the browser is done, press Enter, or paste its address`;
		const input = await ctx.ui.input(title, "http://127.0.0.1/callback?code=...");
		if (input === undefined) return;
		const args = input.trim() ? { input: input.trim() } : undefined;
		if (args) await this.#show({ action: "auth-complete", server, args }, ctx);
		else await this.#show({ action: "reconnect", server }, ctx);
	}

	async #tools(server: string | undefined, ctx: ExtensionCommandContext): Promise<void> {
		const gateway = await this.#session.gateway();
		const args = { search: ".", regex: true, includeSchemas: false, limit: toolsMax, server };
		const answer = await gateway.call("mcp", args);
		const { matches = [] } = answer.details as { matches?: { tool: string }[] };
		if (answer.isError || matches.length === 0) {
			ctx.ui.notify(answer.isError ? textOf(answer) : "No MCP tools available", "info");
			return;
		}
		const names = matches.map(({ tool }) => `  ${tool}`).join("\n");
		ctx.ui.notify(`MCP Tools:\n\n${names}\n\nTotal: ${matches.length} tools`, "info");
	}

	async #manage(
		action: "enable" | "disable" | "logs",
		server: string | undefined,
		ctx: ExtensionCommandContext,
	): Promise<void> {
		if (!server) throw new Error(`Usage: /mcp ${action} <server>`);
		const gateway = await this.#session.gateway();
		const answer = await gateway.manage({ action, server });
		ctx.ui.notify(textOf(answer), answer.isError ? "error" : "info");
	}
}
