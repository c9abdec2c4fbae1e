// Prompts of servers as commands: /mcp__server__prompt with arguments.
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { Gateway, Prompt, PromptMessage } from "./gateway.ts";
import { shownLine, shownText } from "./shown_text.ts";

interface Word {
	start: number;
	end: number;
	key: string | undefined; // of key=value
	value: string; // without its quotes
}

// Quotes keep spaces inside a word when they enclose it, or the value of key=value, as a whole; any
// other quote is a character.
const inQuotes = /(?:([^\s"'=]+)=)?(?:"([^"]*)"|'([^']*)')(?=\s|$)/;
const aWord = new RegExp(`${inQuotes.source}|([^\\s=]+)=(\\S*)|\\S+`, "g");

function split(line: string): Word[] {
	return [...line.matchAll(aWord)].map((match) => {
		const [word, quotedKey, double, single, key, value] = match;
		const whole = key === undefined ? word : (value ?? "");
		return {
			start: match.index,
			end: match.index + word.length,
			key: quotedKey ?? key,
			value: double ?? single ?? whole,
		};
	});
}

// Words of a command line.
export function wordsOf(line: string): string[] {
	return split(line).map(({ key, value }) => (key === undefined ? value : `${key}=${value}`));
}

// key=value for known names, every other word for the next argument that has no value yet. Once all
// have one, words go on the value before them, as they were written.
function argumentsOf(prompt: Prompt, line: string): Record<string, string> {
	const names = (prompt.arguments ?? []).map(({ name }) => name);
	const words = split(line);
	const isNamed = ({ key }: Word) => key !== undefined && names.includes(key);
	const keys = new Set(words.filter(isNamed).map(({ key }) => key));
	const open = names.filter((name) => !keys.has(name));
	const values: Record<string, string> = {};
	let last: { name: string; start: number } | undefined;
	for (const word of words) {
		const { key = "", start, end } = word;
		const next = isNamed(word) ? key : open.shift();
		if (next !== undefined) {
			last = { name: next, start: isNamed(word) ? start + key.length + 1 : start };
			values[next] = isNamed(word) || word.key === undefined ? word.value : line.slice(start, end);
		} else if (last) {
			values[last.name] = line.slice(last.start, end);
		} else {
			throw new Error(`This prompt takes no arguments: ${shownLine(line)}`);
		}
	}
	return values;
}

function contentText(content: PromptMessage["content"]): string {
	if (content.type === "text") return content.text ?? "";
	const resource = content["resource"] as { uri?: string; text?: string } | undefined;
	if (resource) return `[Resource: ${resource.uri ?? "(no URI)"}]\n${resource.text ?? ""}`;
	return `[${content.type} content]`;
}

function flatten(messages: PromptMessage[]): string {
	const [only] = messages;
	if (only && messages.length === 1 && only.role === "user") return contentText(only.content);
	return messages.map(({ role, content }) => `[${role}] ${contentText(content)}`).join("\n\n");
}

export function commandOf({ name }: Prompt): string {
	return `mcp__${name}`.replace(/[^\w-]/g, "_");
}

// How the command is written: "/mcp__server__prompt <required> [optional]".
export function invocation(command: string, prompt: Prompt): string {
	const words = (prompt.arguments ?? []).map(({ name, required }) =>
		required ? `<${shownLine(name)}>` : `[${shownLine(name)}]`,
	);
	return [`/${command}`, ...words].join(" ");
}

export class Prompts {
	readonly #pi: ExtensionAPI;
	readonly #owner: { gateway(): Promise<Gateway> };
	readonly #known = new Map<string, Prompt>(); // by command, as offered last

	constructor(pi: ExtensionAPI, owner: { gateway(): Promise<Gateway> }) {
		this.#pi = pi;
		this.#owner = owner;
	}

	// A command that was registered stays; what a server no longer offers is answered by an error.
	// True when there are new ones.
	register(prompts: Prompt[]): boolean {
		const before = this.#known.size;
		for (const prompt of prompts) {
			const command = commandOf(prompt);
			const isNew = !this.#known.has(command);
			this.#known.set(command, prompt);
			if (isNew) this.#registerCommand(command, prompt);
		}
		return this.#known.size > before;
	}

	#registerCommand(command: string, { description }: Prompt): void {
		this.#pi.registerCommand(command, {
			description: shownLine(description ?? "MCP prompt"),
			getArgumentCompletions: (prefix) => this.#completions(command, prefix),
			handler: (line, ctx) =>
				this.#run(command, line, ctx).catch((error: Error) => {
					if (ctx.hasUI) ctx.ui.notify(`/${command}: ${shownText(error.message)}`, "error");
				}),
		});
	}

	// The names that may still be given, for the word that is being written.
	#completions(command: string, prefix: string) {
		const prompt = this.#known.get(command);
		const start = prefix.slice(0, prefix.search(/\S*$/));
		const word = prefix.slice(start.length);
		const given = new Set(split(start).map(({ key }) => key));
		const items = (prompt?.arguments ?? [])
			.filter(({ name }) => name.startsWith(word) && !given.has(name))
			.map(({ name, description }) => ({
				value: `${start}${name}=`,
				label: `${shownLine(name)}=`,
				...(description ? { description: shownLine(description) } : {}),
			}));
		return items.length > 0 ? items : null;
	}

	async #run(command: string, line: string, ctx: ExtensionCommandContext): Promise<void> {
		const prompt = this.#known.get(command);
		if (!prompt) return;
		const values = argumentsOf(prompt, line);
		const missing = (prompt.arguments ?? [])
			.filter(({ name, required }) => required && !(name in values))
			.map(({ name }) => name);
		if (missing.length > 0) {
			const what = missing.length > 1 ? "arguments" : "argument";
			throw new Error(
				`Missing required ${what}: ${missing.join(", ")}.\nUsage: ${invocation(command, prompt)}`,
			);
		}
		const gateway = await this.#owner.gateway();
		const text = flatten(await gateway.prompt(prompt.name, values));
		if (!text.trim()) throw new Error("the prompt has no text");
		this.#pi.sendUserMessage(text, ctx.isIdle() ? {} : { deliverAs: "followUp" });
	}
}
