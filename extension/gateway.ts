// `pi-mcp serve --host pi` as this extension sees it: an MCP server on the pipes of a child.
import type { Look, Origin } from "./rendering.ts";
import { shownLine } from "./shown_text.ts";
import { type CallOptions, type Handlers, type Json, UnknownMethod, Wire } from "./wire.ts";

export interface Tool {
	name: string;
	title?: string;
	description?: string;
	inputSchema: Json;
	outputSchema?: Json;
	annotations?: Json;
	_meta?: { ui?: { visibility?: string[] } };
}

// tools/list with what the host's own side needs of it.
export interface ToolList {
	tools: Tool[];
	look: Look;
	codemode: boolean; // the setting
	origins: Record<string, Origin>; // of direct tools, by name
	about: Record<string, string>; // a line for each of their servers, or none
}

// The resource pi-mcp://definitions.
export interface ToolDefinitions {
	tools: Tool[];
	origins: Record<string, Origin>;
	about: Record<string, string>; // a line for each server, or none
}

// What the gateway does for a call beside calling.
export interface CallFor {
	whole?: boolean; // nothing of the result is reduced or cut
	origin?: string; // who calls: it asks for approval() of every call
	isOfHost?: boolean; // Pi has a tool of the name that is called
}

// False for a tool that is for our own user interface.
export function isForModel({ _meta }: Tool): boolean {
	return _meta?.ui?.visibility?.includes("model") ?? true;
}

// The resource pi-mcp://status.
export interface ServerState {
	name: string;
	status:
		| "connected"
		| "connecting"
		| "cached"
		| "not connected"
		| "failed"
		| "needs auth"
		| "needs trust"
		| "disabled";
	toolCount: number;
	project?: true; // it comes from a file of the project
	forbidden?: boolean; // of "needs trust": Pi does not trust the folder, so nobody is asked
	reason?: string;
	lastError?: string;
	remote: boolean;
	file: string;
}

// Of the user's settings, what this side follows; from the same resource.
export interface ShownSettings {
	mcpFooterStatus: "full" | "compact" | "off";
	showStatusIcon: boolean;
	samplingAutoApprove: boolean;
	unreadable?: string[]; // files of the configuration that do not count, and why
}

// Nothing is tried before the configuration of the server is put right.
export function isMisconfigured({ status, reason }: ServerState): boolean {
	return status === "not connected" && reason !== undefined;
}

// Whether it takes part: neither disabled nor waiting for the user's trust.
export function isInUse({ status }: ServerState): boolean {
	return status !== "disabled" && status !== "needs trust";
}

// What is to be done about a server whose folder Pi does not trust.
export function forbiddenText(server: string): string {
	const problem = `${shownLine(server)} is of this project, which Pi does not trust`;
	return `${problem}. /trust says otherwise; then start Pi again`;
}

// The resource pi-mcp://tools.
export interface ServerTools {
	name: string;
	bySearch: boolean; // directTools is "search"
	tools: {
		name: string;
		original: string;
		description: string;
		direct: boolean; // chosen, and of a name that models take
		tokens: number;
		cannotBeDirect?: string; // why models do not take its name
	}[];
}

export interface DirectToolsChange {
	action: "direct-tools";
	server: string;
	directTools: boolean | string[]; // true: all of them
}

// Where a server is enabled or disabled. Without: where that is said now, or where it is defined.
export type Scope = "here" | "everywhere";

// What mcp_manage does, for people only.
export type ManageAction =
	| { action: "status" }
	| { action: "logs" | "logout"; server: string }
	| { action: "enable" | "disable"; server: string; scope?: Scope }
	| { action: "token"; server: string; remove: boolean }
	| { action: "secret"; secret: string; remove: boolean }
	| { action: "allow" } // asks the user about all that waits for trust here
	| { action: "add"; server: string; words: string[] }
	| { action: "add"; server: string; url: string } // an empty name is made from the address
	| { action: "setup"; undo: boolean }
	| { action: "edit"; server: string; was?: string; text?: string } // without text: shows it
	| DirectToolsChange
	| { action: "register"; servers: Record<string, Json> }
	| { action: "configure"; config: Json } // of a program started with --host-config
	| { action: "trust"; trusted: boolean } // what Pi's user says of the folder
	| { action: "session"; id: string }; // Pi's own; what was allowed for another one no longer counts

export interface Prompt {
	name: string;
	description?: string;
	arguments?: { name: string; description?: string; required?: boolean }[];
}

export interface PromptMessage {
	role: string;
	content: { type: string; text?: string } & Json;
}

export type Block =
	| { type: "text"; text: string }
	| { type: "image"; data: string; mimeType: string };

export interface ToolAnswer {
	content: Block[];
	structuredContent?: Json; // the whole result, where it was asked for
	isError: boolean;
	details: unknown; // for Pi and people; the model never sees it
}

// Gives the result of a request of the gateway, unless that is withdrawn.
type Answer = (params: Json, withdrawn: AbortSignal) => Promise<Json>;

export interface GatewayEvents {
	toolsChanged(): void;
	promptsChanged(): void;
	// pi-mcp://status is not as it was; only once it was read.
	statusChanged(): void;
	// pi-mcp://definitions is not as it was.
	definitionsChanged(): void;
	// Something of the gateway for people to see.
	notice(level: string, text: string): void;
	// A log message of a server.
	serverSaid(params: Json): void;
	ended(why: Error): void;
	// Asks the user (elicitation/create). Absent where there is nobody to ask.
	ask?: Answer | undefined;
	// Asks a model (sampling/createMessage), with the user's consent; without `ask` only as the user
	// has set it.
	sample?: Answer | undefined;
	// Whether other extensions allow a call.
	approve: Answer;
	// The folder that the user works in, as a file: address.
	root: string;
}

export interface Program {
	command: string;
	args: string[];
	cwd: string;
}

const revision = "2025-11-25";
const statusUri = "pi-mcp://status";
const definitionsUri = "pi-mcp://definitions";
const ownLogger = "pi-mcp";

// Of the gateway itself; what a server asks has its name.
function approvalOf({ _meta }: Json): Json | undefined {
	const meta = (_meta ?? {}) as Json;
	return "pi-mcp/server" in meta ? undefined : (meta["pi-mcp/approval"] as Json | undefined);
}

// What Pi takes of the blocks of a whole result.
function blocksOf(content: { type: string }[]): Block[] {
	const isBlock = (block: { type: string }) => block.type === "text" || block.type === "image";
	return content.map((block) =>
		isBlock(block) ? (block as Block) : { type: "text", text: `[${block.type}]` },
	);
}

function handlersFor(current: () => GatewayEvents): Handlers {
	return {
		notification(method, { logger, level, data, uri }) {
			const events = current();
			if (method === "notifications/tools/list_changed") events.toolsChanged();
			if (method === "notifications/prompts/list_changed") events.promptsChanged();
			if (method === "notifications/resources/updated") {
				if (uri === definitionsUri) events.definitionsChanged();
				else events.statusChanged();
			}
			if (method === "notifications/message" && logger === ownLogger) {
				events.notice(String(level), String(data));
			} else if (method === "notifications/message") {
				events.serverSaid({ logger, level, data });
			}
		},
		request(method, params, withdrawn) {
			const { ask, sample, root } = current();
			if (method === "ping") return Promise.resolve({});
			const asked = approvalOf(params);
			if (method === "elicitation/create" && asked) return current().approve(asked, withdrawn);
			if (method === "elicitation/create" && ask) return ask(params, withdrawn);
			if (method === "sampling/createMessage" && sample) return sample(params, withdrawn);
			if (method === "roots/list") return Promise.resolve({ roots: [{ uri: root }] });
			return Promise.reject(new UnknownMethod(method));
		},
		ended: (why) => current().ended(why),
	};
}

export class Gateway {
	readonly #wire: Wire;
	#events: GatewayEvents;
	isOpen = false; // it was pi-mcp and has said hello
	// What a model is told of the servers before it asks; the same as long as the gateway runs.
	instructions = "";
	#given = ""; // see configure()
	// Resolves after the handshake; rejects when the program ends before it.
	readonly opened: Promise<void>;

	constructor(program: Program, events: GatewayEvents) {
		this.#events = events;
		const handlers = handlersFor(() => this.#events);
		this.#wire = new Wire(program.command, program.args, program.cwd, handlers);
		this.opened = this.#open({
			...(events.ask ? { elicitation: { form: {}, url: {} } } : {}),
			...(events.sample && events.ask ? { sampling: {} } : {}),
			// The gateway offers it to servers where samplingAutoApprove says so.
			...(events.ask ? {} : { experimental: { "pi-mcp/unattended-sampling": {} } }),
			roots: {},
		});
		this.opened.catch(() => {}); // whoever waits for it is told
	}

	async #open(capabilities: Json): Promise<void> {
		const { instructions } = await this.#wire.request("initialize", {
			protocolVersion: revision,
			capabilities,
			clientInfo: { name: "pi", version: "1" },
		});
		if (typeof instructions === "string") this.instructions = instructions;
		this.#wire.notify("notifications/initialized", {});
		this.isOpen = true;
	}

	// Of a gateway that is handed on; they have what was said of the first ones to its program.
	follow(events: GatewayEvents): void {
		this.#events = events;
	}

	get hasEnded(): boolean {
		return this.#wire.hasEnded;
	}

	async tools(): Promise<ToolList> {
		const { tools, _meta } = await this.#wire.request("tools/list", {});
		const hints = (_meta as Json | undefined)?.["pi-mcp/host"] as Omit<ToolList, "tools">;
		return { tools: tools as Tool[], ...hints };
	}

	prompts(): Promise<Prompt[]> {
		return this.#list<Prompt>("prompts");
	}

	async prompt(name: string, args: Record<string, string>): Promise<PromptMessage[]> {
		const result = await this.#wire.request("prompts/get", { name, arguments: args });
		return (result["messages"] ?? []) as PromptMessage[];
	}

	async call(
		name: string,
		args: Json,
		options: CallOptions = {},
		what: CallFor = {},
	): Promise<ToolAnswer> {
		const params = { name, arguments: args, _meta: { "pi-mcp/call": what } };
		const { _meta, ...result } = await this.#wire.request("tools/call", params, options);
		const details = ((_meta ?? {}) as Json)["pi-mcp/details"] ?? {};
		const isError = result["isError"] === true;
		const content = blocksOf(result["content"] as { type: string }[]);
		// What is wrong without the server is an error for a script too, not a result.
		const isOurs = isError && (details as Json)["error"] !== "tool_error";
		const structured = what.whole && !isOurs ? { structuredContent: result } : {};
		return { content, ...structured, isError, details };
	}

	manage(action: ManageAction): Promise<ToolAnswer> {
		return this.call("mcp_manage", { ...action });
	}

	// Brings the configuration, as JSON, to a program that was started with --host-config; once.
	async configure(given: string): Promise<void> {
		if (given === this.#given) return;
		const config = JSON.parse(given) as Json;
		const answer = await this.manage({ action: "configure", config });
		if (answer.isError) throw new Error(textOf(answer));
		this.#given = given;
		const { instructions } = answer.details as { instructions?: string };
		this.instructions = instructions ?? "";
	}

	// From now on statusChanged() is called when there is something new.
	async followStatus(): Promise<void> {
		await this.#wire.request("resources/subscribe", { uri: statusUri });
	}

	state(): Promise<{ servers: ServerState[]; settings: ShownSettings }> {
		return this.#read(statusUri);
	}

	async followDefinitions(): Promise<void> {
		await this.#wire.request("resources/subscribe", { uri: definitionsUri });
	}

	definitions(): Promise<ToolDefinitions> {
		return this.#read<ToolDefinitions>(definitionsUri);
	}

	async knownTools(): Promise<ServerTools[]> {
		return (await this.#read<{ servers: ServerTools[] }>("pi-mcp://tools")).servers;
	}

	close(): Promise<void> {
		return this.#wire.close();
	}

	async #read<T>(uri: string): Promise<T> {
		const result = await this.#wire.request("resources/read", { uri });
		const [content] = result["contents"] as { text: string }[];
		return JSON.parse(content?.text ?? "{}") as T;
	}

	async #list<T>(what: string): Promise<T[]> {
		const items: T[] = [];
		let cursor: unknown;
		do {
			const page = await this.#wire.request(`${what}/list`, cursor ? { cursor } : {});
			items.push(...(page[what] as T[]));
			cursor = page["nextCursor"];
		} while (cursor);
		return items;
	}
}

// All text blocks of an answer.
export function textOf(answer: ToolAnswer): string {
	return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
