// Servers that other extensions bring: pi.registerMcpServer(), and the event of pi-mcp-adapter.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Json } from "./wire.ts";

const registerEvent = "pi-mcp-adapter:runtime-register:v1";

// What another extension emits; it reads `result` when emit() has returned.
interface RegisterRequest {
	version: number;
	name: string;
	definition: Json;
	result?:
		| { ok: true; registration: { dispose(): Promise<void> } }
		| { ok: false; error: Error };
}

function isRequest(data: unknown): data is RegisterRequest {
	const { version, name, definition } = (data ?? {}) as Partial<RegisterRequest>;
	return version === 1 && typeof name === "string" && name !== "" && definition instanceof Object;
}

export class Registered {
	readonly #pi: ExtensionAPI;
	#changed: () => Promise<void> = () => Promise.resolve();
	readonly #byEvent = new Map<string, Json>();

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
		pi.events.on(registerEvent, (data) => this.#register(data));
		// Pi before 1.0 has no servers of its own.
		if (this.#hasServers()) pi.on("mcp_servers_change", () => this.#changed());
	}

	// From now on `changed` is called when all() is another; it resolves when that counts.
	follow(changed: () => Promise<void>): void {
		this.#changed = changed;
	}

	// Name and entry of each, as in `mcpServers`.
	all(): Record<string, Json> {
		const servers = this.#hasServers() ? this.#pi.getMcpServers() : [];
		const entries = servers.map(({ name, config }) => [name, config] as const);
		return Object.fromEntries([...this.#byEvent, ...entries]) as Record<string, Json>;
	}

	#hasServers(): boolean {
		return typeof (this.#pi as Partial<ExtensionAPI>).getMcpServers === "function";
	}

	#register(data: unknown): void {
		if (!isRequest(data) || data.result) return; // another extension has answered
		const { name, definition } = data;
		if (name in this.all()) {
			data.result = { ok: false, error: new Error(`the MCP server ${name} is registered already`) };
			return;
		}
		this.#byEvent.set(name, structuredClone(definition));
		const dispose = async () => {
			if (this.#byEvent.delete(name)) await this.#changed();
		};
		data.result = { ok: true, registration: { dispose } };
		void this.#changed();
	}
}
