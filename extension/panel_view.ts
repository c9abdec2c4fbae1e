// The panel of /mcp as lines for a terminal.
import type { ServerState } from "./gateway.ts";
import type { PanelModel, Row } from "./panel_model.ts";

type Color = "accent" | "success" | "error" | "warning" | "muted" | "dim" | "text" | "borderMuted";

export interface PanelTheme {
	fg(color: Color, text: string): string;
	bold(text: string): string;
}

export interface Terminal {
	visibleWidth(text: string): number;
	truncateToWidth(text: string, width: number, ellipsis?: string): string;
}

export interface View {
	model: PanelModel;
	message: string;
	log: string[] | undefined; // instead of the list
}

const rowsMax = 12;

const marks: Record<ServerState["status"], { mark: string; color: Color }> = {
	connected: { mark: "✓", color: "success" },
	connecting: { mark: "◌", color: "accent" },
	cached: { mark: "○", color: "muted" },
	"not connected": { mark: "○", color: "muted" },
	failed: { mark: "✗", color: "error" },
	"needs auth": { mark: "⚠", color: "warning" },
	disabled: { mark: "⊘", color: "dim" },
};

const hints = [
	"type to filter",
	"? descriptions",
	"↑↓ move",
	"enter tools",
	"space direct",
	"^s save",
	"^r reconnect",
	"^d enable/disable",
	"^a authorise",
	"^l log",
	"esc close",
];

function oneLine(text: string): string {
	return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
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
		const body = this.view.log ? this.#log(this.view.log) : this.#list();
		const message = this.view.message.split("\n").map((line) => ` ${oneLine(line)}`);
		const lines = [rule, this.#title(), ...body]
			.concat(this.view.message ? message.map((line) => this.theme.fg("warning", line)) : [])
			.concat(this.#hints(this.view.log ? ["↑↓ move", "esc back"] : hints), rule);
		return lines.map((line) => this.terminal.truncateToWidth(line, this.width, "…"));
	}

	#title(): string {
		const { servers, direct } = this.view.model;
		const enabled = servers.filter(({ status }) => status !== "disabled");
		const connected = enabled.filter(({ status }) => status === "connected");
		const left = ` ${this.theme.bold(this.theme.fg("accent", "MCP"))}`;
		const counts = [
			`${connected.length}/${enabled.length} servers`,
			`${enabled.reduce((sum, { toolCount }) => sum + toolCount, 0)} tools`,
			`${direct.count} direct (~${direct.tokens} tokens)`,
		];
		if (this.view.model.isChanged) counts.push("not saved");
		return this.#beside(left, this.theme.fg("muted", `${counts.join(" · ")} `));
	}

	#list(): string[] {
		const { model } = this.view;
		const filter = model.filter
			? ` ${this.theme.fg("accent", "filter:")} ${model.filter}`
			: this.theme.fg("dim", " filter: (type)");
		const { rows } = model;
		if (rows.length === 0) return [filter, this.theme.fg("muted", " nothing matches")];
		const most = Math.max(0, rows.length - rowsMax);
		const top = Math.min(most, Math.max(0, model.cursor - Math.floor(rowsMax / 2)));
		const shown = rows.slice(top, top + rowsMax);
		const lines = shown.map((row, i) => this.#row(row, top + i === model.cursor));
		const place = rows.length > rowsMax ? [`  ${model.cursor + 1}/${rows.length}`] : [];
		return [filter, ...lines, ...place.map((line) => this.theme.fg("dim", line))];
	}

	#row(row: Row, isCurrent: boolean): string {
		const pointer = isCurrent ? this.theme.fg("accent", "›") : " ";
		return ` ${pointer} ${row.tool ? this.#tool(row, isCurrent) : this.#server(row, isCurrent)}`;
	}

	#server({ server }: Row, isCurrent: boolean): string {
		const { mark, color } = marks[server.status];
		const tools = this.view.model.toolsOf(server.name);
		const direct = tools.filter((tool) => this.view.model.isDirect(server.name, tool)).length;
		const about = [`${server.toolCount} tools`];
		if (direct > 0) about.push(`${direct} direct`);
		about.push(server.status);
		const why = server.reason ?? (server.status === "failed" ? server.lastError : undefined);
		const name = isCurrent ? this.theme.bold(server.name) : server.name;
		const rest = this.theme.fg("muted", ` ${about.join(" · ")}`);
		const reason = why ? this.theme.fg(color, ` — ${oneLine(why)}`) : "";
		return `${this.theme.fg(color, mark)} ${name}${rest}${reason}`;
	}

	#tool({ server, tool }: Row, isCurrent: boolean): string {
		if (!tool) return "";
		const isDirect = this.view.model.isDirect(server.name, tool);
		const box = isDirect ? this.theme.fg("success", "[x]") : this.theme.fg("dim", "[ ]");
		const name = isCurrent ? this.theme.bold(tool.original) : tool.original;
		return `  ${box} ${name} ${this.theme.fg("muted", oneLine(tool.description))}`;
	}

	#log(lines: string[]): string[] {
		return lines.slice(0, rowsMax).map((line) => ` ${oneLine(line)}`);
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
