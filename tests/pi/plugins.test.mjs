// Servers that come with what was installed for other programs, in the real Pi.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { CommandPi } from "./command_pi.mjs";
import { command, fakeServer } from "./pi.mjs";

describe("servers of packages and plugins in Pi", { timeout: 240_000 }, () => {
	let place;
	afterEach(() => place?.end());

	// A folder with a program in it that is a server.
	function withProgram(home, folder) {
		const { command: program, args } = fakeServer("echo");
		const quoted = [program, ...args].map((word) => `'${word}'`).join(" ");
		const told = 'echo "${CLAUDE_PLUGIN_DATA:-none}" >&2';
		home.write(`${folder}/run`, `#!/bin/sh\n${told}\nexec ${quoted}\n`);
		chmodSync(join(home.root, folder, "run"), 0o755);
	}

	function packageIn(home, folder) {
		withProgram(home, folder);
		home.write(`${folder}/package.json`, { name: "@acme/tools", pi: { mcp: "./servers.json" } });
		home.write(`${folder}/servers.json`, { mcpServers: { echo: { command: "./run" } } });
		return join(home.root, folder);
	}

	test("a package that pi installs, and plugins of both kinds, are called", async () => {
		const calls = ["acme_tools__echo", "claude", "agent_one__run"].map((server) => [
			{ tool: "mcp", args: { tool: "echo", server, args: { text: server } } },
		]);
		const prepare = async (home) => {
			withProgram(home, "plugins/claude");
			home.write("plugins/claude/.mcp.json", {
				mcpServers: { claude: { command: "${CLAUDE_PLUGIN_ROOT}/run" } },
			});
			withProgram(home, "plugins/agent");
			const schema = (name) => `https://agent-plugins.org/schemas/1.0.0/${name}.schema.json`;
			home.write("plugins/agent/plugin.json", { $schema: schema("plugin"), name: "agent.one" });
			home.write("plugins/agent/mcp.json", {
				$schema: schema("mcp"),
				mcpServers: { run: { type: "stdio", command: "./run", cwd: "${PLUGIN_DATA}" } },
			});
			home.write(".pi/agent/mcp.json", {
				claudePlugins: [{ path: join(home.root, "plugins/claude"), mcp: true }],
				settings: { agentPluginPaths: [join(home.root, "plugins/agent")] },
			});
			const installed = await command(home, "install", packageIn(home, "package"));
			assert.equal(installed.status, 0, installed.stderr);
		};
		place = await CommandPi.start({}, { prepare, steps: [...calls, "over"] });
		await place.run("/mcp status", /acme_tools__echo[\s\S]*claude|claude[\s\S]*acme_tools__echo/);
		await place.pi.prompt("go");
		const texts = place.model.toolTexts();
		assert.deepEqual(texts, ["acme_tools__echo", "claude", "agent_one__run"]);
		const shown = await cli(place.home, ["config"]);
		assert.match(shown.stdout, /package\/servers\.json \(import pi-package\)/);
		assert.match(shown.stdout, /plugins\/claude\/\.mcp\.json \(import claude-plugin\)/);
		const logs = await place.run("/mcp logs claude", /claude-plugin-data/);
		assert.match(logs.message, /\.pi\/agent\/claude-plugin-data\/claude/);
	});

	test("what Pi has installed for a project is asked for, though Pi trusts the folder", async () => {
		const steps = [[{ tool: "mcp", args: { connect: "acme_tools__echo" } }], "over"];
		const prepare = (home) => {
			packageIn(home, "project/tools");
			home.write("project/.pi/settings.json", { packages: ["../tools"] });
		};
		place = await CommandPi.start({}, { prepare, steps, args: ["--approve"] });
		await place.run("/mcp status", /acme_tools__echo \(project\) \(needs trust\)/);
		const from = place.pi.events.length;
		place.pi.send({ id: "p", type: "prompt", message: "go" });
		const asked = await place.pi.event("the question", ({ method }) => method === "select", from);
		assert.match(asked.title, /Files of the project in .*\/project want[\s\S]*acme_tools__echo/);
		place.pi.reply(asked, asked.options[1]);
		await place.pi.event("the end", ({ type }) => type === place.pi.settled, from);
		await place.run("/mcp status", /✓ acme_tools__echo/);
	});
});
