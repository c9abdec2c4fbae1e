// One extension for every line of Pi: the same conversation in each of them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { Pi, PiHome, fakeServer, print, versions } from "./pi.mjs";

describe("every line of Pi", { timeout: 240_000 }, () => {
	for (const version of versions) {
		test(`Pi ${version.name} calls tools, sees failures and leaves nothing behind`, async () => {
			const mcp = (args) => [{ tool: "mcp", args }];
			const model = await Model.start([
				mcp({ search: "echo" }),
				mcp({ tool: "fake_echo", args: { text: "hé 😀" } }),
				mcp({ tool: "fake_image" }),
				mcp({ tool: "fake_err", args: { message: "no luck" } }),
				[{ tool: "fake_add", args: { a: 2, b: 40 } }],
				"finished",
			]);
			const home = new PiHome(model).withCache();
			const tools = ["echo", "image", "err", "add"];
			home.configure({ fake: { ...fakeServer(...tools), directTools: ["add"] } });
			const known = await cli(home, ["connect", "fake"]);
			assert.equal(known.status, 0, known.stderr);

			const { stdout, stderr } = await print(home, "go", { version, mode: ["--mode", "json"] });
			const left = home.processes();
			await model.stop();
			home.remove();
			const events = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
			const results = events.filter(({ type }) => type === "tool_execution_end");
			const failed = results.map(({ isError }) => isError);
			assert.deepEqual(failed, [false, false, false, true, false], stderr);
			const texts = results.map(({ result }) => JSON.stringify(result.content));
			assert.match(texts[0], /fake_echo/);
			assert.match(texts[1], /hé 😀/);
			assert.match(texts[2], /"type":"image"/);
			assert.match(texts[3], /no luck/);
			assert.match(texts[4], /42/);
			assert.deepEqual(left, []);
		});

		test(`Pi ${version.name} has a direct tool again once its server is enabled again`, async () => {
			const { model, home, pi } = await session(version, ["hello"], { directTools: true });
			const declared = () => model.toolNames().includes("fake_add");
			const promptUntil = async (isDone) => {
				for (let turn = 0; turn < 50; turn++) {
					await pi.prompt("go");
					if (isDone()) return;
				}
				assert.fail(model.toolNames().join());
			};
			try {
				await promptUntil(declared);
				await pi.command("prompt", { message: "/mcp disable fake --everywhere" });
				await promptUntil(() => !declared());
				await pi.command("prompt", { message: "/mcp enable fake" });
				await promptUntil(declared);
			} finally {
				await end(model, home, pi);
			}
		});

		test(`Pi ${version.name} closes a question whose call was aborted`, async () => {
			const call = [{ tool: "mcp", args: { tool: "fake_add", args: { a: 2, b: 40 } } }];
			const steps = [call, call, "done"];
			const { model, home, pi } = await session(version, steps, { approveTools: true });
			const isDialog = ({ method }) => method === "select";
			try {
				pi.send({ id: "p", type: "prompt", message: "go" });
				const stale = await pi.event("the question", isDialog);
				const from = pi.events.length;
				await pi.command("abort");
				await pi.event("the end of the prompt", ({ type }) => type === pi.settled, from);
				const next = pi.events.length;
				pi.send({ id: "q", type: "prompt", message: "again" });
				const dialog = await pi.event("the next question", isDialog, next);
				pi.reply(stale, "Deny");
				pi.reply(dialog, "Allow once");
				await pi.event("the end of the prompt", ({ type }) => type === pi.settled, next);
				assert.deepEqual(pi.results().map(({ isError }) => isError), [true, false]);
				assert.match(model.toolTexts().at(-1), /42/);
			} finally {
				await end(model, home, pi);
			}
		});
	}
});

// Pi in a session with the server "fake", of which the cache knows; `entry` is more of its entry.
async function session(version, steps, entry) {
	const model = await Model.start(steps);
	const home = new PiHome(model).withCache();
	home.configure({ fake: { ...fakeServer("add"), ...entry } });
	const known = await cli(home, ["connect", "fake"]);
	assert.equal(known.status, 0, known.stderr);
	return { model, home, pi: new Pi(home, { version }) };
}

async function end(model, home, pi) {
	await pi.close();
	await model.stop();
	const left = home.processes();
	home.remove();
	assert.deepEqual(left, [], "Pi left processes behind");
}
