// Tools of servers in the files of agents of pi-subagents, which looks them up in the cache.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, fakeServer, print, root } from "./pi.mjs";

const subagents = join(root, "tests/pi/node_modules/pi-subagents");

const agent = `---
name: reader
description: Reads what it is told to
tools:
  - mcp:files/echo
  - mcp:files-two
model: mock/scripted
---
You read.
`;

// Agents with such tools run in the background, where pi-subagents reads Pi's library, which needs
// a package that registries do not always have. One in the foreground gets as far as its tools, and
// says which those are that its file names and that it lacks.
const args = { agent: "reader", task: "read", async: false };
const lead = [[{ tool: "subagent", args }], "over"];

describe("agents of pi-subagents", { timeout: 240_000 }, () => {
	test("mcp: tools of an agent are found in the cache that a shell has filled", async () => {
		const model = await Model.start(lead);
		const home = new PiHome(model).withCache();
		try {
			home.configure({
				files: { ...fakeServer("echo", "add"), env: { WORD: "${GREETING}" } },
				"files-two": fakeServer("add"),
			});
			const file = ".pi/agent/settings.json";
			const settings = JSON.parse(readFileSync(join(home.root, file), "utf8"));
			home.write(file, { ...settings, packages: [root, subagents] });
			home.write(".pi/agent/agents/reader.md", agent);
			// Connected in a shell without the variable, so by another hash than Pi's.
			const known = await cli(home, ["connect", "--all"]);
			assert.equal(known.status, 0, known.stderr);
			const env = { GREETING: "hello" };
			const options = { bare: true, builtins: true, saves: true, env };
			const { status, stderr } = await print(home, "go", options);
			assert.equal(status, 0, stderr);
			const [, told] = model.requests;
			assert.match(
				JSON.stringify(told.messages),
				/MCP direct tools missing[^.]*: files_echo, files-two_add, files-two_get_my_resource\./,
			);
		} finally {
			await model.stop();
			await home.allGone(20).finally(() => home.remove());
		}
	});
});
