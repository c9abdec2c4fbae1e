// The command /mcp: what people ask the gateway for.
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { findBinary } from "./binary.ts";
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
};
type Verb = keyof typeof verbs;

// More than any catalog has.
const toolsMax = 1_000_000;

function isVerb(word: string | undefined): word is Verb {
	return word !== undefined && Object.hasOwn(verbs, word);
}

export class Commands {
	readonly #pi: ExtensionAPI;
	readonly #session: Session;

	constructor(pi: ExtensionAPI, session: Session) {
		this.#pi = pi;
		this.#session = session;
		pi.registerCommand("mcp", {
			description: "Show and manage MCP servers",
			getArgumentCompletions: (prefix) => {
				const items = Object.entries(verbs)
					.filter(([verb]) => verb.startsWith(prefix))
					.map(([value, description]) => ({ value, label: value, description }));
				return items.length > 0 ? items : null;
			},
			// Without a user interface there is nobody to tell.
			handler: async (line, ctx) => {
				if (!ctx.hasUI) return;
				await this.#run(line, ctx).catch((error: Error) => {
					ctx.ui.notify(`MCP: ${error.message}`, "error");
				});
			},
		});
	}

	async #run(line: string, ctx: ExtensionCommandContext): Promise<void> {
		const [first, server] = wordsOf(line);
		const verb = isVerb(first) ? first : "status";
		if (verb === "status") await this.#show({}, ctx);
		else if (verb === "tools") await this.#tools(server, ctx);
		else if (verb === "reconnect") await this.#show({ action: "reconnect", server }, ctx);
		else await this.#change(verb, server, ctx);
	}

	async #show(args: Json, ctx: ExtensionCommandContext): Promise<void> {
		const gateway = await this.#session.gateway();
		const answer = await gateway.call("mcp", args);
		ctx.ui.notify(textOf(answer), answer.isError ? "error" : "info");
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

	// The file that defines the server is changed by the program itself, as from a shell.
	async #change(
		verb: "enable" | "disable",
		server: string | undefined,
		ctx: ExtensionCommandContext,
	): Promise<void> {
		if (!server) throw new Error(`Usage: /mcp ${verb} <server>`);
		const args = [verb, server, ...this.#session.configOptions()];
		const { stdout, stderr, code } = await this.#pi.exec(findBinary(), args, { cwd: ctx.cwd });
		if (code !== 0) throw new Error(stderr.trim());
		await this.#session.restart(ctx);
		ctx.ui.notify(stdout.trim() || stderr.trim(), "info");
	}
}
