// The main job: the official SDK's client, `pi-mcp serve`, and three real servers behind it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Home, Host, realServers, until } from "./harness.mjs";

const names = ["everything", "files", "memory"];

describe("three real servers behind one tool", { timeout: 240_000 }, () => {
	let home;
	let host;
	before(async () => {
		home = new Home();
		home.configure(realServers(home));
		// A cache that exists, so that nothing is started to fill it.
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
		host = await Host.connect(home);
	});
	after(async () => {
		await host?.close();
		home.remove();
	});

	test("status lists every server and starts none", async () => {
		const { text, details, isError } = await host.mcp({});
		assert.equal(isError, false);
		assert.match(text, /^MCP: 0\/3 servers, 0 tools/);
		for (const name of names) assert.match(text, new RegExp(`○ ${name} `));
		assert.equal(details.mode, "status");
		assert.equal(home.processes().length, 1);
	});

	test("connect starts one server and lists its tools", async () => {
		const { text, isError } = await host.mcp({ connect: "everything" });
		assert.equal(isError, false);
		assert.match(text, /^everything \(\d+ tools\)/);
		assert.match(text, /- everything_echo/);
		assert.match((await host.mcp({})).text, /^MCP: 1\/3 servers/);
	});

	test("every server's tools are found by words, by pattern and by description", async () => {
		await host.mcp({ connect: "files" });
		await host.mcp({ connect: "memory" });
		const words = await host.mcp({ search: "knowledge graph entities" });
		assert.match(words.text, /memory_create_entities/);
		const pattern = await host.mcp({ search: "^files_list_directory$", regex: true });
		assert.deepEqual(pattern.details.matches.map((match) => match.tool), ["files_list_directory"]);
		const described = await host.mcp({ describe: "everything_get-sum" });
		assert.match(described.text, /Server: everything/);
		assert.match(described.text, /a \(number\) \*required\*/);
	});

	test("each server answers calls, with args as an object or as text", async () => {
		const echo = await host.mcp({ tool: "everything_echo", args: { message: "hé 😀" } });
		assert.match(echo.text, /hé 😀/);
		const sum = await host.mcp({ tool: "everything_get_sum", args: '{"a": 2, "b": 40}' });
		assert.match(sum.text, /42/);
		writeFileSync(join(home.project, "note.txt"), "written by the test\n");
		const path = join(home.project, "note.txt");
		const read = await host.mcp({ tool: "files_read_text_file", args: { path } });
		assert.match(read.text, /by the test/);
		const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
		await host.mcp({ tool: "memory_create_entities", args: { entities } });
		assert.match((await host.mcp({ tool: "memory_read_graph" })).text, /writes programs/);
		assert.match(readFileSync(join(home.root, "memory.jsonl"), "utf8"), /Ada/);
	});

	test("an image reaches the host as an image", async () => {
		const { content } = await host.mcp({ tool: "everything_get-tiny-image" });
		const image = content.find((block) => block.type === "image");
		assert.equal(image.mimeType, "image/png");
		assert.equal(Buffer.from(image.data, "base64").subarray(1, 4).toString(), "PNG");
	});

	test("links and embedded resources reach the host unchanged", async () => {
		const links = await host.mcp({ tool: "everything_get-resource-links", args: { count: 2 } });
		assert.equal(links.content.filter((block) => block.type === "resource_link").length, 2);
		const args = { resourceType: "Text", resourceId: 1 };
		const embedded = await host.mcp({ tool: "everything_get-resource-reference", args });
		assert.ok(embedded.content.some((block) => block.type === "resource"));
	});

	test("resources are read by uri: listed, described by a template, linked to", async () => {
		const { resources } = await host.client.listResources();
		const listed = resources.find(({ uri }) => uri.startsWith("demo://resource/static/"));
		assert.equal(listed._meta["pi-mcp/server"], "everything");
		const read = async (uri) => (await host.mcp({ read: uri })).content[0].resource;
		assert.equal((await read(listed.uri)).uri, listed.uri);
		assert.match((await read("demo://resource/dynamic/text/7")).text, /Resource 7/);
		const { resourceTemplates } = await host.client.listResourceTemplates();
		assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate.includes("dynamic/text/{")));
		const uri = "demo://resource/dynamic/text/1";
		assert.equal((await host.client.readResource({ uri })).contents[0].uri, uri);
	});

	test("a tool that runs only as a task is followed to its end", async () => {
		const seen = [];
		const { text } = await host.mcp(
			{ tool: "everything_simulate-research-query", args: { topic: "tides" } },
			{ onprogress: ({ message }) => seen.push(message) },
		);
		assert.match(text, /Research Report: tides/);
		assert.ok(seen.length >= 2, JSON.stringify(seen));
	});

	test("arguments of prompts are completed by their server", async () => {
		const { prompts } = await host.client.listPrompts();
		const name = prompts.find(({ name }) => name.includes("completable")).name;
		const argument = { name: "department", value: "Eng" };
		const ref = { type: "ref/prompt", name };
		const { completion } = await host.client.complete({ ref, argument });
		assert.deepEqual(completion.values, ["Engineering"]);
	});

	test("structured content is shown once", async () => {
		const args = { location: "Chicago" };
		const { content } = await host.mcp({ tool: "everything_get-structured-content", args });
		assert.equal(JSON.stringify(content).match(/humidity/g).length, 1);
	});

	test("progress of the server reaches the host", async () => {
		const seen = [];
		const { text } = await host.mcp(
			{ tool: "everything_trigger-long-running-operation", args: { duration: 1, steps: 4 } },
			{ onprogress: (progress) => seen.push(progress) },
		);
		assert.match(text, /completed/);
		assert.ok(seen.filter((progress) => progress.total === 4).length >= 3, JSON.stringify(seen));
	});

	test("a cancelled call ends at once and the server goes on serving", async () => {
		const abort = new AbortController();
		const began = Date.now();
		const call = host.mcp(
			{ tool: "everything_trigger-long-running-operation", args: { duration: 50, steps: 500 } },
			{ signal: abort.signal, onprogress: () => abort.abort("enough") },
		);
		await assert.rejects(call, /enough/);
		assert.match((await host.mcp({ tool: "everything_echo", args: { message: "on" } })).text, /on/);
		assert.ok(Date.now() - began < 20_000);
	});

	test("log messages of a server reach the host", async () => {
		await host.mcp({ tool: "everything_toggle-simulated-logging" });
		const arrived = () => host.logs.some((log) => /level message/.test(JSON.stringify(log)));
		await until("a log message", arrived, 20);
		await host.mcp({ tool: "everything_toggle-simulated-logging" });
	});

	test("a refused path is an error of that call and says why", async () => {
		const refused = await host.mcp({ tool: "files_read_text_file", args: { path: "/etc/passwd" } });
		assert.equal(refused.isError, true);
		assert.match(refused.text, /outside allowed directories/);
		assert.equal(refused.details.error, "tool_error");
	});

	test("wrong arguments are refused with the expected shape", async () => {
		const wrong = await host.mcp({ tool: "everything_get-sum", args: { a: "two" } });
		assert.equal(wrong.isError, true);
		assert.match(wrong.text, /Expected parameters:/);
		assert.match(wrong.text, /\bb\b/);
	});

	test("a wrong name suggests near ones", async () => {
		const missing = await host.mcp({ tool: "everything_ecko" });
		assert.equal(missing.isError, true);
		assert.match(missing.text, /everything_echo/);
	});

	test("a server that was killed is started again by the next call", async () => {
		const servers = home.servers();
		assert.ok(servers.length >= 3);
		for (const pid of servers) process.kill(pid, "SIGKILL");
		// A process that is ending has no environment any more and may still hold its pipes; one that
		// was waited for holds nothing.
		const isThere = (pid) => existsSync(`/proc/${pid}`);
		await until("the servers to be gone", () => !servers.some(isThere));
		const { text } = await host.mcp({ tool: "everything_echo", args: { message: "again" } });
		assert.match(text, /again/);
	});

	test("what was learned is in the cache, and a second host needs no server to search", async () => {
		await host.close();
		await home.allGone();
		assert.ok(existsSync(home.cache));
		assert.deepEqual(
			Object.keys(JSON.parse(readFileSync(home.cache, "utf8")).servers).sort(),
			names,
		);
		host = await Host.connect(home);
		assert.match((await host.mcp({ search: "echo" })).text, /everything_echo/);
		assert.match((await host.mcp({})).text, /○ everything \(\d+ tools, cached/);
		assert.equal(home.processes().length, 1);
	});
});

describe("the end of a session", { timeout: 120_000 }, () => {
	let home;
	let host;
	before(async () => {
		home = new Home();
		home.configure(realServers(home));
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
	});
	after(() => home.remove());

	const startAll = async () => {
		host = await Host.connect(home);
		await Promise.all(names.map((name) => host.mcp({ connect: name })));
		assert.ok(home.processes().length >= 4);
	};

	test("closing standard input ends pi-mcp and every server within 5 s", async () => {
		await startAll();
		await host.close();
		await home.allGone(5);
	});

	test("kill -9 of pi-mcp leaves no server behind", async () => {
		await startAll();
		process.kill(host.pid, "SIGKILL");
		await home.allGone(5);
	});
});
