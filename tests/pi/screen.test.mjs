// The extension in Pi's interactive user interface, in a terminal of its own (tmux).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { cli, until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, commandLine, fakeServer } from "./pi.mjs";

// A terminal of this many columns in which Pi runs.
class Screen {
	constructor(home, columns) {
		this.home = home;
		this.socket = join(home.root, "tmux");
		const env = { ...home.env, TERM: "xterm-256color", LANG: "C.UTF-8" };
		const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
		const size = ["-x", String(columns), "-y", "50"];
		const command = ["env", "-i", ...variables, ...commandLine()];
		this.tmux("-u", "new-session", "-d", ...size, "-c", home.project, ...command);
	}

	tmux(...args) {
		const env = { ...process.env, LANG: "C.UTF-8", TERM: "xterm-256color" };
		return execFileSync("tmux", ["-S", this.socket, ...args], { encoding: "utf8", env });
	}

	get text() {
		return this.tmux("capture-pane", "-p");
	}

	async shows(pattern) {
		await until(String(pattern), () => pattern.test(this.text), 60).catch((error) => {
			throw new Error(`${error.message}; the screen:\n${this.text}`);
		});
	}

	// Types a line and presses Enter until the editor has let go of it: a list of completions takes
	// the first one.
	async enter(line, pattern) {
		this.tmux("send-keys", "-l", line);
		const inEditor = () => this.text.trimEnd().split("\n").slice(-5).join().includes(line);
		await until("the line in the editor", inEditor);
		await until("the editor to take the line", () => {
			if (inEditor()) this.tmux("send-keys", "Enter");
			return !inEditor();
		});
		await this.shows(pattern);
	}

	close() {
		this.tmux("kill-server");
	}
}

describe("the interactive user interface", { timeout: 240_000 }, () => {
	for (const columns of [80, 140]) {
		test(`a call and the status are readable at ${columns} columns`, async () => {
			const model = await Model.start([
				[{ tool: "mcp", args: { tool: "fake_add", args: { a: 2, b: 40 } } }],
				"The sum is 42.",
			]);
			const home = new PiHome(model).withCache();
			home.configure({ fake: fakeServer("add"), other: fakeServer("echo") });
			const known = await cli(home, ["connect", "--all"]);
			assert.equal(known.status, 0, known.stderr);
			const screen = new Screen(home, columns);
			try {
				await screen.shows(/scripted/);
				await screen.enter("What is 2 and 40?", /The sum is 42\./);
				assert.match(screen.text, /mcp tool="fake_add"/);
				await screen.enter("/mcp status", /MCP: 1\/2 servers/);
				assert.match(screen.text, /✓ fake \(2 tools\)/);
				assert.match(screen.text, /○ other \(2 tools, cached\)/);
				const widest = Math.max(...screen.text.split("\n").map((line) => line.length));
				assert.ok(widest <= columns, `${widest} columns`);
			} finally {
				screen.close();
				await model.stop();
				await home.allGone(10).finally(() => home.remove());
			}
		});
	}
});
