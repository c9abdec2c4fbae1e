// The commands /mcp and /mcp-auth: what people ask the gateway for.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import {
	type Command,
	completionsOf,
	divided,
	helpText,
	isVerb,
	unknownWord,
	usageOf,
	type Verb,
} from "./command_words.ts";
import {
	forbiddenText,
	isInUse,
	type ManageAction,
	type Prompt,
	type Scope,
	type ServerState,
	textOf,
	type ToolAnswer,
} from "./gateway.ts";
import { commandOf, invocation, wordsOf } from "./prompts.ts";
import type { Session } from "./session.ts";
import { oneLine, shown, shownLine } from "./shown_text.ts";
import { counted } from "./words.ts";

// Whether components of our own can be shown. Pi before 0.80 does not say its mode.
function isTerminal({ mode }: Partial<ExtensionCommandContext>): boolean {
	return mode === undefined ? process.stdout.isTTY === true : mode === "tui";
}

export { type Command, completionsOf };

function scopeOf(flag: string | undefined): { scope?: Scope } {
	if (flag === undefined) return {};
	return { scope: flag === "--here" ? "here" : "everywhere" };
}

function promptLines(prompt: Prompt): string[] {
	const about = prompt.description ? [`    ${shownLine(prompt.description)}`] : [];
	return [`  ${invocation(commandOf(prompt), prompt)}`, ...about];
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
		const [first = "", ...rest] = wordsOf(line);
		if (!first && isTerminal(ctx)) return this.#panel(ctx);
		if (!first) return this.#status(ctx);
		if (!isVerb(first)) throw new Error(unknownWord(first));
		if (first === "add") return this.#add(rest, ctx);
		if (first === "install") return this.#install(rest, ctx);
		const { subject, flag } = divided(first, rest); // a name may have spaces
		if (!subject && usageOf(first).includes("<")) throw new Error(usageOf(first));
		await this.#runWord(first, { server: subject, flag }, ctx);
	}

	#runWord(
		verb: Exclude<Verb, "add" | "install">,
		{ server, flag }: { server: string; flag: string | undefined },
		ctx: ExtensionCommandContext,
	): Promise<void> {
		const run: Record<typeof verb, () => Promise<void>> = {
			status: () => this.#status(ctx),
			tools: () => this.#tools(server, ctx),
			prompts: () => this.#prompts(server, ctx),
			connect: () => this.#connect(server, ctx),
			reconnect: () => this.#reconnect(server, ctx),
			logs: () => this.#manage({ action: "logs", server }, ctx),
			enable: () => this.#manage({ action: "enable", server, ...scopeOf(flag) }, ctx),
			disable: () => this.#disable(server, scopeOf(flag), ctx),
			logout: () => this.#manage({ action: "logout", server }, ctx),
			token: () => this.#manage({ action: "token", server, remove: flag !== undefined }, ctx),
			secret: () =>
				this.#manageAny({ action: "secret", secret: server, remove: flag !== undefined }, ctx),
			trust: () => this.#manageAny({ action: "allow" }, ctx),
			setup: () => this.#setup(flag !== undefined, ctx),
			edit: () => this.#edit(server, ctx),
			help: async () => ctx.ui.notify(helpText(), "info"),
			quiet: async () => ctx.ui.notify((await import("./builtin.ts")).endWarnings(), "info"),
		};
		return run[verb]();
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
		await this.#findEnabled(server);
		const gateway = await this.#session.gateway();
		const answer = await gateway.call("mcp", { connect: server });
		const { error } = answer.details as { error?: string };
		const again = "To answer anew: /mcp trust.";
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
		const server = wordsOf(line).join(" ") || (await this.#pick(ctx));
		if (server) await this.#logIn(server, ctx);
	}

	// One of the servers that can log in.
	async #pick(ctx: ExtensionCommandContext): Promise<string | undefined> {
		const servers = (await this.#session.status()).filter((each) => each.remote && isInUse(each));
		if (servers.length === 0) throw new Error("no server here has logins: they are for urls");
		const labels = servers.map(({ name, status }) => `${oneLine(name)} (${status})`);
		const chosen = await ctx.ui.select("Log in to which MCP server?", labels);
		return servers[labels.indexOf(chosen ?? "")]?.name;
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
		const servers = await this.#session.status();
		if (servers.length === 0) return this.#status(ctx); // says what to do
		const used = servers.filter(isInUse).map(({ name }) => name);
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

	async #prompts(server: string, ctx: ExtensionCommandContext): Promise<void> {
		if (server) await this.#findTrusted(server);
		const gateway = await this.#session.gateway();
		const names = (await this.#session.status()).map(({ name }) => name);
		if (names.length === 0) return this.#status(ctx);
		// The longest name counts: one server may be called like the beginning of another.
		const ownerOf = (prompt: string) =>
			names
				.filter((name) => prompt.startsWith(`${name}__`))
				.toSorted((a, b) => b.length - a.length)[0] ?? "";
		const prompts = (await gateway.prompts()).filter(
			({ name }) => !server || ownerOf(name) === server,
		);
		if (prompts.length === 0) {
			const whose = server ? ` of ${server}` : "";
			throw new Error(`no prompts${whose} are known; /mcp reconnect asks servers for them`);
		}
		const owners = new Set(prompts.map(({ name }) => ownerOf(name)));
		const lines = [...owners].flatMap((owner) => [
			`${oneLine(owner)}:`,
			...prompts.filter(({ name }) => ownerOf(name) === owner).flatMap(promptLines),
		]);
		const total = counted(prompts.length, "prompt");
		ctx.ui.notify(["MCP Prompts:", "", ...lines, "", `Total: ${total}`].join("\n"), "info");
	}

	async #add([name, ...words]: string[], ctx: ExtensionCommandContext): Promise<void> {
		if (!name || words.length === 0) throw new Error(usageOf("add"));
		await this.#manageAny({ action: "add", server: name, words }, ctx);
	}

	async #install([url, ...rest]: string[], ctx: ExtensionCommandContext): Promise<void> {
		if (!url || rest.length > 1) throw new Error(usageOf("install"));
		await this.#manageAny({ action: "add", url, server: rest[0] ?? "" }, ctx);
	}

	async #setup(undo: boolean, ctx: ExtensionCommandContext): Promise<void> {
		await this.#manageAny({ action: "setup", undo }, ctx);
	}

	// What is wrong with a text is said above it, and it can be corrected.
	async #edit(server: string, ctx: ExtensionCommandContext): Promise<void> {
		const gateway = await this.#session.gateway();
		const answer = await gateway.manage({ action: "edit", server });
		if (answer.isError) return void this.#show(answer, ctx);
		const { path, text } = answer.details as { path: string; text: string };
		let draft = text;
		for (let problem = ""; ; ) {
			const title = problem ? `${problem}\n${path}` : path;
			const edited = await ctx.ui.editor(title, draft);
			const ended = edited && text.endsWith("\n") && !edited.endsWith("\n");
			draft = ended ? `${edited}\n` : (edited ?? text);
			if (draft === text) return ctx.ui.notify("Nothing was changed.", "info");
			const written = await gateway.manage({ action: "edit", server, was: text, text: draft });
			if (!written.isError) return void this.#show(written, ctx);
			problem = shown(textOf(written));
		}
	}

	// Of a server of the project there is nothing to choose.
	async #disable(
		server: string,
		scope: { scope?: Scope },
		ctx: ExtensionCommandContext,
	): Promise<void> {
		const { project, status } = await this.#find(server);
		if (scope.scope || project || status === "needs trust" || status === "disabled") {
			return this.#manage({ action: "disable", server, ...scope }, ctx);
		}
		const choices: Record<string, Scope> = { Everywhere: "everywhere", "In this project": "here" };
		const title = `Disable ${shown(server)} where?`;
		const chosen = choices[(await ctx.ui.select(title, Object.keys(choices))) ?? ""];
		if (chosen) await this.#manage({ action: "disable", server, scope: chosen }, ctx);
	}

	async #manage(
		action: ManageAction & { server: string },
		ctx: ExtensionCommandContext,
	): Promise<void> {
		const { status } = await this.#find(action.server);
		if (status === "needs trust") await this.#findTrusted(action.server);
		await this.#manageAny(action, ctx);
	}

	async #manageAny(action: ManageAction, ctx: ExtensionCommandContext): Promise<void> {
		const gateway = await this.#session.gateway();
		this.#show(await gateway.manage(action), ctx);
	}
}
