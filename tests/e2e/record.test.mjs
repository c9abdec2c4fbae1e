// `pi-mcp record` and `pi-mcp replay` between the client of the SDK and real servers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Home, bin, binary, cli } from "./harness.mjs";

const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

describe("record and replay", { timeout: 240_000 }, () => {
	let home;
	let empty;
	before(() => {
		home = new Home();
		empty = new Home(); // knows no server
		home.configure({
			everything: {
				command: bin("mcp-server-everything"),
				env: { WORD_OF_MINE: "${SPELL}" },
			},
		});
	});
	after(() => {
		home.remove();
		empty.remove();
	});

	// What `use` gives with a client of `pi-mcp WORDS...`, how that ended and what it said.
	const session = async (at, words, use) => {
		const env = { ...at.env, SPELL: "correct horse" };
		const link = new StdioClientTransport({
			command: binary, args: words, env, cwd: at.project, stderr: "pipe",
		});
		let said = "";
		link.stderr.on("data", (text) => (said += text));
		const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
		client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }));
		await client.connect(link);
		const progress = []; // the SDK loses what comes together with the answer
		const receive = link.onmessage;
		link.onmessage = (message) => {
			progress.push(...(message.method === "notifications/progress" ? [message.params] : []));
			receive(message);
		};
		const ended = once(link._process, "exit");
		const result = await use(client).finally(() => client.close());
		return { result, progress, status: (await ended)[0], said };
	};
	const jobs = async (client) => {
		const seen = [];
		seen.push((await client.listTools()).tools.map(({ name }) => name));
		const call = (name, args, options) =>
			client.callTool({ name, arguments: args }, undefined, options);
		seen.push(await call("echo", { message: `say ${token} twice` }));
		seen.push(await call("get-env", {}));
		seen.push(await call("trigger-elicitation-request", {}));
		seen.push(await client.readResource({ uri: "demo://resource/static/document/features.md" }));
		seen.push(await call("trigger-long-running-operation", { duration: 1, steps: 2 },
			{ onprogress: () => {} }));
		return seen;
	};
	const file = (name) => join(home.root, name);

	test("what a client saw of a server it sees of the recording, where no server is", async () => {
		const recorded = await session(home, ["record", file("a.jsonl"), "everything"], jobs);
		assert.equal(recorded.status, 0, recorded.said);
		const seen = recorded.result;
		assert.deepEqual(recorded.progress.map((step) => step.progress), [1, 2]);
		assert.match(seen[1].content[0].text, new RegExp(token));

		assert.equal(statSync(file("a.jsonl")).mode & 0o777, 0o600);
		const text = readFileSync(file("a.jsonl"), "utf8");
		assert.doesNotMatch(text, new RegExp(token));
		assert.doesNotMatch(text, /correct horse/);
		for (const line of text.trim().split("\n")) {
			JSON.parse(line);
		}

		const replayed = await session(empty, ["replay", file("a.jsonl"), "--all"], jobs);
		assert.equal(replayed.status, 0, replayed.said);
		const masked = JSON.parse(JSON.stringify(seen[1]).replaceAll(token, "***"));
		assert.deepEqual(replayed.result[1], masked);
		for (const same of [0, 3, 4, 5]) {
			assert.deepEqual(replayed.result[same], seen[same]);
		}
		assert.deepEqual(replayed.progress, recorded.progress);
		assert.doesNotMatch(replayed.result[2].content[0].text, /correct horse/);
	});

	test("what was not recorded is refused, and the status says so", async () => {
		const other = await session(empty, ["replay", file("a.jsonl")], async (client) => {
			await assert.rejects(
				client.callTool({ name: "echo", arguments: { message: "else" } }),
				/is not in the recording; the nearest is line \d+: tools\/call .*"name":"echo"/,
			);
			return client.callTool({ name: "get-env", arguments: {} });
		});
		assert.equal(other.status, 1);
		assert.match(other.said, /tools\/call .*"else".* is not in the recording/);
		assert.ok(other.result.content[0].text);

		const less = (words) =>
			session(empty, ["replay", file("a.jsonl"), ...words], (client) => client.listTools());
		assert.equal((await less([])).status, 0);
		const strict = await less(["--all"]);
		assert.equal(strict.status, 1);
		assert.match(strict.said, /nobody has asked for line \d+: tools\/call/);
	});

	test("a program and pi-mcp serve itself are recorded too", async () => {
		const words = ["record", file("b.jsonl"), "--", bin("mcp-server-everything")];
		const sum = (client) => client.callTool({ name: "get-sum", arguments: { a: 1, b: 41 } });
		const program = await session(empty, words, sum);
		assert.match(program.result.content[0].text, /42/);
		const same = await session(empty, ["replay", file("b.jsonl")], sum);
		assert.deepEqual(same.result, program.result);

		const call = { tool: "everything_get-sum", args: { a: 2, b: 40 } };
		const mcp = (client) => client.callTool({ name: "mcp", arguments: call });
		const served = await session(
			home, ["record", file("c.jsonl"), "--servers", "everything"], mcp);
		assert.match(served.result.content[0].text, /42/);
		const again = await session(empty, ["replay", file("c.jsonl"), "--all"], mcp);
		assert.deepEqual([again.result, again.status], [served.result, 0]);
		await home.allGone();
	});

	test("a server that ends, and files that are no recordings, are told", async () => {
		// A host that waits.
		const words = ["record", file("d.jsonl"), "--", "false"];
		const gone = await new Promise((resolve) =>
			execFile(binary, words, { env: empty.env }, (error, _, said) =>
				resolve({ code: error?.code, said })));
		assert.equal(gone.code, 4);
		assert.match(gone.said, /exited with status 1/);
		assert.equal((await cli(home, ["record", file("d.jsonl"), "nobody"])).status, 3);

		const whole = readFileSync(file("a.jsonl"), "utf8");
		const cut = whole.slice(0, whole.length / 2);
		for (const [text, why] of [
			[cut, `line ${cut.split("\n").length}: cut short`],
			['{"mcpServers":{}}\n', "line 1: this is not a recording"],
		]) {
			writeFileSync(file("e.jsonl"), text);
			const broken = await cli(empty, ["replay", file("e.jsonl")]);
			assert.equal(broken.status, 2);
			assert.ok(broken.stderr.includes(why), broken.stderr);
		}
		assert.equal((await cli(empty, ["replay", file("none")])).status, 2);
	});
});
