// The real Pi, headless, with this checkout's extension and a scripted model.
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Home, binary, run, until } from "../e2e/harness.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, "../..");
const modules = join(here, "node_modules");
const node20 = join(modules, `node-20-linux-${process.arch}/bin/node`);
const node22 = join(modules, `node-linux-${process.arch}/bin/node`);

// The Pis that the extension is for, newest first. Each runs with the Node.js that it asks for.
export const versions = [
	{ name: "1.5.2", node: node22, cli: "@earendil-works/pi-coding-agent/dist/bundle/cli.js" },
	{ name: "0.87.1", node: node22, cli: "pi-0-87/dist/bundle/cli.js" },
	{ name: "0.73.1", node: node20, cli: "@mariozechner/pi-coding-agent/dist/cli.js" },
];
const [newest] = versions;

// The scripted server of tests/support with these of its tools.
export function fakeServer(...tools) {
	const built = join(root, "build/dev/tests/support/fake_server");
	return { command: process.env.PI_MCP_FAKE_SERVER ?? built, args: ["--tools", tools.join()] };
}

// The server of scripted_server.mjs with these lists.
export function scriptedServer(lists) {
	const script = join(here, "scripted_server.mjs");
	return { command: process.execPath, args: [script, JSON.stringify(lists)] };
}

// A server with tools of these names.
export function namedServer(...tools) {
	return scriptedServer({ tools });
}

// A home directory whose Pi talks to `model`.
export class PiHome extends Home {
	constructor(model) {
		super();
		const limits = { contextWindow: 1_000_000, maxTokens: 4096 };
		const scripted = { id: "scripted", input: ["text", "image"], ...limits };
		const provider = { baseUrl: model.url, api: "openai-completions", apiKey: "none" };
		this.write(".pi/agent/models.json", {
			providers: { mock: { ...provider, models: [scripted] } },
		});
		this.write(".pi/agent/settings.json", {
			defaultProvider: "mock",
			defaultModel: "scripted",
			compaction: { enabled: false },
			retry: { enabled: false },
			enableInstallTelemetry: false,
		});
		Object.assign(this.env, {
			PI_CODING_AGENT_DIR: this.agent,
			PI_OFFLINE: "1",
			PI_TELEMETRY: "0",
			PI_SKIP_VERSION_CHECK: "1",
			PI_MCP_BIN: binary,
			TMPDIR: this.root,
		});
	}

	// A metadata cache that exists, so that no server is started only to fill it.
	withCache(servers = {}) {
		this.write(".pi/agent/mcp-cache.json", { version: 1, servers });
		return this;
	}
}

function arguments_(mode, options) {
	const extension = options.bare ? [] : ["-e", options.extension ?? root];
	const { cli } = options.version ?? newest;
	return [join(modules, cli), "--model", "mock/scripted", ...extension]
		.concat(options.saves ? [] : "--no-session")
		.concat(options.builtins ? [] : "-ne")
		.concat(mode)
		.concat(options.args ?? []);
}

// The interactive Pi, to be run in a terminal.
export function commandLine(options = {}) {
	const { node } = options.version ?? newest;
	return [node, ...arguments_([], options)];
}

// `pi` with these arguments alone, as `pi install FOLDER`.
export function command(home, ...args) {
	return commandOf(newest, home, ...args);
}

// The same in another Pi.
export function commandOf(version, home, ...args) {
	return run(version.node, [join(modules, version.cli), ...args], {
		env: home.env,
		cwd: home.project,
	});
}

// The same while it runs: what it has written, and its exit status once it has ended.
export function start(home, ...args) {
	const child = spawn(newest.node, [join(modules, newest.cli), ...args], {
		env: { ...home.env, BROWSER: "true" },
		cwd: home.project,
		stdio: ["ignore", "pipe", "pipe"],
	});
	const output = { text: "" };
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text) => (output.text += text));
	}
	return { output, exit: new Promise((ended) => child.on("close", ended)) };
}

// A script that gets the address of Pi's library, then these arguments.
export function library(home, script, ...args) {
	const index = pathToFileURL(join(modules, dirname(newest.cli), "index.js")).href;
	return run(newest.node, [join(here, script), index, ...args], {
		env: home.env,
		cwd: home.project,
	});
}

// `pi -p` (or another `mode`): runs one prompt to its end.
export function print(home, prompt, options = {}) {
	const args = [...arguments_(options.mode ?? ["-p"], options), prompt];
	const { node } = options.version ?? newest;
	return run(node, args, { env: { ...home.env, ...options.env }, cwd: home.project });
}

// `pi --mode rpc`: a session that a test drives.
export class Pi {
	constructor(home, options = {}) {
		this.home = home;
		this.events = [];
		this.stderr = "";
		this.lastId = 0;
		const { node } = options.version ?? newest;
		this.settled = (options.version ?? newest) === newest ? "agent_settled" : "agent_end";
		this.child = spawn(node, arguments_(["--mode", "rpc"], options), {
			env: { ...home.env, ...options.env },
			cwd: home.project,
		});
		this.exit = new Promise((ended) => this.child.on("close", ended));
		this.child.stderr.on("data", (chunk) => (this.stderr += chunk));
		let buffer = "";
		this.child.stdout.setEncoding("utf8").on("data", (chunk) => {
			buffer += chunk;
			const lines = buffer.split("\n");
			buffer = lines.pop();
			const at = performance.now();
			for (const line of lines) this.events.push({ ...JSON.parse(line), at });
		});
	}

	send(command) {
		this.child.stdin.write(`${JSON.stringify(command)}\n`);
	}

	// Answers a dialog of an extension; `value` undefined closes it.
	reply({ id }, value) {
		const answer = value === undefined ? { cancelled: true } : { value };
		this.send({ type: "extension_ui_response", id, ...answer });
	}

	// The first event after number `from` for which `holds`.
	async event(what, holds, from = 0) {
		let found;
		const look = () => (found = this.events.slice(from).find(holds));
		await until(what, look, 30).catch((error) => {
			throw new Error(`${error.message}; stderr: ${this.stderr.slice(-800)}`);
		});
		return found;
	}

	async command(type, params = {}) {
		const id = `c${++this.lastId}`;
		const from = this.events.length;
		this.send({ id, type, ...params });
		return this.event(type, (event) => event.type === "response" && event.id === id, from);
	}

	// Runs a prompt until the agent has settled; gives the events since.
	async prompt(message) {
		const from = this.events.length;
		this.send({ id: `p${++this.lastId}`, type: "prompt", message });
		await this.event("the end of the prompt", ({ type }) => type === this.settled, from);
		return this.events.slice(from);
	}

	// Results of tools since event number `from`.
	results(from = 0) {
		return this.events.slice(from).filter(({ type }) => type === "tool_execution_end");
	}

	// What extensions showed to the user: notices, footer, dialogs.
	shown(method, from = 0) {
		const isShown = (event) => event.type === "extension_ui_request" && event.method === method;
		return this.events.slice(from).filter(isShown);
	}

	async notice(pattern, from = 0) {
		const holds = (event) =>
			event.type === "extension_ui_request" &&
			event.method === "notify" &&
			pattern.test(event.message);
		return this.event(`a notice like ${pattern}`, holds, from);
	}

	// Ends Pi the orderly way; gives its exit status.
	async close() {
		this.child.stdin.end();
		return this.exit;
	}
}
