// Questions of the gateway and its servers to the user (MCP elicitation), one dialog at a time.
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { Json } from "./wire.ts";

interface Field {
	type?: string;
	title?: string;
	description?: string;
	enum?: string[];
	enumNames?: string[];
	oneOf?: { const: string; title: string }[];
}

type Value = string | number | boolean;

const cancelled = { action: "cancel" };

function choicesOf(field: Field): { value: Value; label: string }[] | undefined {
	if (field.oneOf) return field.oneOf.map(({ const: value, title }) => ({ value, label: title }));
	if (field.enum) {
		return field.enum.map((value, i) => ({ value, label: field.enumNames?.[i] ?? value }));
	}
	if (field.type !== "boolean") return undefined;
	return [
		{ value: true, label: "Yes" },
		{ value: false, label: "No" },
	];
}

export class Dialogs {
	readonly #ui: ExtensionUIContext;
	#last: Promise<unknown> = Promise.resolve();

	constructor(ui: ExtensionUIContext) {
		this.#ui = ui;
	}

	// `params` of elicitation/create; gives its result.
	ask(params: Json): Promise<Json> {
		const answer = this.#last.then(() => this.#form(params));
		this.#last = answer.catch(() => {});
		return answer;
	}

	async #form(params: Json): Promise<Json> {
		const message = typeof params["message"] === "string" ? params["message"] : "";
		const schema = (params["requestedSchema"] ?? {}) as { properties?: Record<string, Field> };
		const content: Record<string, Value> = {};
		const fields = Object.entries(schema.properties ?? {});
		for (const [name, field] of fields) {
			const label = field.title ?? field.description ?? name;
			const title = fields.length === 1 ? message : `${message}\n${label}`;
			const value = await this.#field(title, field);
			if (value === undefined) return cancelled;
			content[name] = value;
		}
		return { action: "accept", content };
	}

	async #field(title: string, field: Field): Promise<Value | undefined> {
		const choices = choicesOf(field);
		if (choices) {
			const chosen = await this.#ui.select(title, choices.map(({ label }) => label));
			return choices.find(({ label }) => label === chosen)?.value;
		}
		const text = await this.#ui.input(title, field.description);
		const isNumber = field.type === "number" || field.type === "integer";
		return text !== undefined && isNumber ? Number(text) : text;
	}
}
