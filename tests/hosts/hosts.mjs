// The hosts: how each is told of `pi-mcp serve` and of the scripted model, in a home folder of its
// own, and run to its end or in a terminal.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ScriptedModel } from "./scripted_model.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const binary = resolve(process.env.PI_MCP_BINARY ?? join(here, "../../build/release/pi-mcp"));
const modules = join(here, "node_modules");

const hostSeconds = 120;
const leftSeconds = 5; // docs/cli.md: when stdin is closed everything ends within that time

// Each: files of its home folder, variables, and the command line for one prompt.
const hosts = {
	codex: {
		files: ({ url, project, args }) => ({
			".codex/config.toml": [
				'model = "gpt-5.1-codex"',
				'model_provider = "scripted"',
				"[model_providers.scripted]",
				'name = "scripted"',
				`base_url = "${url}/v1"`,
				'wire_api = "responses"',
				'env_key = "SCRIPTED_KEY"',
				`[projects."${project}"]`,
				'trust_level = "trusted"',
				"[mcp_servers.pi-mcp]",
				`command = "${binary}"`,
				`args = ${JSON.stringify(args)}`,
			].join("\n"),
		}),
		env: () => ({ SCRIPTED_KEY: "x" }),
		command: ["codex", "exec", "--skip-git-repo-check"],
	},
	claude: {
		files: ({ project, args }) => ({
			".claude.json": {
				hasCompletedOnboarding: true,
				customApiKeyResponses: { approved: ["sk-ant-dummy"], rejected: [] },
				projects: { [project]: { hasTrustDialogAccepted: true } },
				mcpServers: { "pi-mcp": { type: "stdio", command: binary, args, env: {} } },
			},
		}),
		env: ({ url }) => ({
			ANTHROPIC_BASE_URL: url,
			ANTHROPIC_API_KEY: "sk-ant-dummy",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			DISABLE_AUTOUPDATER: "1",
		}),
		command: ["claude", "-p"],
	},
	copilot: {
		files: ({ args }) => ({
			".copilot/mcp-config.json": {
				mcpServers: { "pi-mcp": { type: "local", command: binary, args, tools: ["*"] } },
			},
		}),
		env: ({ url }) => ({
			COPILOT_OFFLINE: "true",
			COPILOT_AUTO_UPDATE: "false",
			COPILOT_MODEL: "scripted",
			COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
			COPILOT_PROVIDER_API_KEY: "x",
		}),
		command: ["copilot", "-p"],
	},
	opencode: {
		files: ({ url, args, permission }) => ({
			".config/opencode/opencode.json": {
				autoupdate: false,
				share: "disabled",
				provider: {
					scripted: {
						npm: "@ai-sdk/openai-compatible",
						options: { baseURL: `${url}/v1`, apiKey: "x" },
						models: { scripted: { tool_call: true, limit: { context: 200000, output: 8000 } } },
					},
				},
				model: "scripted/scripted",
				small_model: "scripted/scripted",
				mcp: { "pi-mcp": { type: "local", command: [binary, ...args], enabled: true } },
				...(permission ? { permission } : {}),
			},
		}),
		env: () => ({
			OPENCODE_DISABLE_AUTOUPDATE: "1",
			OPENCODE_DISABLE_MODELS_FETCH: "1",
			OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
		}),
		command: ["opencode", "run"],
	},
};

export async function until(what, holds, seconds) {
	const deadline = Date.now() + seconds * 1000;
	while (!holds()) {
		if (Date.now() > deadline) throw new Error(`waited ${seconds} s for ${what}`);
		await new Promise((later) => setTimeout(later, 100));
	}
}

// One host with a home folder of its own, in which pi-mcp knows the probe server.
export class HostRun {
	// `options`: args of `pi-mcp serve`, settings of pi-mcp, permission of opencode.
	static async start(name, steps, { args = [], settings, permission } = {}) {
		const run = new HostRun();
		run.host = hosts[name];
		run.model = await ScriptedModel.start(steps);
		run.home = fs.mkdtempSync(join(tmpdir(), `pi-mcp-${name}-`));
		run.project = join(run.home, "project");
		run.log = join(run.home, "probe.log");
		fs.mkdirSync(run.project);
		const probe = { command: process.execPath, args: [join(here, "probe_server.mjs"), run.log] };
		run.#write(".pi/agent/mcp.json", { mcpServers: { probe }, settings });
		const { url } = run.model;
		const context = { url, project: run.project, args: ["serve", ...args], permission };
		for (const [path, data] of Object.entries(run.host.files(context))) run.#write(path, data);
		run.env = {
			HOME: run.home,
			TMPDIR: run.home,
			LANG: "C.UTF-8",
			SHELL: "/bin/sh",
			PATH: `${modules}/.bin:${process.env.PATH}`,
			...run.host.env(context),
		};
		execFileSync("git", ["init", "-q", run.project]);
		const learnt = spawnSync(binary, ["connect", "--all"], { env: run.env, cwd: run.project });
		if (learnt.status !== 0) throw new Error(`pi-mcp connect: ${learnt.stderr}`);
		return run;
	}

	#write(path, data) {
		const file = join(this.home, path);
		fs.mkdirSync(dirname(file), { recursive: true });
		fs.writeFileSync(file, typeof data === "string" ? data : JSON.stringify(data));
	}

	// Runs one prompt to the end without anybody to ask; gives what the model got for each call, and
	// what the host printed.
	async headless(...flags) {
		const [program, ...words] = [...this.host.command, "go", ...flags];
		const child = spawn(program, words, {
			env: { ...this.env, TERM: "dumb" },
			cwd: this.project,
			stdio: ["ignore", "pipe", "pipe"],
			timeout: hostSeconds * 1000,
			killSignal: "SIGKILL",
		});
		let output = "";
		for (const stream of [child.stdout, child.stderr]) {
			stream.on("data", (chunk) => (output += chunk));
		}
		await new Promise((ended) => child.on("close", ended));
		await until("what pi-mcp started to end", () => this.#ours().length === 0, leftSeconds);
		return { results: this.model.results, output };
	}

	// Names of the tools of the probe server that ran.
	ran() {
		return fs.existsSync(this.log) ? fs.readFileSync(this.log, "utf8").trim().split("\n") : [];
	}

	// Of this run: each process carries its home folder.
	#processes() {
		const mine = (pid) => {
			try {
				return fs.readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${this.home}\0`);
			} catch {
				return false; // it is gone, or it belongs to somebody else
			}
		};
		return fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name) && mine(name));
	}

	#ours() {
		const isOurs = (pid) => {
			try {
				const line = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
				return line.startsWith(binary) || line.includes("probe_server.mjs");
			} catch {
				return false;
			}
		};
		return this.#processes().filter(isOurs);
	}

	async close() {
		this.screen?.close();
		await this.model.stop();
		for (const pid of this.#processes()) {
			try {
				process.kill(Number(pid), "SIGKILL");
			} catch {
				// it has ended meanwhile
			}
		}
		await until("the run's processes to end", () => this.#processes().length === 0, leftSeconds);
		fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
	}

	// The host's user interface in a terminal, with one prompt.
	interactive(...words) {
		this.screen = new Terminal(this, words);
		return this.screen;
	}
}

class Terminal {
	constructor(run, words) {
		this.socket = join(run.home, "tmux");
		const variables = Object.entries({ ...run.env, TERM: "xterm-256color" });
		const env = variables.map(([name, value]) => `${name}=${value}`);
		const size = ["-x", "120", "-y", "50"];
		this.#tmux("-u", "new-session", "-d", ...size, "-c", run.project, "env", "-i", ...env, ...words);
	}

	#tmux(...args) {
		return execFileSync("tmux", ["-S", this.socket, ...args], { encoding: "utf8" });
	}

	get text() {
		return this.#tmux("capture-pane", "-p");
	}

	async shows(pattern, seconds = 60) {
		await until(String(pattern), () => pattern.test(this.text), seconds).catch((error) => {
			throw new Error(`${error.message}; the screen:\n${this.text}`);
		});
	}

	// Keys as tmux calls them: "Down", "Enter".
	keys(...names) {
		this.#tmux("send-keys", ...names);
	}

	close() {
		try {
			this.#tmux("kill-server");
		} catch {
			// the host has ended, and with it the terminal
		}
	}
}
