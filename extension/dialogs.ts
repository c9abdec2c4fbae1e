// Questions to the user on the way up: of the gateway (approvals) and of servers (forms and
// addresses of MCP elicitation). One dialog at a time.
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { FormField, type Schema, type Value } from "./form_field.ts";
import type { Json } from "./wire.ts";

const declined = { action: "decline" };
const cancelled = { action: "cancel" };

interface Form {
	properties?: Record<string, Schema>;
	required?: string[];
}

// The server that asks; undefined when the gateway itself does.
export function askerOf(params: Json): string | undefined {
	const meta = (params["_meta"] ?? {}) as Json;
	const server = meta["pi-mcp/server"];
	return typeof server === "string" ? server : undefined;
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
	ask(params: Json): Promise<Json> {
		return this.inTurn(() => this.#answer(params));
	}

	// Runs it when every dialog before it is over.
	inTurn<T>(dialog: () => Promise<T>): Promise<T> {
		const answer = this.#last.then(dialog);
		this.#last = answer.catch(() => {});
		return answer;
	}

	async #answer(params: Json): Promise<Json> {
		const message = typeof params["message"] === "string" ? params["message"] : "";
		const server = askerOf(params);
		if (params["mode"] === "url") return this.#address(server, message, String(params["url"]));
		const form = (params["requestedSchema"] ?? {}) as Form;
		return server === undefined
			? this.#question(message, form)
			: this.#form(`MCP server ${server} asks: ${message}`, form);
	}

	// Of the gateway: as few dialogs as there are fields.
	async #question(message: string, form: Form): Promise<Json> {
		const content: Record<string, Value> = {};
		for (const field of FormField.all(form)) {
			const value = await field.ask(this.#ui, message);
			if (value === undefined) return cancelled;
			if (value !== FormField.omitted) content[field.name] = value;
		}
		return { action: "accept", content };
	}

	// Of a server: the user may decline before and after, and correct what was filled in.
	async #form(message: string, form: Form): Promise<Json> {
		const begin = await this.#ui.select(message, ["Continue", "Decline"]);
		if (begin !== "Continue") return begin ? declined : cancelled;
		for (;;) {
			const content: Record<string, Value> = {};
			for (const field of FormField.all(form)) {
				const value = await field.ask(this.#ui, message);
				if (value === undefined) return cancelled;
				if (value !== FormField.omitted) content[field.name] = value;
			}
			const review = `${message}\n\n${JSON.stringify(content, undefined, 2)}`;
			const end = await this.#ui.select(review, ["Submit", "Edit", "Decline"]);
			if (end === "Submit") return { action: "accept", content };
			if (end !== "Edit") return end ? declined : cancelled;
		}
	}

	async #address(server: string | undefined, message: string, url: string): Promise<Json> {
		const address = URL.canParse(url) ? new URL(url) : undefined;
		if (!address || !["http:", "https:"].includes(address.protocol)) return declined;
		const who = `MCP server ${server ?? "(unknown)"} wants you to open ${address.host}`;
		const title = `${who}\n${message}\n${address.href}`;
		const chosen = await this.#ui.select(title, ["Open", "Decline"]);
		if (chosen !== "Open") return chosen ? declined : cancelled;
		await this.#browse(address.href);
		return { action: "accept" };
	}
}
