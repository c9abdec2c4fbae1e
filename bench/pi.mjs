// Pi alone, with an extension that does nothing, with pi-mcp, with its own MCP client, and with
// pi-mcp-adapter (of bench/peers, or the index.ts that ADAPTER names), in turn in one run: start,
// calls, what the model is sent, memory and processes. Needs release builds. EARLIER names the
// checkout of another version of pi-mcp that was built, which then runs beside. `--json FILE` is
// for bench/run.py, which writes the pages.
import { existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "../tests/e2e/node_modules/gpt-tokenizer/esm/encoding/o200k_base.js";
import { binary, run } from "../tests/e2e/harness.mjs";
import { Model } from "../tests/pi/model.mjs";
import { Pi, PiHome, root } from "../tests/pi/pi.mjs";

const rounds = Number(process.env.ROUNDS ?? 4);
const starts = 12; // of each subject, for the time that it adds to Pi's own
const sizes = [1, 10, 100];
const callsPerRound = 20;
const closingSeconds = 5;
// Seconds from the beginning until the starts and each size have to be done, so that a busy machine
// costs rounds and not whole tables; bench/run.py waits a little longer than the last.
const until = [120, 190, 260, 330].map((seconds) => performance.now() + seconds * 1000);
const program = join(root, "build/release/bench/bench_fast_server");
const earlier = process.env.EARLIER;
const installed = join(root, "bench/peers/node_modules/pi-mcp-adapter/index.ts");
const adapter = process.env.ADAPTER ?? installed;

// What any extension costs Pi: its loader, which Pi alone does not read.
const empty = join(tmpdir(), `pi-mcp-bench-${process.pid}.ts`);
writeFileSync(empty, "export default function (_pi: unknown): void {}\n");
process.on("exit", () => unlinkSync(empty));

const throughMcp = { tool: "mcp", args: { tool: "s0_echo", args: '{"text":"x"}' } };
// `call`: how the model calls a tool of the first server; absent where only a script can.
const subjects = [
	{ name: "Pi alone", options: { bare: true }, onlyOnce: true },
	{ name: "an empty extension", options: { extension: empty }, startOnly: true },
	{ name: "with pi-mcp", options: {}, call: throughMcp },
	...(earlier
		? [
				{
					name: "with an earlier pi-mcp",
					options: { extension: earlier },
					call: throughMcp,
					program: join(earlier, "build/release/pi-mcp"),
				},
			]
		: []),
	{ name: "its own client", options: { bare: true, builtins: true } },
	{
		name: "its own client, direct",
		options: { bare: true, builtins: true },
		entry: { exposure: "direct" },
		call: { tool: "mcp__s0__echo", args: { text: "x" } },
	},
	{ name: "pi-mcp-adapter", options: { extension: adapter }, call: throughMcp, needs: adapter },
];

function median(values) {
	const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
	return known[known.length >> 1];
}

// A member of a file of /proc in MiB.
function mebibytes(pid, file, name) {
	const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(
		readFileSync(`/proc/${pid}/${file}`, "utf8"),
	);
	return Number(found?.[1] ?? 0) / 1024;
}

const isServer = (pid) => readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("bench_fast");

function processes(home) {
	const pids = home.processes();
	const helpers = pids.filter((pid) => !isServer(pid));
	const sum = (file, name) => helpers.reduce((all, pid) => all + mebibytes(pid, file, name), 0);
	return {
		rss: sum("status", "VmRSS"),
		pss: sum("smaps_rollup", "Pss"),
		processes: helpers.length,
		servers: pids.length - helpers.length,
	};
}

// Milliseconds of each tool call, from Pi's start of it to its end.
function callTimes(pi) {
	const began = new Map();
	const times = [];
	for (const { type, toolCallId, at, isError, result } of pi.events) {
		if (type === "tool_execution_start") began.set(toolCallId, at);
		if (type !== "tool_execution_end") continue;
		if (isError) throw new Error(`a call failed: ${JSON.stringify(result).slice(0, 120)}`);
		times.push(at - began.get(toolCallId));
	}
	return times;
}

// Ends Pi the orderly way, or with force when it does not end.
async function close(pi) {
	const force = setTimeout(() => pi.child.kill("SIGKILL"), closingSeconds * 1000);
	await pi.close();
	clearTimeout(force);
}

// Milliseconds from starting Pi to its answer to the first command.
async function started(pi, began) {
	return (await pi.command("get_state")).at - began;
}

// One Pi process, given one prompt, in which the model makes calls.
async function converse({ home, model, options, call }) {
	const began = performance.now();
	const pi = new Pi(home, options);
	try {
		const ready = await started(pi, began);
		const from = model.requests.length;
		await pi.prompt("go");
		const request = model.requests[from];
		const [first, ...more] = callTimes(pi);
		if (call && more.length !== callsPerRound) throw new Error(`${more.length + 1} calls made`);
		const { tools = [], messages } = request;
		return {
			ready,
			first,
			call: median(more),
			requestBytes: Buffer.byteLength(JSON.stringify(request)),
			tokens: encode(JSON.stringify({ tools, messages })).length,
			...processes(home),
		};
	} finally {
		await close(pi);
	}
}

// Milliseconds from starting Pi to its answer, and to what it sends the model for a prompt that
// follows at once.
async function start({ home, model, options }) {
	const began = performance.now();
	const pi = new Pi(home, options);
	try {
		const ready = await started(pi, began);
		let request;
		model.server.once("request", () => (request = performance.now() - began));
		await pi.prompt("go");
		return { ready, request };
	} finally {
		await close(pi);
	}
}

const stop = (failed) => ({ failed, stopped: true });

// What a subject needs for all of its rounds; the caches are filled.
async function prepare(subject, count) {
	const { call, entry, needs, program: own = binary } = subject;
	const place = { ...subject, samples: [] };
	if (needs && !existsSync(needs)) return { ...place, ...stop("not installed") };
	const model = await Model.start(call ? Array(1 + callsPerRound).fill([call]) : []);
	const home = new PiHome(model);
	const server = (name) => ({ command: program, args: ["--name", name, "--tools", "10"] });
	const names = Array.from({ length: count }, (_, i) => `s${i}`);
	home.configure(Object.fromEntries(names.map((name) => [name, { ...server(name), ...entry }])));
	home.withCache();
	home.env.PI_MCP_BIN = own;
	const { status, stderr } = await run(own, ["connect", "--all", "--quiet"], {
		env: home.env,
		cwd: home.project,
	});
	return { ...place, model, home, ...(status === 0 ? {} : stop(stderr.slice(0, 120))) };
}

// Rounds of all subjects in turn, each round from another one on, so that neither a busy moment of
// the machine nor what the one before leaves behind is anybody's own. The first round fills caches
// of Pi and does not count, unless time leaves nothing else.
async function inTurn(some, { count, times, once, deadline }) {
	const places = [];
	for (const subject of some) places.push(await prepare(subject, count));
	for (let round = 0; round <= times; round++) {
		const first = round % places.length;
		const order = [...places.slice(first), ...places.slice(0, first)];
		for (const place of order.filter(({ stopped }) => !stopped)) {
			try {
				if (performance.now() > deadline) throw new Error("no time was left");
				const sample = await once(place);
				if (round === 0) place.warm = sample;
				else place.samples.push(sample);
			} catch (error) {
				place.stopped = true; // it keeps what it has
				if (place.samples.length === 0 && place.warm) place.samples.push(place.warm);
				if (place.samples.length === 0) place.failed = error.message.split(/[;\n]/)[0];
			}
		}
	}
	for (const { model, home } of places.filter((place) => place.home)) {
		await model.stop();
		try {
			home.remove();
		} catch {
			// what was killed a moment ago still wrote; a folder stays behind
		}
	}
	return places.map(({ name, failed, samples }) => ({
		subject: name,
		servers: count,
		...(failed ? { failed } : {}),
		samples,
	}));
}

const columns = ["ready", "first", "call", "requestBytes", "tokens", "rss", "pss", "processes"];

function line({ subject, servers, failed, samples }) {
	const of = (key) => median(samples.map((sample) => sample[key]));
	const cells = columns.concat("servers").map((key) => of(key)?.toFixed(1) ?? "–");
	return `| ${[subject, servers, ...(failed ? [failed] : cells)].join(" | ")} |`;
}

const load = loadavg()[0].toFixed(1);
const quiet = subjects.map((subject) => ({ ...subject, call: undefined }));
const ready = await inTurn(quiet, { count: 10, times: starts, once: start, deadline: until[0] });
const rows = [];
for (const [i, count] of sizes.entries()) {
	const some = subjects.filter(({ onlyOnce, startOnly }) => !startOnly && (!onlyOnce || i === 0));
	const work = { count, times: rounds, once: converse, deadline: until[i + 1] };
	rows.push(...(await inTurn(some, work)));
}

console.log(`${availableParallelism()} cores, load ${load} before, ${rounds} rounds, medians`);
for (const { subject, failed, samples } of ready) {
	const of = (key) => `${median(samples.map((sample) => sample[key])).toFixed(1)} ms`;
	const times = () => `${of("ready")} to start, ${of("request")} to its first request`;
	console.log(`${subject}: ${failed ?? times()}`);
}
console.log(`| | servers | ${columns.join(" | ")} | servers running |`);
console.log(rows.map(line).join("\n"));
const option = process.argv.indexOf("--json");
if (option > 0) writeFileSync(process.argv[option + 1], JSON.stringify({ starts: ready, rows }));
