// Pi alone, with pi-mcp, with its own MCP client, and with pi-mcp-adapter where ADAPTER names its
// index.ts: start, what the model is sent, memory and processes.
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { cli } from "../tests/e2e/harness.mjs";
import { Model } from "../tests/pi/model.mjs";
import { Pi, PiHome, root } from "../tests/pi/pi.mjs";

const rounds = Number(process.env.ROUNDS ?? 7);
const built = join(root, "build/release/tests/support/fake_server");
const server = process.env.PI_MCP_FAKE_SERVER ?? built;
const adapter = process.env.ADAPTER;
const variants = [
	{ name: "Pi alone", options: { bare: true } },
	{ name: "Pi with pi-mcp", options: {} },
	{ name: "Pi's own MCP client", options: { bare: true, builtins: true } },
	...(adapter ? [{ name: "Pi with pi-mcp-adapter", options: { extension: adapter } }] : []),
];

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function kilobytes(pid) {
	const pss = /^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
	return Number(pss?.[1] ?? 0);
}

// One Pi process: started, asked for its state, given one prompt.
async function once(home, model, options) {
	const began = performance.now();
	const pi = new Pi(home, options);
	await pi.command("get_state");
	const ready = performance.now() - began;
	await pi.prompt("go");
	const total = performance.now() - began;
	const request = model.requests.at(-1);
	const pids = home.processes();
	const measured = {
		ready,
		total,
		toolBytes: Buffer.byteLength(JSON.stringify(request.tools ?? [])),
		requestBytes: Buffer.byteLength(JSON.stringify(request)),
		megabytes: pids.reduce((sum, pid) => sum + kilobytes(pid), 0) / 1024,
		processes: pids.length,
	};
	await pi.close();
	return measured;
}

async function measure({ options }, servers) {
	const model = await Model.start([]);
	const home = new PiHome(model);
	const entry = { command: server, args: ["--many", "8"] };
	const names = Array.from({ length: servers }, (_, i) => `s${i}`);
	home.configure(Object.fromEntries(names.map((name) => [name, entry])));
	await cli(home, ["connect", "--all", "--quiet"]);
	const samples = [];
	try {
		await once(home, model, options); // fills the caches of Pi and of the extension
		while (samples.length < rounds) samples.push(await once(home, model, options));
	} finally {
		await model.stop();
		home.remove();
	}
	// Times: the best, which other work on the machine disturbs least. The rest: the median.
	const of = (key) => samples.map((sample) => sample[key]);
	const times = { ready: Math.min(...of("ready")), total: Math.min(...of("total")) };
	const sizes = Object.keys(samples[0]).map((key) => [key, median(of(key))]);
	return { ...Object.fromEntries(sizes), ...times };
}

const cores = availableParallelism();
console.log(`${rounds} rounds, ${cores} cores, load ${loadavg()[0].toFixed(1)} before\n`);
console.log("| | servers | ready | with a prompt | tools sent | request | PSS | processes |");
console.log("|---|---|---|---|---|---|---|---|");
for (const servers of [1, 10, 100]) {
	for (const variant of variants) {
		const m = await measure(variant, servers).catch((error) => error);
		if (m instanceof Error) {
			console.log(`| ${variant.name} | ${servers} | ${m.message.split(";")[0]} | | | | | |`);
			continue;
		}
		console.log(
			`| ${variant.name} | ${servers} | ${m.ready.toFixed(0)} ms | ${m.total.toFixed(0)} ms ` +
				`| ${m.toolBytes} B | ${m.requestBytes} B | ${m.megabytes.toFixed(0)} MiB | ${m.processes} |`,
		);
	}
}
