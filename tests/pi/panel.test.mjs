// The panel of /mcp in Pi's interactive user interface.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { Person, ProtectedPlace } from "../e2e/authorization.mjs";
import { cli, until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, fakeServer, versions } from "./pi.mjs";
import { Screen } from "./screen.mjs";

// As a person writes it: comments, an order of its own, a comma too many.
function configuration() {
	const server = fakeServer("echo", "add");
	const command = JSON.stringify(server.command);
	const args = JSON.stringify(server.args);
	return `{
  // my servers
  "mcpServers": {
    "zeta": { "command": ${command}, /* the calculator */ "args": ${args} },
    "broken": { "command": "/no/such/program" },
    "alpha": {
      "args": ${args},
      "command": ${command}, // keep
    },
  },
}
`;
}

describe("the panel of /mcp", { timeout: 280_000 }, () => {
	let home;
	let model;
	let screen;
	let file;
	async function open(columns, options) {
		model = await Model.start(["hello"]);
		home = new PiHome(model).withCache();
		file = home.write(".pi/agent/mcp.json", configuration());
		await cli(home, ["connect", "alpha", "--quiet"]);
		await cli(home, ["connect", "zeta", "--quiet"]);
		await show(columns, options);
	}
	async function show(columns, options) {
		screen = new Screen(home, columns, options);
		await screen.shows(/scripted/);
		screen.type("/mcp");
		await screen.shows(/\n\/mcp/);
		// The first Enter may only take what the editor completes.
		const isOpen = () => /type to filter/.test(screen.text);
		for (let pressed = 0; pressed < 5 && !isOpen(); pressed++) {
			screen.keys("Enter");
			await until("the panel", isOpen, 5).catch(() => {});
		}
		await screen.shows(/type to filter/);
	}
	afterEach(async () => {
		screen?.close();
		await model.stop();
		await home.allGone(10).finally(() => home.remove());
	});
	const saved = () => readFileSync(file, "utf8");

	const [newest, ...older] = versions;
	const places = [80, 140].map((columns) => ({ columns, version: newest }));
	places.push(...older.map((version) => ({ columns: 100, version })));
	for (const { columns, version } of places) {
		test(`is filtered, toggled and saved at ${columns} columns in Pi ${version.name}`, async () => {
			await open(columns, { version });
			await screen.shows(/○ zeta 3 tools · cached/);
			assert.match(screen.text, /○ broken/);
			assert.match(screen.text, /0\/3 servers · 6 tools · 0 direct/);
			assert.ok(screen.widest <= columns, screen.text);

			screen.type("add");
			await screen.shows(/filter: add/);
			await screen.shows(/\[ \] add/);
			assert.doesNotMatch(screen.text, /\[ \] echo/);
			screen.keys("Down");
			await screen.shows(/› +\[ \] add/);
			screen.keys("Space");
			await screen.shows(/\[x\] add/);
			await screen.shows(/1 direct \(~\d+ tokens\)/);
			assert.doesNotMatch(saved(), /directTools/);

			screen.keys("C-s");
			await until("the file to be saved", () => /directTools/.test(saved()));
			await screen.shows(/zeta has these direct tools now, in ~\/\.pi\/agent\/mcp\.json/);
			const before = configuration().replace(/\s+/g, " ");
			const after = saved().replace(/\s+/g, " ");
			assert.equal(after.replace(/,? ?"directTools": ?\[ ?"add" ?\]/, ""), before);
			await until("nothing to be left to save", () => !/not saved/.test(screen.text));
			assert.ok(screen.widest <= columns, screen.text);
			screen.keys("Escape");
			await screen.shows(/filter: \(type\)/);
			screen.keys("Escape");
			await until("the panel to close", () => !/type to filter/.test(screen.text));
		});
	}

	test("reconnects, disables, enables and shows why a server fails", async () => {
		await open(100);
		screen.keys("C-r");
		await screen.shows(/✓ zeta 3 tools · connected/);
		await screen.shows(/\nMCP: 1\/3 servers/);
		screen.keys("Down", "C-r");
		await screen.shows(/✗ broken 0 tools · failed — .*no\/such\/program/);
		screen.keys("C-l");
		await screen.shows(/Last error: /);
		screen.keys("Escape");
		await screen.shows(/type to filter/);
		screen.keys("C-d");
		await screen.shows(/⊘ broken 0 tools · disabled/);
		assert.match(saved(), /"\/no\/such\/program", "disabled": true/);
		screen.keys("C-d");
		await screen.shows(/○ broken 0 tools · not connected/);
		assert.match(saved(), /\/\/ my servers/);
	});

	test("asks before changes are given up", async () => {
		await open(80);
		screen.keys("Space");
		await screen.shows(/not saved/);
		screen.keys("Escape");
		await screen.shows(/esc again gives the changes up/);
		screen.keys("Escape");
		await until("the panel to close", () => !/type to filter/.test(screen.text));
		assert.doesNotMatch(saved(), /directTools/);
	});

	test("fits every width from 60 to 200 columns", async () => {
		await open(200);
		screen.keys("Enter");
		await screen.shows(/\[ \] echo/);
		for (const columns of [200, 120, 99, 60]) {
			screen.resize(columns);
			// One look at a time: Pi may be in the middle of drawing.
			const marks = ["─".repeat(columns), "[ ] echo", "esc close"];
			const isDrawn = () => ((text) => marks.every((mark) => text.includes(mark)))(screen.text);
			await until(`a panel of ${columns} columns`, isDrawn, 30);
			assert.ok(screen.widest <= columns, `${screen.widest} columns:\n${screen.text}`);
		}
	});

	test("logs in to the server under the cursor, and uses the login", async () => {
		const place = await ProtectedPlace.start();
		try {
			model = await Model.start(["hello"]);
			home = new PiHome(model).withCache();
			home.configure({ remote: { url: place.url } });
			// Takes the address and shows it to nobody.
			const shown = join(home.root, "address");
			const browser = `printf %s "$1" > ${shown}.part && mv ${shown}.part ${shown}\n`;
			home.env.BROWSER = `/bin/sh ${home.write("browser.sh", browser)}`;
			await show(100);
			await screen.shows(/› ○ remote/);
			screen.keys("C-a");
			await screen.shows(/Login to remote: when the browser is done, press Enter/);
			assert.doesNotMatch(screen.text, /type to filter/);
			await until("the browser to get the address", () => existsSync(shown));
			const address = readFileSync(shown, "utf8");
			const redirect = new URL(address).searchParams.get("redirect_uri");
			const page = await fetch(await new Person(redirect).logIn(address));
			assert.equal(page.status, 200);
			screen.keys("Enter");
			await screen.shows(/✓ remote: reconnected \(1 tool/);
			await screen.shows(/\nMCP: 1\/1 servers/);
		} finally {
			place.stop();
		}
	});
});
