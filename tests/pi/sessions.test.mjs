// /reload, new sessions and those taken up again in the real Pi: one gateway at a time, what a
// session allowed and saved stays its own, and no process is left.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, describe, test } from "node:test";
import { until } from "../e2e/harness.mjs";
import { Pi, PiHome, fakeServer, print, versions } from "./pi.mjs";
import { end, open } from "./place.mjs";

// What /reload does in the terminal, as a command that can be sent.
const reloader = `export default function (pi) {
	pi.registerCommand("again", { handler: (_line, ctx) => ctx.reload() });
}
`;

describe("sessions of Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	async function start(steps, { servers = { fake: fakeServer("echo") }, ...options } = {}) {
		({ model, home, pi } = await open(steps, servers, { extra: reloader, ...options }));
	}
	afterEach(() => end({ model, home, pi }));
	const gateways = () => home.processes().filter((pid) => PiHome.nameOf(pid) === "pi-mcp");
	const echo = [{ tool: "mcp", args: { tool: "fake_echo", args: { text: "hi" } } }];
	async function anotherGateway(before) {
		const isThere = () => {
			const [gateway, ...more] = gateways(); // looked at once: the old one may end meanwhile
			return gateway !== undefined && gateway !== before && more.length === 0;
		};
		await until("another gateway", isThere, 20);
		await until("the old servers to end", () => home.servers().length === 1, 10);
	}

	test("/reload ends the gateway and its servers and reads everything anew", async () => {
		await start([echo, "one", echo, "two"]);
		await pi.prompt("go");
		const [before] = gateways();
		home.configure({ fake: fakeServer("echo"), added: fakeServer("add") });
		await pi.command("prompt", { message: "/again" });
		await anotherGateway(before);
		await pi.prompt("go on");
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
		assert.equal(model.toolNames().filter((name) => name === "mcp").length, 1);
		pi.send({ id: "s", type: "prompt", message: "/mcp status" });
		await pi.notice(/^MCP: 1\/2 servers[^]*○ added/);
	});

	for (const version of versions) {
		test(`/new goes on with the servers of the session before (${version.name})`, async () => {
			await start([echo, "one"], { version });
			await pi.prompt("go");
			const before = [...gateways(), ...home.servers()];
			await pi.command("new_session");
			await pi.prompt("go");
			assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
			assert.deepEqual([...gateways(), ...home.servers()], before);
			assert.deepEqual(pi.shown("notify").filter(({ notifyType }) => notifyType !== "info"), []);
		});
	}

	test("the end of a gateway that was handed on is told, and it is started anew", async () => {
		await start([echo, "one"]);
		await pi.prompt("go");
		const [before] = gateways();
		await pi.command("new_session");
		pi.send({ id: "s", type: "prompt", message: "/mcp status" });
		await pi.notice(/^MCP: 1\/1 servers/);
		const old = home.processes().filter((pid) => pid !== pi.child.pid);
		process.kill(before, "SIGKILL");
		await pi.notice(/The gateway ended unexpectedly/);
		const isGone = () => !home.processes().some((pid) => old.includes(pid));
		await until("everything of the killed gateway to end", isGone, 10);
		await pi.prompt("go");
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
		await until("one gateway with one server", () =>
			gateways().length === 1 && home.servers().length === 2, 10);
	});

	const guarded = { fake: { ...fakeServer("echo"), approveTools: true } };
	const isDialog = ({ type, method }) => type === "extension_ui_request" && method === "select";
	const dialogs = () => pi.events.filter(isDialog);
	async function allowed() {
		const from = pi.events.length;
		pi.send({ id: "p", type: "prompt", message: "go" });
		const dialog = await pi.event("a dialog", isDialog, from);
		pi.reply(dialog, "Allow echo for this session");
		await pi.event("the end", ({ type }) => type === pi.settled, from);
	}

	test("what was allowed for the session counts after /reload, and not in the next", async () => {
		await start([echo, "one", echo, "two"], { servers: guarded });
		await allowed();
		await pi.command("prompt", { message: "/again" });
		await pi.prompt("go on");
		assert.equal(dialogs().length, 1);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
		await pi.command("new_session");
		await allowed();
		assert.equal(dialogs().length, 2);
	});

	for (const version of versions) {
		test(`what was allowed for the session counts with pi -c (${version.name})`, async () => {
			await start([echo, "one", echo, "two"], { servers: guarded, saves: true, version });
			await allowed();
			await pi.close();
			pi = new Pi(home, { saves: true, version, args: ["-c"] });
			await pi.prompt("go on");
			assert.equal(dialogs().length, 0);
			assert.deepEqual(pi.results().map(({ isError }) => isError), [false]);
		});
	}

	test("the file with all of a long result is there after /reload and with pi -c", async () => {
		const long = "x".repeat(60_000);
		const call = [{ tool: "mcp", args: { tool: "fake_echo", args: { text: long } } }];
		await start([call, "one"], { saves: true });
		await pi.prompt("go");
		const [, path] = /Full text: (\S+output-\S+)/.exec(pi.results()[0].result.content[0].text);
		const isWhole = () => readFileSync(path, "utf8").includes(long);
		assert.ok(isWhole());
		const [before] = gateways();
		await pi.command("prompt", { message: "/again" });
		await anotherGateway(before);
		assert.ok(isWhole());
		await pi.close();
		await print(home, "go on", { saves: true, args: ["-c"] });
		assert.match(model.toolTexts()[0], /Full text: /);
		assert.ok(isWhole());
	});
});
