// A host of revision 2026-07-28, which has no handshake, made with version 2 of the TypeScript SDK
// and pinned to that revision: it lists, calls, is asked by results, listens and cancels. The
// server behind us speaks either era.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { until } from "./hosts.mjs";

const program = process.env.PI_MCP_BINARY;
const server = fileURLToPath(new URL("stateless_server.mjs", import.meta.url));
const modern = "2026-07-28";
const call = (tool, args = {}) => ({ name: "mcp", arguments: { tool: `probe_${tool}`, args } });
const textOf = ({ content }) => content.map(({ text }) => text).join("\n");

class Host {
	constructor(revision) {
		this.home = mkdtempSync(join(tmpdir(), "pi-mcp-stateless-"));
		this.log = join(this.home, "calls.log");
		const config = {
			mcpServers: { probe: { command: process.execPath, args: [server, revision, this.log] } },
		};
		mkdirSync(join(this.home, ".config/mcp"), { recursive: true });
		writeFileSync(join(this.home, ".config/mcp/mcp.json"), JSON.stringify(config));
		this.asked = [];
		this.answers = [];
		this.told = [];
	}

	async connect(capabilities, mode = { pin: modern }) {
		const client = new Client(
			{ name: "host", version: "1" },
			{ capabilities, versionNegotiation: { mode } },
		);
		if (capabilities.elicitation) {
			client.setRequestHandler("elicitation/create", ({ params }) => {
				this.asked.push(params);
				return this.answers.shift() ?? { action: "cancel" };
			});
		}
		for (const what of ["resources/updated", "message"]) {
			client.setNotificationHandler(`notifications/${what}`, ({ params }) => {
				this.told.push({ what, ...params });
			});
		}
		await client.connect(
			new StdioClientTransport({
				command: program,
				args: ["serve", "--alone"],
				env: { PATH: process.env.PATH, HOME: this.home },
			}),
		);
		this.client = client;
		return client;
	}

	calls() {
		return existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n") : [];
	}

	async close() {
		await this.client?.close();
		rmSync(this.home, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
	}
}

const forms = { elicitation: { form: {} } };

for (const revision of ["2025-11-25", modern]) {
	describe(`a host without a handshake, a server of ${revision}`, { timeout: 300_000 }, () => {
		const host = new Host(revision);
		let client;
		before(async () => {
			client = await host.connect(forms);
		});
		after(() => host.close());

		test("it has met us by server/discover", () => {
			assert.equal(client.getNegotiatedProtocolVersion(), modern);
			assert.equal(client.getServerVersion().name, "pi-mcp");
			assert.match(client.getInstructions(), /probe/);
		});

		test("it lists our tool, and a call brings its result", async () => {
			const { tools } = await client.listTools();
			assert.deepEqual(
				tools.map(({ name }) => name),
				["mcp"],
			);
			assert.equal(textOf(await client.callTool(call("look"))), "did look");
		});

		test("log messages come with a call that wants them, and with no other", async () => {
			await client.callTool(call("look"));
			const _meta = { "io.modelcontextprotocol/logLevel": "info" };
			await client.callTool({ ...call("look"), _meta });
			const logs = host.told.filter(({ what }) => what === "message");
			assert.deepEqual(
				logs.map(({ logger, data }) => [logger, data]),
				[["probe", "on the way"]],
			);
		});

		test("it is asked what the server wants to know, and the call goes on", async () => {
			host.asked = [];
			host.answers = [
				{ action: "accept", content: { name: "Ann" } },
				{ action: "accept", content: { place: "here" } },
			];
			const said = textOf(await client.callTool(call("ask")));
			assert.match(said, /^accept \{"name":"Ann"\}/);
			assert.equal(host.asked[0].message, "probe asks: Who?");
			const wanted = revision === modern ? 2 : 1;
			assert.equal(host.asked.length, wanted);
			assert.equal(said.includes('{"place":"here"}'), wanted === 2);
			const runs = host.calls().filter((name) => name === "ask").length;
			assert.equal(runs, wanted, "a server that asks by results is called again, no other");
		});

		test("what destroys runs only when its user allows it", async () => {
			host.asked = [];
			host.answers = [{ action: "decline" }];
			const refused = await client.callTool(call("delete_all"));
			assert.equal(refused.isError, true);
			assert.match(host.asked[0].message, /delete_all/);
			assert.ok(!host.calls().includes("delete_all"));
			const { properties } = host.asked[0].requestedSchema;
			const [key, { enum: choices, oneOf }] = Object.entries(properties)[0];
			const once = (choices ?? oneOf.map((one) => one.const)).find((one) => /once/.test(one));
			host.answers = [{ action: "accept", content: { [key]: once } }];
			assert.equal(textOf(await client.callTool(call("delete_all"))), "did delete_all");
		});

		test("it hears of a resource that it listens to, and no longer when it has stopped", async () => {
			host.told = [];
			const listening = await client.listen({ resourceSubscriptions: ["note://x"] });
			await client.callTool(call("touch"));
			await until("the update", () => host.told.some(({ uri }) => uri === "note://x"), 60);
			await listening.close();
			host.told = [];
			await client.callTool(call("touch"));
			await client.callTool(call("look"));
			assert.ok(!host.told.some(({ uri }) => uri));
		});

		test("a resource is read, and one that nobody has is an error of its parameters", async () => {
			const { contents } = await client.readResource({ uri: "note://x" });
			assert.equal(contents[0].text, "a note");
			await assert.rejects(client.readResource({ uri: "nobody://has" }), { code: -32602 });
		});

		test("a call tells its progress, and is cancelled at the server", async () => {
			const stop = new AbortController();
			const progress = [];
			const onprogress = (step) => progress.push(step);
			const waiting = client.callTool(call("wait"), { signal: stop.signal, onprogress });
			await until("the progress", () => progress.some(({ total }) => total === 2), 60);
			stop.abort("enough");
			await assert.rejects(waiting);
			await until("the cancellation", () => host.calls().includes("cancelled"), 60);
		});
	});
}

describe("other hosts without a handshake", { timeout: 300_000 }, () => {
	test("one that declares nothing is asked nothing", async () => {
		const host = new Host("2025-11-25");
		try {
			const client = await host.connect({});
			assert.match(textOf(await client.callTool(call("ask"))), /error -32601/);
		} finally {
			await host.close();
		}
	});

	test("one that would speak either era chooses this one", async () => {
		const host = new Host("2025-11-25");
		try {
			const client = await host.connect(forms, "auto");
			assert.equal(client.getNegotiatedProtocolVersion(), modern);
			assert.equal(textOf(await client.callTool(call("look"))), "did look");
		} finally {
			await host.close();
		}
	});
});
