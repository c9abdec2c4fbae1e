// `pi-mcp setup` in one home with the files of every host: the hosts that run here then start
// pi-mcp from the entry that setup wrote, and its tool runs servers that were moved; undo gives
// back every byte that the hosts have not changed themselves. PI_MCP_HOSTS has the names of the
// hosts to run, all without it.
import assert from "node:assert/strict";
import { chmodSync, cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { HostRun, hosts, makeHome, probeServer, write } from "./hosts.mjs";
import { settingsOf } from "./page.mjs";
import { ScriptedModel } from "./scripted_model.mjs";

const fixtures = fileURLToPath(new URL("../fixtures/hosts/HOME", import.meta.url));

// One server that works in each host's own file, as that host writes it (the pages are named in
// src/config/import/): `kind` is the host's name in setup, `map` what has the servers there.
// WORD_TOKEN is a variable of the user's shell; some hosts keep what is called like a secret.
const plain = (WORD_TOKEN) => ({
	map: "mcpServers",
	entry: ({ command, args }) => ({ command, args, env: { WORD_TOKEN } }),
});
const moved = {
	codex: {
		kind: "codex",
		entry: ({ command, args }) => `
[mcp_servers.of-codex]
command = "${command}"
args = ${JSON.stringify(args)}
env_vars = ["WORD_TOKEN"]
enabled_tools = ["look"]
`,
	},
	claude: { kind: "claude-code", ...plain("${WORD_TOKEN:-none}") },
	copilot: {
		kind: "copilot-cli",
		map: "mcpServers",
		entry: (server) => ({
			type: "local",
			...server,
			env: { WORD_TOKEN: "${WORD_TOKEN}" },
			tools: ["look"],
		}),
	},
	opencode: {
		kind: "opencode",
		map: "mcp",
		entry: ({ command, args }) => ({
			type: "local",
			command: [command, ...args],
			environment: { WORD_TOKEN: "{env:WORD_TOKEN}" },
			enabled: true,
		}),
	},
	cline: { kind: "cline", ...plain("a word") },
	gemini: { kind: "gemini-cli", ...plain("$WORD_TOKEN") },
	qwen: { kind: "qwen-code", ...plain("${WORD_TOKEN}") },
};
// The name of the server in the files; Qwen Code allows those that begin with "py".
const serverOf = (name) => (name === "qwen" ? "py-of-qwen" : `of-${name}`);
const wanted = process.env.PI_MCP_HOSTS?.split(" ") ?? Object.keys(moved);

// The host's file with the settings for the scripted model and the server, everything else as it
// is. In JSON the last of two members with one name counts.
function withServer(text, name, settings, server) {
	if (typeof settings === "string") return `${settings}\n${text}${server}`;
	const map = `"${moved[name].map}": {`;
	const put = text.replace(map, () => `${map}\n    "${serverOf(name)}": ${JSON.stringify(server)},`);
	const more = Object.entries(settings).map(
		([key, value]) => `,\n  ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
	);
	return put.replace(/\s*}\s*$/, `${more.join("")}\n}\n`);
}

// The text of each file of the fixtures, by its path.
function filesOf(home) {
	const paths = readdirSync(fixtures, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, path, name }) => join(parentPath ?? path, name).slice(fixtures.length + 1));
	return Object.fromEntries(paths.map((path) => [path, readFileSync(join(home, path), "utf8")]));
}

describe("setup in a home with the files of all hosts", { timeout: 1_800_000 }, () => {
	let home;
	let model;
	let original;
	let written;
	let plan;
	let runs;

	before(async () => {
		model = await ScriptedModel.start([]);
		home = makeHome("setup");
		cpSync(fixtures, home, { recursive: true });
		// Nothing but the probe server runs, and nothing leaves this machine.
		for (const program of ["npx", "uvx"]) {
			write(home, `bin/${program}`, "#!/bin/sh\nexit 1\n");
			chmodSync(join(home, "bin", program), 0o755);
		}
		for (const [path, text] of Object.entries(filesOf(home))) {
			const here = text.replace(/https:\/\/[^/"\s]+/g, "http://127.0.0.1:1");
			// An entry of pi-mcp that is there already would stay: here setup writes each of them.
			write(home, path, here.replace(/,\s*"pi-mcp": \{[^}]*\}/, ""));
		}
		runs = Object.fromEntries(
			wanted.map((name) => [name, new HostRun(name, model, home, { WORD_TOKEN: "a word" })]),
		);
		for (const [name, { host, context }] of Object.entries(runs)) {
			const { path } = settingsOf(host.section);
			const { args, command } = probeServer(home);
			const server = moved[name].entry({ command, args: [...args, name] });
			const text = readFileSync(join(home, path), "utf8");
			write(home, path, withServer(text, name, host.settings?.(context) ?? {}, server));
			for (const [more, data] of Object.entries(host.files?.(context) ?? {})) write(home, more, data);
		}
		original = filesOf(home);
		const setup = Object.values(runs)[0].pimcp("setup", "--yes", "--json");
		assert.equal(setup.status, 0, setup.stderr);
		plan = JSON.parse(setup.stdout);
		written = filesOf(home);
	});
	after(() => Object.values(runs)[0].close());

	for (const name of wanted) {
		test(`${name} starts pi-mcp and calls its own server and that of another host`, async () => {
			const { files } = plan.hosts.find(({ kind }) => kind === moved[name].kind);
			const entry = files.flatMap(({ entries }) => entries).find((one) => one.name === serverOf(name));
			assert.equal(entry?.fate, "moves");
			const other = wanted.find((one) => one !== name) ?? name;
			const call = (of) => ({ tool: "mcp", args: { tool: `${serverOf(of)}_look` } });
			model.play([{ tool: "mcp", args: { search: "look at something" } }, call(name), call(other)]);
			const { results, output } = await runs[name].headless(...hosts[name].allows);
			assert.match(JSON.stringify(model.declared), /MCP servers \(/, output);
			assert.equal(results.length, 3, output);
			assert.match(results[0], /_look/);
			assert.match(results[1], /PROBE did look for a word/);
			assert.match(results[2], /PROBE did look for a word/);
		});
	}

	test("undo gives every file back, and leaves what the hosts have changed", () => {
		const now = filesOf(home);
		const undo = Object.values(runs)[0].pimcp("setup", "--undo");
		assert.equal(undo.status, 0, undo.stdout + undo.stderr);
		const back = filesOf(home);
		for (const [path, text] of Object.entries(original)) {
			if (now[path] === written[path]) {
				assert.equal(back[path], text, path);
				continue;
			}
			// The host has written its file anew meanwhile.
			const [before, after] = [text, back[path]].map((one) => JSON.parse(one));
			assert.deepEqual(after.mcpServers, before.mcpServers, path);
			assert.deepEqual(Object.keys(after), Object.keys(JSON.parse(now[path])), path);
		}
	});
});
