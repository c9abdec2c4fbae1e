// What the panel of /mcp shows and what was changed in it. Knows nothing of terminals.
import { type DirectToolsChange, isInUse, type ServerState, type ServerTools } from "./gateway.ts";
import { shownLine } from "./shown_text.ts";
import { counted } from "./words.ts";

export type PanelTool = ServerTools["tools"][number];

export interface Row {
	server: ServerState;
	tool?: PanelTool; // absent: the row of the server itself
}

// What has to be written for one server, and what was wanted when that began.
export interface Save {
	change: DirectToolsChange;
	wanted: ReadonlyMap<string, boolean>;
}

interface Chosen {
	server: string;
	original: string;
}

// "get_sum", "get-sum" and "Get Sum" are found alike.
function folded(text: string): string {
	return text.toLowerCase().replace(/[-_\s]/g, "");
}

export class PanelModel {
	#servers: ServerState[] = [];
	#tools = new Map<string, ServerTools>();
	#taken: ReadonlySet<string> = new Set(); // names of tools that are not ours
	#chosen = new Map<string, Chosen[]>(); // of enabled servers, by the names models see
	#filter = "";
	#cursor = 0;
	readonly #open = new Set<string>();
	// By server and own name of a tool: whether it is to be direct, where that was decided here.
	readonly #wanted = new Map<string, Map<string, boolean>>();

	// The newest state; what was changed here and not saved stays.
	update(servers: ServerState[], tools: ServerTools[], taken: ReadonlySet<string>): void {
		this.#servers = servers;
		this.#tools = new Map(tools.map((server) => [server.name, server]));
		this.#taken = taken;
		this.#chosen = new Map();
		for (const { name } of this.#enabled) {
			const chosen = this.toolsOf(name).filter((tool) => this.isChosen(name, tool));
			for (const tool of chosen) this.#count(name, tool, true);
		}
		this.#clamp();
	}

	get servers(): readonly ServerState[] {
		return this.#servers;
	}

	get filter(): string {
		return this.#filter;
	}

	// Text to look for in names; after a "?" in descriptions too.
	set filter(text: string) {
		this.#filter = text;
		this.#cursor = 0;
	}

	get rows(): Row[] {
		return this.#servers.flatMap((server) => this.#rowsOf(server));
	}

	get cursor(): number {
		return this.#cursor;
	}

	get current(): Row | undefined {
		return this.rows[this.#cursor];
	}

	move(by: number): void {
		this.#cursor += by;
		this.#clamp();
	}

	toolsOf(server: string): readonly PanelTool[] {
		return this.#tools.get(server)?.tools ?? [];
	}

	isOpen(server: string): boolean {
		return this.#open.has(server);
	}

	// Shows or hides the tools of the server under the cursor, and moves to its row.
	toggleOpen(): void {
		const row = this.current;
		if (!row) return;
		const { name } = row.server;
		if (!this.#open.delete(name)) this.#open.add(name);
		const at = this.rows.findIndex(({ server, tool }) => server.name === name && !tool);
		if (at >= 0) this.#cursor = at;
	}

	// The configuration says so, or what was changed here.
	isChosen(server: string, tool: PanelTool): boolean {
		return this.#wanted.get(server)?.get(tool.original) ?? tool.direct;
	}

	// The model gets it.
	isDirect(server: string, tool: PanelTool): boolean {
		return this.isChosen(server, tool) && this.obstacle(server, tool) === undefined;
	}

	// Why the tool cannot be direct, also when it is chosen.
	obstacle(server: string, tool: PanelTool): string | undefined {
		if (tool.cannotBeDirect) return tool.cannotBeDirect;
		if (this.#taken.has(tool.name)) return "Pi or another extension has a tool of this name";
		const other = this.#chosen
			.get(tool.name)
			?.find((each) => each.server !== server || each.original !== tool.original);
		if (!other) return undefined;
		return this.isChosen(server, tool)
			? `${other.server} has chosen one of this name too, so neither is direct`
			: `${other.server} has a direct tool of this name`;
	}

	// The tool under the cursor; on a server all of its tools, or none when all are direct. Gives
	// what is to be said about it.
	toggleDirect(): string {
		const row = this.current;
		if (!row) return "";
		const { name, status } = row.server;
		if (status === "needs trust") return `${shownLine(name)} needs trust: enter asks you about it`;
		if (status === "disabled") return `${name} is disabled: ctrl+d enables it, then choose its tools`;
		const tools = row.tool ? [row.tool] : this.toolsOf(name);
		if (tools.length === 0) return `${name} has no known tools: ctrl+r asks it for them`;
		const isNew = !this.#isChanged(name);
		const free = tools.filter((tool) => this.obstacle(name, tool) === undefined);
		const on = free.some((tool) => !this.isChosen(name, tool));
		const before = tools.filter((tool) => this.isChosen(name, tool));
		for (const tool of on ? free : before) this.#want(name, tool, on);
		const refused = on || before.length === 0 ? this.#refusal(row, tools) : [];
		const bySearch = isNew && this.#isChanged(name) && this.#tools.get(name)?.bySearch;
		const search = `directTools of ${name} is "search": saving puts a list of names in its place`;
		return [...refused, ...(bySearch ? [search] : [])].join("\n");
	}

	get isChanged(): boolean {
		return [...this.#wanted.keys()].some((server) => this.#isChanged(server));
	}

	// What makes true what is shown.
	get saves(): Save[] {
		const changed = [...this.#wanted].filter(([server]) => this.#isChanged(server));
		return changed.map(([server, wanted]) => {
			const tools = this.toolsOf(server);
			const chosen = tools.filter((tool) => this.isChosen(server, tool));
			// Those that never can be do not stand in the way of "all".
			const never = ({ name, cannotBeDirect }: PanelTool) =>
				cannotBeDirect !== undefined || this.#taken.has(name);
			const all = tools.every((tool) => this.isChosen(server, tool) || never(tool));
			const names = chosen.map(({ original }) => original);
			const directTools = names.length > 0 && !all ? names : names.length > 0;
			const change = { action: "direct-tools", server, directTools } as const;
			return { change, wanted: new Map(wanted) };
		});
	}

	// What was changed since the save began is still to be saved.
	saved({ change: { server }, wanted }: Save): void {
		const now = this.#wanted.get(server);
		for (const [tool, on] of wanted) if (now?.get(tool) === on) now.delete(tool);
	}

	// Of all tools that are direct: how many, and about how many tokens each request pays for them.
	get direct(): { count: number; tokens: number } {
		const tools = this.#enabled.flatMap(({ name }) =>
			this.toolsOf(name).filter((tool) => this.isDirect(name, tool)),
		);
		return { count: tools.length, tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0) };
	}

	get #enabled(): ServerState[] {
		return this.#servers.filter(isInUse);
	}

	#isChanged(server: string): boolean {
		const wanted = this.#wanted.get(server);
		return this.toolsOf(server).some(
			({ original, direct }) => (wanted?.get(original) ?? direct) !== direct,
		);
	}

	#want(server: string, tool: PanelTool, on: boolean): void {
		if (on && this.obstacle(server, tool) !== undefined) return; // a twin was chosen just now
		const wanted = this.#wanted.get(server) ?? new Map<string, boolean>();
		this.#wanted.set(server, wanted.set(tool.original, on));
		this.#count(server, tool, on);
	}

	#count(server: string, { name, original }: PanelTool, on: boolean): void {
		const others = (this.#chosen.get(name) ?? []).filter(
			(each) => each.server !== server || each.original !== original,
		);
		this.#chosen.set(name, on ? [...others, { server, original }] : others);
	}

	#refusal({ server, tool }: Row, tools: readonly PanelTool[]): string[] {
		const refused = tools.filter((each) => !this.isDirect(server.name, each));
		if (refused.length === 0) return [];
		if (tool) return [`${tool.original} cannot be direct: ${this.obstacle(server.name, tool)}`];
		return [`${counted(refused.length, "tool")} of ${server.name} cannot be direct: enter shows why`];
	}

	#rowsOf(server: ServerState): Row[] {
		const tools = this.toolsOf(server.name);
		const shown = this.#filter ? tools.filter((tool) => this.#matches(tool)) : [];
		const named = !this.#filter || folded(server.name).includes(this.#words);
		if (!named && shown.length === 0) return [];
		const listed = named && this.isOpen(server.name) ? tools : shown;
		return [{ server }, ...listed.map((tool) => ({ server, tool }))];
	}

	get #words(): string {
		return folded(this.#filter.replace(/^\?/, ""));
	}

	#matches({ name, original, description }: PanelTool): boolean {
		const texts = this.#filter.startsWith("?") ? [name, original, description] : [name, original];
		return texts.some((text) => folded(text).includes(this.#words));
	}

	#clamp(): void {
		this.#cursor = Math.max(0, Math.min(this.#cursor, this.rows.length - 1));
	}
}
