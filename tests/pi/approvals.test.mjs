// approveTools in the real Pi: the user is asked, and without a user nothing runs.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { Pi, fakeServer, print, scriptedServer, versions } from "./pi.mjs";
import { end, open } from "./place.mjs";

describe("approvals in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	const echo = (text) => [{ tool: "mcp", args: { tool: "fake_echo", args: { text } } }];
	const guarded = { fake: { ...fakeServer("echo", "add"), approveTools: true } };
	async function start(steps, { servers = guarded, ...options } = {}) {
		const known = Object.keys(servers);
		({ model, home, pi } = await open(steps, servers, { known, ...options }));
	}
	afterEach(() => end({ model, home, pi }));
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
		await pi.event("the end of the prompt", ({ type }) => type === pi.settled, from);
		return pi.events.slice(from);
	}
	const dialogs = (events) => events.filter(isDialog);

	test("search and describe say which tools ask", async () => {
		const mcp = (args) => ({ tool: "mcp", args });
		const guards = { fake: { ...fakeServer("echo", "add"), approveTools: ["ec*"] } };
		const asked = [mcp({ search: "echo" }), mcp({ describe: "fake_echo" })];
		await start([asked], { servers: guards, print: true });
		await print(home, "go");
		const [found, described] = model.toolTexts();
		assert.match(found, /fake_echo \(requires approval\)/);
		assert.match(described, /^fake_echo \(requires approval\)/);
	});

	for (const version of versions) {
		test(`mcp names tools of Pi and of other extensions as such (${version.name})`, async () => {
			const extra = `export default function (pi) {
				const parameters = { type: "object", properties: {} };
				const execute = async () => ({ content: [], details: {} });
				for (const name of ["ask_user", "idle"])
					pi.registerTool({ name, label: name, description: name, parameters, execute });
				pi.on("session_start", () => {
					pi.setActiveTools(pi.getActiveTools().filter((name) => name !== "idle"));
				});
			}`;
			const calls = ["read", "ask_user", "idle", "echo"].map((tool) => ({
				tool: "mcp",
				args: { tool, args: { text: "hi" } },
			}));
			await start([calls], { servers: { fake: fakeServer("echo") }, extra, version });
			await prompt();
			const [native, asked, idle, called] = model.toolTexts();
			assert.match(native, /^"read" is a tool of Pi[^]*Call read itself, without mcp\.$/);
			assert.match(asked, /^"ask_user" is a tool of Pi/);
			assert.match(idle, /not found/); // the model does not have it
			assert.match(called, /hi/);
		});
	}

	test("an allowed call runs, and the next one is asked for again", async () => {
		await start([echo("one"), echo("one")]);
		const [dialog] = dialogs(await prompt("Allow once", "Allow once"));
		assert.match(dialog.title, /^fake wants to run echo\n\{"text":"one"\}$/);
		assert.deepEqual(dialog.options, [
			"Allow once",
			"Allow echo for this session",
			"Always allow echo",
			"Always allow every tool of fake",
			"Do not allow",
		]);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false]);
	});

	const add = [{ tool: "mcp", args: { tool: "fake_add", args: { a: 1, b: 2 } } }];

	test("a tool allowed for the session is not asked for again, whatever its arguments", async () => {
		await start([echo("one"), echo("two"), add]);
		const events = await prompt("Allow echo for this session", "Do not allow");
		assert.equal(dialogs(events).length, 2);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, false, true]);
		assert.equal(pi.results()[2].result.details.error, "approval_denied");
	});

	test("what is always allowed is not asked for in the next session either", async () => {
		await start([echo("one")]);
		assert.equal(dialogs(await prompt("Always allow every tool of fake")).length, 1);
		await pi.close();
		pi = new Pi(home);
		assert.equal(dialogs(await prompt()).length, 0);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false]);
	});

	test("without a configuration a tool asks when it says that it destroys", async () => {
		const call = (tool) => [{ tool: "mcp", args: { tool } }];
		await start([call("disk_list"), call("disk_wipe")], {
			servers: {
				disk: scriptedServer({
					tools: ["list", { name: "wipe", annotations: { destructiveHint: true } }],
				}),
			},
		});
		const [dialog, ...more] = dialogs(await prompt("Do not allow"));
		assert.match(dialog.title, /^disk wants to run wipe$/);
		assert.deepEqual(more, []);
		assert.deepEqual(pi.results().map(({ isError }) => isError), [false, true]);
	});

	test("with splitTool Pi has two tools and knows what they and direct tools say", async () => {
		const extra = `export default function (pi) {
			pi.registerCommand("hints", {
				handler: async (_, ctx) => {
					const hints = pi.getAllTools().map(({ name, annotations }) => [name, annotations]);
					ctx.ui.notify("HINTS " + JSON.stringify(Object.fromEntries(hints)), "info");
				},
			});
		}`;
		const write = (name, args) => [{ tool: name, args: { tool: "disk_put", args } }];
		await start([write("mcp"), write("mcp_write")], {
			settings: { splitTool: true },
			extra,
			servers: {
				disk: {
					...scriptedServer({
						tools: [{ name: "list", annotations: { readOnlyHint: true, title: "T" } }, "put"],
					}),
					directTools: ["list"],
				},
			},
		});
		await prompt();
		const [refused, done] = pi.results();
		assert.match(refused.result.content[0].text, /mcp_write\(\{ tool: "disk_put"/);
		assert.deepEqual([refused.isError, done.isError], [true, false]);
		pi.send({ id: "h", type: "prompt", message: "/hints" });
		const { message } = await pi.notice(/^HINTS /);
		const hints = JSON.parse(message.slice("HINTS ".length));
		assert.deepEqual(hints.mcp, {
			readOnlyHint: true,
			destructiveHint: false,
			openWorldHint: true,
		});
		assert.equal(hints.mcp_write.readOnlyHint, false);
		assert.deepEqual(hints.disk_list, { readOnlyHint: true });
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
