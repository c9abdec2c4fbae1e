// What the panel of /mcp shows and what was changed in it. Knows nothing of terminals.
import type { DirectToolsChange, ServerState, ServerTools } from "./gateway.ts";

export type PanelTool = ServerTools["tools"][number];

export interface Row {
	server: ServerState;
	tool?: PanelTool; // absent: the row of the server itself
}

// "get_sum", "get-sum" and "Get Sum" are found alike.
function folded(text: string): string {
	return text.toLowerCase().replace(/[-_\s]/g, "");
}

export class PanelModel {
	#servers: ServerState[] = [];
	#tools = new Map<string, PanelTool[]>();
	#filter = "";
	#cursor = 0;
	readonly #open = new Set<string>();
	// Tools of a server that are to be as they are not now, by their own names.
	readonly #flipped = new Map<string, Set<string>>();

	// The newest state; what was changed here and not saved stays.
	update(servers: ServerState[], tools: ServerTools[]): void {
		this.#servers = servers;
		this.#tools = new Map(tools.map((server) => [server.name, server.tools]));
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
		return this.#tools.get(server) ?? [];
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

	isDirect(server: string, tool: PanelTool): boolean {
		return tool.direct !== (this.#flipped.get(server)?.has(tool.original) ?? false);
	}

	// The tool under the cursor; on a server all of its tools, or none when all are direct.
	toggleDirect(): void {
		const row = this.current;
		if (!row) return;
		const { name } = row.server;
		if (row.tool) return this.#flip(name, row.tool);
		const tools = this.toolsOf(name);
		const all = tools.every((tool) => this.isDirect(name, tool));
		for (const tool of tools) if (this.isDirect(name, tool) === all) this.#flip(name, tool);
	}

	get isChanged(): boolean {
		return this.#flipped.size > 0;
	}

	// What has to be written to make true what is shown.
	get changes(): DirectToolsChange[] {
		return [...this.#flipped.keys()].map((server) => {
			const tools = this.toolsOf(server);
			const direct = tools.filter((tool) => this.isDirect(server, tool));
			const names = direct.map(({ original }) => original);
			const some = direct.length > 0 && direct.length < tools.length;
			return { action: "direct-tools", server, directTools: some ? names : names.length > 0 };
		});
	}

	saved(server: string): void {
		this.#flipped.delete(server);
	}

	// Of all tools that are direct: how many, and about how many tokens each request pays for them.
	get direct(): { count: number; tokens: number } {
		const tools = this.#servers
			.filter(({ status }) => status !== "disabled")
			.flatMap(({ name }) => this.toolsOf(name).filter((tool) => this.isDirect(name, tool)));
		return { count: tools.length, tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0) };
	}

	#flip(server: string, tool: PanelTool): void {
		const flipped = this.#flipped.get(server) ?? new Set();
		if (!flipped.delete(tool.original)) flipped.add(tool.original);
		if (flipped.size > 0) this.#flipped.set(server, flipped);
		else this.#flipped.delete(server);
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
