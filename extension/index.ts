// The Pi extension: starts `pi-mcp serve --host pi` for a session and puts into Pi what it offers.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { findBinary } from "./binary.ts";
import { Gateway } from "./gateway.ts";
import { Tools } from "./tools.ts";

// A prompt waits so long for the first list of tools, which normally takes some milliseconds.
const readyMsMax = 5000;

class Session {
	readonly #pi: ExtensionAPI;
	readonly #tools: Tools;
	#cwd = process.cwd();
	#gateway: Promise<Gateway> | undefined;
	#ready: Promise<void> = Promise.resolve();

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
		this.#tools = new Tools(pi, this);
	}

	// Returns at once: Pi's start does not wait for us, the first prompt does.
	start(ctx: ExtensionContext): void {
		this.#cwd = ctx.cwd;
		this.#ready = this.#refreshTools().catch((error: Error) => {
			if (ctx.hasUI) ctx.ui.notify(`MCP: ${error.message}`, "error");
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
	gateway(): Promise<Gateway> {
		this.#gateway ??= this.#startGateway();
		return this.#gateway;
	}

	async close(): Promise<void> {
		const gateway = await this.#gateway?.catch(() => undefined);
		this.#gateway = undefined;
		await gateway?.close();
	}

	async #startGateway(): Promise<Gateway> {
		const config = this.#pi.getFlag("mcp-config");
		const options = typeof config === "string" && config ? ["--config", config] : [];
		try {
			return await Gateway.start(findBinary(), ["serve", "--host", "pi", ...options], this.#cwd, {
				toolsChanged: () => {
					this.#ready = this.#refreshTools().catch(() => {}); // the next call says what is wrong
				},
				ended: () => {
					this.#gateway = undefined;
				},
			});
		} catch (error) {
			this.#gateway = undefined;
			throw error;
		}
	}

	async #refreshTools(): Promise<void> {
		const gateway = await this.gateway();
		this.#tools.sync(await gateway.tools());
	}
}

export default function piMcp(pi: ExtensionAPI): void {
	const session = new Session(pi);
	pi.registerFlag("mcp-config", { description: "MCP configuration file", type: "string" });
	pi.registerCommand("mcp", {
		description: "Show MCP server status",
		handler: async (_args, ctx) => {
			if (!ctx.hasUI) return;
			const gateway = await session.gateway();
			const { content, isError } = await gateway.call("mcp", {});
			const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
			ctx.ui.notify(text, isError ? "error" : "info");
		},
	});
	pi.on("session_start", (_event, ctx) => session.start(ctx));
	pi.on("input", async () => {
		await session.ready();
	});
	pi.on("before_agent_start", async () => {
		await session.ready();
	});
	pi.on("session_shutdown", () => session.close());
}
