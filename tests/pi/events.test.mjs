// What other extensions of Pi see of MCP: they decide about calls, follow the state of the servers,
// and know what a direct tool is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { cli, until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { Pi, PiHome, fakeServer, print, scriptedServer, versions } from "./pi.mjs";

// Writes down what it hears, decides by the tool's name, and what is known of w_look.
const listener = (file) => `
import { appendFileSync } from "node:fs";
const line = (note) => JSON.stringify(note) + "\\n";
const note = (what, data) => appendFileSync(${JSON.stringify(file)}, line({ what, data }));
const decisions = { echo: "deny", add: "allow_once", err: "abstain", big: "allow_for_session" };
export default function (pi) {
	pi.events.on("pi-mcp-adapter:tool-approval-request", ({ claim, signal, ...request }) => {
		note("asked", { ...request, aborted: signal?.aborted });
		if (request.originalToolName === "pid") return;
		if (request.originalToolName === "cwd") claim(() => Promise.reject(new Error("no idea")));
		else claim(async () => decisions[request.originalToolName]);
		if (claim(() => "deny")) note("claimed twice");
	});
	pi.events.on("pi-mcp-adapter/status/v1", (status) => note("status", status));
	pi.on("before_agent_start", () => {
		note("known", pi.getAllTools().find(({ name }) => name === "w_look"));
	});
}
`;

async function session(steps, approveTools) {
	const model = await Model.start([...steps, "finished"]);
	const home = new PiHome(model).withCache();
	const tools = ["echo", "add", "err", "big", "pid", "cwd"];
	const off = { ...fakeServer("echo"), disabled: true };
	const look = { name: "look", annotations: { readOnlyHint: true, title: "Look" } };
	const about = { directTools: true, description: "To look" };
	const w = { ...scriptedServer({ tools: [look] }), ...about };
	home.configure({ fake: { ...fakeServer(...tools), directTools: ["add"], approveTools }, w, off });
	const known = await cli(home, ["connect", "--all"]);
	assert.equal(known.status, 0, known.stderr);
	const heard = join(home.root, "heard.jsonl");
	const args = ["-e", home.write("listener.js", listener(heard))];
	const of = (what) => {
		const lines = readFileSync(heard, "utf8").split("\n").filter(Boolean);
		const notes = lines.map((line) => JSON.parse(line));
		return notes.filter((note) => note.what === what).map(({ data }) => data);
	};
	const end = async () => {
		await model.stop();
		const left = home.processes();
		home.remove();
		assert.deepEqual(left, []);
	};
	return { home, args, of, end };
}

// Runs the steps in one prompt.
async function run(version, steps, approveTools) {
	const { home, args, of, end } = await session(steps, approveTools);
	const { stdout, stderr } = await print(home, "go", { version, mode: ["--mode", "json"], args });
	const [asked, twice, known] = ["asked", "claimed twice", "known"].map(of);
	await end();
	const events = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
	const results = events.filter(({ type }) => type === "tool_execution_end");
	return { results, asked, twice, known, stderr };
}

const mcp = (tool, args) => [{ tool: "mcp", args: { tool, args } }];

describe("other extensions", { timeout: 240_000 }, () => {
	for (const version of versions) {
		test(`Pi ${version.name}: an extension decides about every call`, async () => {
			const steps = [
				mcp("fake_echo", { text: "hi" }),
				[{ tool: "fake_add", args: { a: 2, b: 40 } }],
				mcp("fake_err", { message: "no luck" }),
				mcp("fake_cwd"),
				mcp("fake_pid"),
			];
			const { results, asked: all, twice, stderr } = await run(version, steps);
			const failed = results.map(({ isError }) => isError);
			assert.deepEqual(failed, [true, false, true, true, false], stderr);
			const texts = results.map(({ result }) => JSON.stringify(result.content));
			assert.match(texts[0], /Another extension did not allow \\"fake_echo\\"/);
			assert.match(texts[1], /42/);
			assert.match(texts[2], /no luck/);
			assert.match(texts[3], /did not allow/);
			const [echo, add] = all;
			const { requestId, ...asked } = echo;
			assert.match(requestId, /^[\da-f-]{36}$/);
			assert.deepEqual(asked, {
				serverName: "fake",
				originalToolName: "echo",
				prefixedToolName: "fake_echo",
				args: { text: "hi" },
				origin: "proxy",
				aborted: false,
			});
			assert.equal(add.origin, "direct");
			assert.equal(all.length, 5);
			assert.equal(twice.length, 0);
		});
	}

	test("an extension allows what the user would have to be asked for", async () => {
		const big = mcp("fake_big", { bytes: 10 });
		const add = mcp("fake_add", { a: 1, b: 1 });
		const { results } = await run(versions[0], [add, mcp("fake_pid"), big, big], true);
		assert.deepEqual(results.map(({ isError }) => isError), [false, true, false, false]);
		assert.match(JSON.stringify(results[1].result.content), /needs the user's approval/);
	});

	test("the state of the servers is told in the adapter's words", async () => {
		const { home, args, of, end } = await session([mcp("fake_pid")]);
		const pi = new Pi(home, { args });
		await pi.prompt("go");
		let connected;
		const isTold = () => {
			connected = of("status").find(({ connectedCount }) => connectedCount === 1);
			return connected !== undefined;
		};
		await until("the state of the server that was used", isTold);
		await pi.close();
		const last = of("status").at(-1);
		await end();
		assert.deepEqual(connected, {
			version: 1,
			servers: [
				{
					name: "fake",
					status: "connected",
					listenState: "legacy",
					toolCount: 7,
					directToolCount: 1,
					disabled: false,
				},
				{
					name: "w",
					status: "cached",
					listenState: "disconnected",
					toolCount: 1,
					directToolCount: 1,
					disabled: false,
				},
				{
					name: "off",
					status: "disabled",
					listenState: "disconnected",
					toolCount: 0,
					directToolCount: 0,
					disabled: true,
				},
			],
			totalTools: 8,
			totalResources: 0,
			connectedCount: 1,
			disabledCount: 1,
		});
		assert.deepEqual(last.servers, [], "the session has ended");
	});

	test("a direct tool has its annotations and the namespace of its server", async () => {
		const { known } = await run(versions[0], [mcp("fake_pid")]);
		const [{ namespace, annotations, exposure }] = known;
		assert.deepEqual(namespace, { name: "mcp__w", aliases: ["w"], description: "To look" });
		assert.deepEqual(annotations, { readOnlyHint: true });
		assert.equal(exposure, "direct");
	});
});
