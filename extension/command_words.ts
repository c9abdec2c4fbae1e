// The words of /mcp: what they are for, how they are used, what is offered while one is written.
import type { ServerState } from "./gateway.ts";
import { isInUse } from "./gateway.ts";
import { oneLine, shownLine } from "./shown_text.ts";

interface Word {
	about: string;
	usage: string; // behind the word
	flags?: string[]; // behind what it is about
	isFor?: (server: ServerState) => boolean; // offered behind it; absent: no server is
}

const isUsable = ({ status }: ServerState) => status !== "disabled" && status !== "needs trust";

const words = {
	status: { about: "every server and its state", usage: "" },
	tools: {
		about: "names of all tools, or of one server",
		usage: "[server]",
		isFor: isUsable,
	},
	prompts: {
		about: "prompts as commands, of all servers or one",
		usage: "[server]",
		isFor: isInUse,
	},
	connect: {
		about: "start a server; one of the project asks you first",
		usage: "<server>",
		isFor: ({ status }) => status !== "disabled",
	},
	reconnect: { about: "end and start all servers, or one", usage: "[server]", isFor: isUsable },
	enable: {
		about: "use a disabled server again",
		usage: "<server> [--here|--everywhere]",
		flags: ["--here", "--everywhere"],
		isFor: ({ status }) => status === "disabled",
	},
	disable: {
		about: "keep a server configured but do not use it",
		usage: "<server> [--here|--everywhere]",
		flags: ["--here", "--everywhere"],
		isFor: isUsable,
	},
	logs: { about: "last error and stderr of a server", usage: "<server>", isFor: isUsable },
	add: { about: "try a new server and add it", usage: "<name> <command...|url>" },
	install: { about: "try a server at an address and add it", usage: "<url> [name]" },
	setup: {
		about: "take over the servers of other hosts, or well-known ones",
		usage: "[--undo]",
		flags: ["--undo"],
	},
	edit: {
		about: "edit the entry of a server, or your file of servers",
		usage: "[server]",
		isFor: ({ project, status }) => !project && status !== "needs trust",
	},
	logout: {
		about: "forget the OAuth login of a server",
		usage: "<server>",
		isFor: (server) => server.remote && isUsable(server),
	},
	token: {
		about: "store a bearer token for a server",
		usage: "<server> [--remove]",
		flags: ["--remove"],
		isFor: (server) => server.remote && isUsable(server) && !server.project,
	},
	secret: {
		about: "store what ${keyring:NAME} stands for",
		usage: "<name> [--remove]",
		flags: ["--remove"],
	},
	trust: { about: "look at what the project's files want, and allow it", usage: "" },
	quiet: { about: "end Pi's warnings that its own MCP client steps aside", usage: "" },
	help: { about: "these words", usage: "" },
} satisfies Record<string, Word>;

export type Verb = keyof typeof words;
export type Command = "mcp" | "mcp-auth";

export function isVerb(word: string): word is Verb {
	return Object.hasOwn(words, word);
}

export function usageOf(verb: Verb): string {
	return `Usage: /mcp ${verb} ${words[verb].usage}`.trim();
}

export function helpText(): string {
	const width = Math.max(...Object.keys(words).map((verb) => verb.length)) + 2;
	return [
		"/mcp opens a panel of all servers and tools. Words behind it:",
		"",
		...Object.entries(words).map(([verb, { about }]) => `  ${verb.padEnd(width)}${about}`),
		"",
		"/mcp-auth [server] logs in to a server at a url.",
	].join("\n");
}

// What is written behind a verb: what it is about, and a flag of the verb.
export function divided(verb: Verb, rest: string[]): { subject: string; flag: string | undefined } {
	const { flags = [] }: Word = words[verb];
	const flag = rest.find((word) => flags.includes(word));
	const unknown = rest.find((word) => /^--./.test(word) && word !== flag);
	if (flags.length > 0 && unknown) throw new Error(`${shownLine(unknown)}? ${usageOf(verb)}`);
	return { subject: rest.filter((word) => word !== flag).join(" "), flag };
}

// Insertions, deletions and substitutions between the two.
function distance(a: string, b: string): number {
	let row = [...b, ""].map((_, i) => i);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++) {
			const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
			next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}

// What to say of a word that is not one of these.
export function unknownWord(word: string): string {
	const all = Object.keys(words);
	const typed = word.toLowerCase();
	const [near] = all
		.map((each) => ({ each, by: each.startsWith(typed) ? 0 : distance(typed, each) }))
		.filter(({ by }) => by <= 2)
		.toSorted((a, b) => a.by - b.by);
	const meant = near ? ` Did you mean /mcp ${near.each}?` : "";
	return `/mcp has no word "${shownLine(word)}".${meant} There are: ${all.join(", ")}`;
}

interface Item {
	value: string;
	label: string;
	description?: string;
}

function orNull(items: Item[]): Item[] | null {
	return items.length > 0 ? items : null;
}

// For the word that is being written; `servers` is asked only when that is the name of one.
export async function completionsOf(
	command: Command,
	prefix: string,
	servers: () => Promise<ServerState[]>,
): Promise<Item[] | null> {
	const start = command === "mcp" ? (/^\w+ +/.exec(prefix)?.[0] ?? "") : "";
	const verb = start.trim();
	if (command === "mcp" && !start) {
		const begun = Object.entries(words).filter(([each]) => each.startsWith(prefix));
		return orNull(
			begun.map(([value, { about }]) => ({ value, label: value, description: about })),
		);
	}
	if (command === "mcp" && !isVerb(verb)) return null;
	const word: Word | undefined = isVerb(verb) ? words[verb] : undefined;
	const typed = prefix.slice(start.length);
	const isFor = word ? word.isFor : (server: ServerState) => server.remote && isUsable(server);
	const behind = word?.isFor ? /^.*\S (?<flag>-*\w*)$/ : /^(?<flag>-*\w*)$/;
	const flag = behind.exec(typed)?.groups?.["flag"];
	if (word?.flags && flag !== undefined && (flag.startsWith("-") || !word.isFor)) {
		const before = prefix.slice(0, prefix.length - flag.length);
		const fitting = word.flags.filter((each) => each.startsWith(flag));
		return orNull(fitting.map((each) => ({ value: before + each, label: each })));
	}
	if (!isFor) return null;
	return orNull(
		(await servers())
			.filter((server) => isFor(server) && server.name.startsWith(typed))
			.filter(({ name }) => name === oneLine(name)) // what can be written in the editor
			.map(({ name, status }) => ({ value: start + name, label: name, description: status })),
	);
}
