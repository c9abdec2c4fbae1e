// One session of Pi and the gateway that serves it: started with it, ended with it.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
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
	#ctx: ExtensionContext | undefined;
	#gateway: Promise<Gateway> | undefined;
	#ready: Promise<void> = Promise.resolve();

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
		this.#tools = new Tools(pi, this);
		this.#prompts = new Prompts(pi, this);
	}

	// Returns at once: Pi's start does not wait for us, the first prompt does.
	start(ctx: ExtensionContext): void {
		this.#ctx = ctx;
		this.#ready = this.#refresh().catch((error: Error) => {
			if (ctx.hasUI) ctx.ui.notify(`MCP: ${error.message}`, "error");
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
	gateway(): Promise<Gateway> {
		this.#gateway ??= this.#startGateway();
		return this.#gateway;
	}

	async close(): Promise<void> {
		const gateway = await this.#gateway?.catch(() => undefined);
		this.#gateway = undefined;
		await gateway?.close();
	}

	// `--config FILE` where the user gave one.
	configOptions(): string[] {
		const config = this.#pi.getFlag("mcp-config");
		return typeof config === "string" && config ? ["--config", config] : [];
	}

	async #startGateway(): Promise<Gateway> {
		try {
			const args = ["serve", "--host", "pi", ...this.configOptions()];
			const cwd = this.#ctx?.cwd ?? process.cwd();
			return await Gateway.start({ command: findBinary(), args, cwd }, this.#events());
		} catch (error) {
			this.#gateway = undefined;
			throw error;
		}
	}

	#events(): GatewayEvents {
		const ui = this.#ctx?.hasUI ? this.#ctx.ui : undefined;
		const dialogs = ui && new Dialogs(ui);
		// What is wrong with a list is told by the next call.
		const follow = (refreshed: Promise<void>) => {
			this.#ready = refreshed.catch(() => {});
		};
		return {
			toolsChanged: () => follow(this.#refreshTools()),
			promptsChanged: () => follow(this.#refreshPrompts()),
			ended: () => {
				this.#gateway = undefined;
			},
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
