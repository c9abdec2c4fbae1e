// The commands /mcp and /mcp-auth: what people ask the gateway for.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { forbiddenText, isInUse, type ServerState, textOf, type ToolAnswer } from "./gateway.ts";
import { wordsOf } from "./prompts.ts";
import type { Session } from "./session.ts";
import { oneLine, shown } from "./shown_text.ts";
import { counted } from "./words.ts";

const verbs = {
	status: "every server and its state",
	tools: "names of all tools, or of one server",
	connect: "start a server; one of the project asks you first",
	reconnect: "end and start all servers, or one",
	enable: "use a disabled server again",
	disable: "keep a server configured but do not use it",
	logs: "last error and stderr of a server",
};
type Verb = keyof typeof verbs;
export type Command = "mcp" | "mcp-auth";

function isVerb(word: string | undefined): word is Verb {
	return word !== undefined && Object.hasOwn(verbs, word);
}

// Whether components of our own can be shown. Pi before 0.80 does not say its mode.
function isTerminal({ mode }: Partial<ExtensionCommandContext>): boolean {
	return mode === undefined ? process.stdout.isTTY === true : mode === "tui";
}

// Servers that the command is for: those that are disabled can be enabled, and so on.
function isFor(words: string, { remote, status }: ServerState): boolean {
	if (words === "mcp connect") return status !== "disabled";
	if (status === "needs trust") return false; // nothing else can be done with it
	if (words === "mcp-auth") return remote && status !== "disabled";
	return words === "mcp logs" || (words === "mcp enable") === (status === "disabled");
}

// For the word that is being written; `servers` is asked only when that is the name of one.
export async function completionsOf(
	command: Command,
	prefix: string,
	servers: () => Promise<ServerState[]>,
) {
	const start = command === "mcp" ? (/^\w+ +/.exec(prefix)?.[0] ?? "") : "";
	const verb = start.trim();
	if (command === "mcp" && !start) {
		const items = Object.entries(verbs)
			.filter(([each]) => each.startsWith(prefix))
			.map(([value, description]) => ({ value, label: value, description }));
		return items.length > 0 ? items : null;
	}
	if (command === "mcp" && (!isVerb(verb) || verb === "status")) return null;
	const word = prefix.slice(start.length);
	const items = (await servers())
		.filter((server) => isFor(`${command} ${verb}`.trim(), server) && server.name.startsWith(word))
		.filter(({ name }) => name === oneLine(name)) // what can be written in the editor
		.map(({ name, status }) => ({ value: start + name, label: name, description: status }));
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
		if (ctx.hasUI) ctx.ui.notify(`MCP: ${shown(error.message)}`, "error");
	});
}

class Commands {
	readonly #session: Session;

	constructor(session: Session) {
		this.#session = session;
	}

	async run(line: string, ctx: ExtensionCommandContext): Promise<void> {
		if (!ctx.hasUI) return; // there is nobody to tell
		const [first, ...rest] = wordsOf(line);
		if (first === undefined && isTerminal(ctx)) return this.#panel(ctx);
		const verb = isVerb(first) ? first : "status";
		const server = rest.join(" "); // a name may have spaces
		if (verb === "status") await this.#status(ctx);
		else if (verb === "tools") await this.#tools(server, ctx);
		else if (verb === "connect") await this.#connect(server, ctx);
		else if (verb === "reconnect") await this.#reconnect(server, ctx);
		else await this.#manage(verb, server, ctx);
	}

	async #status(ctx: ExtensionCommandContext): Promise<void> {
		const gateway = await this.#session.gateway();
		this.#show(await gateway.manage({ action: "status" }), ctx);
	}

	// Loaded when it is wanted, so that Pi's start does not pay for it.
	async #panel(ctx: ExtensionCommandContext): Promise<void> {
		const { openPanel } = await import("./panel.ts");
		const leaving = await openPanel(this.#session, ctx);
		if (leaving?.to === "log in") await this.#logIn(leaving.server, ctx);
		else if (leaving) await this.#connect(leaving.server, ctx);
	}

	// True when the answer is no failure. `text` in place of what a model is told.
	#show(answer: ToolAnswer, ctx: ExtensionCommandContext, text = textOf(answer)): boolean {
		ctx.ui.notify(shown(text), answer.isError ? "error" : "info");
		return !answer.isError;
	}

	async #find(server: string): Promise<ServerState> {
		const servers = await this.#session.status();
		const found = servers.find(({ name }) => name === server);
		if (found) return found;
		throw new Error(`server "${server}" not found; /mcp status shows the names of all`);
	}

	async #findEnabled(server: string): Promise<ServerState> {
		const found = await this.#find(server);
		if (found.forbidden) throw new Error(forbiddenText(server));
		if (found.status !== "disabled") return found;
		throw new Error(`${server} is disabled; /mcp enable ${server} makes it usable`);
	}

	async #findTrusted(server: string): Promise<ServerState> {
		const found = await this.#findEnabled(server);
		if (found.status !== "needs trust") return found;
		throw new Error(`${server} is of this project and needs trust; /mcp connect ${server} asks you`);
	}

	// Of a server that needs trust the gateway asks first.
	async #connect(server: string, ctx: ExtensionCommandContext): Promise<void> {
		if (!server) throw new Error("Usage: /mcp connect <server>");
		await this.#findEnabled(server);
		const gateway = await this.#session.gateway();
		const answer = await gateway.call("mcp", { connect: server });
		const { error } = answer.details as { error?: string };
		const again = "To answer anew: /reload, then /mcp connect; or pi-mcp trust in a terminal.";
		const text = error === "needs_trust" ? `${textOf(answer)}\n${again}` : textOf(answer);
		this.#show(answer, ctx, text);
	}

	async #reconnect(server: string, ctx: ExtensionCommandContext): Promise<void> {
		const found = server ? await this.#findEnabled(server) : undefined;
		if (found?.status === "needs trust") return this.#connect(server, ctx);
		const gateway = await this.#session.gateway();
		const which = server ? { server } : {};
		this.#show(await gateway.call("mcp", { action: "reconnect", ...which }), ctx);
	}

	async authorize(line: string, ctx: ExtensionCommandContext): Promise<void> {
		if (!ctx.hasUI) return;
		const server = wordsOf(line).join(" ");
		if (!server) throw new Error("Usage: /mcp-auth <server-name>");
		await this.#logIn(server, ctx);
	}

	// The login ends by itself when the browser runs on this machine; else what the browser shows at
	// the end is pasted.
	async #logIn(server: string, ctx: ExtensionCommandContext): Promise<void> {
		await this.#findTrusted(server);
		if (!(await this.#startLogin(server, ctx))) return;
		const title = `Login to ${server}: when the browser is done, press Enter, or paste its address`;
		const input = await ctx.ui.input(title, "http://127.0.0.1/callback?code=...");
		if (input === undefined) return;
		const pasted = input.trim();
		if (!pasted) return this.#reconnect(server, ctx);
		const gateway = await this.#session.gateway();
		const args = { action: "auth-complete", server, args: { input: pasted } };
		const answer = await gateway.call("mcp", args);
		const done = `OAuth authentication successful for "${server}".`;
		this.#show(answer, ctx, answer.isError ? textOf(answer) : done);
	}

	// True when a person has to go on with it.
	async #startLogin(server: string, ctx: ExtensionCommandContext): Promise<boolean> {
		const gateway = await this.#session.gateway();
		const answer = await gateway.call("mcp", { action: "auth-start", server });
		const { authorizationUrl } = answer.details as { authorizationUrl?: string };
		const address = `To log in to ${server}, use this address if no browser opens:`;
		const text = authorizationUrl ? `${address}\n${authorizationUrl}` : textOf(answer);
		return this.#show(answer, ctx, text);
	}

	async #tools(server: string, ctx: ExtensionCommandContext): Promise<void> {
		if (server) await this.#findTrusted(server);
		const gateway = await this.#session.gateway();
		const used = (await this.#session.status()).filter(isInUse).map(({ name }) => name);
		const tools = (await gateway.knownTools())
			.filter(({ name }) => used.includes(name) && (!server || name === server))
			.flatMap((known) => known.tools);
		if (tools.length === 0) {
			const whose = server ? ` of ${server}` : "";
			const how = server ? `/mcp reconnect ${server} asks it` : "/mcp reconnect asks all servers";
			throw new Error(`no tools${whose} are known; ${how} for them`);
		}
		const names = tools.map(({ name }) => `  ${name}`).join("\n");
		const total = counted(tools.length, "tool");
		ctx.ui.notify(`MCP Tools:\n\n${names}\n\nTotal: ${total}`, "info");
	}

	async #manage(
		action: "enable" | "disable" | "logs",
		server: string,
		ctx: ExtensionCommandContext,
	): Promise<void> {
		if (!server) throw new Error(`Usage: /mcp ${action} <server>`);
		if ((await this.#find(server)).status === "needs trust") await this.#findTrusted(server);
		const gateway = await this.#session.gateway();
		this.#show(await gateway.manage({ action, server }), ctx);
	}
}
