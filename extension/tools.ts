// Registers the tools of the gateway with Pi and runs their calls.
import type { AgentToolUpdateCallback, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type Gateway, isForModel, type Tool } from "./gateway.ts";
import type { Json } from "./wire.ts";

type OnUpdate = AgentToolUpdateCallback<unknown>;

const promptSnippet = "Search, describe and call the tools of the user's MCP servers";

function progressText(params: Json): string {
	const { progress, total, message } = params;
	const count = total === undefined ? `${progress}` : `${progress}/${total}`;
	return typeof message === "string" ? `${message} (${count})` : count;
}

// What a call needs of the session it belongs to.
export interface Owner {
	// The running gateway, or a new one.
	gateway(): Promise<Gateway>;
	// Resolves when the newest list of tools is registered, or is late.
	ready(): Promise<void>;
}

export class Tools {
	readonly #pi: ExtensionAPI;
	readonly #owner: Owner;
	readonly #own = new Map<string, string>(); // name -> definition as registered
	readonly #failed = new Set<string>(); // calls in progress whose result is a failure

	constructor(pi: ExtensionAPI, owner: Owner) {
		this.#pi = pi;
		this.#owner = owner;
		// Pi before 1.5 takes no isError from a tool; here every version does.
		pi.on("tool_result", ({ toolCallId }) =>
			this.#failed.delete(toolCallId) ? { isError: true } : undefined,
		);
	}

	// Of tools of Pi and of other extensions.
	takenNames(): Set<string> {
		const names = this.#pi.getAllTools().map(({ name }) => name);
		return new Set(names.filter((name) => !this.#own.has(name)));
	}

	// Makes Pi's tools those of the list: new ones are registered, others no longer active. A name
	// that Pi or another extension has is left to them.
	sync(tools: Tool[]): void {
		const others = this.takenNames();
		const offered = tools.filter((tool) => isForModel(tool) && !others.has(tool.name));
		for (const tool of offered) this.#register(tool);
		const names = new Set(offered.map(({ name }) => name));
		const gone = new Set([...this.#own.keys()].filter((name) => !names.has(name)));
		const active = this.#pi.getActiveTools();
		if (active.some((name) => gone.has(name))) {
			this.#pi.setActiveTools(active.filter((name) => !gone.has(name)));
		}
	}

	#register(tool: Tool): void {
		const definition = JSON.stringify(tool);
		if (this.#own.get(tool.name) !== definition) {
			this.#own.set(tool.name, definition);
			this.#pi.registerTool({
				name: tool.name,
				label: tool.title ?? "MCP",
				description: tool.description ?? "",
				parameters: tool.inputSchema,
				...(tool.name === "mcp" ? { promptSnippet } : {}),
				execute: (callId, params, signal, onUpdate) =>
					this.#call(tool.name, callId, params as Json, { signal, onUpdate }),
			});
		}
	}

	async #call(
		name: string,
		callId: string,
		args: Json,
		{ signal, onUpdate }: { signal: AbortSignal | undefined; onUpdate: OnUpdate | undefined },
	) {
		const gateway = await this.#owner.gateway();
		const onProgress = (progress: Json) =>
			onUpdate?.({
				content: [{ type: "text", text: progressText(progress) }],
				details: { progress },
			});
		const result = await gateway.call(name, args, { signal, onProgress });
		if (result.isError) this.#failed.add(callId);
		await this.#owner.ready(); // a search may have brought tools for the next turn
		return result;
	}
}
