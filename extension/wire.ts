// One JSON-RPC 2.0 conversation with a child process, one message a line. Knows no MCP method.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export type Json = Record<string, unknown>;

export interface Handlers {
	notification(method: string, params: Json): void;
	// The result of a request of the child; a rejection becomes an error answer.
	request(method: string, params: Json): Promise<Json>;
	ended(): void;
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

// The last words of the child, for the message about its end.
const stderrBytesMax = 4096;
// pi-mcp ends itself and its servers within 5 s after its input has ended.
const endMsMax = 6000;
const methodNotFound = -32601;
const internalError = -32603;

export class Wire {
	readonly #child: ChildProcessWithoutNullStreams;
	readonly #handlers: Handlers;
	readonly #pending = new Map<number, Pending>();
	readonly #exit: Promise<void>;
	#lastId = 0;
	#line: Buffer[] = [];
	#stderr = "";
	#end: Error | undefined;

	constructor(command: string, args: string[], cwd: string, handlers: Handlers) {
		this.#handlers = handlers;
		this.#child = spawn(command, args, { cwd, stdio: "pipe" });
		this.#child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
		this.#child.stderr.on("data", (chunk: Buffer) => {
			this.#stderr = (this.#stderr + chunk.toString()).slice(-stderrBytesMax);
		});
		this.#child.stdin.on("error", () => {}); // the end of the child says more
		this.#exit = new Promise((exited) => {
			this.#child.on("error", (error) => {
				this.#finish(`${command} cannot be started: ${error.message}`);
				exited();
			});
			this.#child.on("close", (status, signal) => {
				this.#finish(`${command} ended (${signal ?? `exit status ${status}`})`);
				exited();
			});
		});
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
			const meta = onProgress ? { _meta: { progressToken: id } } : {};
			this.#write({ id, method, params: { ...params, ...meta } });
		});
	}

	notify(method: string, params: Json): void {
		this.#write({ method, params });
	}

	// Ends the child's input and resolves once the child is gone.
	async close(): Promise<void> {
		this.#child.stdin.end();
		const kill = setTimeout(() => this.#child.kill("SIGKILL"), endMsMax);
		await this.#exit;
		clearTimeout(kill);
	}

	#write(message: Json): void {
		if (!this.#end) this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}

	#read(chunk: Buffer): void {
		let rest = chunk;
		for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
			this.#line.push(rest.subarray(0, end));
			const line = Buffer.concat(this.#line).toString();
			this.#line = [];
			rest = rest.subarray(end + 1);
			this.#receive(JSON.parse(line) as Json);
		}
		if (rest.length > 0) this.#line.push(rest);
	}

	#receive(message: Json): void {
		const params = (message["params"] ?? {}) as Json;
		if (typeof message["method"] !== "string") {
			this.#settle(message);
		} else if (message["id"] !== undefined) {
			void this.#answer(message["id"], message["method"], params);
		} else if (message["method"] === "notifications/progress") {
			this.#pending.get(params["progressToken"] as number)?.onProgress?.(params);
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
		try {
			this.#write({ id, result: await this.#handlers.request(method, params) });
		} catch (error) {
			const code = (error as { code?: unknown }).code;
			const { message } = error as Error;
			this.#write({ id, error: { code: Number.isInteger(code) ? code : internalError, message } });
		}
	}

	#finish(what: string): void {
		if (this.#end) return;
		const words = this.#stderr.trim();
		this.#end = new Error(words ? `${what}: ${words}` : what);
		for (const { reject } of this.#pending.values()) reject(this.#end);
		this.#pending.clear();
		this.#handlers.ended();
	}
}

// A rejection with a number as `code` becomes an error answer with that code.
export class UnknownMethod extends Error {
	readonly code = methodNotFound;
	constructor(method: string) {
		super(`unknown method ${method}`);
	}
}
