// The hosts: how each is told of the scripted model and, as docs/hosts.md says, of pi-mcp, in a
// home folder of its own, and run to its end or in a terminal.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { settingsOf } from "./page.mjs";
import { ScriptedModel } from "./scripted_model.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const binary = fs.realpathSync(
	resolve(process.env.PI_MCP_BINARY ?? join(root, "build/release/pi-mcp")),
);
const modules = join(here, "node_modules");
// Debian 12 has Node.js 18, some hosts want 20.
const programs = [
	join(modules, `node-linux-${process.arch}`, "bin"),
	join(modules, ".bin"),
	join(here, "large/node_modules/.bin"),
];

// Time in which the run's processes waited for a processor does not count.
const hostSeconds = 120;
const leftSeconds = 5; // docs/cli.md: when stdin is closed everything ends within that time

const python = (version) => [
	join(root, `build/python-mcp-${version}/bin/python`),
	join(here, "clients/sdk_python.py"),
	"{url}",
];

// Each: its section in docs/hosts.md, where that says how to set it up, the settings that have to
// do with the model, variables, the command line for one prompt, and `allows`, the words that let
// it run our tool unasked; `stays`: it leaves a process with our program for the next prompt.
export const hosts = {
	codex: {
		section: "Codex",
		// Keys before the first table, so that they can stand above any file.
		settings: ({ url, project }) =>
			[
				'model = "gpt-5.1-codex"',
				'model_provider = "scripted"',
				'model_providers.scripted.name = "scripted"',
				`model_providers.scripted.base_url = "${url}/v1"`,
				'model_providers.scripted.wire_api = "responses"',
				'model_providers.scripted.env_key = "SCRIPTED_KEY"',
				`projects."${project}".trust_level = "trusted"`,
			].join("\n"),
		env: () => ({ SCRIPTED_KEY: "x" }),
		command: ["codex", "exec", "--skip-git-repo-check", "go"],
		allows: ["-c", 'mcp_servers.pi-mcp.default_tools_approval_mode="approve"'],
	},
	claude: {
		section: "Claude Code",
		settings: ({ project }) => ({
			hasCompletedOnboarding: true,
			customApiKeyResponses: { approved: ["sk-ant-dummy"], rejected: [] },
			projects: { [project]: { hasTrustDialogAccepted: true } },
		}),
		env: ({ url }) => ({
			ANTHROPIC_BASE_URL: url,
			ANTHROPIC_API_KEY: "sk-ant-dummy",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			DISABLE_AUTOUPDATER: "1",
		}),
		command: ["claude", "-p", "go"],
		allows: ["--allowedTools", "mcp__pi-mcp__mcp"],
	},
	copilot: {
		section: "Copilot CLI",
		env: ({ url }) => ({
			COPILOT_OFFLINE: "true",
			COPILOT_AUTO_UPDATE: "false",
			COPILOT_MODEL: "scripted",
			COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
			COPILOT_PROVIDER_API_KEY: "x",
		}),
		command: ["copilot", "-p", "go"],
		allows: ["--allow-tool", "pi-mcp(mcp)"],
	},
	opencode: {
		section: "opencode",
		settings: ({ url, permission }) => ({
			autoupdate: false,
			share: "disabled",
			provider: {
				scripted: {
					npm: "@ai-sdk/openai-compatible",
					options: { baseURL: `${url}/v1`, apiKey: "x" },
					models: {
						scripted: {
							tool_call: true,
							attachment: true,
							modalities: { input: ["text", "image"], output: ["text"] },
							limit: { context: 200000, output: 8000 },
						},
					},
				},
			},
			model: "scripted/scripted",
			small_model: "scripted/scripted",
			...(permission ? { permission } : {}),
		}),
		env: () => ({
			OPENCODE_DISABLE_AUTOUPDATE: "1",
			OPENCODE_DISABLE_MODELS_FETCH: "1",
			OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
		}),
		command: ["opencode", "run", "go"],
		allows: [],
	},
	cline: {
		section: "Cline",
		files: ({ url }) => ({
			".cline/data/settings/providers.json": {
				version: 1,
				lastUsedProvider: "openai-compatible",
				modes: {},
				providers: {
					"openai-compatible": {
						settings: {
							provider: "openai-compatible",
							apiKey: "x",
							model: "scripted",
							baseUrl: `${url}/v1`,
						},
						updatedAt: "2026-01-01T00:00:00.000Z",
						tokenSource: "manual",
					},
				},
			},
		}),
		command: ["cline", "-P", "openai-compatible", "-m", "scripted", "go on"],
		allows: ["--auto-approve", "true"],
		stays: true,
	},
	gemini: {
		section: "Gemini CLI",
		settings: () => ({
			security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
			general: { enableAutoUpdate: false },
			privacy: { usageStatisticsEnabled: false },
			telemetry: { enabled: false },
		}),
		env: ({ url }) => ({ GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: url }),
		command: ["gemini", "-p", "go"],
		allows: ["--yolo"],
	},
	qwen: {
		section: "Qwen Code",
		settings: () => ({
			$version: 4,
			security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
			general: { disableAutoUpdate: true, enableAutoUpdate: false },
			privacy: { usageStatisticsEnabled: false },
			telemetry: { enabled: false },
		}),
		env: ({ url }) => ({
			OPENAI_API_KEY: "x",
			OPENAI_BASE_URL: `${url}/v1`,
			OPENAI_MODEL: "scripted",
		}),
		command: ["qwen", "-p", "go"],
		allows: ["--yolo"],
	},
	sdk_v1: { command: ["node", join(here, "clients/sdk_v1.mjs"), "{url}"], allows: [] },
	sdk_v2: { command: ["node", join(here, "clients/sdk_v2.mjs"), "{url}"], allows: [] },
	langchain: { command: ["node", join(here, "clients/langchain.mjs"), "{url}"], allows: [] },
	sdk_python_v1: { command: python(1), allows: [] },
	sdk_python_v2: { command: python(2), allows: [] },
};
// It hides the tools of servers until its model has searched them.
hosts.claude_hiding = {
	...hosts.claude,
	env: (context) => ({ ...hosts.claude.env(context), ENABLE_TOOL_SEARCH: "true" }),
};

// The settings of the page and those for the model in one file: {path: text}.
function settingsFile({ section, settings }, context) {
	if (!section) return {};
	const { path, text } = settingsOf(section);
	const args = JSON.stringify(context.args);
	const ours = text.replace(/"serve"/, args.slice(1, -1));
	const more = settings?.(context) ?? {};
	if (typeof more === "string") return { [path]: `${more}\n${ours}` };
	return { [path]: { ...more, ...JSON.parse(ours) } };
}

// What pi-mcp's configuration says of the probe server, and so its instructions.
export const described = "Things to look at and to put down";

// `lost` gives the milliseconds that do not count.
export async function until(what, holds, seconds, lost = () => 0) {
	const deadline = Date.now() + seconds * 1000;
	while (!holds()) {
		if (Date.now() > deadline && Date.now() > deadline + lost()) {
			throw new Error(`waited ${seconds} s for ${what}`);
		}
		await new Promise((later) => setTimeout(later, 100));
	}
}

// Whether a process is pi-mcp, or what it has started.
function isOurs(pid) {
	try {
		const line = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
		return fs.readlinkSync(`/proc/${pid}/exe`) === binary || line.includes("probe_server.mjs");
	} catch {
		return false;
	}
}

// A process for a message: what it runs, its state and whose child it is.
function processText(pid) {
	try {
		const [, name, state, parent] = /\((.*)\) (\S) (\d+)/s.exec(
			fs.readFileSync(`/proc/${pid}/stat`, "utf8"),
		);
		const line = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
		return `${pid} ${name} ${state} (child of ${parent}): ${line}`;
	} catch {
		return `${pid} has ended`;
	}
}

export function write(home, path, data) {
	const file = join(home, path);
	fs.mkdirSync(dirname(file), { recursive: true });
	fs.writeFileSync(file, typeof data === "string" ? data : JSON.stringify(data));
}

// A home folder with a project, and with pi-mcp in its PATH.
export function makeHome(name) {
	const home = fs.mkdtempSync(join(tmpdir(), `pi-mcp-${name}-`));
	fs.mkdirSync(join(home, "bin"));
	fs.symlinkSync(binary, join(home, "bin/pi-mcp"));
	execFileSync("git", ["init", "-q", join(home, "project")]);
	return home;
}

export function probeServer(home) {
	return {
		command: process.execPath,
		args: [join(here, "probe_server.mjs"), join(home, "probe.log")],
	};
}

// One host and its home folder.
export class HostRun {
	// `options`: args of `pi-mcp serve`, settings of pi-mcp, permission of opencode, env of the host.
	static async start(name, steps, { args = [], settings, permission, env } = {}) {
		const home = makeHome(name);
		const run = new HostRun(name, await ScriptedModel.start(steps), home, env);
		const probe = { ...probeServer(home), description: described };
		write(home, ".pi/agent/mcp.json", { mcpServers: { probe }, settings });
		const context = { ...run.context, args: ["serve", ...args], permission };
		const files = { ...run.host.files?.(context), ...settingsFile(run.host, context) };
		for (const [path, data] of Object.entries(files)) write(home, path, data);
		const learnt = run.pimcp("connect", "--all");
		if (learnt.status !== 0) throw new Error(`pi-mcp connect: ${learnt.stderr}`);
		return run;
	}

	constructor(name, model, home, env) {
		this.host = hosts[name];
		this.model = model;
		this.home = home;
		this.project = join(home, "project");
		this.log = join(home, "probe.log");
		this.context = { url: model.url, project: this.project };
		this.env = {
			HOME: home,
			TMPDIR: home,
			LANG: "C.UTF-8",
			SHELL: "/bin/sh",
			PI_MCP_SHARED: "off",
			PATH: [join(home, "bin"), ...programs, process.env.PATH].join(":"),
			...this.host.env?.(this.context),
			...env,
		};
	}

	pimcp(...words) {
		return spawnSync(binary, words, { env: this.env, cwd: this.project, encoding: "utf8" });
	}

	// Starts one prompt without anybody to ask.
	begin(flags) {
		const [program, ...words] = [...this.host.command, ...flags];
		this.child = spawn(
			program,
			words.map((word) => word.replace("{url}", this.model.url)),
			{
				env: { ...this.env, TERM: "dumb" },
				cwd: this.project,
				stdio: ["ignore", "pipe", "pipe"],
			},
		);
		this.output = "";
		this.over = false;
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream.on("data", (chunk) => (this.output += chunk));
		}
		const over = (error) => {
			this.over = true;
			if (error instanceof Error) this.output += error.message;
		};
		this.child.on("exit", over).on("error", over);
	}

	// One prompt to the end; gives what the model got for each call, and what the host printed.
	async headless(...flags) {
		this.begin(flags);
		const ended = this.#until("the host to end", () => this.over, hostSeconds);
		// What it has brought counts also where it does not end by itself.
		const hangs = await ended.then(() => false, () => true);
		if (this.host.stays || hangs) await this.killHost();
		await this.nothingLeft();
		return { results: this.model.results, output: this.output };
	}

	// A call of that tool, which the model wanted, runs.
	async called(name) {
		const runs = () => this.ran().includes(name);
		await this.#until(`a call of ${name}`, () => runs() || this.over, hostSeconds);
		if (!runs()) throw new Error(`no call of ${name}; the host printed:\n${this.output}`);
	}

	// kill -9 of each process of the host, of those too that it starts meanwhile, and of none of ours.
	killHost() {
		const killed = () => {
			// Listed once: what starts in between is looked at next time, whosever it is.
			const others = this.#processes().filter((pid) => !isOurs(pid));
			this.#kill(others);
			return others.length === 0;
		};
		return until("the host to end", killed, leftSeconds, () => this.#starved());
	}

	nothingLeft() {
		return this.#until("what pi-mcp started to end", () => this.#ours().length === 0, leftSeconds);
	}

	async #until(what, holds, seconds) {
		await until(what, holds, seconds, () => this.#starved()).catch((error) => {
			const asked = `the model was asked ${this.model.count} times`;
			const running = this.#processes().map(processText).join("\n");
			throw new Error(
				`${error.message}; ${asked}; the host printed:\n${this.output}\nstill running:\n${running}`,
			);
		});
	}

	// Milliseconds that its processes have waited for a processor: on a busy machine most of the time.
	#starved() {
		const waited = (pid) => {
			try {
				return Number(fs.readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
			} catch {
				return 0; // it has ended meanwhile
			}
		};
		return this.#processes().reduce((sum, pid) => sum + waited(pid), 0);
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
		return this.#processes().filter(isOurs);
	}

	#kill(pids) {
		for (const pid of pids) {
			try {
				process.kill(Number(pid), "SIGKILL");
			} catch {
				// it has ended meanwhile
			}
		}
	}

	async close() {
		this.screen?.close();
		await this.model.stop();
		this.#kill(this.#processes());
		const ended = () => this.#processes().length === 0;
		await until("the run's processes to end", ended, leftSeconds, () => this.#starved());
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
