#!/usr/bin/env node
// The command `pi-mcp` of the npm package: runs the program of this platform's package.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const name = `pi-mcp-${process.platform}-${process.arch}`;
let program;
try {
	program = createRequire(import.meta.url).resolve(`${name}/bin/pi-mcp`);
} catch {
	console.error(`pi-mcp: the package ${name} is missing; reinstall with optional dependencies`);
	process.exit(127);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// What a terminal or a host sends to us is meant for the program.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("close", (status, signal) => process.exit(status ?? 128 + constants.signals[signal]));
