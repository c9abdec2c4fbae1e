// One session of Pi and the gateway that serves it: started with it, ended with it.
import type {
	ExtensionAPI,
	ExtensionContext,
	ExtensionUIContext,
} from "@earendil-works/pi-coding-agent";
import { pathToFileURL } from "node:url";
import { findBinary } from "./binary.ts";
import { Dialogs } from "./dialogs.ts";
import { footerText } from "./footer.ts";
import { Gateway, type GatewayEvents, type ServerState, textOf } from "./gateway.ts";
import { Prompts } from "./prompts.ts";
import { Registered } from "./registered.ts";
import { Sampling } from "./sampling.ts";
import { Tools } from "./tools.ts";

// A prompt waits so long for the first list of tools, which normally takes some milliseconds.
const readyMsMax = 5000;

const statusKey = "mcp";

function noticeType(level: string): "info" | "warning" | "error" {
	if (level === "warning") return "warning";
	return ["debug", "info", "notice"].includes(level) ? "info" : "error";
}

export class Session {
	readonly #pi: ExtensionAPI;
	readonly #tools: Tools;
	readonly #prompts: Prompts;
	readonly #registered: Registered;
	#cwd = process.cwd();
	#ui: ExtensionUIContext | undefined; // of a session with somebody to talk to
	#dialogs: Dialogs | undefined; // the same
	#sampling: Sampling | undefined; // the same, where Pi's models can be used
	#isOpen = false;
	#gateway: Gateway | undefined;
	#prepared: Promise<void> = Promise.resolve(); // of `#gateway`
	#toldServers = false; // the gateway may know servers of other extensions
	#ready: Promise<void> = Promise.resolve();
	readonly #watchers = new Set<() => void>();

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
		this.#tools = new Tools(pi, this);
		this.#prompts = new Prompts(pi, this);
		// A gateway that has ended needs no word; the next one is told everything.
		this.#registered = new Registered(pi, () => this.#register().catch(() => {}));
	}

	// Returns at once: Pi's start does not wait for us, the first prompt does.
	start(ctx: ExtensionContext): void {
		// `ctx` itself may not be used any more once the session has ended.
		this.#cwd = ctx.cwd;
		this.#ui = ctx.hasUI ? ctx.ui : undefined;
		this.#dialogs = this.#ui && new Dialogs(this.#ui, (url) => this.#browse(url));
		this.#sampling =
			this.#dialogs && Sampling.isPossible(ctx) ? new Sampling(ctx, this.#dialogs) : undefined;
		this.#isOpen = true;
		this.#ready = this.#refresh().catch((error: Error) => {
			if (!this.#isOpen) return; // it failed because the session ended
			if (this.#ui) this.#ui.notify(`MCP: ${error.message}`, "error");
			else console.error(`MCP: ${error.message}`);
		});
	}

	async ready(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<void>((done) => {
			timer = setTimeout(done, readyMsMax);
		});
		await Promise.race([this.#ready, late]);
		clearTimeout(timer);
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

	async status(): Promise<ServerState[]> {
		return this.#showStatus(await this.gateway());
	}

	// Calls `changed` when the state of a server may be another one; gives what ends that.
	watch(changed: () => void): () => void {
		this.#watchers.add(changed);
		return () => this.#watchers.delete(changed);
	}

	async close(): Promise<void> {
		this.#isOpen = false;
		this.#ui?.setStatus(statusKey, undefined);
		this.#ui = undefined; // what the gateway still says has nobody to hear it
		const gateway = this.#gateway;
		this.#gateway = undefined;
		await gateway?.close();
	}

	#startGateway(): Gateway {
		const config = this.#pi.getFlag("mcp-config");
		const options = typeof config === "string" && config ? ["--config", config] : [];
		const args = ["serve", "--host", "pi", ...options];
		const program = { command: findBinary(), args, cwd: this.#cwd };
		const gateway: Gateway = new Gateway(program, {
			...this.#events(),
			statusChanged: () => {
				for (const watcher of this.#watchers) watcher();
				void this.#showStatus(gateway).catch(() => {});
			},
			ended: () => {
				if (this.#gateway !== gateway) return;
				this.#gateway = undefined;
				this.#ui?.setStatus(statusKey, undefined);
			},
		});
		return gateway;
	}

	async #prepare(gateway: Gateway): Promise<void> {
		await gateway.opened;
		await this.#register(gateway);
		void this.#followStatus(gateway).catch(() => {}); // without a footer the rest works
	}

	// Tells the gateway which servers other extensions brought.
	async #register(gateway = this.#gateway): Promise<void> {
		const servers = this.#registered.all();
		if (!gateway || (!this.#toldServers && Object.keys(servers).length === 0)) return;
		this.#toldServers = true;
		const answer = await gateway.manage({ action: "register", servers });
		if (answer.isError) this.#ui?.notify(`MCP: ${textOf(answer)}`, "error");
	}

	#events(): Omit<GatewayEvents, "ended" | "statusChanged"> {
		const [dialogs, sampling] = [this.#dialogs, this.#sampling];
		// What is wrong with a list is told by the next call.
		const follow = (refreshed: Promise<void>) => {
			this.#ready = refreshed.catch(() => {});
		};
		return {
			toolsChanged: () => follow(this.#refreshTools()),
			promptsChanged: () => follow(this.#refreshPrompts()),
			notice: (level, text) => this.#ui?.notify(text, noticeType(level)),
			ask: dialogs && ((params) => dialogs.ask(params)),
			sample: sampling && ((params) => sampling.answer(params)),
			root: pathToFileURL(this.#cwd).href,
		};
	}

	// The notice is for those whose browser is not on this machine.
	async #browse(url: string): Promise<void> {
		this.#ui?.notify(`Open in your browser: ${url}`, "info");
		const command = process.platform === "darwin" ? "open" : "xdg-open";
		await this.#pi.exec(command, [url]).catch(() => {});
	}

	async #refresh(): Promise<void> {
		await this.#refreshTools();
		await this.#refreshPrompts();
	}

	// Not before the tools are known, which the first prompt waits for.
	async #followStatus(gateway: Gateway): Promise<void> {
		await this.#ready;
		if (!this.#ui) return;
		await gateway.followStatus();
		await this.#showStatus(gateway);
	}

	// What was read is not told again, so everybody reads it here, where the footer shows it.
	async #showStatus(gateway: Gateway): Promise<ServerState[]> {
		const servers = await gateway.status();
		if (this.#isOpen) this.#ui?.setStatus(statusKey, footerText(servers));
		return servers;
	}

	async #refreshTools(): Promise<void> {
		const gateway = await this.gateway();
		this.#tools.sync(await gateway.tools());
	}

	async #refreshPrompts(): Promise<void> {
		const gateway = await this.gateway();
		this.#prompts.register(await gateway.prompts());
	}
}
