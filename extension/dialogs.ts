// Questions to the user on the way up: of the gateway (approvals, trust) and of servers (forms and
// addresses of MCP elicitation). One dialog at a time, closed when its question is withdrawn.
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { FormField, type Schema, type Value } from "./form_field.ts";
import { framed, quoted, shownLine, shownText } from "./shown_text.ts";
import type { Json } from "./wire.ts";

const declined = { action: "decline" };
const cancelled = { action: "cancel" };

// What is sent is seen as a whole, unless that is very much.
const reviewLinesMax = 200;
// What a project wants is seen as a whole, in pages: the gateway limits it to less than this.
const wantedLinesMax = 1000;
// Of Pi's screen around a page: options, hints, editor, footer.
const rowsAround = 16;
const pageRowsMin = 5;

interface Form {
	properties?: Record<string, Schema>;
	required?: string[];
}

// The server that asks; undefined when the gateway itself does.
export function askerOf(params: Json): string | undefined {
	const meta = (params["_meta"] ?? {}) as Json;
	const server = meta["pi-mcp/server"];
	return typeof server === "string" ? shownLine(server) : undefined;
}

// What of Pi's dialogs a question needs; they close when it is withdrawn.
export interface Ui {
	select(title: string, options: string[]): Promise<string | undefined>;
	input(title: string): Promise<string | undefined>;
	// Begins with `text`. Pi has no way to close it: then it stays until the user does.
	editor(title: string, text: string): Promise<string | undefined>;
}

export class Dialogs {
	readonly #ui: ExtensionUIContext;
	// Shows an address to the user in a browser.
	readonly #browse: (url: string) => Promise<void>;
	#last: Promise<unknown> = Promise.resolve();

	constructor(ui: ExtensionUIContext, browse: (url: string) => Promise<void>) {
		this.#ui = ui;
		this.#browse = browse;
	}

	// `params` of elicitation/create; gives its result.
	ask(params: Json, withdrawn: AbortSignal): Promise<Json> {
		const server = askerOf(params);
		const message = typeof params["message"] === "string" ? params["message"] : "";
		const form = (params["requestedSchema"] ?? {}) as Form;
		return this.inTurn(withdrawn, (ui) => {
			if (params["mode"] === "url") return this.#address(ui, server, message, params["url"]);
			if (server === undefined && isAboutTrust(form)) return trustQuestion(ui, message, form);
			if (server === undefined) return question(ui, shownText(message), form);
			return serverForm(ui, `MCP server ${server} asks:`, quoted(message), form);
		});
	}

	// Runs it when every dialog before it is over.
	inTurn<T>(signal: AbortSignal, dialog: (ui: Ui) => Promise<T>): Promise<T> {
		const ui: Ui = {
			select: (title, options) => this.#ui.select(title, options, { signal }),
			input: (title) => this.#ui.input(title, undefined, { signal }),
			editor: (title, text) => Promise.race([this.#ui.editor(title, text), aborted(signal)]),
		};
		const answer = this.#last.then(() => {
			signal.throwIfAborted();
			return dialog(ui);
		});
		this.#last = answer.catch(() => {});
		return answer;
	}

	async #address(ui: Ui, server: string | undefined, message: string, url: unknown): Promise<Json> {
		const address = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
		if (!address || !["http:", "https:"].includes(address.protocol)) return declined;
		const ours = `MCP server ${server ?? "(unknown)"} wants you to open ${address.host}`;
		const title = framed(ours, quoted(message), address.href);
		const chosen = await ui.select(title, ["Open", "Decline"]);
		if (chosen !== "Open") return chosen ? declined : cancelled;
		await this.#browse(address.href);
		return { action: "accept" };
	}
}

function aborted(signal: AbortSignal): Promise<undefined> {
	return new Promise((gone) => {
		signal.addEventListener("abort", () => gone(undefined), { once: true });
	});
}

// Of the gateway: as few dialogs as there are fields.
async function question(ui: Ui, message: string, form: Form): Promise<Json> {
	const asked = (label: string) => (label ? `${message}\n${label}` : message);
	const content = await filledIn(form, (field) => field.ask(ui, asked(field.label)));
	return content ? { action: "accept", content } : cancelled;
}

// The one question with this field: whether files of the project may be used.
function isAboutTrust({ properties }: Form): boolean {
	return properties?.["decision"]?.enum?.join() === "trust,once,no";
}

// What the project wrote is marked, and nobody can agree before the last page was seen.
async function trustQuestion(ui: Ui, message: string, form: Form): Promise<Json> {
	const [ours = "", ...wanted] = message.split("\n\n");
	const lines = quoted(wanted.join("\n\n"), wantedLinesMax).split("\n");
	const rows = process.stdout.rows ?? Number.POSITIVE_INFINITY; // no terminal: as many as there are
	const most = Math.max(rows - rowsAround, pageRowsMin);
	for (let from = 0; ; from += most) {
		const title = [shownText(ours), ...lines.slice(from, from + most)].join("\n");
		if (from + most >= lines.length) return question(ui, title, form);
		const more = `Show more (${lines.length - from - most} lines)`;
		if ((await ui.select(title, [more, "No"])) !== more) return declined;
	}
}

// Of a server: the user may decline before and after, and correct what was filled in.
async function serverForm(ui: Ui, ours: string, message: string, form: Form): Promise<Json> {
	const begin = await ui.select(framed(ours, message), ["Continue", "Decline"]);
	if (begin !== "Continue") return begin ? declined : cancelled;
	for (let before: Record<string, Value> = {}; ; ) {
		const content = await filledIn(form, (field) =>
			field.ask(ui, framed(ours, message, field.described), before[field.name]),
		);
		if (!content) return cancelled;
		before = content;
		const answer = quoted(JSON.stringify(content, undefined, 2), reviewLinesMax);
		const review = framed(ours, message, "Your answer:", answer);
		const end = await ui.select(review, ["Submit", "Edit", "Decline"]);
		if (end === "Submit") return { action: "accept", content };
		if (end !== "Edit") return end ? declined : cancelled;
	}
}

// Undefined when a dialog was closed.
async function filledIn(
	form: Form,
	ask: (field: FormField) => ReturnType<FormField["ask"]>,
): Promise<Record<string, Value> | undefined> {
	const content: Record<string, Value> = {};
	for (const field of FormField.all(form)) {
		const value = await ask(field);
		if (value === undefined) return undefined;
		if (value !== FormField.omitted) content[field.name] = value;
	}
	return content;
}
