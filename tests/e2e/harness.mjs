// What every end-to-end test needs: a home directory of its own, the product started the way hosts
// start it, and a look at the processes that are left.
import { spawn } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	readlinkSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

export const here = dirname(fileURLToPath(import.meta.url));
export const binary = resolve(process.env.PI_MCP_BINARY ?? join(here, "../../build/dev/pi-mcp"));
export const bin = (name) => join(here, "node_modules/.bin", name);

// A server entry as users write it, for a program of node_modules/.bin.
export function server(name, ...args) {
	return { command: bin(name), args };
}

// The three real servers, one of them through npx as most documentation shows it.
export function realServers(home) {
	return {
		everything: server("mcp-server-everything"),
		files: server("mcp-server-filesystem", home.project),
		memory: {
			command: "npx",
			args: ["--no-install", "mcp-server-memory"],
			cwd: here,
			env: { MEMORY_FILE_PATH: join(home.root, "memory.jsonl") },
		},
	};
}

export class Home {
	constructor() {
		this.root = mkdtempSync(join(tmpdir(), "pi-mcp-e2e-"));
		this.project = join(this.root, "project");
		this.agent = join(this.root, ".pi/agent");
		this.cache = join(this.agent, "mcp-cache.json");
		mkdirSync(this.project);
		// Nothing of the caller's own configuration may show through.
		// A process of its own each time, but where sharing is what is tested, or wanted.
		const shared = process.env.PI_MCP_TEST_SHARED ?? "off";
		this.env = { PATH: process.env.PATH, HOME: this.root, PI_MCP_SHARED: shared };
	}

	write(path, content) {
		const file = join(this.root, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
		return file;
	}

	configure(mcpServers, settings) {
		return this.write(".pi/agent/mcp.json", { mcpServers, settings });
	}

	// Each file below the folder with its bytes as latin1, by its path. What goes away meanwhile, as
	// records of processes that end do, is passed over.
	files(folder = this.root) {
		const unlessGone = (look) => {
			try {
				return look();
			} catch (error) {
				if (error.code === "ENOENT") return [];
				throw error;
			}
		};
		return unlessGone(() => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
			const path = join(folder, entry.name);
			if (entry.isDirectory()) return this.files(path);
			if (!entry.isFile()) return [];
			return unlessGone(() => [[path, readFileSync(path, "latin1")]]);
		});
	}

	// Pids of everything started with this home, however deep.
	processes() {
		const marker = `HOME=${this.root}\0`;
		const mine = (pid) => {
			try {
				return readFileSync(`/proc/${pid}/environ`, "latin1").includes(marker);
			} catch {
				return false; // it is gone, or it belongs to somebody else
			}
		};
		return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && mine(name)).map(Number);
	}

	// Name of a process as the kernel has it ("pi-mcp", "pi-mcp-keeper", "node"); empty: it is gone.
	static nameOf(pid) {
		try {
			return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
		} catch {
			return "";
		}
	}

	// The servers alone, without pi-mcp and its keepers.
	servers() {
		const isServer = (name) => name !== "" && !name.startsWith("pi-mcp");
		return this.processes().filter((pid) => isServer(Home.nameOf(pid)));
	}

	// Its sessions are served by one process, as they are by default.
	share() {
		delete this.env.PI_MCP_SHARED;
		return this;
	}

	// That process; it has nothing of our environment. Undefined: there is none.
	sharedProcess() {
		const folder = join(this.agent, "run");
		const opens = (pid) => (number) => {
			try {
				return readlinkSync(`/proc/${pid}/fd/${number}`) === folder;
			} catch {
				return false; // closed meanwhile
			}
		};
		const serves = (pid) => {
			try {
				const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
				const isOurs = line.includes("__shared") && Home.nameOf(pid) !== "pi-mcp-keeper";
				return isOurs && readdirSync(`/proc/${pid}/fd`).some(opens(pid));
			} catch {
				return false; // it is gone, or it belongs to somebody else
			}
		};
		const pid = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).find(serves);
		return pid && Number(pid);
	}

	async allGone(seconds = 5) {
		await until("every process to end", () => this.processes().length === 0, seconds);
	}

	remove() {
		for (const pid of this.processes()) process.kill(pid, "SIGKILL");
		rmSync(this.root, { recursive: true, force: true });
	}
}

// A port of 127.0.0.1 that nobody listens on.
export function freePort() {
	return new Promise((found) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => found(port));
		});
	});
}

// Resolves once `holds()` does; looks again every 20 ms and gives up after `seconds`.
export function until(what, holds, seconds = 10) {
	const deadline = Date.now() + seconds * 1000;
	return new Promise((found, lost) => {
		const look = () => {
			if (holds()) found();
			else if (Date.now() > deadline) lost(new Error(`waited ${seconds} s for ${what}`));
			else setTimeout(look, 20);
		};
		look();
	});
}

// One host, as the official SDK makes it, talking to `pi-mcp serve`.
export class Host {
	static connect(home, ...options) {
		return Host.start(home, { options });
	}

	// `prepare` gets the client before it connects, for its handlers.
	static async start(home, { options = [], capabilities = {}, prepare = () => {} }) {
		const host = new Host();
		host.logs = [];
		host.stderr = "";
		host.client = new Client(
			{ name: "e2e", version: "1.0.0" },
			{ capabilities: { experimental: { "pi-mcp/details": {} }, ...capabilities } },
		);
		host.transport = new StdioClientTransport({
			command: binary,
			args: ["serve", ...options],
			env: home.env,
			cwd: home.project,
			stderr: "pipe",
		});
		host.transport.stderr.on("data", (chunk) => (host.stderr += chunk));
		host.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
			host.logs.push(params);
		});
		prepare(host.client);
		await host.client.connect(host.transport);
		return host;
	}

	get pid() {
		return this.transport.pid;
	}

	// Calls the `mcp` tool; text is all text blocks, details what the model does not see.
	async mcp(args, options = {}) {
		const answer = await this.client.callTool(
			{ name: "mcp", arguments: args },
			undefined,
			{ timeout: 60_000, ...options },
		);
		const texts = answer.content.filter((block) => block.type === "text");
		return {
			content: answer.content,
			text: texts.map((block) => block.text).join("\n"),
			isError: answer.isError === true,
			details: answer._meta?.["pi-mcp/details"],
		};
	}

	async close() {
		await this.client.close();
	}
}

// Runs a program to its end; never throws for its exit status.
export function run(command, args, { env, cwd, input = "", seconds = 60, onStart } = {}) {
	return new Promise((ended, lost) => {
		const child = spawn(command, args, { env, cwd });
		const out = { stdout: "", stderr: "" };
		const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
		child.stdout.on("data", (chunk) => (out.stdout += chunk));
		child.stderr.on("data", (chunk) => (out.stderr += chunk));
		child.on("error", lost);
		child.on("close", (status, signal) => {
			clearTimeout(timer);
			ended({ ...out, status, signal });
		});
		child.stdin.on("error", () => {}); // it may end without reading
		child.stdin.end(input);
		onStart?.(child);
	});
}

// The product from a shell.
export function cli(home, args, options = {}) {
	return run(binary, args, { env: home.env, cwd: home.project, ...options });
}
