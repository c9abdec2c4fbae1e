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
const another = "Another answer";

// "1 to 5", "at least 1", "at most 5"; nothing without limits.
function range(least: number | undefined, most: number | undefined): string {
	if (least !== undefined && most !== undefined) return `${least} to ${most}`;
	if (least !== undefined) return `at least ${least}`;
	return most === undefined ? "" : `at most ${most}`;
}

function isSame(one: Value, other: Value | undefined): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

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

	// The same with what an answer has to be; choices show that themselves.
	get described(): string {
		const { type, format, default: standard, items, ...limits } = this.#schema;
		if (optionsOf(this.#schema)) return this.label;
		const characters = range(limits.minLength, limits.maxLength);
		const rules = [
			this.#isRequired ? "required" : "",
			type === "integer" ? "a whole number" : type === "number" ? "a number" : "",
			range(limits.minimum, limits.maximum),
			characters && `${characters} characters`,
			items ? range(limits.minItems, limits.maxItems) : "",
			formats[format ?? ""]?.needed.replace(/^An? /, (article) => article.toLowerCase()) ?? "",
			limits.pattern ? `matches ${limits.pattern}` : "",
			standard === undefined || items ? "" : `default ${standard}`,
		].filter(Boolean);
		return [this.label, quoted(shownLine(rules.join(" · ")))].filter(Boolean).join("\n");
	}

	// Asks until the answer is one that the form takes; undefined: the dialog was closed. The first
	// choice is `before`, what the user answered the last time, else the default.
	async ask(
		ui: Ui,
		question: string,
		before?: Value,
	): Promise<Value | typeof FormField.omitted | undefined> {
		const list = this.#schema.items && optionsOf(this.#schema.items);
		if (list) return this.#several(ui, question, list, before);
		const options = optionsOf(this.#schema);
		if (options) return this.#one(ui, question, options, before);
		const known = await this.#known(ui, question, before);
		return known === another ? this.#typed(ui, question) : known?.value;
	}

	// Pi's input begins empty, so what is there already is a choice.
	async #known(
		ui: Ui,
		question: string,
		before: Value | undefined,
	): Promise<Option | typeof another | undefined> {
		const { default: standard } = this.#schema;
		const marked = (value: Value | undefined, mark: string) =>
			value === undefined || value === ""
				? []
				: [{ value, label: `${shownLine(String(value))} (${mark})` }];
		const options = marked(before, "your answer");
		if (!isSame(before ?? "", standard)) options.push(...marked(standard, "default"));
		if (options.length === 0) return another;
		const chosen = await ui.select(question, [...options.map(({ label }) => label), another]);
		return chosen === another ? another : options.find(({ label }) => label === chosen);
	}

	// What was wrong stands in the field again.
	async #typed(ui: Ui, question: string) {
		let text = await ui.input(question);
		for (;;) {
			if (text === undefined) return undefined;
			const value = this.#read(text);
			if (value !== undefined && !(value instanceof Error)) return value;
			const title = `${question}\n${value?.message ?? "This field is required."}`;
			text = text === "" ? await ui.input(title) : (await ui.editor(title, text))?.replace(/\n+$/, "");
		}
	}

	async #one(ui: Ui, question: string, options: Option[], before: Value | undefined) {
		const { default: standard } = this.#schema;
		const mark = ({ value, label }: Option): Option => {
			if (before !== undefined && isSame(value, before)) {
				return { value, label: `${label} (your answer)` };
			}
			return { value, label: isSame(value, standard) ? `${label} (default)` : label };
		};
		const first = before ?? standard;
		const isFirst = ({ value }: Option) => first !== undefined && isSame(value, first);
		const others = options.filter((option) => !isFirst(option)).map(mark);
		const marked = [...options.filter(isFirst).map(mark), ...others];
		const labels = marked.map(({ label }) => label);
		// What is left out is the default, where there is one.
		const mayOmit = !this.#isRequired && standard === undefined;
		const offered = first === undefined ? [omit, ...labels] : [...labels, omit];
		const chosen = await ui.select(question, mayOmit ? offered : labels);
		if (chosen === omit) return FormField.omitted;
		return marked.find(({ label }) => label === chosen)?.value;
	}

	async #several(ui: Ui, question: string, options: Option[], before: Value | undefined) {
		const { minItems = 0, maxItems = options.length, default: standard } = this.#schema;
		const first = [before ?? standard ?? []].flat();
		const isFirst = ({ value }: Option) => first.some((one) => isSame(one, value));
		const chosen = new Set(options.filter(isFirst).map(({ label }) => label));
		for (let problem = ""; ; ) {
			const labels = options.map(({ label }) => `${chosen.has(label) ? "[x]" : "[ ]"} ${label}`);
			const title = problem ? `${question}\n${problem}` : question;
			const picked = await ui.select(title, [done, ...labels]);
			if (picked === undefined) return undefined;
			const label = options[labels.indexOf(picked)]?.label;
			if (label !== undefined && !chosen.delete(label)) chosen.add(label);
			problem = "";
			if (picked !== done) continue;
			if (chosen.size === 0 && !this.#isRequired && !standard) return FormField.omitted;
			if (chosen.size < minItems) problem = `Choose at least ${minItems}.`;
			else if (chosen.size > maxItems) problem = `Choose at most ${maxItems}.`;
			else break;
		}
		return options.filter(({ label }) => chosen.has(label)).map(({ value }) => String(value));
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
