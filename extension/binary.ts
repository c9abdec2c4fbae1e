// Where the pi-mcp program is: PI_MCP_BIN, this checkout's own build, or PATH.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

// Throws an error that tells what to do when there is none.
export function findBinary(env: NodeJS.ProcessEnv = process.env): string {
	const chosen = env["PI_MCP_BIN"];
	if (chosen) {
		if (isProgram(chosen)) return chosen;
		throw new Error(`PI_MCP_BIN is ${chosen}, which is no program. Correct or unset it.`);
	}
	const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
	const candidates = [join(root, "build/release"), ...folders].map((dir) => join(dir, "pi-mcp"));
	const found = candidates.find(isProgram);
	if (found) return found;
	throw new Error(`The pi-mcp program is missing. Build it: cd ${root} && ./dev build`);
}
