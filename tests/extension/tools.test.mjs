// The gateway's tools in Pi: which are registered and active, and how their calls end.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Definitions } from "../../extension/definitions.ts";
import { Tools } from "../../extension/tools.ts";

// Where the lists are remembered.
process.env.PI_CODING_AGENT_DIR = mkdtempSync(join(tmpdir(), "pi-mcp-tools-"));
after(() => rmSync(process.env.PI_CODING_AGENT_DIR, { recursive: true }));

// A Pi with tools of its own, that makes a new tool active as Pi does.
function piWith(...own) {
	const tools = new Map(own.map((name) => [name, {}]));
	let active = [...own];
	const handlers = {};
	return {
		tools,
		active: () => active,
		say: (event, data) => handlers[event](data),
		on: (event, handler) => {
			handlers[event] = handler;
		},
		getAllTools: () => [...tools.keys()].map((name) => ({ name })),
		getActiveTools: () => active,
		setActiveTools: (names) => {
			active = names;
		},
		registerTool: (tool) => {
			if (!tools.has(tool.name)) active = [...active, tool.name];
			tools.set(tool.name, tool);
		},
	};
}

const look = { style: "compact", lines: 1 };
const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });

function start(pi, call = async () => ({ content: [], isError: false, details: {} })) {
	const owner = { gateway: async () => ({ call }), ready: async () => {}, answered: () => {} };
	const definitions = new Definitions(pi, (made) => tools.run(made));
	const tools = new Tools(pi, definitions, owner);
	return {
		takenNames: () => tools.takenNames(),
		sync: (offered) => tools.sync({ tools: offered, origins: {}, about: {}, look }, "/project"),
	};
}

test("tools that are offered are active, and no longer when they are gone", () => {
	const pi = piWith("read");
	const tools = start(pi);
	tools.sync([tool("mcp"), tool("a_x")]);
	assert.deepEqual(pi.active(), ["read", "mcp", "a_x"]);
	tools.sync([tool("mcp")]);
	assert.deepEqual(pi.active(), ["read", "mcp"]);
	tools.sync([tool("mcp"), tool("a_x")]);
	assert.deepEqual(pi.active(), ["read", "mcp", "a_x"]);
});

test("what the user switched off stays off when it goes and comes back", () => {
	const pi = piWith();
	const tools = start(pi);
	tools.sync([tool("mcp"), tool("a_x")]);
	pi.setActiveTools(["mcp"]);
	tools.sync([tool("mcp")]);
	tools.sync([tool("mcp"), tool("a_x")]);
	assert.deepEqual(pi.active(), ["mcp"]);
});

test("a name of Pi or of another extension is left to them, and so is a tool for people", () => {
	const pi = piWith("read");
	const tools = start(pi);
	const forPeople = tool("mcp_manage", { _meta: { ui: { visibility: ["app"] } } });
	tools.sync([tool("read", { title: "ours" }), forPeople, tool("mcp")]);
	assert.deepEqual([...pi.tools.keys()], ["read", "mcp"]);
	assert.deepEqual(pi.tools.get("read"), {});
	assert.deepEqual([...tools.takenNames()], ["read"]);
});

test("a tool is registered anew only when it changed, with the hints that Pi knows", () => {
	const pi = piWith();
	const tools = start(pi);
	tools.sync([tool("a")]);
	const first = pi.tools.get("a");
	tools.sync([tool("a")]);
	assert.equal(pi.tools.get("a"), first);
	const annotations = { title: "T", readOnlyHint: true, openWorldHint: "yes" };
	tools.sync([tool("a", { description: "new", annotations })]);
	assert.equal(pi.tools.get("a").description, "new");
	assert.deepEqual(pi.tools.get("a").annotations, { readOnlyHint: true });
});

test("progress is told as text", async () => {
	const pi = piWith();
	const told = [];
	const steps = [
		{ progress: 1 },
		{ progress: 1, total: 2 },
		{ progress: 1, message: "half\nway" },
		{ progress: 1, total: 2, message: "on" },
	];
	const call = async (_name, _args, { onProgress }) => {
		for (const step of steps) onProgress(step);
		return { content: [], isError: false, details: {} };
	};
	start(pi, call).sync([tool("a")]);
	const onUpdate = ({ content }) => told.push(content[0].text);
	await pi.tools.get("a").execute("1", {}, undefined, onUpdate);
	assert.deepEqual(told, ["1", "1/2", "half way", "on (1/2)"]);
});

test("a failed result is one for every Pi, once and for its own call", async () => {
	const pi = piWith();
	start(pi, async () => ({ content: [], isError: true, details: {} })).sync([tool("a")]);
	await pi.tools.get("a").execute("1", {}, undefined, undefined);
	assert.equal(pi.say("tool_result", { toolCallId: "2" }), undefined);
	assert.deepEqual(pi.say("tool_result", { toolCallId: "1" }), { isError: true });
	assert.equal(pi.say("tool_result", { toolCallId: "1" }), undefined);
});
