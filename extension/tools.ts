// Makes Pi's tools those of the gateway and runs their calls.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Definitions, ToolCall } from "./definitions.ts";
import { type Gateway, isForModel, type ToolAnswer, type ToolList } from "./gateway.ts";
import type { Origin } from "./rendering.ts";
import { shownLine } from "./shown_text.ts";
import type { Json } from "./wire.ts";

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
	// The model is about to get this answer.
	answered(answer: ToolAnswer): void;
}

export class Tools {
	readonly #pi: ExtensionAPI;
	readonly #owner: Owner;
	readonly #definitions: Definitions;
	readonly #away = new Set<string>(); // no longer offered; the model had them until then
	readonly #failed = new Set<string>(); // calls in progress whose result is a failure
	readonly #ofScripts = new Set<string>(); // calls that a tool of Pi makes, not a model
	#list: Origin[] = []; // the direct tools

	constructor(pi: ExtensionAPI, definitions: Definitions, owner: Owner) {
		this.#pi = pi;
		this.#definitions = definitions;
		this.#owner = owner;
		// Pi before 1.5 takes no isError from a tool; here every version does.
		pi.on("tool_result", ({ toolCallId }) =>
			this.#failed.delete(toolCallId) ? { isError: true } : undefined,
		);
		pi.on("tool_call", ({ toolName, toolCallId, parentToolCallId }) => {
			if (parentToolCallId !== undefined && this.#isOurs(toolName)) {
				this.#ofScripts.add(toolCallId);
			}
		});
	}

	// Of tools of Pi and of other extensions.
	takenNames(): Set<string> {
		const names = this.#pi.getAllTools().map(({ name }) => name);
		return new Set(names.filter((name) => !this.#isOurs(name)));
	}

	// A tool that the model has beside ours, of Pi or of another extension.
	#isOfPi(name: string): boolean {
		return !this.#isOurs(name) && this.#pi.getActiveTools().includes(name);
	}

	#isOurs(name: string): boolean {
		return this.#definitions.has(name) || this.#definitions.isDeferred(name);
	}

	// Makes Pi's tools those of the list: new ones are registered, others no longer active until they
	// come back. A name that Pi or another extension has is left to them.
	sync(list: ToolList, cwd: string): void {
		const others = this.takenNames();
		const offered = list.tools.filter((tool) => isForModel(tool) && !others.has(tool.name));
		for (const tool of offered) {
			if (this.#definitions.isDeferred(tool.name)) this.#away.add(tool.name); // it is not new
			this.#definitions.register(tool, list);
		}
		this.#list = offered.flatMap(({ name }) => list.origins[name] ?? []);
		this.#activate(new Set(offered.map(({ name }) => name)));
		this.#definitions.remember(cwd, { ...list, tools: offered });
	}

	// Nothing answers: what Pi had remembered is not offered.
	withdraw(): void {
		this.#activate(new Set());
	}

	// Pi activates a tool when its name is new, and never again. What the user switched off is not
	// active when it goes, and stays off when it comes back.
	#activate(offered: Set<string>): void {
		const before = this.#pi.getActiveTools();
		const gone = before.filter((name) => this.#definitions.has(name) && !offered.has(name));
		const back = [...this.#away].filter((name) => offered.has(name));
		if (gone.length === 0 && back.length === 0) return;
		for (const name of gone) this.#away.add(name);
		for (const name of back) this.#away.delete(name);
		const active = new Set([...before, ...back]);
		this.#pi.setActiveTools([...active].filter((name) => !gone.includes(name)));
	}

	// How many of them are tools of this server.
	countOf(server: string): number {
		return this.#list.filter((origin) => origin.server === server).length;
	}

	async run(call: ToolCall) {
		const { callId, origin, signal, onUpdate } = call;
		const gateway = await this.#owner.gateway();
		const whole = this.#ofScripts.delete(callId);
		const proxy = this.#definitions.has("mcp_write") ? "mcp_write" : "mcp";
		const [name, args] = call.isDeferred
			? [proxy, { tool: call.name, server: origin?.server, args: call.args }]
			: [call.name, call.args];
		const by = whole ? "script" : origin ? "direct" : "proxy";
		const isOfHost = !origin && this.#isOfPi(String(call.args["tool"]));
		const onProgress = (progress: Json) =>
			onUpdate?.({
				content: [{ type: "text", text: progressText(progress) }],
				details: { progress },
			});
		const result = await gateway.call(
			name,
			args,
			{ signal, onProgress },
			{ whole, origin: by, isOfHost },
		);
		if (result.isError) this.#failed.add(callId);
		this.#owner.answered(result);
		await this.#owner.ready(); // a search may have brought tools for the next turn
		return result;
	}
}
