// The extension in the real Pi: the mcp tool from a scripted model to real servers and back.
import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { realServers, until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { Pi, PiHome, print, root, scriptedServer } from "./pi.mjs";
import { end } from "./place.mjs";

const call = (args) => [{ tool: "mcp", args }];

describe("the mcp tool in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	async function start(steps, options) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure({ ...realServers(home), ...options?.servers });
		if (!options?.print) pi = new Pi(home, options);
	}
	afterEach(() => end({ model, home, pi }));

	test("a model searches, describes and calls a tool of a real server", async () => {
		await start([
			call({ connect: "everything" }),
			call({ search: "echo" }),
			call({ describe: "everything_echo" }),
			call({ tool: "everything_echo", args: { message: "hé 😀" } }),
			"finished",
		], { print: true });
		const { stdout, status, stderr } = await print(home, "go");
		assert.equal(stdout.trim(), "finished", stderr);
		assert.equal(status, 0);
		const [, found, described, called] = model.toolTexts();
		assert.match(found, /everything_echo/);
		assert.match(described, /message \(string\) \*required\*/);
		assert.match(called, /hé 😀/);
		const system = model.requests[0].messages[0];
		assert.match(JSON.stringify(system), /mcp: Use the user's MCP servers/);
	});

	test("an image of a tool reaches the model as an image", async () => {
		await start([call({ tool: "everything_get-tiny-image" }), "seen"]);
		await pi.prompt("go");
		const [{ result, isError }] = pi.results();
		assert.equal(isError, false);
		const image = result.content.find(({ type }) => type === "image");
		assert.equal(image.mimeType, "image/png");
		assert.match(JSON.stringify(model.requests.at(-1).messages), /data:image\/png;base64,iVBOR/);
	});

	test("a failing tool is a failed tool result with its details", async () => {
		await start([
			call({ tool: "files_read_text_file", args: { path: "/no/such/file" } }),
			call({ tool: "nothing_like_this" }),
		]);
		await pi.prompt("go");
		const [failed, unknown] = pi.results();
		assert.equal(failed.isError, true);
		assert.equal(failed.result.details.error, "tool_error");
		assert.match(failed.result.content[0].text, /denied|outside|no such/i);
		assert.equal(unknown.isError, true);
		assert.equal(unknown.result.details.error, "tool_not_found");
	});

	test("progress of a long call reaches Pi while it runs", async () => {
		const args = { duration: 1, steps: 3 };
		await start([call({ tool: "everything_trigger-long-running-operation", args })]);
		const events = await pi.prompt("go");
		const updates = events.filter(({ type }) => type === "tool_execution_update");
		const texts = updates.map(({ partialResult }) => partialResult.content[0].text);
		assert.ok(texts.some((text) => /\d\/3/.test(text)), JSON.stringify(texts));
	});

	test("progress without a total is its message in one line", async () => {
		const params = { progress: 0.5, message: "half\n\u001b[31mway" };
		await start([call({ tool: "w_progress", args: { params } })], {
			servers: { w: scriptedServer({ tools: ["progress"] }) },
		});
		const events = await pi.prompt("go");
		const updates = events.filter(({ type }) => type === "tool_execution_update");
		const texts = updates.map(({ partialResult }) => partialResult.content[0].text);
		assert.ok(texts.includes("half way"), JSON.stringify(texts));
		assert.ok(texts.every((text) => !/\(0/.test(text)), JSON.stringify(texts));
	});

	test("aborting cancels the call and leaves the session usable", async () => {
		const args = { duration: 60, steps: 60 };
		await start([
			call({ tool: "everything_trigger-long-running-operation", args }),
			call({ tool: "everything_echo", args: { message: "still here" } }),
		]);
		const from = pi.events.length;
		pi.send({ id: "p", type: "prompt", message: "go" });
		const isProgress = ({ type, partialResult }) =>
			type === "tool_execution_update" && /\/60/.test(JSON.stringify(partialResult));
		await pi.event("progress of the call", isProgress, from);
		await pi.command("abort");
		const ended = await pi.event("the end of the call", ({ type }) => type === "tool_execution_end");
		assert.equal(ended.isError, true);
		await pi.event("the end of the prompt", ({ type }) => type === "agent_settled", from);
		await pi.prompt("again");
		assert.match(model.toolTexts().at(-1), /still here/);
	});

	test("without the program one notice says how to build it", async () => {
		const copy = mkdtempSync(join(tmpdir(), "pi-mcp-copy-"));
		cpSync(join(root, "extension"), join(copy, "extension"), { recursive: true });
		for (const file of ["package.json", "dev"]) cpSync(join(root, file), join(copy, file));
		await start(["hello"], { extension: copy, env: { PI_MCP_BIN: "" } });
		await pi.prompt("go");
		rmSync(copy, { recursive: true });
		assert.deepEqual(
			pi.shown("notify").map(({ message }) => message),
			[`MCP: The pi-mcp program is missing. Build it: cd ${copy} && ./dev build`],
		);
		assert.doesNotMatch(model.toolNames().join(), /mcp/);
	});

	test("a session that ends before the gateway has answered ends quietly", async () => {
		await start(["hello"], { print: true });
		const mute = home.write("mute", "#!/bin/sh\nexec cat >/dev/null\n");
		chmodSync(mute, 0o755);
		const { status, stderr } = await print(home, "/mcp", { env: { PI_MCP_BIN: mute } });
		assert.equal(stderr, "");
		assert.equal(status, 0);
	});

	test("--mcp-config names the file of servers", async () => {
		await start([call({})], { print: true });
		const file = home.write("other.json", { mcpServers: { only_here: { command: "true" } } });
		await print(home, "go", { args: ["--mcp-config", file] });
		assert.match(model.toolTexts()[0], /only_here/);
		assert.doesNotMatch(model.toolTexts()[0], /everything/);
	});

	test("a PI_MCP_BIN that is no program is named", async () => {
		await start(["hello"], { env: { PI_MCP_BIN: "/no/such/program" } });
		await pi.notice(/^MCP: PI_MCP_BIN is \/no\/such\/program, which is no program/);
	});

	for (const [prints, script, words] of [
		["a usage text", "echo 'usage: \\033[31mother [options]'; exec cat", 'it printed "usage: other '],
		["an empty line", "echo; exec cat", "it printed an empty line"],
	]) {
		test(`another program named pi-mcp that prints ${prints} is named, and Pi goes on`, async () => {
			await start(["hello"], { print: true });
			const other = home.write("pi-mcp", `#!/bin/sh\n${script}\n`);
			chmodSync(other, 0o755);
			pi = new Pi(home, { env: { PI_MCP_BIN: other } });
			await pi.prompt("go");
			const notices = pi.shown("notify").map(({ message }) => message);
			assert.equal(notices.length, 1, JSON.stringify(notices));
			assert.ok(notices[0].startsWith(`MCP: ${other} is not the pi-mcp that belongs here: `));
			assert.ok(notices[0].includes(words), notices[0]);
			assert.match(notices[0], /Name the right one in PI_MCP_BIN\.$/);
			assert.deepEqual(home.processes(), [pi.child.pid]);
		});
	}

	test("a gateway that was killed is started again for the next call", async () => {
		await start([
			call({ tool: "everything_echo", args: { message: "one" } }),
			"stop",
			call({ tool: "everything_echo", args: { message: "two" } }),
		]);
		await pi.prompt("go");
		const gateways = () => home.processes().filter((pid) => PiHome.nameOf(pid) === "pi-mcp");
		const [first] = gateways();
		process.kill(first, "SIGKILL");
		await until("the gateway and its servers to end", () => home.processes().length === 1);
		await pi.prompt("again");
		assert.match(model.toolTexts().at(-1), /two/);
		assert.equal(gateways().length, 1);
	});

	test("closing Pi ends the gateway and every server", async () => {
		await start([call({ tool: "everything_echo", args: { message: "one" } })]);
		await pi.prompt("go");
		assert.ok(home.processes().length > 2);
		assert.equal(await pi.close(), 0);
		await home.allGone();
	});
});
