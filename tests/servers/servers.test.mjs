// Servers on the SDKs of many languages (rows.mjs): each job of common.json done once through
// `pi-mcp serve` and once by the SDK's own client, and their answers compared member by member.
// Prints the table of docs/servers.md. PI_MCP_SERVERS has the languages, all without it;
// PI_MCP_ROWS is a pattern for the names of rows; with PI_MCP_UPDATE_DOCS the page gets the table.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { common, directly, Program, ScriptedHost } from "./program.mjs";
import { languages, rowsOf } from "./rows.mjs";

const wanted = process.env.PI_MCP_SERVERS?.split(" ") ?? languages;
for (const language of wanted) {
	assert.ok(languages.includes(language), `no servers in ${language}: ${languages.join(" ")}`);
}
const page = new URL("../../docs/servers.md", import.meta.url);
const chosen = new RegExp(process.env.PI_MCP_ROWS ?? "");
const features = ["list", ...new Set(common.jobs.map(({ feature }) => feature))];
const compared = common.jobs.filter(({ through }) => !through);
const table = new Map();
const notRun = [];

// Without what stands for nothing, what each link has of its own, and what docs/gateway.md and
// docs/decisions/0016-who-asks.md say that pi-mcp adds.
const ofTheLink = /^(io\.modelcontextprotocol\/.*|pi-mcp\/.*|progressToken)$/;
function plain(value, name) {
	if (Array.isArray(value)) return value.map((one) => plain(one));
	if (typeof value !== "object" || value === null) return value;
	const members = Object.entries(value)
		.filter(([key, one]) => one !== null && one !== undefined && key !== "resultType")
		.filter(([key, one]) => !(key === "isError" && one === false))
		.filter(([key]) => name !== "_meta" || !ofTheLink.test(key))
		.map(([key, one]) => [key, plain(one, key)])
		.filter(([key, one]) => key !== "_meta" || Object.keys(one).length > 0);
	return Object.fromEntries(members);
}

const whoAsks = 'This request comes from the MCP server "common".\n\n';
function asPlain({ result, progress, logs, asked }) {
	return {
		result: plain(result),
		progress: progress.map(({ progress, total, message }) => plain({ progress, total, message })),
		logs: logs.map(({ level, data }) => ({ level, data })),
		asked: asked.map(({ method, params }) => {
			const { systemPrompt, message, ...rest } = plain(params);
			const prompt = systemPrompt?.replace(whoAsks, "").replace(whoAsks.trim(), "");
			const words = message?.replace(/^common asks: /, "");
			return plain({ method, params: { ...rest, message: words, systemPrompt: prompt || null } });
		}),
	};
}

// Throws unless `value` has all that `expected` has.
function assertHas(value, expected, path) {
	if (typeof expected !== "object") return assert.equal(value, expected, path);
	if (Array.isArray(expected)) assert.equal(value?.length, expected.length, `${path}.length`);
	for (const [key, one] of Object.entries(expected)) assertHas(value?.[key], one, `${path}.${key}`);
}

function assertAnswers(job, record, who) {
	const said = JSON.stringify(record);
	try {
		assertHas(record, job.expect, job.tool);
		for (const words of job.says ?? []) assert.ok(said.includes(words), `no word of ${words}`);
	} catch (error) {
		throw new Error(`${who}: ${error.message}\n${said}`);
	}
}

function servers(row) {
	const { title, without } = row;
	const cells = new Map();
	table.set(title, cells);
	let program, host, direct;
	const failures = {};
	before(async () => {
		const skipped = compared.filter(({ feature }) => without[feature]).map(({ tool }) => tool);
		const connected = async () => {
			program = await Program.start(row);
			host = await ScriptedHost.start(program);
		};
		const settled = await Promise.allSettled([directly(row, skipped), connected()]);
		direct = settled[0].value;
		for (const { reason } of settled) if (reason) throw reason;
	});
	after(async () => {
		await host?.close();
		await program?.remove();
	});

	const checks = {
		list: async () => {
			const { tools } = await host.request("tools/list", {});
			const ours = tools.filter((tool) => tool.name !== "mcp");
			const byName = (one, other) => (one.name < other.name ? -1 : 1);
			// A title that stands in the annotations alone is the title.
			const titled = direct.tools.map((tool) =>
				tool.annotations?.title ? { title: tool.annotations.title, ...tool } : tool,
			);
			assert.deepEqual(plain(ours).sort(byName), plain(titled).sort(byName));
		},
		cancel: async (jobs) => host.cancel(jobs[0]),
		restart: async ([job]) => {
			await program.restart();
			assert.deepEqual(plain(await host.call(job)), plain(direct.jobs[job.tool].result));
		},
	};
	const compare = async (jobs) => {
		for (const job of jobs) {
			const theirs = direct.jobs[job.tool];
			assertAnswers(job, theirs, "directly");
			const ours = asPlain(await host.job(job));
			assertAnswers(job, ours, "through pi-mcp");
			assert.deepEqual(ours, asPlain(theirs), job.tool);
		}
	};
	for (const feature of features) {
		if (without[feature]) {
			cells.set(feature, "–");
			continue;
		}
		test(feature, async () => {
			cells.set(feature, "✗");
			const jobs = common.jobs.filter((job) => job.feature === feature);
			await (checks[feature] ?? compare)(jobs);
			cells.set(feature, "✓");
		});
	}
}

for (const row of rowsOf(wanted)) {
	if (!chosen.test(row.title)) continue;
	if (row.missing && row.nightly) notRun.push(`${row.title}: ${row.missing}`);
	else if (row.missing) test(row.title, () => assert.fail(`${row.missing}; ./dev servers makes it`));
	else describe(row.title, { timeout: 240_000 }, () => servers(row));
}

// Rows that were run, as the lines of a table.
function lines() {
	const line = (cells) => `| ${cells.join(" | ")} |`;
	const rows = [...table].map(([title, cells]) =>
		line([title, ...features.map((feature) => cells.get(feature) ?? "✗")]),
	);
	return [line(["", ...features]), line(Array(features.length + 1).fill("---")), ...rows];
}

after(() => {
	console.log(lines().join("\n"));
	console.log(`${table.size} rows run, ${notRun.length} not run`);
	for (const reason of notRun) console.log(`not run: ${reason}`);
	if (!process.env.PI_MCP_UPDATE_DOCS) return;
	const old = readFileSync(page, "utf8");
	writeFileSync(page, old.replace(/^\|.*\n(\|.*\n)+/m, `${lines().join("\n")}\n`));
});
