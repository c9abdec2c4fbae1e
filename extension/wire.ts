// One JSON-RPC 2.0 conversation with a child process, one message a line. Knows no MCP method.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { shownLine, shownText } from "./shown_text.ts";

export type Json = Record<string, unknown>;

export interface Handlers {
	notification(method: string, params: Json): void;
	// The result of a request of the child; a rejection becomes an error answer. When the child
	// withdraws the request, or ends, `withdrawn` is aborted and nobody waits for the result.
	request(method: string, params: Json, withdrawn: AbortSignal): Promise<Json>;
	ended(why: Error): void;
}

export interface CallOptions {
	signal?: AbortSignal | undefined;
	onProgress?: ((params: Json) => void) | undefined;
}

interface Pending {
	resolve(result: Json): void;
	reject(error: Error): void;
	onProgress: ((params: Json) => void) | undefined;
}

// Characters: the last words of the child, for the message about its end.
const stderrMax = 4096;
// Characters of a line that is no message, for the message about it.
const printedMax = 100;
// pi-mcp ends itself and its servers within 5 s after its input has ended.
const endMsMax = 6000;
// What it said at its end is read for so long. What it started may hold its pipes for ever.
const lastWordsMs = 200;
const methodNotFound = -32601;
const internalError = -32603;

export class Wire {
	readonly #command: string;
	readonly #child: ChildProcessWithoutNullStreams;
	readonly #handlers: Handlers;
	readonly #pending = new Map<number, Pending>();
	readonly #asked = new Map<unknown, AbortController>(); // requests of the child, by id
	readonly #exit: Promise<void>;
	#lastId = 0;
	#line: Buffer[] = [];
	#stderr = "";
	#end: Error | undefined;

	constructor(command: string, args: string[], cwd: string, handlers: Handlers) {
		this.#command = command;
		this.#handlers = handlers;
		this.#child = spawn(command, args, { cwd, stdio: "pipe" });
		this.#child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
		this.#child.stderr.on("data", (chunk: Buffer) => {
			this.#stderr = (this.#stderr + chunk.toString()).slice(-stderrMax);
		});
		this.#child.stdin.on("error", () => {}); // the end of the child says more
		this.#exit = new Promise((exited) => {
			this.#child.on("error", (error) => {
				this.#finish(`${command} cannot be started: ${error.message}`);
				exited();
			});
			this.#child.on("exit", () => setTimeout(() => this.#letGo(), lastWordsMs));
			this.#child.on("close", (status, signal) => {
				this.#finish(`${command} ended (${signal ?? `exit status ${status}`})`);
				exited();
			});
		});
	}

	get hasEnded(): boolean {
		return this.#end !== undefined;
	}

	request(method: string, params: Json, options: CallOptions = {}): Promise<Json> {
		const { signal, onProgress } = options;
		if (this.#end) return Promise.reject(this.#end);
		if (signal?.aborted) return Promise.reject(new Error("aborted"));
		const id = ++this.#lastId;
		return new Promise<Json>((resolve, reject) => {
			const aborted = () => {
				if (!this.#pending.delete(id)) return;
				this.notify("notifications/cancelled", { requestId: id, reason: "aborted by the user" });
				reject(new Error("aborted"));
			};
			const settle = () => signal?.removeEventListener("abort", aborted);
			signal?.addEventListener("abort", aborted, { once: true });
			this.#pending.set(id, {
				resolve: (result) => (settle(), resolve(result)),
				reject: (error) => (settle(), reject(error)),
				onProgress,
			});
			const given = params["_meta"] as Json | undefined;
			const meta = onProgress ? { _meta: { ...given, progressToken: id } } : {};
			this.#write({ id, method, params: { ...params, ...meta } });
		});
	}

	notify(method: string, params: Json): void {
		this.#write({ method, params });
	}

	// Ends the child's input and resolves once the child is gone.
	async close(): Promise<void> {
		this.#withdrawAll();
		this.#child.stdin.end();
		const kill = setTimeout(() => this.#child.kill("SIGKILL"), endMsMax);
		await this.#exit;
		clearTimeout(kill);
	}

	#letGo(): void {
		this.#child.stdout.destroy();
		this.#child.stderr.destroy();
	}

	#write(message: Json): void {
		if (!this.#end) this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}

	#read(chunk: Buffer): void {
		let rest = chunk;
		for (let end = rest.indexOf(10); end >= 0 && !this.#end; end = rest.indexOf(10)) {
			this.#line.push(rest.subarray(0, end));
			const line = Buffer.concat(this.#line).toString();
			this.#line = [];
			rest = rest.subarray(end + 1);
			const message = messageOf(line);
			if (message) this.#receive(message);
			else this.#refuse(line);
		}
		if (rest.length > 0) this.#line.push(rest);
	}

	// The program found under our name is another one.
	#refuse(line: string): void {
		const printed = shownLine(line, printedMax);
		const what = printed ? `"${printed}"` : "an empty line";
		this.#stderr = "";
		this.#finish(
			`${this.#command} is not the pi-mcp that belongs here: it printed ${what} instead of a ` +
				"JSON-RPC message. Name the right one in PI_MCP_BIN.",
		);
		this.#child.kill("SIGKILL");
	}

	#receive(message: Json): void {
		const params = (message["params"] ?? {}) as Json;
		if (typeof message["method"] !== "string") {
			this.#settle(message);
		} else if (message["id"] !== undefined) {
			void this.#answer(message["id"], message["method"], params);
		} else if (message["method"] === "notifications/progress") {
			this.#pending.get(params["progressToken"] as number)?.onProgress?.(params);
		} else if (message["method"] === "notifications/cancelled") {
			this.#asked.get(params["requestId"])?.abort();
		} else {
			this.#handlers.notification(message["method"], params);
		}
	}

	#settle(answer: Json): void {
		const id = answer["id"] as number;
		const pending = this.#pending.get(id);
		if (!this.#pending.delete(id)) return; // it was aborted
		const error = answer["error"] as { message?: string } | undefined;
		if (error) pending?.reject(new Error(error.message ?? "the request failed"));
		else pending?.resolve((answer["result"] ?? {}) as Json);
	}

	async #answer(id: unknown, method: string, params: Json): Promise<void> {
		const asked = new AbortController();
		this.#asked.set(id, asked);
		const answer = await this.#handlers.request(method, params, asked.signal).then(
			(result) => ({ result }),
			(error: Error & { code?: unknown }) => {
				const code = Number.isInteger(error.code) ? error.code : internalError;
				return { error: { code, message: error.message } };
			},
		);
		this.#asked.delete(id);
		if (!asked.signal.aborted) this.#write({ id, ...answer });
	}

	#withdrawAll(): void {
		for (const asked of this.#asked.values()) asked.abort();
	}

	#finish(what: string): void {
		if (this.#end) return;
		const words = shownText(this.#stderr, stderrMax).trim();
		this.#end = new Error(words ? `${what}: ${words}` : what);
		for (const { reject } of this.#pending.values()) reject(this.#end);
		this.#pending.clear();
		this.#withdrawAll();
		this.#handlers.ended(this.#end);
	}
}

// Undefined for a line that is no message.
function messageOf(line: string): Json | undefined {
	try {
		const message = JSON.parse(line) as Json | null;
		return message?.["jsonrpc"] === "2.0" ? message : undefined;
	} catch {
		return undefined;
	}
}

// A rejection with a number as `code` becomes an error answer with that code.
export class UnknownMethod extends Error {
	readonly code = methodNotFound;
	constructor(method: string) {
		super(`unknown method ${method}`);
	}
}
