// Real servers configured as `npx PACKAGE@VERSION`, as most documentation shows them, when npm has
// them installed: no npm stays beside them, and nothing is left of them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { here, Home, Host } from "./harness.mjs";

const pinned = JSON.parse(readFileSync(join(here, "package.json"), "utf8")).dependencies;
const packages = {
	everything: "@modelcontextprotocol/server-everything",
	filesystem: "@modelcontextprotocol/server-filesystem",
	memory: "@modelcontextprotocol/server-memory",
};

// The folder of npm's cache that npx makes for this package text, filled with what is installed.
function install(home, spec) {
	const hash = createHash("sha512").update(spec).digest("hex").slice(0, 16);
	const folder = join(home.root, ".npm/_npx", hash);
	mkdirSync(folder, { recursive: true });
	symlinkSync(join(here, "node_modules"), join(folder, "node_modules"));
}

describe("npx packages that are installed", { timeout: 120_000 }, () => {
	const homes = [];
	let home;
	let host;
	beforeEach(async () => {
		home = new Home();
		homes.push(home);
		const servers = {};
		for (const [name, package_] of Object.entries(packages)) {
			const spec = `${package_}@${pinned[package_]}`;
			install(home, spec);
			const args = ["-y", spec, ...(name === "filesystem" ? [home.project] : [])];
			servers[name] = { command: "npx", args };
		}
		// What npm starts through a shell is the same without it.
		servers.memory = {
			command: "npm",
			args: ["exec", `--package=${servers.memory.args[1]}`, "--", "mcp-server-memory"],
			env: { MEMORY_FILE_PATH: join(home.root, "memory.jsonl") },
		};
		home.configure(servers);
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
		host = await Host.connect(home);
		await Promise.all(Object.keys(packages).map((name) => host.mcp({ connect: name })));
	});
	after(() => homes.forEach((used) => used.remove()));

	test("start without npm, npx or a shell", async () => {
		const echo = await host.mcp({ tool: "everything_echo", args: { message: "direct" } });
		assert.match(echo.text, /direct/);
		assert.match((await host.mcp({ tool: "memory_read_graph" })).text, /entities/);
		const names = home.processes().map(Home.nameOf).sort();
		const keepers = Array(3).fill("pi-mcp-keeper");
		assert.equal(names.length, 7, names.join());
		assert.deepEqual(names.filter((name) => name.startsWith("pi-mcp")), ["pi-mcp", ...keepers]);
		for (const pid of home.servers()) {
			const [program, script] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
			assert.equal(program, "node");
			assert.match(script, /@modelcontextprotocol\/server-/);
		}
		const noted = readFileSync(join(home.agent, "mcp-npx-cache.json"), "utf8");
		assert.equal(Object.keys(JSON.parse(noted).entries).length, 3);
		await host.close();
		await home.allGone(5);
	});

	test("leave nothing after kill -9", async () => {
		assert.equal(home.processes().length, 7);
		process.kill(host.pid, "SIGKILL");
		await home.allGone(5);
	});
});
