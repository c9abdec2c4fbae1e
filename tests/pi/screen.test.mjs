// The extension in Pi's interactive user interface.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cli, server } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, fakeServer, scriptedServer } from "./pi.mjs";
import { Screen } from "./screen.mjs";

describe("the interactive user interface", { timeout: 240_000 }, () => {
	for (const columns of [80, 140]) {
		test(`a call and the status are readable at ${columns} columns`, async () => {
			const model = await Model.start([
				[{ tool: "mcp", args: { tool: "fake_add", args: { a: 2, b: 40 } } }],
				"The sum is 42.",
			]);
			const home = new PiHome(model).withCache();
			home.configure({ fake: fakeServer("add"), other: fakeServer("echo") });
			const known = await cli(home, ["connect", "--all"]);
			assert.equal(known.status, 0, known.stderr);
			const screen = new Screen(home, columns);
			try {
				await screen.shows(/scripted/);
				await screen.enter("What is 2 and 40?", /The sum is 42\./);
				assert.match(screen.text, /mcp fake\/add a=2 b=40 → 42/);
				await screen.enter("/mcp status", /✓ fake \(2 tools\)/);
				assert.match(screen.text, /MCP: 1\/2 servers, 4 tools/);
				assert.match(screen.text, /○ other \(2 tools, cached\)/);
				assert.ok(screen.widest <= columns, `${screen.widest} columns`);
			} finally {
				screen.close();
				await model.stop();
				await home.allGone(10).finally(() => home.remove());
			}
		});
	}

	test("words of /mcp and arguments of prompts are completed", async () => {
		const model = await Model.start(["answered"]);
		const home = new PiHome(model).withCache();
		const prompts = [{ name: "go", arguments: [{ name: "branch" }, { name: "base_branch" }] }];
		home.configure({
			everything: server("mcp-server-everything"),
			w: scriptedServer({ prompts }),
		});
		const known = await cli(home, ["connect", "--all"]);
		assert.equal(known.status, 0, known.stderr);
		const screen = new Screen(home, 100);
		try {
			await screen.shows(/scripted/);
			// By then the prompts are registered, which closes a list of completions.
			await screen.enter("say it", /answered/);
			screen.type("/mcp re");
			await screen.shows(/reconnect +end and start all servers/);
			screen.keys("C-u");
			screen.type("/mcp logs e");
			await screen.shows(/everything +cached/);
			screen.keys("C-u");
			screen.type("/mcp__everything__args-prompt st");
			await screen.shows(/state=/);
			screen.keys("C-u");
			screen.type("/mcp__w__go base_branch=x b");
			await screen.shows(/\n.* branch=/);
		} finally {
			screen.close();
			await model.stop();
			await home.allGone(10).finally(() => home.remove());
		}
	});
});
