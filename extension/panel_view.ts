// The panel of /mcp as lines for a terminal.
import { isInUse, isMisconfigured, type ServerState } from "./gateway.ts";
import type { PanelModel, Row } from "./panel_model.ts";
import { type Pager, rowsMax, type Terminal, wrapped } from "./panel_text.ts";
import { oneLine } from "./shown_text.ts";
import { counted } from "./words.ts";

type Color = "accent" | "success" | "error" | "warning" | "muted" | "dim" | "text" | "borderMuted";

export interface PanelTheme {
	fg(color: Color, text: string): string;
	bold(text: string): string;
}

export interface View {
	model: PanelModel;
	message: string;
	text: Pager | undefined; // instead of the list
	saveKey: string | undefined; // undefined: none saves
	unreadable: string[]; // files that do not count, where there is no server
}

// Of the row under the cursor, and of a message. The rest of both is a key away.
const wrappedMax = 6;
const nameWidthMin = 8;

const marks: Record<ServerState["status"], { mark: string; color: Color }> = {
	connected: { mark: "✓", color: "success" },
	connecting: { mark: "◌", color: "accent" },
	cached: { mark: "○", color: "muted" },
	"not connected": { mark: "○", color: "muted" },
	failed: { mark: "✗", color: "error" },
	"needs auth": { mark: "⚠", color: "warning" },
	"needs trust": { mark: "⚠", color: "warning" },
	disabled: { mark: "⊘", color: "dim" },
};

const hintsOfTools = [
	"type to filter",
	"? descriptions",
	"↑↓ move",
	"enter tools",
	"space direct",
];
const hintsOfServers = [
	"^r reconnect",
	"^d enable/disable",
	"^a authorise",
	"^l log",
	"esc close",
];

const noServer =
	"No server is configured. /mcp setup takes over those of other hosts; /mcp add NAME COMMAND " +
	"adds one";

function stateOf(server: ServerState): { mark: string; color: Color; words: string } {
	if (isMisconfigured(server)) return { mark: "✗", color: "error", words: "misconfigured" };
	if (server.forbidden) return { mark: "⊘", color: "dim", words: "not trusted" };
	return { ...marks[server.status], words: server.status };
}

// What is wrong, or what to do next.
function reasonOf({ reason, status, lastError, forbidden }: ServerState): string | undefined {
	if (forbidden) return "Pi does not trust this folder (/trust)";
	if (status === "needs trust") return "enter shows what it runs and asks you";
	return reason ?? (status === "failed" ? lastError : undefined);
}

class Painter {
	readonly view: View;
	readonly width: number;
	readonly theme: PanelTheme;
	readonly terminal: Terminal;

	constructor(view: View, width: number, theme: PanelTheme, terminal: Terminal) {
		this.view = view;
		this.width = width;
		this.theme = theme;
		this.terminal = terminal;
	}

	lines(): string[] {
		const rule = this.theme.fg("borderMuted", "─".repeat(this.width));
		const { text } = this.view;
		const lines = [rule, this.#title(), ...(text ? this.#page(text) : this.#list())]
			.concat(text ? [] : this.#message())
			.concat(this.#hints(text ? ["↑↓ move", "esc back"] : this.#keys()), rule);
		return lines.map((line) => this.#cut(line, this.width));
	}

	#keys(): string[] {
		const { saveKey } = this.view;
		const save = saveKey ? [`${saveKey.replace(/^ctrl\+/, "^")} save`] : [];
		return [...hintsOfTools, ...save, ...hintsOfServers];
	}

	// Where there is no room for all of it, what changes least goes first.
	#title(): string {
		const { servers, direct, isChanged } = this.view.model;
		const enabled = servers.filter(isInUse);
		const connected = enabled.filter(({ status }) => status === "connected");
		const tools = enabled.reduce((sum, { toolCount }) => sum + toolCount, 0);
		const of = `${connected.length}/${enabled.length} servers`;
		const cost = `${direct.count} direct (~${direct.tokens} tokens)`;
		const unsaved = isChanged ? ["not saved"] : [];
		const titles = [
			[of, counted(tools, "tool"), cost, ...unsaved],
			[of, cost, ...unsaved],
			[cost, ...unsaved],
			[`${direct.count} direct`, ...unsaved],
		].map((facts) => `${facts.join(" · ")} `);
		const left = ` ${this.theme.bold(this.theme.fg("accent", "MCP"))}`;
		const room = this.width - this.terminal.visibleWidth(left) - 1;
		const fits = (title: string) => this.terminal.visibleWidth(title) <= room;
		const right = titles.find(fits) ?? titles.at(-1) ?? "";
		return this.#beside(left, this.theme.fg("muted", right));
	}

	#list(): string[] {
		const { model } = this.view;
		const filter = model.filter
			? ` ${this.theme.fg("accent", "filter:")} ${model.filter}`
			: this.theme.fg("dim", " filter: (type)");
		const { rows } = model;
		if (rows.length === 0) return [filter, ...this.#nothing()];
		const most = Math.max(0, rows.length - rowsMax);
		const top = Math.min(most, Math.max(0, model.cursor - Math.floor(rowsMax / 2)));
		const shown = rows.slice(top, top + rowsMax);
		const lines = shown.flatMap((row, i) => this.#row(row, top + i === model.cursor));
		const place = rows.length > rowsMax ? [`  ${model.cursor + 1}/${rows.length}`] : [];
		return [filter, ...lines, ...place.map((line) => this.theme.fg("dim", line))];
	}

	#nothing(): string[] {
		const { model, unreadable } = this.view;
		const files = unreadable.map(oneLine).join("; ");
		const none = files ? `No server is known: ${files}. /mcp edit opens your file` : noServer;
		const why = model.servers.length > 0 ? "nothing matches" : none;
		const lines = wrapped(why, this.width - 2, this.terminal);
		return lines.map((line) => this.theme.fg("muted", ` ${line}`));
	}

	// The row under the cursor is shown in full, the others in a line each.
	#row(row: Row, isCurrent: boolean): string[] {
		const pointer = isCurrent ? this.theme.fg("accent", "›") : " ";
		const what = row.tool ? this.#tool(row, isCurrent) : this.#server(row, isCurrent);
		const line = ` ${pointer} ${what}`;
		if (!isCurrent || this.terminal.visibleWidth(line) <= this.width) return [line];
		const hanging = " ".repeat(row.tool ? 9 : 5);
		const lines = this.terminal.wrapTextWithAnsi(line, Math.max(1, this.width - hanging.length));
		const all = lines.map((each, i) => (i === 0 ? each : hanging + each));
		return this.#firstOf(all, row.tool ? "…" : "… ^l shows all of it");
	}

	#server({ server }: Row, isCurrent: boolean): string {
		const { mark, color, words } = stateOf(server);
		const tools = this.view.model.toolsOf(server.name);
		const direct = tools.filter((tool) => this.view.model.isDirect(server.name, tool)).length;
		const about = server.status === "needs trust" ? [] : [counted(server.toolCount, "tool")];
		if (direct > 0) about.push(`${direct} direct`);
		about.push(words);
		const rest = `${server.project ? " (project)" : ""} ${about.join(" · ")}`;
		const why = reasonOf(server);
		const room = this.width - this.terminal.visibleWidth(` › ${mark} ${rest}`);
		const name = oneLine(server.name);
		const named = isCurrent
			? this.theme.bold(name)
			: this.#cut(name, Math.max(nameWidthMin, room));
		const reason = why ? this.theme.fg(color, ` — ${oneLine(why)}`) : "";
		return `${this.theme.fg(color, mark)} ${named}${this.theme.fg("muted", rest)}${reason}`;
	}

	#tool({ server, tool }: Row, isCurrent: boolean): string {
		if (!tool) return "";
		const { model } = this.view;
		const obstacle = model.obstacle(server.name, tool);
		const isChosen = model.isChosen(server.name, tool);
		const name = isCurrent ? this.theme.bold(oneLine(tool.original)) : oneLine(tool.original);
		const about = this.theme.fg("muted", oneLine(tool.description));
		if (obstacle) {
			const box = this.theme.fg("warning", isChosen ? "[!]" : "[-]");
			return `  ${box} ${name} ${this.theme.fg("warning", `(${obstacle})`)} ${about}`;
		}
		const box = isChosen ? this.theme.fg("success", "[x]") : this.theme.fg("dim", "[ ]");
		return `  ${box} ${name} ${about}`;
	}

	#page(text: Pager): string[] {
		const { lines, place } = text.page(this.width - 2, this.terminal);
		const below = place ? [this.theme.fg("dim", `  ${place}`)] : [];
		return [...lines.map((line) => ` ${line}`), ...below];
	}

	#message(): string[] {
		const { message } = this.view;
		if (!message) return [];
		const lines = wrapped(message, this.width - 2, this.terminal);
		const cut = this.#firstOf(lines, "… ^o shows all of it");
		return cut.map((line) => this.theme.fg("warning", ` ${line}`));
	}

	#firstOf(lines: string[], more: string): string[] {
		if (lines.length <= wrappedMax) return lines;
		const last = lines[wrappedMax - 1] ?? "";
		const kept = this.#cut(last, this.width - this.terminal.visibleWidth(more) - 2, "");
		return [...lines.slice(0, wrappedMax - 1), `${kept}${more}`];
	}

	#cut(line: string, width: number, ellipsis = "…"): string {
		return this.terminal.truncateToWidth(line, Math.max(1, width), ellipsis);
	}

	// As many lines as the hints need.
	#hints(texts: string[]): string[] {
		const lines = [""];
		for (const text of texts) {
			const last = lines.at(-1) ?? "";
			const longer = last ? `${last} · ${text}` : ` ${text}`;
			if (last && this.terminal.visibleWidth(longer) > this.width) lines.push(` ${text}`);
			else lines[lines.length - 1] = longer;
		}
		return lines.map((line) => this.theme.fg("dim", line));
	}

	#beside(left: string, right: string): string {
		const used = this.terminal.visibleWidth(left) + this.terminal.visibleWidth(right);
		return `${left}${" ".repeat(Math.max(1, this.width - used))}${right}`;
	}
}

export function renderPanel(
	view: View,
	width: number,
	theme: PanelTheme,
	terminal: Terminal,
): string[] {
	return new Painter(view, width, theme, terminal).lines();
}
