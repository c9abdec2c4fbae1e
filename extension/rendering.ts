// How calls of our tools stand in Pi's transcript: one row each, the result folded behind it. Read
// while Pi starts, as Pi draws the history of a session before anything else.
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { fitting, oneLine, shown } from "./shown_text.ts";
import type { Json } from "./wire.ts";

// The settings toolResultRendering and collapsedResultLines.
export interface Look {
	style: "compact" | "boxed";
	lines: number; // of a folded result
}

// What a direct tool is at its server.
export interface Origin {
	server: string;
	tool: string;
}

type Renderers = Required<Pick<ToolDefinition, "renderCall" | "renderResult" | "renderShell">>;
type Theme = Parameters<Renderers["renderCall"]>[1];
type Context = Parameters<Renderers["renderCall"]>[2];

interface Result {
	text: string;
	details: Json;
	isPartial: boolean;
	isError: boolean;
}

// Shared by the two halves of one row. The call is drawn after both were asked for.
interface RowState {
	result?: Result;
}

const foldedCharactersMax = 1000; // of a line; no terminal is wider
const argumentsShare = 0.4; // of a row that shows a result too

// `text` in `width` columns.
function fit(text: string, width: number): string {
	const characters = [...text.slice(0, foldedCharactersMax)];
	const end = fitting(characters, Math.max(0, width));
	if (end === characters.length && text.length <= foldedCharactersMax) return text;
	const kept = characters.slice(0, fitting(characters, Math.max(0, width - 1))).join("");
	return width > 0 ? `${kept}…` : "";
}

// Columns that it takes, at most.
function widthOf(text: string): number {
	let width = 0;
	for (const character of text) width += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
	return width;
}

function wrap(text: string, width: number): string[] {
	return text.split("\n").flatMap((line) => {
		const lines: string[] = [];
		let rest = [...line];
		do {
			const end = Math.max(1, fitting(rest, width));
			lines.push(rest.slice(0, end).join(""));
			rest = rest.slice(end);
		} while (rest.length > 0);
		return lines;
	});
}

function isObject(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Arguments of a call may be a text with JSON.
function object(value: unknown): Json {
	if (typeof value !== "string") return isObject(value) ? value : {};
	try {
		return object(JSON.parse(value) as Json);
	} catch {
		return { args: value };
	}
}

function shortArguments(args: Json): string {
	const short = (value: unknown) => {
		const isPlain = typeof value === "string" && /^[^\s"]+$/.test(value);
		return isPlain ? value : (JSON.stringify(value)?.slice(0, foldedCharactersMax) ?? "");
	};
	return oneLine(
		Object.entries(args)
			.map(([name, value]) => `${name}=${short(value)}`)
			.join(" "),
	);
}

// What is called and with which arguments. The details of a result know best; the modes stand in
// the order in which they count.
function titleOf(args: Json, origin: Origin | undefined, details: Json): [string, Json] {
	const called = origin ? args : object(args["args"] ?? args["arguments"]);
	const { mode, server, tool } = details;
	if (origin) return [`${origin.server}/${origin.tool}`, called];
	if (mode === "call" && typeof server === "string" && typeof tool === "string") {
		return [`${server}/${tool}`, called];
	}
	const one = args["server"] ? `${args["server"]}/` : "";
	if (args["tool"]) return [`${one}${args["tool"]}`, called];
	const name = ["action", "connect", "describe", "read", "search", "server"].find(
		(word) => args[word],
	);
	if (!name) return ["status", {}];
	const within = name !== "server" && args["server"] ? ` in ${args["server"]}` : "";
	const word = { action: "", server: "list " }[name] ?? `${name} `;
	return [`${word}${args[name]}${within}`, {}];
}

function textOf(content: readonly { type: string; text?: string }[]): string {
	const texts = content.map(({ type, text }) => (type === "text" ? (text ?? "") : `[${type}]`));
	return texts.join("\n").replace(/^\s*\n|\s+$/g, "");
}

// Something to draw; made once for each width.
class Drawn {
	readonly #draw: (width: number) => string[];
	#width = -1;
	#lines: string[] = [];

	constructor(draw: (width: number) => string[]) {
		this.#draw = draw;
	}

	render(width: number): string[] {
		if (this.#width !== width) {
			this.#lines = this.#draw(width);
			this.#width = width;
		}
		return this.#lines;
	}

	invalidate(): void {
		this.#width = -1;
	}
}

class Row {
	readonly #look: Look;
	readonly #origin: Origin | undefined;
	readonly #theme: Theme;
	readonly #context: Context;

	constructor(look: Look, origin: Origin | undefined, theme: Theme, context: Context) {
		this.#look = look;
		this.#origin = origin;
		this.#theme = theme;
		this.#context = context;
	}

	get #isMerged(): boolean {
		return this.#look.style === "compact" && this.#look.lines === 1;
	}

	get #pad(): string {
		const pad = (this.#context as Partial<Context>).outputPad ?? 1; // not before Pi 1.0
		return this.#look.style === "compact" ? " ".repeat(pad) : "";
	}

	get #key(): string {
		const { keyText } = this.#context as Partial<Context>; // the same
		return keyText?.("app.tools.expand") || "ctrl+o";
	}

	call(args: Json, width: number): string[] {
		const { result } = this.#context.state as RowState;
		const [name, called] = titleOf(args, this.#origin, result?.details ?? {});
		const room = width - 2 * this.#pad.length;
		const title = fit(`mcp ${oneLine(name)}`, room);
		const styled = this.#theme.fg("toolTitle", this.#theme.bold(title));
		let left = room - widthOf(title);
		const folded = result && this.#isMerged && !this.#context.expanded ? result : undefined;
		const all = shortArguments(called);
		const share = Math.floor(folded ? left * argumentsShare : left);
		const short = all && share > 1 ? ` ${fit(all, share - 1)}` : "";
		left -= widthOf(short);
		const rest = folded && left > 3 ? this.#folded(folded, left - 3) : "";
		const row = `${this.#pad}${styled}${this.#theme.fg("muted", short)}${rest}`;
		return this.#context.expanded ? [row, ...this.#pretty(called, all, width)] : [row];
	}

	result(result: Result, width: number): string[] {
		if (this.#isMerged && !this.#context.expanded) return [];
		const room = width - 2 * this.#pad.length;
		const color = result.isError ? "error" : "toolOutput";
		const styled = (line: string) => `${this.#pad}${this.#theme.fg(color, line)}`;
		if (this.#context.expanded) return wrap(shown(result.text), room).map(styled);
		const all = result.text.split("\n");
		const lines = all.slice(0, this.#look.lines).map((line) => fit(oneLine(line), room));
		const hint = this.#hint(all.length - lines.length, false);
		const more = hint ? [`${this.#pad}${this.#theme.fg("muted", fit(hint.trim(), room))}`] : [];
		return [...lines.map(styled), ...more];
	}

	// Where the row had no room for them.
	#pretty(called: Json, all: string, width: number): string[] {
		if (widthOf(all) < width / 2) return [];
		const text = wrap(shown(JSON.stringify(called, null, 2)), width - 2 * this.#pad.length);
		return text.map((line) => `${this.#pad}${this.#theme.fg("muted", line)}`);
	}

	#hint(hidden: number, isCut: boolean): string {
		if (hidden > 0) return ` (${hidden} more ${hidden === 1 ? "line" : "lines"}, ${this.#key})`;
		return isCut ? ` (${this.#key})` : "";
	}

	#folded({ text, isError, isPartial }: Result, width: number): string {
		const end = text.indexOf("\n");
		const hidden = end < 0 ? 0 : text.split("\n").length - 1;
		const first = oneLine(text.slice(0, end < 0 ? undefined : end).slice(0, foldedCharactersMax));
		const isCut = widthOf(first) > width;
		const hint = isPartial ? "" : this.#hint(hidden, isCut);
		const line = fit(first, width - hint.length);
		const styled = this.#theme.fg(isError ? "error" : "toolOutput", line);
		const muted = (part: string) => this.#theme.fg("muted", part);
		return `${muted(" → ")}${styled}${muted(line ? hint : "")}`;
	}
}

// `origin`: of a direct tool.
export function renderersOf(look: Look, origin?: Origin): Renderers {
	return {
		renderShell: look.style === "compact" ? "self" : "default",
		renderCall: (args, theme, context) => {
			const row = new Row(look, origin, theme, context);
			return new Drawn((width) => row.call(object(args), width));
		},
		renderResult: (answer, { isPartial }, theme, context) => {
			const result: Result = {
				text: textOf(answer.content),
				details: object(answer.details),
				isPartial,
				isError: context.isError,
			};
			(context.state as RowState).result = result;
			const row = new Row(look, origin, theme, context);
			return new Drawn((width) => row.result(result, width));
		},
	};
}
