// What most tests need: a scripted model, a home and a Pi in it, of which nothing is left behind.
import assert from "node:assert/strict";
import { cli } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { Pi, PiHome } from "./pi.mjs";

// `known`: names of servers whose tools are in the cache; `extra`: the source of another extension;
// `print`: the test starts Pi itself. The other options are those of Pi.
export async function open(steps, servers, options = {}) {
	const { settings, known = [], extra, print, ...ofPi } = options;
	const model = await Model.start(steps);
	const home = new PiHome(model).withCache();
	home.configure(servers, settings);
	for (const name of known) {
		const { status, stderr } = await cli(home, ["connect", name]);
		assert.equal(status, 0, stderr);
	}
	const args = extra ? ["-e", home.write("extra.js", extra)] : [];
	return { model, home, pi: print ? undefined : new Pi(home, { args, ...ofPi }) };
}

export async function end({ model, home, pi }) {
	await pi?.close();
	await model.stop();
	const left = home.processes();
	home.remove();
	assert.deepEqual(left, [], "Pi left processes behind");
}
