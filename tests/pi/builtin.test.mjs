// Pi's own MCP client steps aside, of which Pi warns at every start; /mcp quiet ends that.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { Model } from "./model.mjs";
import { Pi, PiHome, fakeServer, print } from "./pi.mjs";

describe("Pi's own MCP client", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	afterEach(async () => {
		await pi?.close();
		await model.stop();
		home.remove();
	});
	const offers = () => pi.shown("notify").filter(({ message }) => /\/mcp quiet/.test(message));

	test("is named at every start until /mcp quiet, which is offered once", async () => {
		model = await Model.start(["done"]);
		home = new PiHome(model).withCache();
		home.configure({ fake: fakeServer("echo") });
		assert.match((await print(home, "go", { builtins: true })).stderr, /builtin:mcp/);
		pi = new Pi(home, { builtins: true });
		await pi.notice(/\/mcp quiet ends that/);
		pi.send({ id: "q", type: "prompt", message: "/mcp quiet" });
		await pi.notice(/settings.json has "-builtin:mcp" in "extensions" now/);
		await pi.close();
		const settings = readFileSync(join(home.agent, "settings.json"), "utf8");
		assert.deepEqual(JSON.parse(settings).extensions, ["-builtin:mcp"]);
		assert.equal(JSON.parse(settings).defaultModel, "scripted", "the rest stays");
		assert.doesNotMatch((await print(home, "go", { builtins: true })).stderr, /builtin:mcp/);
		pi = new Pi(home, { builtins: true });
		await pi.prompt("go");
		assert.deepEqual(offers(), []);
		assert.ok(model.toolNames().includes("mcp"));
	});

	test("is offered no end of its warnings twice", async () => {
		model = await Model.start(["done"]);
		home = new PiHome(model).withCache();
		home.configure({ fake: fakeServer("echo") });
		pi = new Pi(home, { builtins: true });
		await pi.notice(/\/mcp quiet ends that/);
		await pi.close();
		pi = new Pi(home, { builtins: true });
		await pi.prompt("go");
		assert.deepEqual(offers(), []);
	});
});
