// What the real Pi's prompt says of the servers: a line for each of which there is something to
// say, once, and the same bytes in every request.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { Model, textOf } from "./model.mjs";
import { Pi, PiHome, fakeServer, print, versions } from "./pi.mjs";

describe("the prompt of Pi", { timeout: 240_000 }, () => {
	let home;
	let model;
	async function start(servers, steps = ["done"]) {
		model = await Model.start(steps);
		home = new PiHome(model).withCache();
		home.configure(servers);
	}
	afterEach(async () => {
		await model.stop();
		home.remove();
	});
	const system = ({ messages }) =>
		messages
			.filter(({ role }) => role === "system" || role === "developer")
			.map(textOf)
			.join("\n");
	const section = (request) => /<mcp_servers>[^]*<\/mcp_servers>/.exec(system(request))?.[0];
	const servers = {
		jira: { ...fakeServer("echo"), description: "Tickets of the house" },
		plain: fakeServer("add"),
	};

	for (const version of versions) {
		test(`has a line about a server that has one, and no name twice (${version.name})`, async () => {
			const call = [{ tool: "mcp", args: { tool: "jira_echo", args: { text: "hi" } } }];
			await start(servers, [call, "one", "two"]);
			const pi = new Pi(home, { version });
			await pi.prompt("go");
			await pi.prompt("go on");
			await pi.close();
			const said = model.requests.map(section);
			const lines = said[0].split("\n");
			assert.deepEqual(lines.slice(0, 3), [
				"<mcp_servers>",
				"MCP servers behind the tool mcp:",
				"- jira: Tickets of the house",
			]);
			assert.doesNotMatch(said[0], /plain/);
			assert.equal(said.length, 3);
			assert.equal(new Set(said).size, 1, "the same in every request");
			assert.equal(system(model.requests[0]).split("Tickets of the house").length, 2);
			const mcp = model.requests[0].tools.find(({ function: { name } }) => name === "mcp");
			assert.match(mcp.function.description, /jira, plain/);
		});
	}

	test("says nothing where the model has no mcp, or no server says anything of itself", async () => {
		await start(servers);
		await print(home, "go", { args: ["-xt", "mcp"] });
		assert.equal(section(model.requests[0]), undefined);
		home.configure({ plain: fakeServer("add") });
		await print(home, "go");
		assert.equal(section(model.requests[1]), undefined);
	});
});
