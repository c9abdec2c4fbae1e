// What servers say in log messages reaches ~/.pi/agent/mcp.log in the real Pi: for its user alone,
// of a limited size, and without secrets.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { until } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, print, scriptedServer, versions } from "./pi.mjs";

describe("mcp.log in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let path;
	async function start(...messages) {
		const calls = messages.map((args) => [{ tool: "mcp", args: { tool: "srv_log", args } }]);
		model = await Model.start(calls);
		home = new PiHome(model).withCache();
		const env = { API_TOKEN: "violet-river" };
		home.configure({ srv: { ...scriptedServer({ tools: ["log"] }), env } });
		path = join(home.agent, "mcp.log");
	}
	const lines = () => (existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []);
	afterEach(async () => {
		await model.stop();
		home.remove();
	});

	for (const version of versions) {
		test(`has a line for each message, and no secret (${version.name})`, async () => {
			await start(
				{ level: "warning", logger: "db", data: "two\nlines" },
				{ level: "error", data: { password: "hunter2", note: "sent Bearer abcdef0123456789" } },
				{ level: "info", data: 'logged in with violet-river, got {"id":1,"api_key":"abc"}' },
				{ level: "debug", data: "not wanted" },
			);
			await print(home, "go", { version });
			await until("three lines", () => lines().length === 3, 10);
			assert.match(lines()[0], /^\d{4}-\d\d-\d\dT[\d:.]+Z \[srv\] warning db: two lines$/);
			assert.match(lines()[1], /\[srv\] error: .*"password":"\*\*\*".*Bearer \*\*\*/);
			assert.match(lines()[2], /logged in with \*\*\*, got \{"id":1,"api_key":\*\*\*$/);
			assert.equal(statSync(path).mode & 0o777, 0o600);
		});
	}

	test("becomes mcp.log.1 after 5 MB", async () => {
		await start({ level: "info", data: "the first of the next" });
		writeFileSync(path, "x".repeat((5 << 20) + 1));
		await print(home, "go");
		assert.equal(lines().length, 1);
		assert.equal(statSync(`${path}.1`).size, (5 << 20) + 1);
	});
});
