// Real servers that keep a state for their client, in two sessions of one shared process at once:
// each session has a server of its own, and sees its own state alone.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { server } from "./harness.mjs";
import { Pair } from "./session_pair.mjs";

let pair;
afterEach(async () => {
	await pair?.close();
	pair = undefined;
});

describe("sequential-thinking", { timeout: 120_000 }, () => {
	const thought = (host, number) =>
		host.mcp({
			tool: "thinking_sequentialthinking",
			args: {
				thought: `thought ${number}`,
				thoughtNumber: number,
				totalThoughts: 9,
				nextThoughtNeeded: true,
			},
		});
	const lengthOf = ({ text, isError }) => {
		assert.equal(isError, false, text);
		return Number(/"thoughtHistoryLength": (\d+)/.exec(text)[1]);
	};
	async function lengths({ hosts: [one, other] }) {
		const seen = [];
		for (const host of [one, one, other, one, other]) {
			seen.push(lengthOf(await thought(host, seen.length + 1)));
		}
		return seen;
	}

	test("each session has its own thoughts", async () => {
		pair = await Pair.start({ thinking: server("mcp-server-sequential-thinking") });
		assert.deepEqual(await lengths(pair), [1, 2, 1, 3, 2]);
		assert.equal(pair.home.servers().length, 2);
		assert.ok(pair.home.sharedProcess());
	});

	test("only who writes that they are to be shared has them mixed", async () => {
		const thinking = { ...server("mcp-server-sequential-thinking"), share: "folder" };
		pair = await Pair.start({ thinking });
		assert.deepEqual(await lengths(pair), [1, 2, 3, 4, 5]);
		assert.equal(pair.home.servers().length, 1);
	});
});

describe("Playwright without a browser", { timeout: 120_000 }, () => {
	test("has a server for each session", async () => {
		pair = await Pair.start({ playwright: server("playwright-mcp", "--headless") });
		for (const host of pair.hosts) await host.mcp({ connect: "playwright" });
		assert.equal(pair.home.servers().length, 2);
		assert.ok(pair.home.sharedProcess());
	});
});

if (process.env.PI_MCP_HEAVY) await import("./stateful_heavy.mjs");
