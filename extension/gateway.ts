// `pi-mcp serve --host pi` as this extension sees it: an MCP server on the pipes of a child.
import { type CallOptions, type Handlers, type Json, UnknownMethod, Wire } from "./wire.ts";

export interface Tool {
	name: string;
	title?: string;
	description?: string;
	inputSchema: Json;
	annotations?: Json;
}

export type Block =
	| { type: "text"; text: string }
	| { type: "image"; data: string; mimeType: string };

export interface ToolAnswer {
	content: Block[];
	isError: boolean;
	details: unknown; // for Pi and people; the model never sees it
}

export interface GatewayEvents {
	toolsChanged(): void;
	ended(reason: Error): void;
}

const revision = "2025-11-25";

export class Gateway {
	readonly #wire: Wire;

	private constructor(wire: Wire) {
		this.#wire = wire;
	}

	static async start(
		command: string,
		args: string[],
		cwd: string,
		events: GatewayEvents,
	): Promise<Gateway> {
		const handlers: Handlers = {
			notification(method) {
				if (method === "notifications/tools/list_changed") events.toolsChanged();
			},
			request: (method) =>
				method === "ping" ? Promise.resolve({}) : Promise.reject(new UnknownMethod(method)),
			ended: (reason) => events.ended(reason),
		};
		const wire = new Wire(command, args, cwd, handlers);
		await wire.request("initialize", {
			protocolVersion: revision,
			capabilities: {},
			clientInfo: { name: "pi", version: "1" },
		});
		wire.notify("notifications/initialized", {});
		return new Gateway(wire);
	}

	get ended(): boolean {
		return this.#wire.ended;
	}

	async tools(): Promise<Tool[]> {
		const tools: Tool[] = [];
		let cursor: unknown;
		do {
			const page = await this.#wire.request("tools/list", cursor ? { cursor } : {});
			tools.push(...(page["tools"] as Tool[]));
			cursor = page["nextCursor"];
		} while (cursor);
		return tools;
	}

	async call(name: string, args: Json, options: CallOptions = {}): Promise<ToolAnswer> {
		const result = await this.#wire.request("tools/call", { name, arguments: args }, options);
		const meta = (result["_meta"] ?? {}) as Json;
		return {
			content: result["content"] as Block[],
			isError: result["isError"] === true,
			details: meta["pi-mcp/details"] ?? {},
		};
	}

	close(): Promise<void> {
		return this.#wire.close();
	}
}
