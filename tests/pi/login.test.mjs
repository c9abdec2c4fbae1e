// A login that the model began and a person finished in a browser: the work goes on by itself.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { Person, ProtectedPlace } from "../e2e/authorization.mjs";
import { cli, until } from "../e2e/harness.mjs";
import { Model, textOf } from "./model.mjs";
import { Pi, PiHome, start, versions } from "./pi.mjs";

describe("logins in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let place;
	let pi;
	afterEach(async () => {
		await pi?.close();
		await model?.stop();
		place.stop();
		home.remove();
	});

	for (const version of versions) {
		test(`a finished login begins a turn (${version.name})`, async () => {
			place = await ProtectedPlace.start();
			model = await Model.start([
				[{ tool: "mcp", args: { action: "auth-start", server: "remote" } }],
				"please log in",
				[{ tool: "mcp", args: { tool: "remote_whoami" } }],
				"thank you",
			]);
			home = new PiHome(model).withCache();
			home.configure({ remote: { url: place.url } });
			pi = new Pi(home, { version, env: { BROWSER: "true" } });
			await pi.prompt("who am I?");
			const [{ result }] = pi.results();
			const { authorizationUrl } = result.details;
			const from = pi.events.length;
			const redirect = new URL(authorizationUrl).searchParams.get("redirect_uri");
			await fetch(await new Person(redirect).logIn(authorizationUrl));
			await pi.event("the end of that turn", ({ type }) => type === pi.settled, from);
			assert.match(pi.results(from)[0].result.content[0].text, /logged in as ada/);
			const asked = model.requests[2].messages.map(textOf).join("\n");
			assert.match(asked, /The user has logged in to the MCP server "remote"/);
			assert.equal(pi.shown("notify", from)[0].message, "MCP: The login to remote is done");
		});
	}

	test("a login made with Pi's own client is used, and renewed as one of our own", async () => {
		place = await ProtectedPlace.start();
		model = await Model.start([]);
		home = new PiHome(model).withCache();
		home.configure({ "re-mote": { url: place.url } });
		const { output, exit } = start(home, "mcp", "login", "re-mote");
		await until("Pi's address", () => /https?:\S+redirect_uri=\S+/.test(output.text), 30);
		const [address] = /https?:\S+redirect_uri=\S+/.exec(output.text);
		const redirect = new URL(address).searchParams.get("redirect_uri");
		await fetch(await new Person(redirect).logIn(address));
		assert.equal(await exit, 0, output.text);

		const whoami = async () => {
			const { status, stdout, stderr } = await cli(home, ["call", "re-mote", "whoami"]);
			assert.equal(status, 0, stderr);
			assert.match(stdout, /logged in as ada/);
		};
		const file = join(home.agent, "mcp-auth.json");
		const ours = () =>
			readdirSync(join(home.agent, "mcp-credentials")).filter((name) => name.endsWith(".json"));
		await whoami();
		assert.deepEqual(ours(), [], "nothing had to be renewed");
		const logins = JSON.parse(readFileSync(file, "utf8"));
		for (const login of Object.values(logins)) {
			login.tokensExpireAt = 1;
			login.tokens.access_token = "ended";
		}
		writeFileSync(file, JSON.stringify(logins));
		await whoami();
		assert.equal(ours().length, 1, "what is renewed is stored as our own");
		await whoami();
		assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), logins, "Pi's file is Pi's");
	});
});
