// One extension for every line of Pi: the same conversation in each of them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, fakeServer, print, versions } from "./pi.mjs";

describe("every line of Pi", { timeout: 240_000 }, () => {
	for (const version of versions) {
		test(`Pi ${version.name} calls tools, sees failures and leaves nothing behind`, async () => {
			const mcp = (args) => [{ tool: "mcp", args }];
			const model = await Model.start([
				mcp({ search: "echo" }),
				mcp({ tool: "fake_echo", args: { text: "hé 😀" } }),
				mcp({ tool: "fake_image" }),
				mcp({ tool: "fake_err", args: { message: "no luck" } }),
				[{ tool: "fake_add", args: { a: 2, b: 40 } }],
				"finished",
			]);
			const home = new PiHome(model).withCache();
			const tools = ["echo", "image", "err", "add"];
			home.configure({ fake: { ...fakeServer(...tools), directTools: ["add"] } });
			const known = await cli(home, ["connect", "fake"]);
			assert.equal(known.status, 0, known.stderr);

			const { stdout, stderr } = await print(home, "go", { version, mode: ["--mode", "json"] });
			const left = home.processes();
			await model.stop();
			home.remove();
			const events = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
			const results = events.filter(({ type }) => type === "tool_execution_end");
			const failed = results.map(({ isError }) => isError);
			assert.deepEqual(failed, [false, false, false, true, false], stderr);
			const texts = results.map(({ result }) => JSON.stringify(result.content));
			assert.match(texts[0], /fake_echo/);
			assert.match(texts[1], /hé 😀/);
			assert.match(texts[2], /"type":"image"/);
			assert.match(texts[3], /no luck/);
			assert.match(texts[4], /42/);
			assert.deepEqual(left, []);
		});
	}
});
