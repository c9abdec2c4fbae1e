// Pi's own MCP client steps aside for this extension, and Pi warns of that at every start. One line
// of its settings ends that; it is offered once, and written when the user asks for it.
import {
	existsSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Json } from "./wire.ts";

const entry = "-builtin:mcp";

function folder(): string {
	return process.env["PI_CODING_AGENT_DIR"] || join(homedir(), ".pi/agent");
}

function settingsOf(path: string): Json {
	return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Json) : {};
}

function extensionsOf(settings: Json): unknown[] {
	const { extensions = [] } = settings;
	if (!Array.isArray(extensions)) throw new Error("extensions in Pi's settings.json is not a list");
	return extensions;
}

// The offer, where Pi warns and the user has not heard of it.
export function offerOnce(): string | undefined {
	const without = ["-ne", "--no-extensions", "--no-mcp"];
	if (process.argv.some((word) => without.includes(word))) return undefined;
	if (extensionsOf(settingsOf(join(folder(), "settings.json"))).includes(entry)) return undefined;
	const told = join(folder(), "pi-mcp-told.json");
	if (existsSync(told)) return undefined;
	writeFileSync(told, '{ "builtin:mcp": true }\n', { mode: 0o600 });
	return "Pi warns at every start that its own MCP client steps aside. /mcp quiet ends that";
}

// Adds the line; gives what to tell.
export function endWarnings(): string {
	const path = join(folder(), "settings.json");
	const settings = settingsOf(path);
	const extensions = extensionsOf(settings);
	if (extensions.includes(entry)) return `${path} has "${entry}" already`;
	const text = JSON.stringify({ ...settings, extensions: [...extensions, entry] }, null, 2);
	const real = existsSync(path) ? realpathSync(path) : path; // a link stays one
	const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600;
	mkdirSync(dirname(real), { recursive: true });
	writeFileSync(`${real}.new`, `${text}\n`, { mode });
	renameSync(`${real}.new`, real);
	return `${path} has "${entry}" in "extensions" now. Take it out again should you remove pi-mcp`;
}
