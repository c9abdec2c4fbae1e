// What a real server asks of its client, answered by the official SDK's client at the other end.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
	CreateMessageRequestSchema,
	ElicitRequestSchema,
	ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Home, Host, server, until } from "./harness.mjs";

describe("requests of a server to its client", { timeout: 120_000 }, () => {
	let home;
	let host;
	let roots = ["file:///srv/first"];
	const asked = [];
	before(async () => {
		home = new Home();
		home.configure({ everything: server("mcp-server-everything") });
		host = await Host.start(home, {
			capabilities: {
				elicitation: { form: {}, url: {} },
				sampling: {},
				roots: { listChanged: true },
			},
			prepare(client) {
				client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
					asked.push(params);
					return params.mode === "url"
						? { action: "accept" }
						: { action: "accept", content: { name: "Ada", check: true } };
				});
				client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
					model: "test-model",
					role: "assistant",
					content: { type: "text", text: `heard ${params.messages[0].content.text}` },
				}));
				client.setRequestHandler(ListRootsRequestSchema, () => ({
					roots: roots.map((uri) => ({ uri })),
				}));
			},
		});
		await host.mcp({ connect: "everything" });
	});
	after(async () => {
		await host?.close();
		home.remove();
	});

	test("a form is filled in by the host", async () => {
		const { text, isError } = await host.mcp({ tool: "everything_trigger-elicitation-request" });
		assert.equal(isError, false, text);
		assert.match(text, /Ada/);
		assert.equal(asked.at(-1)._meta["pi-mcp/server"], "everything");
		assert.match(asked.at(-1).message, /^everything asks: ./);
		assert.ok(asked.at(-1).requestedSchema.properties.birthdate);
	});

	test("an address is shown by the host", async () => {
		const { isError, text } = await host.mcp({
			tool: "everything_trigger-url-elicitation",
			args: { url: "https://example.org/consent" },
		});
		assert.equal(isError, false, text);
		assert.equal(asked.at(-1).url, "https://example.org/consent");
	});

	test("a model of the host is asked", async () => {
		const { text } = await host.mcp({
			tool: "everything_trigger-sampling-request",
			args: { prompt: "ping", maxTokens: 7 },
		});
		assert.match(text, /test-model/);
		assert.match(text, /heard .*ping/);
	});

	test("the host's roots are known, and their change is", async () => {
		const known = async () => (await host.mcp({ tool: "everything_get-roots-list" })).text;
		assert.match(await known(), /file:\/\/\/srv\/first/);
		roots = ["file:///srv/second"];
		await host.client.sendRootsListChanged();
		const updated = ({ logger, data }) =>
			logger?.startsWith("everything") && /Roots updated/.test(data);
		await until("the server to ask again", () => host.logs.filter(updated).length > 1);
		assert.match(await known(), /file:\/\/\/srv\/second/);
	});
});

test("a host that can do nothing is asked nothing", { timeout: 60_000 }, async () => {
	const home = new Home();
	home.configure({ everything: server("mcp-server-everything") });
	const host = await Host.connect(home);
	const { text } = await host.mcp({ connect: "everything" });
	assert.doesNotMatch(text, /- everything_(trigger-(elicitation|sampling|url)|get-roots)/);
	await host.close();
	home.remove();
});
