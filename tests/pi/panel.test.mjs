// The panel of /mcp in Pi's interactive user interface.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { Person, ProtectedPlace } from "../e2e/authorization.mjs";
import { cli, until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, fakeServer, namedServer, versions } from "./pi.mjs";
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
	// The panel with these servers, whose tools the cache knows.
	async function openWith(servers, { columns = 100, settings, steps = ["hello"] } = {}) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure(servers, settings);
		file = join(home.agent, "mcp.json");
		await cli(home, ["connect", "--all", "--quiet"]);
		await show(columns);
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

	test("is saved with the key that Pi's keybindings.json names", async () => {
		model = await Model.start(["hello"]);
		home = new PiHome(model).withCache();
		home.write(".pi/agent/keybindings.json", { "mcp.panel.save": ["f4", "ctrl+w"] });
		home.configure({ zeta: fakeServer("echo") });
		file = join(home.agent, "mcp.json");
		await cli(home, ["connect", "zeta", "--quiet"]);
		await show(100);
		await screen.shows(/f4 save/);
		screen.keys("Space");
		await screen.shows(/not saved/);
		screen.keys("C-s");
		screen.keys("Escape");
		await screen.shows(/Not saved: f4 saves, esc again gives the changes up/);
		assert.doesNotMatch(saved(), /directTools/);
		screen.keys("F4");
		await until("the file to be saved", () => /directTools/.test(saved()));
	});

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
		await screen.shows(/Disable broken: e everywhere, p in this project only/);
		screen.keys("Escape");
		await until("the question to go", () => !/Disable broken/.test(screen.text));
		screen.keys("C-d");
		await screen.shows(/Disable broken: e everywhere/);
		screen.keys("e");
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

	for (const version of versions) {
		test(`Page Up and Page Down move in Pi ${version.name}`, async () => {
			model = await Model.start(["hello"]);
			home = new PiHome(model).withCache();
			const names = Array.from({ length: 30 }, (_, i) => `tool_${i + 1}`);
			home.configure({ many: namedServer(...names) });
			await cli(home, ["connect", "--all", "--quiet"]);
			await show(100, { version });
			screen.keys("Enter");
			await screen.shows(/\[ \] tool_1 /);
			screen.keys("PageDown");
			await screen.shows(/› +\[ \] tool_10 /);
			screen.keys("PageDown");
			await screen.shows(/› +\[ \] tool_20 /);
			screen.keys("PageUp");
			await screen.shows(/› +\[ \] tool_10 /);
		});
	}

	test("a login asks before changes are lost, and is not tried where there is none", async () => {
		const place = await ProtectedPlace.start();
		try {
			await openWith({ local: namedServer("one"), remote: { url: place.url } });
			screen.keys("Space");
			await screen.shows(/not saved/);
			screen.keys("C-a");
			await screen.shows(/local is a program on this machine: there is nothing to log in to/);
			screen.keys("Down");
			await screen.shows(/› .* remote/);
			screen.keys("C-a");
			await screen.shows(/Not saved: ctrl\+s saves, ctrl\+a again gives the changes up and logs in/);
			assert.match(screen.text, /type to filter/);
			screen.keys("C-s");
			await screen.shows(/local has these direct tools now/);
			screen.keys("C-a");
			await screen.shows(/Login to remote/);
			assert.match(saved(), /directTools/);
		} finally {
			place.stop();
		}
	});

	test("what a server calls its tools draws nothing", async () => {
		await openWith({ hostile: namedServer("wipe\u001b[2J\u001b[H\u001b]0;title\u0007d", "plain") });
		screen.keys("Enter");
		await screen.shows(/\[ \] plain/);
		assert.match(screen.text, /\[-\] wiped /);
		assert.match(screen.text, /type to filter/);
		assert.match(screen.text, /› ○ hostile 2 tools/);
	});

	test("long errors can be read to their end at 60 columns", async () => {
		const lines = Array.from({ length: 20 }, (_, i) => `echo line ${i + 1} of the log >&2;`);
		const error = "Error: Cannot find module '/usr/lib/node_modules/some/dist/index.js' that is";
		const script = `${lines.join(" ")} echo "${error} wanted by THE_END" >&2; exit 1`;
		await openWith({ bad: { command: "/bin/sh", args: ["-c", script] } }, { columns: 60 });
		screen.keys("C-r");
		await screen.shows(/✗ bad 0 tools · failed — /);
		const flat = () => screen.text.replace(/\s+/g, " ");
		await until("the end of the error", () => /that is wanted by THE_END/.test(flat()));
		screen.keys("C-l");
		await screen.shows(/Last error: /);
		await screen.shows(/1-12\/\d+/);
		screen.keys("PageDown", "PageDown", "PageDown", "PageDown");
		await screen.shows(/(\d+)\/\1\n/);
		assert.match(flat(), /line 20 of the log/);
		assert.match(flat(), /that is wanted by THE_END/);
		for (const columns of [60, 200]) {
			screen.resize(columns);
			await until(`${columns} columns`, () => screen.text.includes("─".repeat(columns)), 30);
			await screen.shows(/esc back/);
			assert.ok(screen.widest <= columns, screen.text);
		}
	});

	test("tools that the model cannot get are marked, refused and not counted", async () => {
		const servers = {
			v: { ...namedServer("dup", "other"), directTools: true },
			w: { ...namedServer("read", "日本語", "ok", "dup"), directTools: ["read", "ok"] },
		};
		await openWith(servers, { columns: 120, settings: { toolPrefix: "none" }, steps: ["hello"] });
		await screen.shows(/6 tools · 3 direct/);
		screen.keys("Down", "Enter");
		await screen.shows(/\[!\] read \(Pi or another extension has a tool of this name\)/);
		assert.match(screen.text, /\[-\] 日本語 \(models accept only a-z, A-Z, 0-9, _ and -/);
		assert.match(screen.text, /\[-\] dup \(v has a direct tool of this name\)/);
		screen.keys("Down", "Down");
		await screen.shows(/› +\[-\] 日本語/);
		screen.keys("Space");
		await screen.shows(/日本語 cannot be direct: models accept only/);
		screen.keys("Down", "Down", "Space");
		await screen.shows(/dup cannot be direct: v has a direct tool of this name/);
		assert.doesNotMatch(screen.text, /not saved/);
		screen.keys("Escape");
		await until("the panel to close", () => !/type to filter/.test(screen.text));
		await screen.enter("go", /hello/);
		const names = model.toolNames().filter((name) => ["dup", "other", "ok"].includes(name));
		assert.deepEqual(names.sort(), ["dup", "ok", "other"]);
	});

	test("two servers that chose the same name are told so, and one may let go", async () => {
		const servers = {
			v: { ...namedServer("dup"), directTools: true },
			w: { ...namedServer("dup"), directTools: true },
		};
		await openWith(servers, { columns: 120, settings: { toolPrefix: "none" } });
		await screen.shows(/2 tools · 0 direct/);
		screen.keys("Enter", "Down");
		await screen.shows(/› +\[!\] dup \(w has chosen one of this name too, so neither is direct\)/);
		screen.keys("Space");
		await screen.shows(/\[-\] dup \(w has a direct tool of this name\)/);
		assert.match(screen.text, /2 tools · 1 direct/);
	});

	test("what is toggled while a save runs is not lost", async () => {
		await openWith({ w: namedServer("first", "second", "third") });
		screen.keys("Enter", "Down");
		await screen.shows(/› +\[ \] first/);
		screen.keys("Space", "C-s", "Down", "Space");
		await screen.shows(/w has these direct tools now/);
		await screen.shows(/\[x\] first/);
		await screen.shows(/\[x\] second/);
		await screen.shows(/not saved/);
		screen.keys("C-s");
		await until("both to be saved", () => /"second"/.test(saved()));
		await until("nothing to be left", () => !/not saved/.test(screen.text));
	});

	test("an empty panel says how a server is added", async () => {
		await openWith({}, { columns: 80 });
		await screen.shows(/No server is configured\. \/mcp setup takes over/);
	});

	test("an empty panel names the file that cannot be read", async () => {
		model = await Model.start(["hello"]);
		home = new PiHome(model).withCache();
		home.write(".pi/agent/mcp.json", '{"mcpServers": {"a": {"command": "x",}}}}');
		await show(80);
		await screen.shows(/No server is known: .*mcp\.json: line 1,/);
		assert.doesNotMatch(screen.text, /No server is configured/);
	});

	test("title and state are readable at 60 columns, and what is pasted filters", async () => {
		const name = "a-server-with-an-extremely-long-name-for-no-good-reason-at-all";
		await openWith({ w: namedServer("echo", "one"), [name]: namedServer("two") }, { columns: 60 });
		await screen.shows(/○ a-server-with-an-ex\S*… 1 tool · cached/);
		screen.keys("Space");
		await screen.shows(/direct \(~\d+ tokens\) · not saved/);
		screen.tmux("set-buffer", "echo");
		screen.tmux("paste-buffer", "-p");
		await screen.shows(/filter: echo/);
	});

	test("several servers are saved with a word on each, which later typing takes away", async () => {
		const found = { ...namedServer("three"), directTools: "search" };
		await openWith({ v: namedServer("one"), w: found });
		screen.keys("Space", "Down", "Space");
		await screen.shows(/directTools of w is "search": saving puts a list of names in its place/);
		screen.keys("C-s");
		await screen.shows(/v has these direct tools now.*\n w has these direct tools now/);
		screen.type("one");
		await screen.shows(/filter: one/);
		assert.doesNotMatch(screen.text, /has these direct tools/);
	});

	test("a server that is misconfigured is marked, and the footer says so", async () => {
		await openWith({ good: namedServer("one"), nothing: {} });
		await screen.shows(/✗ nothing 0 tools · misconfigured — /);
		await screen.shows(/\nMCP: 0\/2 servers, 1 misconfigured/);
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
