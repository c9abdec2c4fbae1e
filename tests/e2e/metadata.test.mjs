// A large real server whose browser is not there: its tools are still listed, found and described.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Home, Host, server } from "./harness.mjs";

describe("@playwright/mcp without a browser", { timeout: 120_000 }, () => {
	let home;
	let host;
	before(async () => {
		home = new Home();
		home.configure({ playwright: server("playwright-mcp", "--headless") });
		host = await Host.connect(home);
	});
	after(async () => {
		await host?.close();
		home.remove();
	});

	test("connect lists more than twenty tools", async () => {
		const { text, isError, details } = await host.mcp({ connect: "playwright" });
		assert.equal(isError, false, text);
		assert.ok(details.count > 20, text);
	});

	test("a tool is found by what it does", async () => {
		const { details } = await host.mcp({ search: "take a screenshot" });
		assert.equal(details.matches[0].tool, "playwright_browser_take_screenshot");
	});

	test("every tool can be described", async () => {
		const { details } = await host.mcp({ server: "playwright" });
		for (const tool of details.tools) {
			const { isError, text } = await host.mcp({ describe: tool });
			assert.equal(isError, false, text);
		}
	});
});
