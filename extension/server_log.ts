// What servers say in log messages, kept in a file beside Pi's mcp.json, where Pi's own MCP client
// keeps it too: `<time> [<server>] <level> <logger>: <message>`. The gateway has taken secrets out.
import { appendFileSync, chmodSync, renameSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { shownLine } from "./shown_text.ts";
import type { Json } from "./wire.ts";

// Then it becomes mcp.log.1, in the place of the one before.
const bytesMax = 5 << 20;
const messageMax = 4096;

function textOf(data: unknown): string {
	const text = typeof data === "string" ? data : JSON.stringify(data);
	return shownLine(text ?? "", messageMax);
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

// Throws when the file cannot be written.
export function keepLog({ logger, level, data }: Json): void {
	const folder = process.env["PI_CODING_AGENT_DIR"] || join(homedir(), ".pi/agent");
	const path = join(folder, "mcp.log");
	const [server = "", ...own] = String(logger).split("/");
	const who = `[${shownLine(server)}] ${shownLine([String(level), ...own].join(" "))}`;
	if (sizeOf(path) > bytesMax) renameSync(path, `${path}.1`);
	const line = `${new Date().toISOString()} ${who}: ${textOf(data)}\n`;
	appendFileSync(path, line, { mode: 0o600 });
	chmodSync(path, 0o600); // one that Pi's own client has made
}
