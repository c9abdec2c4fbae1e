// Files of a project in Pi's interactive user interface: Pi's own question, ours, and the panel.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, describe, test } from "node:test";
import { until } from "../e2e/harness.mjs";
import { Clone, trustIt } from "./clone.mjs";
import { Model } from "./model.mjs";
import { versions } from "./pi.mjs";
import { Screen } from "./screen.mjs";

const [newest, , oldest] = versions;

describe("files of a project on the screen", { timeout: 290_000 }, () => {
	let home;
	let model;
	let screen;

	async function begin(...steps) {
		model = await Model.start(steps);
		home = new Clone(model);
	}
	afterEach(async () => {
		screen?.close();
		screen = undefined;
		await model.stop();
		await home.allGone(10).finally(() => home.remove());
	});

	const editor = /scripted/;
	const dialog = /Trust project folder\?/;
	async function open(options) {
		screen = new Screen(home, 120, options);
		await screen.shows(options?.first ?? editor);
	}
	async function choose(label) {
		const isChosen = () => screen.text.split("\n").some((line) => isCursorOn(line, label));
		for (let moved = 0; moved < 10 && !isChosen(); moved++) {
			const was = screen.text;
			screen.keys("Down");
			await until("the cursor to move", () => screen.text !== was);
		}
		assert.ok(isChosen(), screen.text);
		screen.keys("Enter");
	}
	const isCursorOn = (line, label) => line.trim().replace(/^[→›❯>]\s*/, "") === label
		&& line.trim() !== label;

	test("Do not trust, for this session only: nothing runs and the panel says why", async () => {
		await begin("hello");
		home.brings(".pi/mcp.json", { eager: home.server("eager", { lifecycle: "eager" }) });
		home.brings(".mcp.json", { lazy: home.server("lazy") });
		await open({ first: dialog });
		await choose("Do not trust (this session only)");
		await screen.shows(editor);
		await screen.enter("/mcp status", /⚠ eager \(project\) \(needs trust\)/);
		assert.doesNotMatch(screen.text, /MCP: 2 servers need trust/);
		await screen.enter("/mcp connect lazy", /lazy is of this project, which Pi does not trust/);
		await screen.enter("/mcp", /type to filter/);
		await screen.shows(/⊘ eager \(project\) not trusted — Pi does not trust this folder/);
		screen.keys("Enter");
		await screen.shows(/lazy is of this project, which Pi does not trust\. \/trust says otherwise/);
		screen.keys("Escape");
		await until("the panel to go", () => !/type to filter/.test(screen.text));
		assert.deepEqual([home.hasRun("eager"), home.hasRun("lazy")], [false, false]);
	});

	test("trust that Pi is given later counts without a restart", async () => {
		await begin("hello");
		home.configure({ mine: home.server("mine") });
		await open();
		await until("the user's server to be asked for its tools", () => home.hasRun("mine"), 30);
		home.brings(".pi/mcp.json", { a: home.server("a") });
		await screen.shows(/MCP: .*1 needs trust/);
		await screen.enter("/trust", /Project trust/);
		await choose("Trust");
		await screen.shows(/Saved trust decision: trusted/);
		assert.equal(home.hasRun("a"), false);
		await screen.enter("/new", /New session started/);
		await screen.shows(/MCP: \d\/2 servers\s/);
		model.next.push([{ tool: "mcp", args: { tool: "a_echo", args: { text: "hi" } } }]);
		await screen.enter("go", /\bdone\b/);
		assert.match(model.toolTexts()[0], /hi/);
		assert.ok(home.hasRun("a"));
	});

	for (const version of [newest, oldest]) {
		test(`Pi ${version.name}: the panel asks, and what was trusted is marked`, async () => {
			await begin("hello");
			const file = home.brings(".mcp.json", { lazy: home.server("lazy") });
			const written = readFileSync(file, "utf8");
			await open({ version });
			await screen.shows(/MCP: 1 server needs trust/);
			await screen.enter("/mcp", /type to filter/);
			await screen.shows(/⚠ lazy \(project\) needs trust — enter shows what it runs and asks you/);
			assert.match(screen.text, /0\/0 servers/);
			screen.type(" ");
			await screen.shows(/lazy needs trust: enter asks you about it/);
			screen.keys("Enter");
			await screen.shows(/want to use MCP servers/);
			assert.match(screen.text, /│ {3}runs: sh -c/);
			await choose(trustIt);
			await screen.shows(/MCP: 1\/1 servers/);
			assert.ok(home.hasRun("lazy"));
			await screen.enter("/mcp", /✓ lazy \(project\) 2 tools · connected/);
			screen.keys("C-d");
			await screen.shows(/lazy is disabled now, in ~\/\.pi\/agent\/mcp-trust\.json/);
			await screen.shows(/⊘ lazy \(project\) 2 tools · disabled/);
			assert.equal(readFileSync(file, "utf8"), written);
			screen.keys("Escape");
		});
	}

	test("names of a project's servers forge no line and command no terminal", async () => {
		await begin("hello");
		const forged = "a ✓ bank (3 tools)";
		const unseen = "a\u001b[2J\u001b]0;mine\u0007\n✓ cash (3 tools)\u202e"; // left out
		home.brings(".mcp.json", {
			[forged]: home.server("forged"),
			[unseen]: home.server("unseen"),
			b: home.server("b"),
		});
		await open();
		await screen.enter("/mcp status", /⚠ b \(project\) \(needs trust\)/);
		assert.match(screen.text, /⚠ a ✓ bank \(3 tools\) \(project\) \(needs trust\)/);
		await screen.enter("/mcp", /type to filter/);
		await screen.shows(/⚠ a ✓ bank \(3 tools\) \(project\) needs trust/);
		screen.keys("Enter");
		await screen.shows(/│ a ✓ bank \(3 tools\) \(\.mcp\.json\)/);
		assert.doesNotMatch(screen.text, /^\s*✓ (bank|cash)|│ a ✓ cash/m);
		screen.keys("Escape");
		await screen.shows(/To answer anew/);
		assert.deepEqual(["forged", "unseen", "b"].filter((name) => home.hasRun(name)), []);
	});

	test("a list longer than the screen is seen to its end before it can be trusted", async () => {
		await begin("hello");
		const long = (name) => home.server(name, { env: { [`A_${"LONG_".repeat(40)}`]: "1" } });
		const names = Array.from({ length: 9 }, (_, i) => `s${i}`);
		home.brings(".mcp.json", Object.fromEntries(names.map((name) => [name, long(name)])));
		await open();
		await screen.enter("/mcp connect s0", /│ s0 \(\.mcp\.json\)/);
		const pages = [];
		const whole = /want to use MCP servers[^]*(Show more \(|Only for this session)/;
		const isNew = (page) => whole.test(page) && !pages.includes(page);
		while (!pages.at(-1)?.includes(trustIt)) {
			const page = await screen.drawn("another page", isNew);
			pages.push(page);
			const [more] = /Show more \(\d+ lines\)/.exec(page) ?? [];
			if (more) await choose(more);
		}
		assert.ok(pages.length > 1);
		const all = pages.join("\n");
		for (const name of names) assert.match(all, new RegExp(`│ ${name} \\(\\.mcp\\.json\\)`));
		await choose("No");
		await screen.shows(/To answer anew/);
		assert.deepEqual(names.filter((name) => home.hasRun(name)), []);
	});
});
