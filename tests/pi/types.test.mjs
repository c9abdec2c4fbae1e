// The extension is strict TypeScript against the types of the pinned Pi.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
