// approveTools in the real Pi: the user is asked, and without a user nothing runs.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { Pi, PiHome, fakeServer, print } from "./pi.mjs";

describe("approvals in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	const echo = (text) => [{ tool: "mcp", args: { tool: "fake_echo", args: { text } } }];
	async function start(steps, { approveTools = true, ...options } = {}) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure({ fake: { ...fakeServer("echo", "add"), approveTools } });
		const { status, stderr } = await cli(home, ["connect", "fake"]);
		assert.equal(status, 0, stderr);
		if (!options.print) pi = new Pi(home, options);
	}
	afterEach(async () => {
		await pi?.close();
		pi = undefined;
		await model.stop();
		const left = home.processes();
		home.remove();
		assert.deepEqual(left, [], "Pi left processes behind");
	});
	const isDialog = ({ type, method }) => type === "extension_ui_request" && method === "select";
	// Sends a prompt and answers each dialog with the next of `answers`.
	async function prompt(...answers) {
		const from = pi.events.length;
		pi.send({ id: "p", type: "prompt", message: "go" });
		let next = from;
		for (const answer of answers) {
			const dialog = await pi.event("a dialog", isDialog, next);
			next = pi.events.indexOf(dialog) + 1;
			pi.reply(dialog, answer);
		}
		await pi.event("the end of the prompt", ({ type }) => type === "agent_settled", from);
		return pi.events.slice(from);
	}
	const dialogs = (events) => events.filter(isDialog);

	test("an allowed call runs, and the next one is asked for again", async () => {
		await start([echo("one"), echo("one")]);
		const [dialog] = dialogs(await prompt("Allow once", "Allow once"));
		assert.match(dialog.title, /^fake wants to run echo\n\{"text":"one"\}$/);
		assert.deepEqual(dialog.options, [
			"Allow once",
			"Allow this call for the session",
			"Allow every tool of fake for the session",
			"Deny",
		]);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
	});

	test("a call allowed for the session is bound to its arguments", async () => {
		await start([echo("one"), echo("one"), echo("two")]);
		const events = await prompt("Allow this call for the session", "Deny");
		assert.equal(dialogs(events).length, 2);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false, true]);
		assert.equal(pi.results()[2].result.details.error, "approval_denied");
	});

	test("a server allowed for the session is not asked for again", async () => {
		await start([echo("one"), echo("two")]);
		const events = await prompt("Allow every tool of fake for the session");
		assert.equal(dialogs(events).length, 1);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
	});

	test("a dialog that is closed denies the call", async () => {
		await start([echo("one")]);
		await prompt(undefined);
		assert.equal(pi.results()[0].isError, true);
		assert.match(model.toolTexts()[0], /did not allow/);
	});

	test("without a user interface a call that needs approval does not run", async () => {
		await start([echo("one")], { print: true });
		await print(home, "go");
		assert.match(model.toolTexts()[0], /needs the user's approval/);
	});
});
