// The conversation with a child: framing, ids, errors, and how it ends. The child is a Node.js
// program that prints what each test wants of it.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { UnknownMethod, Wire } from "../../extension/wire.ts";

// Runs in the child: `say` prints lines, `heard` gives each message that it is sent.
const prelude = `
	let rest = "", onMessage = () => {};
	const lineOf = (message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n";
	const say = (message) => process.stdout.write(lineOf(message));
	const heard = (handler) => { onMessage = handler; };
	process.stdin.on("data", (data) => {
		const lines = (rest + data).split("\\n");
		rest = lines.pop();
		for (const line of lines) onMessage(JSON.parse(line));
	});
`;

let wire;
const notified = [];
let told; // the first notification is there
let ended;

function start(program, request = async (method) => Promise.reject(new UnknownMethod(method))) {
	notified.length = 0;
	told = Promise.withResolvers();
	ended = Promise.withResolvers();
	wire = new Wire(process.execPath, ["-e", prelude + program], process.cwd(), {
		notification: (method, params) => (notified.push({ method, params }), told.resolve()),
		request,
		ended: (why) => ended.resolve(why),
	});
	return wire;
}

afterEach(() => wire.close());

test("an answer settles the request of its id, in whatever order answers come", async () => {
	start(`
		const asked = [];
		heard(({ id, method, params }) => {
			asked.push({ id, result: { method, params } });
			if (asked.length === 2) asked.reverse().forEach(say);
		});
	`);
	const both = [wire.request("one", { a: 1 }), wire.request("two", {})];
	assert.deepEqual(await Promise.all(both), [
		{ method: "one", params: { a: 1 } },
		{ method: "two", params: {} },
	]);
});

// A pipe gives 64 KiB at a time at most, which is no multiple of the three bytes of a character.
test("a line may come in pieces, cut inside a character", async () => {
	start(`heard(({ id }) => say({ id, result: { text: "€".repeat(100_000) } }));`);
	const { text } = await wire.request("any", {});
	assert.ok(text === "€".repeat(100_000));
});

test("several messages may come in one piece", async () => {
	start(`
		heard(({ id }) => {
			const second = { method: "b", params: { x: 1 } };
			const lines = [{ method: "a" }, second, { id, result: {} }];
			process.stdout.write(lines.map(lineOf).join(""));
		});
	`);
	await wire.request("any", {});
	assert.deepEqual(notified, [
		{ method: "a", params: {} },
		{ method: "b", params: { x: 1 } },
	]);
});

test("an error answer rejects with its message, or with one of ours", async () => {
	start(`
		heard(({ id, method }) => {
			say({ id, error: { code: 1, message: method === "said" ? "no" : undefined } });
		});
	`);
	await assert.rejects(wire.request("said", {}), { message: "no" });
	await assert.rejects(wire.request("unsaid", {}), { message: "the request failed" });
});

test("an answer without a request, and one to nobody, change nothing", async () => {
	start(`
		heard(({ id }) => {
			for (const nobodys of [{ id: 99, result: {} }, { id: null, error: {} }]) say(nobodys);
			say({ id, result: { ok: 1 } });
		});
	`);
	assert.deepEqual(await wire.request("any", {}), { ok: 1 });
});

for (const [line, printed] of [
	["Usage: something else", '"Usage: something else"'],
	["{", '"{"'],
	["[]", '"[]"'],
	["null", '"null"'],
	['{"jsonrpc":"1.0","id":1,"result":{}}', '"{"jsonrpc":"1.0","id":1,"result":{}}"'],
	["", "an empty line"],
	["\u001b[31mred\u001b[0m", '"red"'],
]) {
	test(`${JSON.stringify(line)} is no message: it ends the child and all requests`, async () => {
		start(`heard(() => { process.stdout.write(${JSON.stringify(line)} + "\\n"); });`);
		const why =
			/is not the pi-mcp that belongs here: it printed (.*) instead of a JSON-RPC message/;
		const error = await wire.request("any", {}).catch((error) => error);
		assert.equal(why.exec(error.message)?.[1], printed);
		assert.equal(await ended.promise, error);
		await assert.rejects(wire.request("later", {}), error);
	});
}

test("progress goes to its own request and to no handler of notifications", async () => {
	start(`
		heard(({ id, params }) => {
			const { progressToken } = params._meta;
			const method = "notifications/progress";
			say({ method, params: { progressToken, progress: 1 } });
			say({ method, params: { progressToken: 77, progress: 2 } });
			say({ id, result: { a: params.a } });
		});
	`);
	const seen = [];
	const answer = await wire.request(
		"any",
		{ a: 1 },
		{ onProgress: (params) => seen.push(params.progress) },
	);
	assert.deepEqual(seen, [1]);
	assert.equal(answer.a, 1);
	assert.deepEqual(notified, []);
});

test("an aborted request is withdrawn by its id, and its late answer is nobody's", async () => {
	start(`
		let first;
		heard(({ id, method, params }) => {
			if (method === "slow") first = id;
			else if (method === "next") say({ id, result: {} });
			else {
				say({ id: first, result: {} });
				say({ method: "withdrawn", params: { same: params.requestId === first } });
			}
		});
	`);
	const abort = new AbortController();
	const slow = wire.request("slow", {}, { signal: abort.signal });
	abort.abort();
	await assert.rejects(slow, { message: "aborted" });
	await wire.request("next", {});
	assert.deepEqual(notified, [{ method: "withdrawn", params: { same: true } }]);
	await assert.rejects(wire.request("never sent", {}, { signal: abort.signal }), {
		message: "aborted",
	});
});

test("a request of the child is answered under its id, with a result or an error", async () => {
	const refused = Object.assign(new Error("not now"), { code: -1 });
	const strange = Object.assign(new Error("strange"), { code: "ENOENT" });
	start(
		`
		const answers = [];
		const asked = { a: "good", 2: "refused", 3: "strange", 4: "unknown" };
		for (const [id, method] of Object.entries(asked)) say({ id, method, params: { id } });
		heard((message) => {
			if (message.method) return;
			answers.push(message);
			if (answers.length === 4) say({ method: "answers", params: { answers } });
		});
	`,
		async (method, params) => {
			if (method === "good") return { params };
			if (method === "refused") throw refused;
			if (method === "strange") throw strange;
			throw new UnknownMethod(method);
		},
	);
	await told.promise;
	const { answers } = notified[0].params;
	const byId = Object.fromEntries(
		answers.map((answer) => [answer.id, answer.result ?? answer.error]),
	);
	assert.deepEqual(byId, {
		a: { params: { id: "a" } },
		2: { code: -1, message: "not now" },
		3: { code: -32603, message: "strange" },
		4: { code: -32601, message: "unknown method unknown" },
	});
});

test("a request that the child withdraws is aborted and not answered", async () => {
	const asked = Promise.withResolvers();
	start(
		`
		const got = [];
		say({ id: 5, method: "ask" });
		say({ method: "notifications/cancelled", params: { requestId: 5 } });
		heard((message) => {
			if (message.method === "all") say({ id: message.id, result: { got } });
			else got.push(message);
		});
	`,
		(_method, _params, withdrawn) =>
			new Promise((resolve) => {
				withdrawn.addEventListener("abort", () => (resolve({}), asked.resolve()));
			}),
	);
	await asked.promise;
	await wire.request("all", {}); // by now an answer would have been written
	assert.deepEqual(await wire.request("all", {}), { got: [] });
});

test("the end of the child rejects what waits, with its status and last words", async () => {
	start(
		`heard(() => {
			process.stderr.write("\\u001b[1mout of luck\\n");
			process.exitCode = 3;
			process.stdin.destroy();
		});`,
	);
	const error = await wire.request("any", {}).catch((error) => error);
	assert.match(error.message, /ended \(exit status 3\): out of luck$/);
	assert.equal(await ended.promise, error);
});

test("of what the child said on stderr the last 4096 characters are told", async () => {
	start(
		`heard(() => { process.stderr.write("x".repeat(5000) + "last", () => process.exit(1)); });`,
	);
	const error = await wire.request("any", {}).catch((error) => error);
	assert.equal(error.message.split(": ").at(-1), `${"x".repeat(4092)}last`);
});

test("a program that is not there is said by its name", async () => {
	ended = Promise.withResolvers();
	wire = new Wire("/nowhere/pi-mcp", [], process.cwd(), {
		notification() {},
		request: async () => ({}),
		ended: (why) => ended.resolve(why),
	});
	await assert.rejects(
		wire.request("any", {}),
		/^Error: \/nowhere\/pi-mcp cannot be started: .*ENOENT/,
	);
	await ended.promise;
});

test("closing ends the child's input, and what the child asked is aborted", async () => {
	const asked = Promise.withResolvers();
	start(`say({ id: 1, method: "ask" });`, (_method, _params, withdrawn) => {
		asked.resolve(withdrawn);
		return new Promise(() => {});
	});
	const withdrawn = await asked.promise;
	await wire.close();
	assert.equal(withdrawn.aborted, true);
	assert.match((await ended.promise).message, /ended \(exit status 0\)/);
});

// A wrapper script, whose background job has its pipes.
test("what the child left behind keeps nobody waiting", { timeout: 20_000 }, async () => {
	start(`
		const { spawn } = require("node:child_process");
		heard(({ id }) => {
			const left = spawn("sleep", ["60"], { stdio: "inherit" });
			say({ id, result: { left: left.pid } });
		});
		process.stdin.on("end", () => { console.error("last words"); process.exit(3); });
	`);
	const { left } = await wire.request("leave", {});
	await wire.close();
	assert.match((await ended.promise).message, /exit status 3\): last words$/);
	process.kill(left);
});
