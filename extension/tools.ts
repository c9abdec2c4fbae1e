// Registers the tools of the gateway with Pi and runs their calls.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Gateway, Tool } from "./gateway.ts";
import type { Json } from "./wire.ts";

const promptSnippet = "Search, describe and call the tools of the user's MCP servers";

function progressText(params: Json): string {
	const { progress, total, message } = params;
	const count = total === undefined ? `${progress}` : `${progress}/${total}`;
	return typeof message === "string" ? `${message} (${count})` : count;
}

export class Tools {
	readonly #pi: ExtensionAPI;
	readonly #gateway: () => Promise<Gateway>;
	readonly #own = new Map<string, string>(); // name -> definition as registered
	readonly #failed = new Set<string>(); // calls in progress whose result is a failure

	// `gateway` gives the running one, or starts it.
	constructor(pi: ExtensionAPI, gateway: () => Promise<Gateway>) {
		this.#pi = pi;
		this.#gateway = gateway;
		// Pi before 1.5 takes no isError from a tool; here every version does.
		pi.on("tool_result", ({ toolCallId }) =>
			this.#failed.delete(toolCallId) ? { isError: true } : undefined,
		);
	}

	register(tool: Tool): void {
		const definition = JSON.stringify(tool);
		if (this.#own.get(tool.name) === definition) return;
		this.#own.set(tool.name, definition);
		this.#pi.registerTool({
			name: tool.name,
			label: tool.title ?? "MCP",
			description: tool.description ?? "",
			parameters: tool.inputSchema,
			...(tool.name === "mcp" ? { promptSnippet } : {}),
			execute: async (callId, params, signal, onUpdate) => {
				const gateway = await this.#gateway();
				const { isError, ...result } = await gateway.call(tool.name, params as Json, {
					signal,
					onProgress: (progress) =>
						onUpdate?.({
							content: [{ type: "text", text: progressText(progress) }],
							details: { progress },
						}),
				});
				if (isError) this.#failed.add(callId);
				return { ...result, isError };
			},
		});
	}
}
