// One session of Pi and the gateway that serves it: started with it, ended with it.
import type {
	ExtensionAPI,
	ExtensionContext,
	ExtensionUIContext,
} from "@earendil-works/pi-coding-agent";
import { findBinary } from "./binary.ts";
import { Dialogs } from "./dialogs.ts";
import { footerText } from "./footer.ts";
import { Gateway, type GatewayEvents } from "./gateway.ts";
import { Prompts } from "./prompts.ts";
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
	#cwd = process.cwd();
	#ui: ExtensionUIContext | undefined; // of a session with somebody to talk to
	#isOpen = false;
	#gateway: Gateway | undefined;
	#ready: Promise<void> = Promise.resolve();
	readonly #watchers = new Set<() => void>();

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
		this.#tools = new Tools(pi, this);
		this.#prompts = new Prompts(pi, this);
	}

	// Returns at once: Pi's start does not wait for us, the first prompt does.
	start(ctx: ExtensionContext): void {
		// `ctx` itself may not be used any more once the session has ended.
		this.#cwd = ctx.cwd;
		this.#ui = ctx.hasUI ? ctx.ui : undefined;
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
		const gateway = (this.#gateway ??= this.#startGateway());
		await gateway.opened;
		return gateway;
	}

	// Calls `changed` when the state of a server may be another one; gives what ends that.
	watch(changed: () => void): () => void {
		this.#watchers.add(changed);
		return () => this.#watchers.delete(changed);
	}

	async close(): Promise<void> {
		this.#isOpen = false;
		this.#ui?.setStatus(statusKey, undefined);
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
			ended: () => {
				if (this.#gateway === gateway) this.#gateway = undefined;
			},
		});
		void this.#followStatus(gateway).catch(() => {}); // without a footer the rest works
		return gateway;
	}

	#events(): Omit<GatewayEvents, "ended"> {
		const dialogs = this.#ui && new Dialogs(this.#ui);
		// What is wrong with a list is told by the next call.
		const follow = (refreshed: Promise<void>) => {
			this.#ready = refreshed.catch(() => {});
		};
		return {
			toolsChanged: () => follow(this.#refreshTools()),
			promptsChanged: () => follow(this.#refreshPrompts()),
			statusChanged: () => {
				for (const watcher of this.#watchers) watcher();
				void this.#showStatus().catch(() => {});
			},
			notice: (level, text) => this.#ui?.notify(text, noticeType(level)),
			ask: dialogs && ((params) => dialogs.ask(params)),
		};
	}

	async #refresh(): Promise<void> {
		await this.#refreshTools();
		await this.#refreshPrompts();
	}

	// Not before the tools are known, which the first prompt waits for.
	async #followStatus(gateway: Gateway): Promise<void> {
		await gateway.opened;
		await this.#ready;
		if (!this.#ui) return;
		await gateway.followStatus();
		await this.#showStatus();
	}

	async #showStatus(): Promise<void> {
		const gateway = await this.gateway();
		const text = footerText(await gateway.status());
		if (this.#isOpen) this.#ui?.setStatus(statusKey, text);
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
