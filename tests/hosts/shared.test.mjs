// Real hosts that start `pi-mcp serve` twice, or two of them at once, in one folder: they meet in
// one shared process and one process of a server, and what a server asks reaches the host that has
// called. PI_MCP_HOSTS has the names of the hosts to drive.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { HostRun, hosts, probeServer, until, write } from "./hosts.mjs";
import { ScriptedModel } from "./scripted_model.mjs";

const wanted = process.env.PI_MCP_HOSTS?.split(" ") ?? ["claude", "codex"];
const call = (tool) => ({ tool: "mcp", args: { tool } });
const waitSeconds = 120;
// Without it hosts.mjs has each session alone.
const sharing = { PI_MCP_SHARED: "on" };

const nameOf = (proc) => readFileSync(`${proc}/comm`, "utf8").trim();

// Processes for which `holds`, of their command line and folder in /proc.
function processes(holds) {
	return readdirSync("/proc").filter((pid) => {
		try {
			const proc = `/proc/${pid}`;
			return /^\d+$/.test(pid) && holds(readFileSync(`${proc}/cmdline`, "utf8"), proc);
		} catch {
			return false; // it is gone, or it belongs to somebody else
		}
	});
}

// The shared processes of a home; each has the folder of its socket open.
function sharedProcesses(home) {
	const folder = join(home, ".pi/agent/run");
	const linksTo = (file) => {
		try {
			return readlinkSync(file) === folder;
		} catch {
			return false;
		}
	};
	return processes((line, proc) => {
		const opens = () => readdirSync(`${proc}/fd`).some((fd) => linksTo(`${proc}/fd/${fd}`));
		return line.includes("__shared") && nameOf(proc) === "pi-mcp" && opens();
	});
}

// Those of its servers; a keeper may have the words of its server too.
function servers(home) {
	return processes(
		(line, proc) =>
			line.includes("probe_server.mjs") &&
			line.includes(home) &&
			nameOf(proc) !== "pi-mcp-keeper",
	);
}

for (const host of wanted) {
	describe(`two of ${host} in one folder`, { timeout: 900_000 }, () => {
		let run;
		afterEach(() => run?.close());

		test("have one shared process and one process of their server", async () => {
			run = await HostRun.start(host, [call("probe_look"), call("probe_wait")], { env: sharing });
			run.pimcp("stop", "--all"); // what has told the tools is not to be met again
			await until("that server to end", () => servers(run.home).length === 0, 10);
			const waiting = (count) =>
				until(
					`call ${count} of wait`,
					() => run.ran().filter((name) => name === "wait").length === count,
					waitSeconds,
				).catch((error) => {
					throw new Error(`${error.message}; the host printed:\n${run.output}`);
				});
			run.begin(hosts[host].allows);
			await waiting(1);
			run.begin(hosts[host].allows);
			await waiting(2);
			assert.equal(sharedProcesses(run.home).length, 1);
			assert.equal(servers(run.home).length, 1);
			await run.killHost();
			await run.nothingLeft();
			await until("the shared process to end", () => sharedProcesses(run.home).length === 0, 10);
		});
	});
}

describe("Claude Code and a host on the SDK at once", { timeout: 900_000 }, () => {
	let claude;
	let sdk;
	afterEach(async () => {
		await sdk?.model.stop();
		await claude?.close();
	});

	test("a form reaches the host that has called", async () => {
		const ask = call("probe_ask");
		claude = await HostRun.start("claude", [ask, call("other_wait")], { env: sharing });
		const { home } = claude;
		const other = probeServer(home);
		other.args[1] = join(home, "other.log");
		const probe = { ...probeServer(home), share: "folder" };
		write(home, ".pi/agent/mcp.json", { mcpServers: { probe, other } });
		claude.begin(hosts.claude.allows);
		await until("the call of other_wait", () => claude.model.results.length > 0, waitSeconds);
		sdk = new HostRun("sdk_v1", await ScriptedModel.start([ask, ask]), home, sharing);
		sdk.begin([]);
		await until("the end of the other host", () => sdk.over, waitSeconds);
		// Nobody is there to fill in a form of Claude Code; the other one accepts, twice.
		assert.match(claude.model.results[0], /the answer: (cancel|decline)/);
		assert.equal(sdk.model.results.length, 2, sdk.output);
		for (const result of sdk.model.results) assert.match(result, /the answer: accept .*Ann/);
		assert.equal(sharedProcesses(home).length, 1);
	});
});
