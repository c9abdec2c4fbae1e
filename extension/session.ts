// One session of Pi and the gateway that serves it: started with it, ended with it. What not every
// session needs is loaded when it is wanted.
import type {
	BeforeAgentStartEvent,
	BeforeAgentStartEventResult,
	ExtensionAPI,
	ExtensionContext,
	ExtensionUIContext,
	SessionShutdownEvent,
} from "@earendil-works/pi-coding-agent";
import { pathToFileURL } from "node:url";
import { findBinary } from "./binary.ts";
import type { Definitions, ToolCall } from "./definitions.ts";
import type { Dialogs } from "./dialogs.ts";
import {
	Gateway,
	type GatewayEvents,
	type ServerState,
	textOf,
	type ToolAnswer,
} from "./gateway.ts";
import { keep, take } from "./kept.ts";
import type { Prompts } from "./prompts.ts";
import type { StatusNews } from "./events.ts";
import type { Registered } from "./registered.ts";
import type { Scripts } from "./scripts.ts";
import { FolderTrust } from "./folder_trust.ts";
import { shownText } from "./shown_text.ts";
import { Tools } from "./tools.ts";
import type { Json } from "./wire.ts";

// A prompt waits so long for the first list of tools, which normally takes some milliseconds.
const readyMsMax = 5000;

const statusKey = "mcp";
// As that of pi-mcp-adapter, for extensions that render or filter it.
const loginMessage = "mcp-oauth-status";
// The section of Pi's prompt; Pi's own MCP client, which is not there beside us, calls it the same.
const promptSection = "mcp_servers";

function noticeType(level: string): "info" | "warning" | "error" {
	if (level === "warning") return "warning";
	return ["debug", "info", "notice"].includes(level) ? "info" : "error";
}

// Pi before 0.80 gives extensions no way to its models.
function canSample({ modelRegistry }: ExtensionContext): boolean {
	return typeof (modelRegistry as Partial<typeof modelRegistry>).complete === "function";
}

// Loaded when they are wanted, once for all sessions of a program: who imports a module that a
// loader is just loading gets it without what it imports itself.
function once<T>(load: () => Promise<T>): () => Promise<T> {
	let loaded: Promise<T> | undefined;
	return () => (loaded ??= load());
}
const footer = once(() => import("./footer.ts"));
const promptsModule = once(() => import("./prompts.ts"));
const serverLog = once(() => import("./server_log.ts"));
const events = once(() => import("./events.ts"));
const builtin = once(() => import("./builtin.ts"));
const dialogsModule = once(() => import("./dialogs.ts"));
const sampling = once(() => import("./sampling.ts"));
const scripts = once(() => import("./scripts.ts"));

// Where the configuration comes from, where a program that is built on Pi says so.
export interface Source {
	given?: string | undefined; // all of it, as JSON: no file counts
	path?: string | undefined; // of the file in place of the user's, and of --mcp-config
	id: string; // another one for every other source; empty: nothing is said
}

export class Session {
	readonly #pi: ExtensionAPI;
	readonly #source: Source;
	readonly #tools: Tools;
	readonly #definitions: Definitions;
	readonly #registered: Registered;
	#cwd = process.cwd();
	#id = ""; // Pi's, of the session
	#ui: ExtensionUIContext | undefined; // of a session with somebody to talk to
	#answers: Pick<GatewayEvents, "ask" | "sample"> = {}; // the same
	#prompts: Prompts | undefined; // since a server had one
	#isLogBroken = false;
	readonly #loggingIn = new Set<string>(); // servers that the model began a login to
	#isOpen = false;
	#gateway: Gateway | undefined;
	#prepared: Promise<void> = Promise.resolve(); // of `#gateway`
	readonly #trust: FolderTrust;
	#toldServers = false; // the gateway may know servers of other extensions
	#ready: Promise<void> = Promise.resolve();
	#scripts: Promise<Scripts> | undefined; // since Pi has scripts
	#wantsScripts = false; // settings.codemode
	#news: StatusNews | undefined;
	readonly #watchers = new Set<() => void>();

	constructor(
		pi: ExtensionAPI,
		definitions: Definitions,
		registered: Registered,
		source: Source,
	) {
		this.#pi = pi;
		this.#source = source;
		this.#definitions = definitions;
		this.#tools = new Tools(pi, definitions, this);
		this.#registered = registered;
		this.#trust = new FolderTrust(pi);
		// A gateway that has ended needs no word; the next one is told everything.
		registered.follow(() => this.#register().catch(() => {}));
	}

	// Returns at once; ready() waits. `isDecided`: Pi has just decided about the .pi/mcp.json there.
	start(ctx: ExtensionContext, isDecided: boolean): void {
		// `ctx` itself may not be used any more once the session has ended.
		this.#cwd = ctx.cwd;
		this.#id = ctx.sessionManager.getSessionId();
		this.#ui = ctx.hasUI ? ctx.ui : undefined;
		this.#answers = this.#answersFor(ctx, this.#ui);
		this.#trust.begin(ctx, isDecided);
		this.#isOpen = true;
		const failed = (error: Error) => {
			if (!this.#isOpen) return; // it failed because the session ended
			this.#tools.withdraw();
			if (this.#ui) this.#ui.notify(`MCP: ${error.message}`, "error");
			else console.error(`MCP: ${error.message}`);
		};
		this.#ready = this.gateway().then(() => {}, failed);
	}

	async ready(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<void>((done) => {
			timer = setTimeout(done, readyMsMax);
		});
		const ready = this.#ready.then(() => this.#offerScripts()).catch(() => {});
		await Promise.race([ready, late]);
		clearTimeout(timer);
	}

	// Tells the gateway when Pi's trust in the folder is another; ready() waits for that.
	heed(ctx: ExtensionContext): void {
		const trusted = this.#trust.changed(ctx);
		if (trusted === undefined || !this.#isOpen) return;
		const tell = async () => {
			await (await this.gateway()).manage({ action: "trust", trusted });
		};
		this.#ready = tell().catch(() => {}); // what is wrong is told by the next call
	}

	// The running gateway; one that has ended is started anew for the next call.
	async gateway(): Promise<Gateway> {
		if (!this.#isOpen) throw new Error("the session has ended");
		if (!this.#gateway) {
			this.#gateway = this.#startGateway();
			this.#prepared = this.#prepare(this.#gateway);
		}
		const gateway = this.#gateway;
		await this.#prepared;
		return gateway;
	}

	run(call: ToolCall) {
		return this.#tools.run(call);
	}

	async status(): Promise<ServerState[]> {
		return this.#showStatus(await this.gateway());
	}

	// Tells the model which servers there are, where it can reach them. Old Pis have no sections.
	introduce(event: BeforeAgentStartEvent): BeforeAgentStartEventResult | undefined {
		const text = this.#gateway?.instructions;
		if (!text || !this.#pi.getActiveTools().includes("mcp")) return undefined;
		const { sections } = event.systemPromptOptions as { sections?: Record<string, string> };
		if (sections) {
			sections[promptSection] = text;
			return undefined;
		}
		const section = `<${promptSection}>\n${text}\n</${promptSection}>`;
		return { systemPrompt: `${event.systemPrompt}\n\n${section}` };
	}

	// Names that no direct tool can have here.
	takenNames(): ReadonlySet<string> {
		return this.#tools.takenNames();
	}

	// Calls `changed` when the state of a server may be another one; gives what ends that.
	watch(changed: () => void): () => void {
		this.#watchers.add(changed);
		return () => this.#watchers.delete(changed);
	}

	// Another session of this Pi may go on with the gateway; /reload begins with a new one.
	async close(reason: SessionShutdownEvent["reason"]): Promise<void> {
		this.#isOpen = false;
		this.#news?.tell([], () => 0);
		this.#ui?.setStatus(statusKey, undefined);
		this.#ui = undefined; // what the gateway still says has nobody to hear it
		const gateway = this.#gateway;
		this.#gateway = undefined;
		if (gateway?.isOpen && !["quit", "reload"].includes(reason)) keep(this.#key(), gateway);
		else await gateway?.close();
	}

	// What two sessions that go on with one gateway have in common.
	#key(): string {
		const { ask, sample } = this.#answers;
		const can = [Boolean(ask), Boolean(sample), this.#trust.isForbidden];
		return JSON.stringify([this.#cwd, this.#source.id, ...this.#sourceOptions(), ...can]);
	}

	#sourceOptions(): string[] {
		const { given, path = this.#pi.getFlag("mcp-config") } = this.#source;
		if (given !== undefined) return ["--host-config"];
		return typeof path === "string" && path ? ["--config", path] : [];
	}

	#startGateway(): Gateway {
		const trust = this.#trust.take();
		const kept = take(trust.isNew ? "" : this.#key());
		const args = ["serve", "--host", "pi", ...trust.options, ...this.#sourceOptions()];
		const program = { command: findBinary(), args, cwd: this.#cwd };
		const events: GatewayEvents = {
			...this.#gatewayEvents(),
			statusChanged: () => {
				for (const watcher of this.#watchers) watcher();
				void this.#showStatus(gateway).catch(() => {});
			},
			ended: (why) => {
				if (this.#gateway !== gateway) return;
				this.#gateway = undefined;
				this.#ui?.setStatus(statusKey, undefined);
				if (!gateway.isOpen) return; // who started it is told
				const words = "The gateway ended unexpectedly and starts again with the next call";
				this.#ui?.notify(`MCP: ${words}. ${why.message}`, "warning");
			},
		};
		const gateway = kept ?? new Gateway(program, events);
		kept?.follow(events);
		this.#toldServers ||= kept !== undefined;
		return gateway;
	}

	// It takes calls of the direct tools that it was asked for; from its cache it lists them at once.
	async #prepare(gateway: Gateway): Promise<void> {
		const { given } = this.#source;
		await gateway.opened;
		if (given !== undefined) await gateway.configure(given);
		await gateway.manage({ action: "session", id: this.#id });
		await this.#register(gateway);
		await this.#refreshTools(gateway);
		await this.#refreshPrompts(gateway);
		void this.#followStatus(gateway).catch(() => {}); // without a footer the rest works
		void this.#offerQuiet().catch(() => {}); // settings that cannot be read are Pi's to tell
	}

	// Pi before 0.99 has no MCP client of its own; programs that are built on Pi have none either.
	async #offerQuiet(): Promise<void> {
		if (!this.#ui || this.#source.id || !("getMcpServers" in this.#pi)) return;
		const { offerOnce } = await builtin();
		const offer = offerOnce();
		if (offer) this.#ui?.notify(offer, "info");
	}

	// Tells the gateway which servers other extensions brought.
	async #register(gateway = this.#gateway): Promise<void> {
		const servers = this.#registered.all();
		if (!gateway || (!this.#toldServers && Object.keys(servers).length === 0)) return;
		this.#toldServers = true;
		const answer = await gateway.manage({ action: "register", servers });
		if (answer.isError) this.#ui?.notify(`MCP: ${textOf(answer)}`, "error");
	}

	// What the gateway may ask the user, one dialog at a time, and the model.
	#answersFor(
		ctx: ExtensionContext,
		ui: ExtensionUIContext | undefined,
	): Pick<GatewayEvents, "ask" | "sample"> {
		const sampled = async (dialogs: Dialogs | undefined, params: Json, withdrawn: AbortSignal) => {
			const { Refused, Sampling } = await sampling();
			const { samplingAutoApprove } = (await (await this.gateway()).state()).settings;
			if (!samplingAutoApprove && !dialogs) throw new Refused();
			const asked = samplingAutoApprove ? undefined : dialogs;
			return new Sampling(ctx, asked).answer(params, withdrawn);
		};
		if (!ui) return canSample(ctx) ? { sample: (...asked) => sampled(undefined, ...asked) } : {};
		let loaded: Promise<Dialogs> | undefined;
		const load = async () => {
			const { Dialogs } = await dialogsModule();
			return new Dialogs(ui, (url) => this.#browse(url));
		};
		const dialogs = () => (loaded ??= load());
		const ask: GatewayEvents["ask"] = async (params, withdrawn) =>
			(await dialogs()).ask(params, withdrawn);
		if (!canSample(ctx)) return { ask };
		return { ask, sample: async (...asked) => sampled(await dialogs(), ...asked) };
	}

	#gatewayEvents(): Omit<GatewayEvents, "ended" | "statusChanged"> {
		// What is wrong with a list is told by the next call.
		const follow = (refresh: (gateway: Gateway) => Promise<void>) => {
			this.#ready = this.gateway().then(refresh).catch(() => {});
		};
		return {
			toolsChanged: () => follow((gateway) => this.#refreshTools(gateway)),
			promptsChanged: () => follow((gateway) => this.#refreshPrompts(gateway)),
			definitionsChanged: () => follow((gateway) => this.#refreshScripts(gateway)),
			approve: async (asked, withdrawn) => (await events()).approve(this.#pi, asked, withdrawn),
			notice: (level, text) => this.#ui?.notify(shownText(text), noticeType(level)),
			serverSaid: (params) => void this.#keepLog(params),
			...this.#answers,
			root: pathToFileURL(this.#cwd).href,
		};
	}

	// The notice is for those whose browser is not on this machine.
	async #browse(url: string): Promise<void> {
		this.#ui?.notify(`Open in your browser: ${url}`, "info");
		const command = process.platform === "darwin" ? "open" : "xdg-open";
		await this.#pi.exec(command, [url]).catch(() => {});
	}

	// What is wrong with the file is told once.
	async #keepLog(params: Json): Promise<void> {
		try {
			const { keepLog } = await serverLog();
			if (!this.#isLogBroken) keepLog(params);
		} catch (error) {
			this.#isLogBroken = true;
			this.#ui?.notify(`MCP: no log of servers is kept: ${(error as Error).message}`, "warning");
		}
	}

	// After an answer to the model: whose login is now the user's to finish.
	answered({ details }: ToolAnswer): void {
		const { mode, server, authorizationUrl, authenticated } = details as Record<string, unknown>;
		if (mode === "auth-start" && authorizationUrl) this.#loggingIn.add(String(server));
		if (authenticated === true) this.#loggingIn.delete(String(server)); // the model knows
	}

	// The work that waited for a login goes on.
	#goOn(servers: ServerState[]): void {
		for (const { name, status } of servers) {
			if (status !== "connected" || !this.#loggingIn.delete(name)) continue;
			const content = `The user has logged in to the MCP server "${name}": it is connected. Go on.`;
			this.#pi.sendMessage(
				{ customType: loginMessage, content, display: true },
				{ triggerTurn: true, deliverAs: "followUp" },
			);
		}
	}

	async #followStatus(gateway: Gateway): Promise<void> {
		await gateway.followStatus();
		await this.#showStatus(gateway);
	}

	// What was read is not told again, so everybody reads it here, where the footer shows it.
	async #showStatus(gateway: Gateway): Promise<ServerState[]> {
		const { servers, settings } = await gateway.state();
		const { StatusNews } = await events();
		this.#news ??= new StatusNews(this.#pi);
		if (this.#isOpen) this.#news.tell(servers, (server) => this.#tools.countOf(server));
		if (!this.#ui) return servers;
		const { footerText } = await footer();
		if (this.#isOpen) this.#ui?.setStatus(statusKey, footerText(servers, settings));
		if (this.#isOpen) this.#goOn(servers);
		return servers;
	}

	async #refreshTools(gateway: Gateway): Promise<void> {
		const list = await gateway.tools();
		this.#wantsScripts = list.codemode;
		this.#tools.sync(list, this.#cwd);
	}

	// Pi before 1.0 has none, and most users of later ones have them switched off.
	async #offerScripts(): Promise<void> {
		const isThere = this.#wantsScripts || this.#pi.getActiveTools().includes("codemode");
		if (!isThere || !this.#gateway) return;
		this.#scripts ??= scripts().then(
			({ Scripts }) => new Scripts(this.#pi, this.#definitions),
		);
		const taken = () => this.#tools.takenNames();
		await (await this.#scripts).offer(this.#gateway, this.#wantsScripts, taken);
	}

	async #refreshScripts(gateway: Gateway): Promise<void> {
		await (await this.#scripts)?.refresh(gateway, () => this.#tools.takenNames());
	}

	async #refreshPrompts(gateway: Gateway): Promise<void> {
		const prompts = await gateway.prompts();
		if (prompts.length === 0 && !this.#prompts) return;
		const { Prompts } = await promptsModule();
		this.#prompts ??= new Prompts(this.#pi, this);
		// Pi's editor completes the commands it knew when it was given its last provider.
		if (this.#prompts.register(prompts)) this.#ui?.addAutocompleteProvider((provider) => provider);
	}
}
