// The extension is strict TypeScript against the types of the pinned Pi.
import assert from "node:assert/strict";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../e2e/harness.mjs";
import { root } from "./pi.mjs";

test("the type checker has nothing to say about the extension", async () => {
	const tsc = join(root, "tests/pi/node_modules/typescript/bin/tsc");
	const { stdout, status } = await run(process.execPath, [tsc, "-p", join(root, "extension")]);
	assert.equal(stdout, "");
	assert.equal(status, 0);
});

test("a strict program that imports pi-mcp is checked against what is there", async () => {
	const folder = mkdtempSync(join(tmpdir(), "pi-mcp-types-"));
	const own = join(folder, "node_modules/pi-mcp");
	mkdirSync(own, { recursive: true });
	for (const part of ["extension", "package.json"]) {
		cpSync(join(root, part), join(own, part), { recursive: true });
	}
	const modules = join(root, "tests/pi/node_modules");
	for (const name of ["@earendil-works", "@types", "typebox"]) {
		symlinkSync(join(modules, name), join(folder, "node_modules", name));
	}
	const program = `import piMcp, { createMcpAdapter } from "pi-mcp";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
const config = { mcpServers: { a: { command: "x" } }, settings: { toolPrefix: "none" } };
export const all: ExtensionFactory[] = [piMcp, createMcpAdapter({ config })];
// @ts-expect-error: a file is named by its path
createMcpAdapter({ configPath: 1 });
`;
	const sources = `import * as real from "./node_modules/pi-mcp/extension/index.ts";
export const said: typeof import("pi-mcp") = real;
`;
	writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
	writeFileSync(join(folder, "program.ts"), program);
	writeFileSync(join(folder, "sources.ts"), sources);
	const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023"];
	const check = async (...args) => {
		const tsc = join(modules, "typescript/bin/tsc");
		const all = [tsc, ...options, "--types", "node", "--skipLibCheck", ...args];
		return (await run(process.execPath, all, { cwd: folder })).stdout;
	};
	assert.equal(await check("program.ts"), "");
	assert.equal(await check("--allowImportingTsExtensions", "sources.ts"), "");
	rmSync(folder, { recursive: true });
});

test("Pi's start reads these files of the extension, whatever is added to it", () => {
	const read = new Set();
	const visit = (name) => {
		if (read.has(name)) return;
		read.add(name);
		const text = readFileSync(join(root, "extension", name), "utf8");
		for (const [, file] of text.matchAll(/^import (?!type )[^;]*"\.\/([\w.]+)";/gm)) visit(file);
	};
	visit("index.ts");
	const drawn = ["definitions.ts", "rendering.ts", "shown_text.ts"];
	assert.deepEqual([...read].sort(), [...drawn, "index.ts", "registered.ts"].sort());
});
