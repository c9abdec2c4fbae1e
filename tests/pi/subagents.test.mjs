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

// The agent that people talk to gives work to the one in the file, and waits for it.
const lead = [
	[{ tool: "subagent", args: { agent: "reader", task: "read", async: true } }],
	[{ tool: "bg_wait", args: { all: true, timeoutMs: 60_000 } }],
	"over",
];
const child = [
	[
		{ tool: "files_echo", args: { text: "first hi" } },
		{ tool: "files-two_add", args: { a: 40, b: 2 } },
	],
	"read",
];

describe("agents of pi-subagents", { timeout: 240_000 }, () => {
	test("an agent of pi-subagents calls the mcp: tool that its file names", async () => {
		const model = await Model.start();
		const isLead = (request) => model.toolNames(request).includes("subagent");
		model.steps = (request, turn) => (isLead(request) ? lead : child)[turn];
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
			const [first, second] = model.requests.filter((request) => !isLead(request));
			const told = JSON.stringify(model.requests.filter(isLead).at(-1)?.messages.slice(-4));
			assert.ok(second, told);
			assert.deepEqual(model.toolNames(first).filter((name) => /^files/.test(name)).sort(), [
				"files-two_add",
				"files_echo",
			]);
			assert.match(JSON.stringify(second.messages), /first hi/);
			assert.match(JSON.stringify(second.messages), /42/);
		} finally {
			await model.stop();
			await home.allGone(20).finally(() => home.remove());
		}
	});
});
