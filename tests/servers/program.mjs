// A common server of one row as a process, and the two ways to it: the client of the same SDK, and
// a scripted host in front of `pi-mcp serve`.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import {
	LoggingMessageNotificationSchema,
	ProgressNotificationSchema,
	ResultSchema,
} from "../e2e/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js";
import { Home, Host, run, until } from "../e2e/harness.mjs";

export const common = JSON.parse(readFileSync(new URL("common.json", import.meta.url), "utf8"));

const startSeconds = 60;
const callSeconds = 60; // with the start of a server on a busy machine

function freePort() {
	return new Promise((found) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => found(port));
		});
	});
}

function listens(port) {
	return new Promise((told) => {
		const socket = connect(port, "127.0.0.1");
		socket.on("connect", () => told(true));
		socket.on("error", () => told(false));
		socket.on("close", () => socket.destroy());
	});
}

// A server of a row with a home folder of its own: for stdio only what starts it.
export class Program {
	static async start(row) {
		const program = new Program();
		program.row = row;
		program.home = new Home();
		program.marks = join(program.home.root, "marks");
		program.env = { ...program.home.env, MARKS: program.marks };
		if (row.transport !== "stdio") {
			program.port = await freePort();
			await program.listen();
		}
		return program;
	}

	async listen() {
		const [command, ...args] = this.row.server;
		const stdio = ["ignore", "pipe", "pipe"];
		const words = [...args, this.row.transport, String(this.port)];
		this.output = "";
		this.child = spawn(command, words, { env: this.env, cwd: this.home.project, stdio });
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream.on("data", (chunk) => (this.output += chunk));
		}
		this.ended = new Promise((ended) => this.child.on("close", ended));
		const deadline = Date.now() + startSeconds * 1000;
		while (!(await listens(this.port))) {
			if (this.child.exitCode !== null) throw new Error(`it ended:\n${this.output}`);
			if (Date.now() > deadline) throw new Error(`it does not listen:\n${this.output}`);
			await new Promise((later) => setTimeout(later, 50));
		}
	}

	async restart() {
		this.child.kill("SIGKILL");
		await this.ended;
		await this.listen();
	}

	get url() {
		return `http://127.0.0.1:${this.port}/${this.row.transport === "sse" ? "sse" : "mcp"}`;
	}

	// Its entry for pi-mcp, as users write it.
	get entry() {
		const [command, ...args] = this.row.server;
		return this.row.transport === "stdio"
			? { command, args: [...args, "stdio"], env: { MARKS: this.marks } }
			: { url: this.url };
	}

	marked(word) {
		return existsSync(this.marks) && readFileSync(this.marks, "utf8").includes(word);
	}

	async remove() {
		this.child?.kill("SIGKILL");
		await this.ended;
		this.home.remove();
	}
}

// What the client of the SDK itself gets: {tools, jobs}.
export async function directly(row, skipped) {
	const program = await Program.start(row);
	try {
		const [command, ...args] = row.client;
		const target = row.transport === "stdio" ? [...row.server, "stdio"] : [program.url];
		const env = { ...program.env, SKIP: skipped.join(",") };
		const words = [...args, row.era, row.transport, ...target];
		const ended = await run(command, words, { env, cwd: program.home.project, seconds: 120 });
		try {
			return JSON.parse(ended.stdout);
		} catch {
			throw new Error(`the client ended with ${ended.status}:\n${ended.stderr.slice(-3000)}`);
		}
	} finally {
		await program.remove();
	}
}

// A host that answers all questions, and knows of each job what came in while it ran.
export class ScriptedHost {
	static async start(program) {
		const host = new ScriptedHost();
		host.program = program;
		host.begin();
		program.home.configure(
			{ common: { ...program.entry, directTools: true, toolPrefix: "none" } },
			{ approveTools: false }, // mcp-go calls each tool destructive
		);
		host.inner = await Host.start(program.home, {
			capabilities: { experimental: {}, elicitation: { form: {} }, sampling: {}, roots: {} },
			prepare: (client) => host.#answer(client),
		});
		host.client = host.inner.client;
		await host.client.setLoggingLevel("info");
		await host.mcp({ connect: "common" });
		return host;
	}

	begin() {
		this.record = { progress: [], logs: [], asked: [] };
	}

	#answer(client) {
		const { elicitation, sampling, roots } = common.answers;
		const answers = {
			"elicitation/create": elicitation,
			"sampling/createMessage": sampling,
			"roots/list": { roots },
		};
		// This handler gets requests as they arrived, those with a schema only what it knows.
		client.fallbackRequestHandler = async ({ method, params }) => {
			if (method !== "roots/list") this.record.asked.push({ method, params });
			return answers[method];
		};
		client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
			this.record.logs.push(params);
		});
		// The SDK's own handler forgets a call with its result, also when progress came before it.
		client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
			this.record.progress.push(params);
		});
	}

	// With all members that arrived, which the SDK's own callTool() does not promise.
	request(method, params, options = {}) {
		const limits = { timeout: callSeconds * 1000, ...options };
		return this.client.request({ method, params }, ResultSchema, limits);
	}

	mcp(args, options) {
		const _meta = { progressToken: "scripted" };
		return this.request("tools/call", { name: "mcp", arguments: args, _meta }, options);
	}

	call({ tool, args }, options) {
		return this.mcp({ server: "common", tool, args }, options);
	}

	async job(job) {
		this.begin();
		const { record } = this;
		const result = await this.call(job);
		const enough = (name) => record[name].length >= (job.expect[name]?.length ?? 0);
		// A log message may come behind the result; what never comes is for the comparison to say.
		await until("messages", () => enough("logs") && enough("progress"), 2).catch(() => {});
		return { result, ...record };
	}

	// Ends a call that the server works on; resolves when the server knows it.
	async cancel(job) {
		const abort = new AbortController();
		const ended = this.call(job, { signal: abort.signal }).catch((error) => error);
		await until("the call to begin", () => this.program.marked("waiting"), callSeconds);
		abort.abort("not needed");
		await until("the server to be told", () => this.program.marked("cancelled"), 10);
		return ended;
	}

	async close() {
		await this.inner.close();
		await until("pi-mcp to end", () => this.program.home.processes().every(
			(pid) => pid === this.program.child?.pid), 10);
	}
}
