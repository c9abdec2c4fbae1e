// Servers that `pi-mcp setup` has moved out of other hosts' files, called in the real Pi.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { namedServer, PiHome, print } from "./pi.mjs";

const call = (args) => [{ tool: "mcp", args }];
const cursors = { mcpServers: { paper: namedServer("fold") } };
const claudes = { numStartups: 7, mcpServers: { cloth: { type: "stdio", ...namedServer("sew") } } };

describe("Pi after setup", { timeout: 240_000 }, () => {
	let home;
	let model;
	const cursorFile = () => readFileSync(join(home.root, ".cursor/mcp.json"), "utf8");

	before(async () => {
		model = await Model.start([
			call({ tool: "paper_fold", args: { side: "left" } }),
			call({ tool: "cloth_sew", args: { seam: 2 } }),
			"finished",
		]);
		home = new PiHome(model);
		home.write(".cursor/mcp.json", cursors);
		home.write(".claude.json", claudes);
	});
	after(async () => {
		await model.stop();
		home.remove();
	});

	test("a model calls servers that were Cursor's and Claude Code's", async () => {
		const { status, stderr } = await cli(home, ["setup", "--yes"]);
		assert.equal(status, 0, stderr);
		assert.doesNotMatch(cursorFile(), /paper/);
		const answered = await print(home, "go");
		assert.equal(answered.stdout.trim(), "finished", answered.stderr);
		assert.deepEqual(model.toolTexts(), ['{"side":"left"}', '{"seam":2}']);
	});

	test("undo gives them back", async () => {
		const { status, stderr } = await cli(home, ["setup", "--undo"]);
		assert.equal(status, 0, stderr);
		assert.deepEqual(JSON.parse(cursorFile()), cursors);
	});
});
