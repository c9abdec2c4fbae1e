// Keys of Pi's own MCP client and of the Pi MCP Adapter in the files that we take over.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { until } from "../e2e/harness.mjs";
import { namedServer, print, scriptedServer } from "./pi.mjs";
import { end, open } from "./place.mjs";

const slow = {
	command: process.execPath,
	args: [
		"-e",
		`require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
			const { id, method, params } = JSON.parse(line);
			const send = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
			const serverInfo = { name: "slow", version: "1" };
			const { protocolVersion } = params ?? {};
			const capabilities = { tools: {} };
			const tools = [{ name: "wait", inputSchema: { type: "object" } }];
			if (method === "initialize") send({ protocolVersion, capabilities, serverInfo });
			if (method === "tools/list") send({ tools });
		});`,
	],
};

describe("keys of Pi and of the adapter in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let pi;
	const call = (args) => [{ tool: "mcp", args }];
	async function start(...args) {
		({ model, home, pi } = await open(...args));
	}
	afterEach(() => end({ model, home, pi }));

	test("what is hidden can be neither found nor called", async () => {
		await start(
			[
				call({ tool: "fix_delete_file" }),
				call({ tool: "fix_echo" }),
				call({ tool: "secret_echo" }),
				call({ search: "delete file" }),
				"done",
			],
			{
				fix: {
					...namedServer("echo", "delete_file"),
					exposure: "deferred",
					toolExposure: { "delete_*": "hidden" },
				},
				secret: { ...namedServer("echo"), exposure: "hidden" },
			},
			{ known: ["fix"] },
		);
		await pi.prompt("go");
		const [deleted, echoed, secret] = pi.results();
		assert.equal(deleted.isError, true);
		assert.equal(echoed.isError, false);
		assert.equal(secret.isError, true);
		const texts = model.toolTexts();
		assert.match(texts[0], /not found/);
		assert.match(texts[2], /secret.* is not for models: "exposure" hides it, in .*mcp\.json/);
		assert.doesNotMatch(texts[3], /fix_delete_file/);
	});

	test("what is direct is a tool of its own; directTools of the same server wins", async () => {
		const tools = namedServer("echo", "add");
		await start(
			["done"],
			{
				all: { ...tools, exposure: "direct" },
				some: { ...tools, toolExposure: { echo: "direct" } },
				chosen: { ...tools, exposure: "direct", directTools: ["add"] },
			},
			{ known: ["all", "some", "chosen"], print: true },
		);
		await print(home, "go");
		const names = model.toolNames().filter((name) => /^(all|some|chosen)_/.test(name));
		assert.deepEqual(names.sort(), ["all_add", "all_echo", "chosen_add", "some_echo"]);
	});

	test("timeout is in seconds", async () => {
		await start([call({ tool: "slow_wait" }), "done"], { slow: { ...slow, timeout: 0.5 } }, {
			known: ["slow"],
		});
		await pi.prompt("go");
		assert.match(model.toolTexts()[0], /timed out|no answer|500 ?ms|0\.5/i);
	});

	test("exposure and timeout of a registered server count", async () => {
		const entry = { ...namedServer("echo"), exposure: "hidden" };
		const extra = `export default (pi) => pi.registerMcpServer("reg", ${JSON.stringify(entry)});`;
		await start([call({ tool: "reg_echo" }), "done"], {}, { extra });
		await pi.prompt("go");
		assert.equal(pi.results()[0].isError, true);
		assert.match(model.toolTexts()[0], /reg.* is not for models/);
	});

	test("what does nothing here is said once, at the start and in the status", async () => {
		const settings = { jev: {}, scriptMode: true, namespaceProxyTools: false };
		await start([], { w: namedServer("echo") }, { settings });
		await pi.notice(/"jev" does nothing here: searches stay on this machine/);
		await pi.notice(/"scriptMode" does nothing here/);
		const notices = pi.shown("notify").map(({ message }) => message);
		assert.equal(notices.filter((text) => text.includes('"jev"')).length, 1);
		assert.ok(!notices.some((text) => text.includes("namespaceProxyTools")));
		pi.send({ id: "s", type: "prompt", message: "/mcp status" });
		await pi.notice(/^MCP: 0\/1 servers[^]*"jev" does nothing here/);
	});

	test("the footer and the notice of a start are as they are set", async () => {
		const servers = { w: { ...namedServer("echo"), lifecycle: "eager" } };
		const settings = { mcpFooterStatus: "compact", showStatusIcon: true };
		await start([], servers, { settings: { ...settings, notifyOnStartupConnect: false } });
		const footers = () => pi.shown("setStatus").map(({ statusText }) => statusText);
		await until("the compact footer", () => footers().at(-1) === "🔌 MCP: 1/1", 30);
		assert.ok(!pi.shown("notify").some(({ message }) => /servers? connected/.test(message)));
	});

	test("mcpFooterStatus off shows nothing", async () => {
		const servers = { w: { ...namedServer("echo"), lifecycle: "eager" } };
		await start([], servers, { settings: { mcpFooterStatus: "off" } });
		await pi.notice(/^MCP: 1 server connected/);
		assert.ok(pi.shown("setStatus").every(({ statusText }) => statusText === undefined));
	});

	test("many direct tools are told of, unless that is switched off", async () => {
		const names = Array.from({ length: 80 }, (_, i) => `t${i}`);
		const servers = { w: { ...namedServer(...names), directTools: true } };
		await start([], servers, { known: ["w"] });
		await pi.notice(/^MCP: 80 direct tools are in every request/);
	});

	test("disableProxyTool leaves only direct tools once they are known", async () => {
		const servers = { w: { ...namedServer("echo"), directTools: true } };
		const options = { settings: { disableProxyTool: true }, known: ["w"], print: true };
		await start(["done"], servers, options);
		await print(home, "go");
		const names = model.toolNames();
		assert.ok(names.includes("w_echo") && !names.includes("mcp"), names.join());
	});

	test("samplingAutoApprove answers servers where nobody can be asked", async () => {
		const messages = [{ role: "user", content: { type: "text", text: "Say hello" } }];
		const args = { method: "sampling/createMessage", params: { messages, maxTokens: 9 } };
		const servers = { w: scriptedServer({ tools: ["ask"] }) };
		for (const samplingAutoApprove of [true, false]) {
			if (!samplingAutoApprove) await model.stop();
			if (!samplingAutoApprove) home.remove();
			const options = { settings: { samplingAutoApprove }, print: true };
			await start([call({ tool: "w_ask", args }), "done"], servers, options);
			await print(home, "go");
			const sampled = model.requests.filter(({ tools }) => !tools).length;
			assert.equal(sampled, samplingAutoApprove ? 1 : 0);
		}
	});
});
