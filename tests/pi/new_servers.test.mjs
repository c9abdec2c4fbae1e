// Servers that are added, taken over and edited inside the real Pi.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { ProtectedPlace } from "../e2e/authorization.mjs";
import { CommandPi } from "./command_pi.mjs";
import { fakeServer, print, versions } from "./pi.mjs";

const yes = ({ options }) => options[0];
const no = ({ options }) => options[1];

describe("new servers in Pi", { timeout: 240_000 }, () => {
	let place;
	afterEach(() => place?.end());
	const start = async (...args) => (place = await CommandPi.start(...args));
	const saved = () => readFileSync(join(place.home.agent, "mcp.json"), "utf8");
	const servers = () => JSON.parse(saved()).mcpServers;

	for (const version of versions) {
		test(`Pi ${version.name}: /mcp add shows, asks, tries and writes`, async () => {
			await start({}, { version });
			const { command, args } = fakeServer("echo");
			const line = `/mcp add mine ${command} ${args.join(" ")}`;
			const seen = (dialog) => {
				assert.match(dialog.title, /Add the MCP server mine to .*mcp\.json\?/);
				assert.ok(dialog.title.includes(JSON.stringify(command)), dialog.title);
				return yes(dialog);
			};
			await place.run(line, /Installed and connected MCP server "mine".*: \d+ tools?\./, seen);
			assert.deepEqual(servers().mine, { command, args });
			await place.run("/mcp tools mine", /mine_echo/);
			await place.run(`${line} again`, /already configured with something else/);
		});
	}

	test("nothing is written that does not start, unless the user wants it", async () => {
		await start({});
		const before = saved();
		const line = "/mcp add bad /no/such/program";
		await place.run(line, /Nothing was written: the user did not agree/, no);
		await place.run(line, /Nothing was written: "bad" could not/, yes, yes);
		assert.equal(saved(), before);
		const notices = place.pi.shown("notify").map(({ message }) => message);
		assert.deepEqual(notices.filter((text) => /Failed to connect/.test(text)), []);
		const anyway = no; // the second choice: "Add it"
		await place.run(line, /"bad" is in .*did not start/, yes, anyway);
		assert.equal(servers().bad.command, "/no/such/program");
		await place.run("/mcp add a", /Usage: \/mcp add <name> <command...\|url>/);
		await place.run("/mcp install ftp://x", /address/);
	});

	test("row 95: a model's install needs the user's yes and a server that answers", async () => {
		const protectedPlace = await ProtectedPlace.start();
		try {
			const install = (url) => [{ tool: "mcp", args: { action: "install", url, server: "far" } }];
			const steps = [install("http://127.0.0.1:9/mcp"), install(protectedPlace.url), "over"];
			await start({}, { steps });
			const before = saved();
			const from = place.pi.events.length;
			place.pi.send({ id: "p", type: "prompt", message: "go" });
			const isSelect = ({ method }) => method === "select";
			const first = await place.pi.event("the question", isSelect, from);
			assert.match(first.title, /The model wants to add the MCP server far/);
			place.pi.reply(first, first.options[0]);
			const at = place.pi.events.indexOf(first) + 1;
			const second = await place.pi.event("the second question", isSelect, at);
			assert.equal(saved(), before, "a wrong address leaves the file as it was");
			place.pi.reply(second, second.options[0]);
			await place.pi.event("the end", ({ type }) => type === place.pi.settled, at);
			const [refused, installed] = place.model.toolTexts();
			assert.match(refused, /Nothing was written: "far" could not be used/);
			const notices = place.pi.shown("notify").map(({ message }) => message);
			assert.deepEqual(notices.filter((text) => /Failed to connect/.test(text)), []);
			assert.match(installed, /wants a login first: mcp\(\{ action: "auth-start"/);
			assert.deepEqual(servers().far, { url: protectedPlace.url });
		} finally {
			protectedPlace.stop();
		}
	});

	test("row 95: nothing is installed where nobody can be asked", async () => {
		const args = { action: "install", url: "https://mcp.example.com/mcp" };
		await start({}, { steps: [[{ tool: "mcp", args }], "over"] });
		const before = saved();
		await print(place.home, "go");
		assert.match(place.model.toolTexts()[0], /only when the user says yes.*\/mcp install https/);
		assert.equal(saved(), before);
	});

	test("/mcp setup copies from other hosts, and takes it back", async () => {
		const cursor = { mcpServers: { theirs: fakeServer("echo") } };
		await start({}, { prepare: (home) => home.write(".cursor/mcp.json", cursor) });
		const file = join(place.home.root, ".cursor/mcp.json");
		const before = existsSync(file) ? readFileSync(file, "utf8") : "";
		const plan = (dialog) => {
			assert.match(dialog.title, /Cursor/);
			assert.match(dialog.title, /theirs/);
			return dialog.options[0]; // copy
		};
		await place.run("/mcp setup", /1 server taken over.*\/mcp setup --undo/, plan, yes);
		assert.ok(servers().theirs);
		assert.equal(existsSync(file) ? readFileSync(file, "utf8") : "", before);
		await place.run("/mcp status", /theirs/);
		await place.run("/mcp setup --undo", /mcp\.json/);
		assert.equal(servers().theirs, undefined);
	});

	test("/mcp setup offers well-known servers to somebody who has none", async () => {
		await start({});
		const offered = ({ title, options }) => {
			assert.match(title, /Well-known servers/);
			assert.ok(options.some((each) => each.includes("DeepWiki")), options.join());
			return options[0]; // done, with nothing chosen
		};
		await place.run("/mcp setup", /No other host on this machine has servers/, offered);
	});

	test("/mcp edit gives a wrong text back, and keeps comments", async () => {
		const text = '{\n  // mine\n  "mcpServers": {}\n}\n';
		await start({}, { prepare: (home) => home.write(".pi/agent/mcp.json", text) });
		const wrong = ({ prefill }) => {
			assert.equal(prefill, text);
			return '{ "mcpServers": { ';
		};
		const right = ({ title, prefill }) => {
			assert.match(title, /line \d/);
			assert.equal(prefill, '{ "mcpServers": { \n');
			return text.replace("{}", '{ "x": { "command": "true" } }');
		};
		await place.run("/mcp edit", /mcp\.json is written, and counts now/, wrong, right);
		assert.match(saved(), /\/\/ mine\n {2}"mcpServers": \{ "x"/);
	});

	test("/mcp edit NAME shows that entry alone, and leaves everything else as it was", async () => {
		const { command, args } = fakeServer("echo");
		const entry = `{\n  "command": ${JSON.stringify(command)}, // ours\n  "args": []\n}`;
		const around = (text) => `{\n  "mcpServers": {\n    "x": ${text.replaceAll("\n", "\n    ")},
    // of a friend
    "y": {  "command": "true"  }\n  }\n}\n`;
		const prepare = (home) => home.write(".pi/agent/mcp.json", around(entry));
		await start({}, { prepare });
		const changed = entry.replace("[]", JSON.stringify(args));
		const wrong = ({ title, prefill }) => {
			assert.match(title, /^"x" in .*mcp\.json$/);
			assert.equal(prefill, entry);
			return '{\n  "command": }';
		};
		const mistyped = ({ title }) => {
			assert.match(title, /line 2, column 14/);
			return entry.replace("[]", "7");
		};
		const right = ({ title, prefill }) => {
			assert.match(title, /"args" must be an array of strings/);
			assert.match(prefill, /"args": 7/);
			return changed;
		};
		await place.run("/mcp edit x", /"x" in .*is written/, wrong, mistyped, right);
		assert.equal(saved(), around(changed));
		await place.run("/mcp reconnect x", /✓ x: reconnected/);
		await place.run("/mcp edit x", /Nothing was changed/, undefined);
		const unknown = await place.run("/mcp edit nobody", /there is no server "nobody"/);
		assert.equal(unknown.notifyType, "error");
	});
});
