// The extension is strict TypeScript against the types of the pinned Pi.
import assert from "node:assert/strict";
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
