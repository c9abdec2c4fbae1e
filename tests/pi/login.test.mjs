// A login that the model began and a person finished in a browser: the work goes on by itself.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { Person, ProtectedPlace } from "../e2e/authorization.mjs";
import { Model, textOf } from "./model.mjs";
import { Pi, PiHome, versions } from "./pi.mjs";

describe("logins in Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	let place;
	let pi;
	afterEach(async () => {
		await pi?.close();
		await model.stop();
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
});
