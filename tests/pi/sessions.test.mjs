// /reload and new sessions in the real Pi: one gateway at a time, and no process is left.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { Pi, PiHome, fakeServer } from "./pi.mjs";

// What /reload does in the terminal, as a command that can be sent.
const reloader = `export default function (pi) {
	pi.registerCommand("again", { handler: (_line, ctx) => ctx.reload() });
}
`;

describe("sessions of Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	async function start(steps) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure({ fake: fakeServer("echo") });
		pi = new Pi(home, { args: ["-e", home.write("reloader.js", reloader)] });
	}
	afterEach(async () => {
		await pi?.close();
		await model.stop();
		const left = home.processes();
		home.remove();
		assert.deepEqual(left, [], "Pi left processes behind");
	});
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

	test("a new session has a gateway of its own and the old one is gone", async () => {
		await start([echo, "one"]);
		await pi.prompt("go");
		const [before] = gateways();
		await pi.command("new_session");
		await anotherGateway(before);
		await pi.prompt("go");
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
	});
});
