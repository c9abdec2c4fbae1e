// What other extensions of Pi are asked and told, by the events that pi-mcp-adapter has for them.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { randomUUID } from "node:crypto";
import { isInUse, type ServerState } from "./gateway.ts";
import type { Json } from "./wire.ts";

const approvalEvent = "pi-mcp-adapter:tool-approval-request";
const statusEvent = "pi-mcp-adapter/status/v1";

type Decider = () => unknown;

// The gateway's words for what an extension decides; anything else is a no.
const decisions = new Map<unknown, string>([
	["abstain", "open"],
	["allow_once", "once"],
	["allow_for_session", "session"],
]);

// The first one that claims the call while the event is given out decides; open: nobody does.
async function decision(pi: ExtensionAPI, asked: Json, signal: AbortSignal): Promise<string> {
	let isGivenOut = false;
	let decider: Decider | undefined;
	pi.events.emit(approvalEvent, {
		requestId: randomUUID(),
		serverName: asked["server"],
		originalToolName: asked["tool"],
		prefixedToolName: asked["name"],
		args: asked["arguments"],
		origin: asked["origin"],
		signal,
		claim(candidate: Decider): boolean {
			if (isGivenOut || decider) return false;
			decider = candidate;
			return true;
		},
	});
	isGivenOut = true;
	if (!decider) return "open";
	try {
		return decisions.get(await decider()) ?? "no";
	} catch {
		return "no";
	}
}

// `asked` is what the gateway says of a call; gives the result of its elicitation/create.
export async function approve(
	pi: ExtensionAPI,
	asked: Json,
	withdrawn: AbortSignal,
): Promise<Json> {
	return { action: "accept", content: { decision: await decision(pi, asked, withdrawn) } };
}

const statusWords: Partial<Record<ServerState["status"], string>> = {
	connecting: "not-connected",
	"not connected": "not-connected",
	"needs auth": "needs-auth",
	"needs trust": "disabled",
};

// Tells the state of all servers.
export class StatusNews {
	readonly #pi: ExtensionAPI;
	readonly #failedAt = new Map<string, number>(); // when it was seen first

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
	}

	// `directTools`: how many of a server are direct. No servers: the session has ended.
	tell(states: ServerState[], directTools: (server: string) => number): void {
		const servers = states.map((state) => this.#entry(state, directTools));
		const count = (holds: (server: Json) => boolean) => servers.filter(holds).length;
		this.#pi.events.emit(statusEvent, {
			version: 1,
			servers,
			totalTools: servers.reduce((sum, { toolCount }) => sum + toolCount, 0),
			totalResources: 0, // they are among the tools here
			connectedCount: count(({ status }) => status === "connected"),
			disabledCount: count(({ disabled }) => disabled === true),
		});
	}

	#entry(state: ServerState, directTools: (server: string) => number) {
		const { name, status } = state;
		const disabled = !isInUse(state);
		if (status !== "failed") this.#failedAt.delete(name);
		else if (!this.#failedAt.has(name)) this.#failedAt.set(name, Date.now());
		const failedAt = this.#failedAt.get(name);
		return {
			name,
			status: statusWords[status] ?? status,
			listenState: status === "connected" ? "legacy" : "disconnected",
			toolCount: disabled ? 0 : state.toolCount,
			directToolCount: disabled ? 0 : directTools(name),
			...(failedAt ? { failedAgoSeconds: Math.round((Date.now() - failedAt) / 1000) } : {}),
			disabled,
		};
	}
}
