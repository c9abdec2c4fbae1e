// Permissions of real hosts behind one tool: what a person allowed for a look is no leave to
// destroy, and hosts without a person still look. `./dev hosts` runs it; docs/hosts.md has what was
// seen.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { HostRun } from "./hosts.mjs";

const status = { tool: "mcp", args: {} };
const search = { tool: "mcp", args: { search: "look at something" } };
const call = (name, tool = "mcp") => ({ tool, args: { tool: `probe_${name}` } });

let run;
const start = async (...options) => (run = await HostRun.start(...options));
afterEach(async () => {
	await run?.close();
	run = undefined;
});

// One pattern for each call that came back to the model.
function assertResults({ results, output }, ...patterns) {
	assert.equal(results.length, patterns.length, `calls; the host printed:\n${output.slice(-2000)}`);
	for (const [i, pattern] of patterns.entries()) assert.match(results[i], pattern, `call ${i + 1}`);
}

const servers = /probe/;
const found = /probe_look \(read-only\)/;
const looked = /PROBE did look/;
const split = { args: ["--split"] };
const looking = [status, search, call("look"), call("put"), call("put", "mcp_write")];
const refused = /mcp_write/; // by pi-mcp

describe("without a person and without a flag, the split form", { timeout: 600_000 }, () => {
	test("codex exec runs what only reads and nothing else", async () => {
		await start("codex", looking, split);
		const notAllowed = /requires approval|rejected|denied|not allowed/i;
		assertResults(await run.headless(), servers, found, looked, refused, notAllowed);
		assert.deepEqual(run.ran(), ["look"]);
	});

	test("copilot -p runs what only reads and nothing else", async () => {
		await start("copilot", looking, split);
		const notAllowed = /permission|denied/i;
		assertResults(await run.headless(), servers, found, looked, refused, notAllowed);
		assert.deepEqual(run.ran(), ["look"]);
	});

	test("opencode run asks for mcp_write alone when told so, and so does not run it", async () => {
		const permission = { "pi-mcp_mcp_write": "ask" };
		await start("opencode", looking, { ...split, permission });
		const ended = await run.headless(); // with the refusal, which the model does not see
		assertResults(ended, servers, found, looked, refused);
		assert.match(ended.output, /permission requested: pi-mcp_mcp_write .*rejecting/);
		assert.deepEqual(run.ran(), ["look"]);
	});

	test("claude -p that always allows mcp does not allow mcp_write", async () => {
		await start("claude", looking, split);
		const flags = ["--allowedTools", "mcp__pi-mcp__mcp"];
		assertResults(await run.headless(...flags), servers, found, looked, refused, /permission/i);
		assert.deepEqual(run.ran(), ["look"]);
	});
});

describe("without a person, a flag and the split", { timeout: 600_000 }, () => {
	for (const name of ["codex", "copilot", "claude"]) {
		test(`${name} refuses a status query too`, async () => {
			await start(name, [status, call("look")]);
			const no = /requires approval|permission|denied/i;
			assertResults(await run.headless(), no, no);
			assert.deepEqual(run.ran(), []);
		});
	}
});

const mixed = [status, call("look"), call("put"), call("delete_all")];
const done = /PROBE did put/;
const declined = /probe_delete_all.*needs the user's approval.*approveTools.*--split/s;

describe("a host that allows mcp does not allow what destroys", { timeout: 600_000 }, () => {
	test("codex exec", async () => {
		await start("codex", mixed);
		const flags = ["-c", 'mcp_servers.pi-mcp.default_tools_approval_mode="approve"'];
		assertResults(await run.headless(...flags), servers, looked, done, declined);
		assert.deepEqual(run.ran(), ["look", "put"]);
	});

	test("claude -p", async () => {
		await start("claude", mixed);
		const flags = ["--allowedTools", "mcp__pi-mcp__mcp"];
		assertResults(await run.headless(...flags), servers, looked, done, declined);
		assert.deepEqual(run.ran(), ["look", "put"]);
	});

	test("copilot -p", async () => {
		await start("copilot", mixed);
		const flags = ["--allow-tool", "pi-mcp(mcp)"];
		assertResults(await run.headless(...flags), servers, looked, done, declined);
		assert.deepEqual(run.ran(), ["look", "put"]);
	});

	test("opencode run, which cannot ask, refuses what approveTools names", async () => {
		await start("opencode", mixed, { settings: { approveTools: "marked" } });
		const cannot = /this host cannot ask for it.*approveTools.*--split/s;
		assertResults(await run.headless(), servers, looked, done, cannot);
		assert.deepEqual(run.ran(), ["look", "put"]);
	});

	test("Codex in a terminal, which allows a status query for the session", async () => {
		await start("codex", [status, ...Array(3).fill(call("delete_all"))]);
		const screen = run.interactive("codex", "go");
		await screen.shows(/Allow the pi-mcp MCP server to run tool "mcp"/);
		await screen.shows(/Allow for this session/);
		screen.keys("Down", "Enter");
		await screen.shows(/probe wants to run delete_all/);
		assert.deepEqual(run.ran(), []);
		screen.keys("Up", "Enter"); // the last choice, "Do not allow"
		await screen.shows(/The user did not allow "probe_delete_all"/);
		assert.deepEqual(run.ran(), []);
		await screen.shows(/probe wants to run delete_all/);
		screen.keys("Down", "Enter"); // "Allow delete_all for this session"
		await screen.shows(/DONE/);
		assert.deepEqual(run.ran(), ["delete_all", "delete_all"]);
	});
});
