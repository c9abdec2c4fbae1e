// Two real Pis in one folder have one shared process and one process of their server, which goes on
// for the other when one of them ends: in each Pi that the extension is for.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { until } from "../e2e/harness.mjs";
import { Pi, PiHome, fakeServer, versions } from "./pi.mjs";
import { end, open } from "./place.mjs";

describe("two Pis at once", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pis = [];
	afterEach(async () => {
		for (const pi of pis.splice(0)) await pi.close();
		await until("the shared process to end", () => !home.sharedProcess());
		await end({ model, home });
	});
	const named = (name) => home.processes().filter((pid) => PiHome.nameOf(pid) === name);
	const call = (tool, args = {}) => [{ tool: "mcp", args: { tool: `fake_${tool}`, args } }];

	for (const version of versions) {
		test(`share one process and one server (${version.name})`, async () => {
			const steps = [call("pid"), "one", call("echo", { text: "hi" }), "two"];
			({ model, home } = await open(steps, { fake: fakeServer("echo", "pid") }, { print: true }));
			home.share();
			pis = [new Pi(home, { version }), new Pi(home, { version })];
			await Promise.all(pis.map((pi) => pi.prompt("go")));
			const texts = pis.map((pi) => pi.results()[0].result.content[0].text);
			assert.match(texts[0], /^\d+$/);
			assert.equal(texts[0], texts[1], "both were answered by one server");
			assert.deepEqual(named("fake_server"), [Number(texts[0])]);
			const shared = home.sharedProcess();
			assert.ok(shared);
			await pis.shift().close();
			await pis[0].prompt("go on");
			assert.deepEqual(pis[0].results().map(({ isError }) => isError), [false, false]);
			assert.deepEqual(named("fake_server"), [Number(texts[0])]);
			assert.equal(home.sharedProcess(), shared);
		});
	}
});
