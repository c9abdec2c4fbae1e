// `pi-mcp emit-cli`: the program that it makes of a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Home, binary, cli, realServers, run } from "./harness.mjs";

describe("emit-cli", { timeout: 240_000 }, () => {
	let home;
	let program;
	before(async () => {
		home = new Home();
		home.configure(realServers(home));
		program = join(home.root, "everything");
		const { status, stderr } = await cli(home, ["emit-cli", "everything", "-o", program]);
		assert.equal(status, 0, stderr);
	});
	after(() => home.remove());
	const start = (...words) =>
		run(program, words, { env: { ...home.env, PI_MCP_BIN: binary }, cwd: home.project });

	test("its commands are the tools, called in every spelling", async () => {
		for (const words of [["a=1", "b=41"], ["--a", "1", "--b=41"], ['{"a": 1, "b": 41}']]) {
			const { status, stdout } = await start("get-sum", ...words);
			assert.equal(status, 0);
			assert.match(stdout, /42/);
		}
		const { stdout } = await start("echo", "message=https://example.com/a b", "--json");
		assert.match(JSON.parse(stdout).content[0].text, /https:\/\/example\.com\/a b/);
		const wrong = await start("echo", "mesage=x");
		assert.equal(wrong.status, 2);
		assert.match(wrong.stderr, /did you mean "message"/);
	});

	test("its help is there when the server and its entry have gone", async () => {
		home.configure({});
		const listed = await start("--help");
		assert.equal(listed.status, 0);
		assert.match(listed.stdout, /^everything: \d+ tools of an MCP server/);
		assert.match(listed.stdout, /\n {2}get-sum +\S/);
		const { status, stdout } = await start("get-sum", "--help");
		assert.equal(status, 0);
		assert.match(stdout, /^Usage: everything get-sum a=\.\.\. b=\.\.\.\n/);
		assert.match(stdout, /\n {2}a \(number\) \*required\* +\S/);
		assert.deepEqual(home.processes(), []);
		assert.equal((await start("get-sum", "a=1", "b=2")).status, 3);
	});
});
