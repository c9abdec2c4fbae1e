// Servers that other extensions of the same Pi bring.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { Model } from "./model.mjs";
import { Pi, PiHome, fakeServer } from "./pi.mjs";

// An extension that brings `server` in every way there is.
function extension(server) {
	const entry = JSON.stringify(server);
	return `export default function (pi) {
	pi.registerMcpServer("early", ${entry});
	let late;
	const event = (name) => {
		const request = { version: 1, name, definition: ${entry} };
		pi.events.emit("pi-mcp-adapter:runtime-register:v1", request);
		return request.result;
	};
	pi.on("session_start", (_event, ctx) => {
		const [first, second] = [event("bus"), event("bus")];
		ctx.ui.notify(\`registered: \${first?.ok} \${second?.ok}\`);
		late = first.registration;
	});
	pi.registerCommand("more", { handler: async () => pi.registerMcpServer("later", ${entry}) });
	pi.registerCommand("less", {
		handler: async () => {
			pi.unregisterMcpServer("early");
			await late.dispose();
		},
	});
}
`;
}

describe("servers of other extensions in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	afterEach(async () => {
		await pi?.close();
		await model.stop();
		const left = home.processes();
		home.remove();
		assert.deepEqual(left, [], "Pi left processes behind");
	});
	// Asks for the status until it is like this: a change takes a moment to get through.
	async function statusLike(pattern) {
		const from = pi.events.length;
		for (let asked = 0; asked < 50; asked++) {
			pi.send({ id: "s", type: "prompt", message: "/mcp status" });
			const { message } = await pi.notice(/^MCP: \d+\/\d+ servers/, from);
			if (pattern.test(message)) return;
			pi.events.length = from;
		}
		assert.fail(`the status never was like ${pattern}`);
	}

	test("are used like configured ones, as long as they are registered", async () => {
		const call = (tool) => [{ tool: "mcp", args: { tool, args: { text: "hi" } } }];
		model = await Model.start([call("early_echo"), call("bus_echo"), call("mine_echo")]);
		home = new PiHome(model).withCache();
		home.configure({ mine: fakeServer("echo") });
		const file = home.write("other.js", extension(fakeServer("echo")));
		pi = new Pi(home, { args: ["-e", file] });
		await pi.notice(/^registered: true false$/);
		await pi.prompt("go");
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false, false]);

		pi.send({ id: "m", type: "prompt", message: "/more" });
		await statusLike(/✓ later/); // nobody has asked for it
		pi.send({ id: "l", type: "prompt", message: "/less" });
		await statusLike(/^MCP: 2\/2 servers[^]*✓ mine[^]*✓ later/);
		assert.deepEqual(pi.events.filter(({ type }) => type === "extension_error"), []);
	});

	test("do not take the place of one that is configured", async () => {
		model = await Model.start([
			[{ tool: "mcp", args: { tool: "early_add", args: { a: 1, b: 2 } } }],
		]);
		home = new PiHome(model).withCache();
		home.configure({ early: fakeServer("add") });
		const file = home.write("other.js", extension(fakeServer("echo")));
		pi = new Pi(home, { args: ["-e", file] });
		await pi.prompt("go");
		assert.equal(pi.results()[0].isError, false);
	});
});
