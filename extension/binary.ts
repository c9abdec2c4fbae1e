// Where the pi-mcp program is: PI_MCP_BIN, this folder's own, its npm package, or PATH.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
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
	const own = [join(root, "build/release"), join(root, "bin"), ...packaged()];
	const found = [...own, ...folders].map((folder) => join(folder, "pi-mcp")).find(isProgram);
	if (found) return found;
	throw new Error(`The pi-mcp program is missing. ${remedy()}`);
}

// The folder of the program in the npm package for this platform, where that is installed.
function packaged(): string[] {
	const name = `pi-mcp-${process.platform}-${process.arch}`;
	try {
		return [dirname(createRequire(import.meta.url).resolve(`${name}/bin/pi-mcp`))];
	} catch {
		return [];
	}
}

function remedy(): string {
	return existsSync(join(root, "dev"))
		? `Build it: cd ${root} && ./dev build`
		: "Install it on the PATH, or name it in PI_MCP_BIN.";
}
