// Pi alone, with pi-mcp, with its own MCP client, and with pi-mcp-adapter where ADAPTER names its
// index.ts, in turn in one run: start, calls, what the model is sent, memory and processes. Needs
// release builds; `--write` puts the table into docs/benchmarks.md.
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { encode } from "../tests/e2e/node_modules/gpt-tokenizer/esm/encoding/o200k_base.js";
import { cli } from "../tests/e2e/harness.mjs";
import { Model } from "../tests/pi/model.mjs";
import { Pi, PiHome, root } from "../tests/pi/pi.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const sizes = [1, 10, 100];
const callsPerRound = 20;
const built = join(root, "build/release/tests/support/fake_server");
const server = { command: process.env.PI_MCP_FAKE_SERVER ?? built, args: ["--many", "8"] };
const adapter = process.env.ADAPTER;

const throughMcp = { tool: "mcp", args: { tool: "s0_tool_1", args: "{}" } };
// `call`: how the model calls a tool of the first server; absent where only a script can.
const variants = [
	{ name: "Pi alone", options: { bare: true } },
	{ name: "with pi-mcp", options: {}, call: throughMcp },
	{ name: "its own client", options: { bare: true, builtins: true } },
	{
		name: "its own client, direct",
		options: { bare: true, builtins: true },
		entry: { exposure: "direct" },
		call: { tool: "mcp__s0__tool_1", args: {} },
	},
	...(adapter
		? [{ name: "pi-mcp-adapter", options: { extension: adapter }, call: throughMcp }]
		: []),
];

function median(values) {
	const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
	return known[known.length >> 1];
}

// A member of a file of /proc in MiB.
function mebibytes(pid, file, name) {
	const found = new RegExp(`^${name}: +(\\d+) kB`, "m").exec(
		readFileSync(`/proc/${pid}/${file}`, "utf8"),
	);
	return Number(found?.[1] ?? 0) / 1024;
}

const isServer = (pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "fake_server";

function processes(home) {
	const pids = home.processes();
	const helpers = pids.filter((pid) => !isServer(pid));
	return {
		rss: helpers.reduce((sum, pid) => sum + mebibytes(pid, "status", "VmRSS"), 0),
		pss: pids.reduce((sum, pid) => sum + mebibytes(pid, "smaps_rollup", "Pss"), 0),
		count: pids.length,
		servers: pids.length - helpers.length,
	};
}

// Milliseconds of each tool call, from Pi's start of it to its end.
function callTimes(pi) {
	const began = new Map();
	const times = [];
	for (const { type, toolCallId, at, isError } of pi.events) {
		if (type === "tool_execution_start") began.set(toolCallId, at);
		if (type !== "tool_execution_end") continue;
		if (isError) throw new Error("a call failed");
		times.push(at - began.get(toolCallId));
	}
	return times;
}

// One Pi process: started, asked for its state, given one prompt, in which the model makes calls.
async function once({ home, model, options }) {
	const began = performance.now();
	const pi = new Pi(home, options);
	try {
		await pi.command("get_state");
		const ready = performance.now() - began;
		const from = model.requests.length;
		await pi.prompt("go");
		const request = model.requests[from];
		const [first, ...more] = callTimes(pi);
		const { tools = [], messages } = request;
		return {
			ready,
			first,
			call: median(more),
			toolBytes: Buffer.byteLength(JSON.stringify(tools)),
			requestBytes: Buffer.byteLength(JSON.stringify(request)),
			tokens: encode(JSON.stringify({ tools, messages })).length,
			...processes(home),
		};
	} finally {
		await pi.close();
	}
}

// What a variant needs for all of its rounds; the caches are filled.
async function prepare({ options, entry, call }, count) {
	const model = await Model.start(call ? Array(1 + callsPerRound).fill([call]) : []);
	const home = new PiHome(model);
	const names = Array.from({ length: count }, (_, i) => `s${i}`);
	home.configure(Object.fromEntries(names.map((name) => [name, { ...server, ...entry }])));
	await cli(home, ["connect", "--all", "--quiet"]);
	return { model, home, options, samples: [] };
}

function cells(samples) {
	const of = (key) => median(samples.map((sample) => sample[key]));
	const fixed = (key, digits) => of(key)?.toFixed(digits) ?? "–";
	return [
		`${fixed("ready", 0)} ms`,
		of("first") === undefined ? "–" : `${fixed("first", 1)} ms`,
		of("call") === undefined ? "–" : `${fixed("call", 1)} ms`,
		`${of("toolBytes")} B`,
		`${of("requestBytes")} B`,
		of("tokens"),
		`${fixed("rss", 0)} MiB`,
		`${fixed("pss", 0)} MiB`,
		of("count") - of("servers"),
		of("servers"),
	];
}

// Rounds of all variants in turn, so that a busy moment of the machine is nobody's own.
async function measure(count) {
	const places = [];
	for (const variant of variants) places.push({ ...variant, ...(await prepare(variant, count)) });
	for (let round = 0; round <= rounds; round++) {
		for (const place of places.filter(({ failed }) => !failed)) {
			try {
				const sample = await once(place);
				if (round > 0) place.samples.push(sample); // the first one fills caches of Pi
			} catch (error) {
				place.failed = error.message.split(/[;\n]/)[0];
			}
		}
	}
	for (const { model, home } of places) {
		await model.stop();
		home.remove();
	}
	return places.map(({ name, failed, samples }) => {
		const rest = failed ? [failed, ...Array(9).fill("")] : cells(samples);
		return `| ${[name, count, ...rest].join(" | ")} |`;
	});
}

const heads =
	"| | servers | ready | first call | next calls | tools sent | request | tokens | " +
	"RSS of Pi and helpers | PSS of all | processes | and servers |";
const lines = [
	`${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, ` +
		`load ${loadavg()[0].toFixed(1)} before, ${rounds} rounds, medians.`,
	"",
	heads,
	heads.replace(/[^|]+/g, "---"),
];
for (const count of sizes) lines.push(...(await measure(count)));
const table = `${lines.join("\n")}\n`;
console.log(table);
if (process.argv.includes("--write")) {
	const page = join(root, "docs/benchmarks.md");
	const text = readFileSync(page, "utf8");
	const marked = /(<!-- pi -->\n)[^]*(<!-- \/pi -->)/;
	writeFileSync(page, text.replace(marked, (_, begin, end) => `${begin}${table}${end}`));
}
