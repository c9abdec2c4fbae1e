// The same with servers that need a browser, or Serena: hundreds of MB each, so with PI_MCP_HEAVY=1
// only. ./dev nightly sets it, and installs both.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { cli, here, server } from "./harness.mjs";
import { Pair } from "./session_pair.mjs";

const chromium = "/usr/bin/chromium";
describe("Playwright with a browser", { timeout: 300_000 }, () => {
	let site;
	let address;
	let pair;
	before(async () => {
		site = createServer(({ url }, response) => {
			response.setHeader("content-type", "text/html");
			response.end(`<title>page ${url}</title><h1>this is ${url}</h1>`);
		});
		await new Promise((listening) => site.listen(0, "127.0.0.1", listening));
		address = `http://127.0.0.1:${site.address().port}`;
		const words = ["--headless", "--isolated", "--no-sandbox", "--executable-path", chromium];
		pair = await Pair.start({ playwright: server("playwright-mcp", ...words) });
	});
	after(async () => {
		await pair?.close();
		site.close();
	});
	const navigated = (text, number) => {
		assert.match(text, new RegExp(`this is /${number}|page /${number}`));
		assert.doesNotMatch(text, new RegExp(`(this is|page) /${1 - number}`));
	};

	test("each session sees the page that it went to", async () => {
		await pair.both("playwright_browser_navigate", (index) => ({ url: `${address}/${index}` }));
		const seen = await pair.both("playwright_browser_snapshot", () => ({}));
		seen.forEach(navigated);
	});

	test("commands of a shell have a page of their own, where the last one left it", async () => {
		const url = `{"url": "${address}/shell"}`;
		const went = await cli(pair.home, ["call", "playwright_browser_navigate", url]);
		assert.equal(went.status, 0, went.stderr);
		const { status, stdout, stderr } = await cli(pair.home, ["call", "playwright_browser_snapshot"]);
		assert.equal(status, 0, stderr);
		assert.match(stdout, /\/shell/);
		(await pair.both("playwright_browser_snapshot", () => ({}))).forEach(navigated);
		assert.equal((await cli(pair.home, ["stop", "--all"])).status, 0);
	});
});

const serena = join(here, "../../build/serena/bin/serena");
describe("Serena", { timeout: 300_000 }, () => {
	let pair;
	before(async () => {
		const words = ["start-mcp-server", "--enable-web-dashboard", "false"];
		pair = await Pair.start({ serena: { command: serena, args: words } });
		for (const name of ["one", "other"]) {
			const folder = join(pair.home.root, name);
			mkdirSync(folder);
			writeFileSync(join(folder, `${name}.py`), `def in_${name}():\n    return 1\n`);
			execFileSync("git", ["init", "-q", folder]);
		}
	});
	after(() => pair?.close());

	test("each session works in the project that it has activated", async () => {
		const name = (index) => ["one", "other"][index];
		const manuals = await pair.both("serena_initial_instructions", () => ({}));
		const session = (index) => /session id is `(\w+)`/.exec(manuals[index])[1];
		await pair.both("serena_activate_project", (index) => ({
			project: join(pair.home.root, name(index)),
			session: session(index),
		}));
		const listed = await pair.both("serena_repl", (index) => ({
			code: 's.fs.list_dir(".", recursive=False)',
			session: session(index),
		}));
		listed.forEach((text, index) => {
			assert.match(text, new RegExp(`${name(index)}\\.py`));
			assert.doesNotMatch(text, new RegExp(`${name(1 - index)}\\.py`));
		});
	});
});
