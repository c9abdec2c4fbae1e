// One session of Pi and the gateway that serves it: started with it, ended with it.
import type {
	ExtensionAPI,
	ExtensionContext,
	ExtensionUIContext,
} from "@earendil-works/pi-coding-agent";
import { findBinary } from "./binary.ts";
import { Dialogs } from "./dialogs.ts";
import { Gateway, type GatewayEvents } from "./gateway.ts";
import { Prompts } from "./prompts.ts";
import { Tools } from "./tools.ts";

// A prompt waits so long for the first list of tools, which normally takes some milliseconds.
const readyMsMax = 5000;

export class Session {
	readonly #pi: ExtensionAPI;
	readonly #tools: Tools;
	readonly #prompts: Prompts;
	#cwd = process.cwd();
	#ui: ExtensionUIContext | undefined; // of a session with somebody to talk to
	#isOpen = false;
	#gateway: Gateway | undefined;
	#ready: Promise<void> = Promise.resolve();

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

	// The gateway reads the configuration anew.
	async restart(ctx: ExtensionContext): Promise<void> {
		await this.close();
		this.start(ctx);
		await this.ready();
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

	async close(): Promise<void> {
		this.#isOpen = false;
		const gateway = this.#gateway;
		this.#gateway = undefined;
		await gateway?.close();
	}

	// `--config FILE` where the user gave one.
	configOptions(): string[] {
		const config = this.#pi.getFlag("mcp-config");
		return typeof config === "string" && config ? ["--config", config] : [];
	}

	#startGateway(): Gateway {
		const args = ["serve", "--host", "pi", ...this.configOptions()];
		const program = { command: findBinary(), args, cwd: this.#cwd };
		const gateway: Gateway = new Gateway(program, {
			...this.#events(),
			ended: () => {
				if (this.#gateway === gateway) this.#gateway = undefined;
			},
		});
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
			ask: dialogs && ((params) => dialogs.ask(params)),
		};
	}

	async #refresh(): Promise<void> {
		await this.#refreshTools();
		await this.#refreshPrompts();
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
