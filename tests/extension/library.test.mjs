// createMcpAdapter(): which options it takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import piMcp, { createMcpAdapter } from "../../extension/index.ts";

const circle = {};
circle.mcpServers = circle;
const wrong = [
	[{ config: [] }, /config must be an object/],
	[{ config: "{}" }, /config must be an object/],
	[{ config: null }, /config must be an object/],
	[{ config: circle }, /config cannot be written as JSON/],
	[{ config: {}, configPath: "mcp.json" }, /either config or configPath/],
	[{ configPath: "" }, /configPath must be the path/],
	[{ configPath: 1 }, /configPath must be the path/],
];
for (const [options, problem] of wrong) {
	test(`wrong options of createMcpAdapter are an error at once: ${problem}`, () => {
		assert.throws(() => createMcpAdapter(options), { name: "TypeError", message: problem });
	});
}

test("each adapter is an extension of its own, and without options the default one", () => {
	const config = Object.freeze({ mcpServers: Object.freeze({}) });
	for (const options of [{ config }, { configPath: "mcp.json" }, {}, undefined]) {
		assert.equal(createMcpAdapter(options).length, 1);
	}
	assert.equal(piMcp.length, 1);
});
