// The same job from a shell: commands, `--json`, exit statuses, ctrl-C.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Home, cli, here, realServers, until } from "./harness.mjs";

describe("the shell", { timeout: 240_000 }, () => {
	let home;
	before(() => {
		home = new Home();
		home.configure({ ...realServers(home), broken: { command: "no-such-program-anywhere" } });
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
	});
	after(() => home.remove());

	const ok = async (...args) => {
		const { status, stdout, stderr } = await cli(home, args);
		assert.equal(status, 0, stderr + stdout);
		return stdout;
	};

	test("status, connect, list, search, describe and call work one after the other", async () => {
		assert.match(await ok("status"), /^4 servers, 0 tools\n/);
		assert.match(await ok("connect", "everything"), /everything_echo/);
		assert.match(await ok("list", "everything"), /everything_get-sum/);
		assert.match(await ok("search", "add", "numbers"), /get-sum/);
		assert.match(await ok("describe", "everything_echo"), /message/);
		assert.match(await ok("call", "everything_echo", "message=hello"), /hello/);
		await home.allGone();
	});

	test("arguments may be key=value, JSON, or standard input", async () => {
		assert.match(await ok("call", "everything_get-sum", "a=2", "b=40"), /42/);
		assert.match(await ok("call", "everything_get-sum", '{"a": 2, "b": 41}'), /43/);
		const piped = await cli(home, ["call", "everything_get-sum", "-"], { input: '{"a":1,"b":1}' });
		assert.match(piped.stdout, /2/);
	});

	test("--json prints the result as the server gave it, or the details object", async () => {
		const result = JSON.parse(await ok("call", "--json", "everything_echo", "message=x"));
		assert.match(result.content[0].text, /x/);
		assert.equal(JSON.parse(await ok("status", "--json")).mode, "status");
	});

	test("exit statuses tell what went wrong", async () => {
		const status = async (...args) => (await cli(home, args)).status;
		assert.equal(await status("call", "files_read_text_file", "path=/etc/passwd"), 1);
		assert.equal(await status("--no-such-option"), 2);
		assert.equal(await status("describe", "everything_nothing"), 3);
		assert.equal(await status("list", "nobody"), 3);
		assert.equal(await status("connect", "broken"), 4);
		const slow = ["everything_trigger-long-running-operation", "duration=30", "steps=3"];
		assert.equal(await status("--timeout", "1", "call", ...slow), 6);
	});

	test("ctrl-C during a call exits with 130 and leaves nothing behind", async () => {
		const slow = ["everything_trigger-long-running-operation", "duration=50", "steps=50"];
		let child;
		const ended = cli(home, ["call", ...slow], { onStart: (started) => (child = started) });
		await until("the server to run", () => home.processes().length > 1);
		child.kill("SIGINT");
		assert.equal((await ended).status, 130);
		await home.allGone();
	});

	test("add, config and remove change what is there, and only that", async () => {
		await ok("add", "mine", "--", "node", "server.js", "--flag");
		const written = JSON.parse(readFileSync(`${home.agent}/mcp.json`, "utf8"));
		assert.deepEqual(written.mcpServers.mine, { command: "node", args: ["server.js", "--flag"] });
		assert.ok(written.mcpServers.everything);
		assert.match(await ok("config"), /mine/);
		await ok("remove", "mine");
		assert.doesNotMatch(await ok("status"), /mine/);
	});

	test("--version, --help and completions answer", async () => {
		const built = readFileSync(join(here, "../../CMakeLists.txt"), "utf8");
		const number = built.match(/VERSION ([\d.]+) LANG/)[1];
		assert.ok((await ok("--version")).startsWith(`pi-mcp ${number}`));
		const { version, commit, arch, libraries } = JSON.parse(await ok("--version", "--json"));
		assert.deepEqual([version, arch], [number, process.arch]);
		assert.match(commit, /^([0-9a-f]{40}(-changed)?|unknown)$/);
		assert.ok(libraries.some(({ name, licence }) => name === "openssl" && licence));
		const verbs = ["serve", "status", "list", "search", "describe", "call", "connect", "config"];
		for (const verb of verbs) {
			assert.match(await ok("--help"), new RegExp(`\\b${verb}\\b`));
			assert.ok((await ok(verb, "--help")).length > 40, verb);
		}
		for (const shell of ["bash", "zsh", "fish"]) {
			assert.match(await ok("completion", shell), /pi-mcp/);
		}
	});
});
