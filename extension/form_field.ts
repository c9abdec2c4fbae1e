// One field of an elicitation form: how it is asked and which answers it takes.
import type { Ui } from "./dialogs.ts";
import { quoted, shownLine } from "./shown_text.ts";

export type Value = string | number | boolean | string[];

interface Choices {
	enum?: string[];
	enumNames?: string[];
	oneOf?: { const: string; title: string }[];
	anyOf?: { const: string; title: string }[];
}

export interface Schema extends Choices {
	type?: string;
	title?: string;
	description?: string;
	default?: Value;
	minimum?: number;
	maximum?: number;
	minLength?: number;
	maxLength?: number;
	pattern?: string;
	format?: string;
	items?: Choices;
	minItems?: number;
	maxItems?: number;
}

// The formats of MCP 2025-11-25, elicitation, "StringSchema"; others are taken as they are.
const formats: Record<string, { needed: string; fits(text: string): boolean }> = {
	email: { needed: "An email address", fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
	uri: { needed: "An address with its scheme (https://...)", fits: (text) => URL.canParse(text) },
	date: {
		needed: "A date (2026-01-31)",
		fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
	},
	"date-time": {
		needed: "A date with time and zone (2026-01-31T12:00:00Z)",
		fits: (text) => /^\d{4}-\d\d-\d\dT\S+(Z|[+-]\d\d:\d\d)$/i.test(text) && isDate(text),
	},
};

// Date.parse() takes the 31st of February for the 3rd of March.
function isDate(text: string): boolean {
	if (Number.isNaN(Date.parse(text))) return false;
	const day = text.slice(0, 10);
	return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

// A pattern that is no pattern refuses nothing.
function matches(text: string, pattern: string): boolean {
	try {
		return new RegExp(pattern, "u").test(text);
	} catch {
		return true;
	}
}

interface Option {
	value: Value;
	label: string;
}

const omit = "(leave out)";
const done = "(done)";

function optionsOf(schema: Choices & { type?: string }): Option[] | undefined {
	const titled = schema.oneOf ?? schema.anyOf;
	const option = (value: string, label: string) => ({ value, label: shownLine(label) });
	if (titled) return titled.map(({ const: value, title }) => option(value, title));
	if (schema.enum) {
		return schema.enum.map((value, i) => option(value, schema.enumNames?.[i] ?? value));
	}
	if (schema.type !== "boolean") return undefined;
	return [
		{ value: true, label: "Yes" },
		{ value: false, label: "No" },
	];
}

export class FormField {
	// What ask() gives for a field that the user leaves out.
	static readonly omitted: unique symbol = Symbol("omitted");

	readonly name: string;
	readonly #schema: Schema;
	readonly #isRequired: boolean;
	readonly #isOnly: boolean;

	private constructor(name: string, schema: Schema, isRequired: boolean, isOnly: boolean) {
		this.name = name;
		this.#schema = schema;
		this.#isRequired = isRequired;
		this.#isOnly = isOnly;
	}

	static all(form: { properties?: Record<string, Schema>; required?: string[] }): FormField[] {
		const fields = Object.entries(form.properties ?? {});
		const required = new Set(form.required);
		return fields.map(
			([name, schema]) => new FormField(name, schema, required.has(name), fields.length === 1),
		);
	}

	// What it is about; nothing when the form has said that.
	get label(): string {
		const { title, description } = this.#schema;
		const label = [title ?? this.name, description].filter(Boolean).join(": ");
		return this.#isOnly ? "" : quoted(label);
	}

	// Asks until the answer is one that the form takes; undefined: the dialog was closed.
	async ask(ui: Ui, question: string): Promise<Value | typeof FormField.omitted | undefined> {
		const list = this.#schema.items && optionsOf(this.#schema.items);
		if (list) return this.#several(ui, question, list);
		const options = optionsOf(this.#schema);
		if (options) return this.#one(ui, question, options);
		for (let problem = ""; ; ) {
			const text = await ui.input(problem ? `${question}\n${problem}` : question, this.#hint());
			if (text === undefined) return undefined;
			const value = this.#read(text);
			if (value !== undefined && !(value instanceof Error)) return value;
			problem = value?.message ?? "This field is required.";
		}
	}

	async #one(ui: Ui, question: string, options: Option[]) {
		const labels = options.map(({ label }) => label);
		const chosen = await ui.select(question, this.#isRequired ? labels : [...labels, omit]);
		if (chosen === omit) return FormField.omitted;
		return options.find(({ label }) => label === chosen)?.value;
	}

	async #several(ui: Ui, question: string, options: Option[]) {
		const { minItems = 0, maxItems = options.length } = this.#schema;
		const chosen = new Set<string>();
		for (let problem = ""; ; ) {
			const labels = options.map(({ label }) => `${chosen.has(label) ? "[x]" : "[ ]"} ${label}`);
			const title = problem ? `${question}\n${problem}` : question;
			const picked = await ui.select(title, [...labels, done]);
			if (picked === undefined) return undefined;
			const label = options[labels.indexOf(picked)]?.label;
			if (label !== undefined && !chosen.delete(label)) chosen.add(label);
			problem = "";
			if (picked !== done) continue;
			if (chosen.size === 0 && !this.#isRequired) return FormField.omitted;
			if (chosen.size < minItems) problem = `Choose at least ${minItems}.`;
			else if (chosen.size > maxItems) problem = `Choose at most ${maxItems}.`;
			else break;
		}
		return options.filter(({ label }) => chosen.has(label)).map(({ value }) => String(value));
	}

	#hint(): string | undefined {
		const { default: standard, description } = this.#schema;
		const hint = standard === undefined ? description : String(standard);
		return hint === undefined ? undefined : shownLine(hint);
	}

	// undefined: nothing was written where something has to be.
	#read(text: string): Value | typeof FormField.omitted | Error | undefined {
		const { type, default: standard, pattern } = this.#schema;
		if (text === "") {
			if (standard !== undefined) return standard;
			return this.#isRequired ? undefined : FormField.omitted;
		}
		if (type === "number" || type === "integer") return this.#number(text, type);
		const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = this.#schema;
		const length = [...text].length;
		if (length < minLength) return new Error(`At least ${minLength} characters are needed.`);
		if (length > maxLength) return new Error(`At most ${maxLength} characters are allowed.`);
		if (pattern && !matches(text, pattern)) return new Error(`It must match ${shownLine(pattern)}`);
		const format = formats[this.#schema.format ?? ""];
		return format && !format.fits(text) ? new Error(`${format.needed} is needed.`) : text;
	}

	#number(text: string, type: "number" | "integer"): number | Error {
		const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = this.#schema;
		const value = Number(text);
		if (!Number.isFinite(value) || text.trim() === "") return new Error("A number is needed.");
		if (type === "integer" && !Number.isInteger(value)) return new Error("A whole number is needed.");
		if (value < minimum) return new Error(`It must be at least ${minimum}.`);
		if (value > maximum) return new Error(`It must be at most ${maximum}.`);
		return value;
	}
}
