// Registers the tools of the gateway with Pi and runs their calls.
import type {
	AgentToolUpdateCallback,
	ExtensionAPI,
	ToolAnnotations,
} from "@earendil-works/pi-coding-agent";
import { type Gateway, isForModel, type Tool } from "./gateway.ts";
import { shownLine } from "./shown_text.ts";
import type { Json } from "./wire.ts";

type OnUpdate = AgentToolUpdateCallback<unknown>;

const promptSnippets = new Map([
	["mcp", "Search, describe and call the tools of the user's MCP servers"],
	["mcp_write", "Call tools of the user's MCP servers that change something"],
]);

// What Pi knows of them; a title of theirs is not among it.
function annotationsOf({ annotations }: Tool): ToolAnnotations | undefined {
	if (!annotations) return undefined;
	const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
	return Object.fromEntries(
		Object.entries(annotations).filter(
			([hint, value]) => hints.includes(hint) && typeof value === "boolean",
		),
	);
}

// Without a total the number says nothing beside a message.
function progressText(params: Json): string {
	const { progress, total } = params;
	const message = shownLine(String(params["message"] ?? ""));
	const count = total === undefined ? `${progress}` : `${progress}/${total}`;
	if (!message) return count;
	return total === undefined ? message : `${message} (${count})`;
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
	readonly #away = new Set<string>(); // no longer offered; the model had them until then
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

	// Makes Pi's tools those of the list: new ones are registered, others no longer active until they
	// come back. A name that Pi or another extension has is left to them.
	sync(tools: Tool[]): void {
		const others = this.takenNames();
		const offered = tools.filter((tool) => isForModel(tool) && !others.has(tool.name));
		for (const tool of offered) this.#register(tool);
		this.#activate(new Set(offered.map(({ name }) => name)));
	}

	// Pi activates a tool when its name is new, and never again. What the user switched off is not
	// active when it goes, and stays off when it comes back.
	#activate(offered: Set<string>): void {
		const before = this.#pi.getActiveTools();
		const gone = before.filter((name) => this.#own.has(name) && !offered.has(name));
		const back = [...this.#away].filter((name) => offered.has(name));
		if (gone.length === 0 && back.length === 0) return;
		for (const name of gone) this.#away.add(name);
		for (const name of back) this.#away.delete(name);
		const active = new Set([...before, ...back]);
		this.#pi.setActiveTools([...active].filter((name) => !gone.includes(name)));
	}

	#register(tool: Tool): void {
		const definition = JSON.stringify(tool);
		if (this.#own.get(tool.name) !== definition) {
			this.#own.set(tool.name, definition);
			const promptSnippet = promptSnippets.get(tool.name);
			const annotations = annotationsOf(tool);
			this.#pi.registerTool({
				name: tool.name,
				label: shownLine(tool.title ?? "MCP"),
				description: tool.description ?? "",
				parameters: tool.inputSchema,
				...(promptSnippet ? { promptSnippet } : {}),
				...(annotations ? { annotations } : {}),
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
