// The words of /mcp that are about servers which are configured, in the real Pi.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { Person, ProtectedPlace } from "../e2e/authorization.mjs";
import { CommandPi } from "./command_pi.mjs";
import { fakeServer, scriptedServer, versions } from "./pi.mjs";

describe("words of /mcp", { timeout: 240_000 }, () => {
	let place;
	afterEach(() => place?.end());
	const start = async (...args) => (place = await CommandPi.start(...args));
	// Types `line`, and logs in to "remote" with what is pasted.
	const logIn = async (line, begun = async () => {}) => {
		const from = place.pi.events.length;
		place.pi.send({ id: "c", type: "prompt", message: line });
		await begun(from);
		const { message } = await place.pi.notice(/client_id/, from);
		const [address] = /http\S+client_id=\S+/.exec(message);
		const input = await place.pi.event("the dialog", ({ method }) => method === "input", from);
		const redirect = new URL(address).searchParams.get("redirect_uri");
		place.pi.reply(input, await new Person(redirect).logIn(address));
		await place.pi.notice(/OAuth authentication successful for "remote"/, from);
	};
	const saved = () => readFileSync(join(place.home.agent, "mcp.json"), "utf8");
	const choices = () => {
		const file = join(place.home.agent, "mcp-trust.json");
		return existsSync(file) ? readFileSync(file, "utf8") : "";
	};

	for (const version of versions) {
		test(`Pi ${version.name} is told which word it does not have, and /pi-mcp is /mcp`, async () => {
			await start({ echo: fakeServer("echo") }, { version });
			const wrong = /no word "lgout". Did you mean \/mcp logout\?/;
			assert.equal((await place.run("/mcp lgout echo", wrong)).notifyType, "error");
			await place.run("/mcp nonsense", /no word "nonsense"\. There are: status, tools/);
			await place.run("/pi-mcp status", /^MCP: 0\/1 servers/);
			await place.run("/mcp logout", /Usage: \/mcp logout <server>/);
			await place.run("/mcp logout echo", /"echo" has no OAuth login/);
			const about = /Disable echo where\?/;
			const here = ({ title, options }) => {
				assert.match(title, about);
				return options[1];
			};
			await place.run("/mcp disable echo", /echo is disabled for this folder now/, here);
			assert.doesNotMatch(saved(), /disabled/);
			await place.run("/mcp enable echo", /echo is enabled now/);
			assert.doesNotMatch(choices(), /"disabled"/);
		});
	}

	test("a server is disabled everywhere, and enabling leaves nothing behind", async () => {
		await start({ echo: fakeServer("echo") });
		const before = saved();
		await place.run("/mcp disable echo --everywhere", /echo is disabled now, in .*mcp\.json/);
		assert.match(saved(), /"disabled": true/);
		await place.run("/mcp disable echo", /echo is disabled already/);
		await place.run("/mcp enable echo", /echo is enabled now/);
		assert.deepEqual(JSON.parse(saved()), JSON.parse(before));
		await place.run("/mcp disable echo --hre", /--hre\? Usage: \/mcp disable/);
	});

	test("a team's file is never changed by itself", async () => {
		const team = { mcpServers: { echo: fakeServer("echo") } };
		await start({}, { prepare: (home) => home.write("project/.mcp.json", team) });
		const file = join(place.home.project, ".mcp.json");
		const before = readFileSync(file, "utf8");
		const trust = ({ options }) => options[0];
		await place.run("/mcp connect echo", /echo/, trust);
		await place.run("/mcp disable echo", /echo is disabled now, in .*mcp-trust\.json/);
		await place.run("/mcp status", /⊘ echo/);
		await place.run("/mcp enable echo", /echo is enabled now/);
		assert.equal(readFileSync(file, "utf8"), before);
	});

	test("/mcp prompts lists prompts as the commands they are", async () => {
		const args = [{ name: "file", required: true }, { name: "style" }];
		const review = { name: "review", description: "Looks at a file", arguments: args };
		await start({ w: scriptedServer({ prompts: [review] }), none: fakeServer("echo") });
		await place.run("/mcp reconnect w", /✓ w/);
		const { message } = await place.run("/mcp prompts", /^MCP Prompts:/);
		assert.match(message, /\nw:\n {2}\/mcp__w__review <file> \[style\]\n {4}Looks at a file\n/);
		assert.match(message, /Total: 1 prompt$/);
		await place.run("/mcp prompts none", /no prompts of none are known/);
	});

	test("/mcp token stores what a dialog asks for, and takes it away again", async () => {
		await start({ far: { url: "https://far.example.com/mcp" }, echo: fakeServer("echo") });
		await place.run("/mcp token echo", /program on this machine/);
		const typed = ({ title }) => {
			assert.match(title, /bearer token of far/);
			return "s3cret-token";
		};
		const toFile = ({ options }) => options[0];
		const { message } = await place.run("/mcp token far", /token of "far" is in/, typed, toFile);
		assert.doesNotMatch(message + saved(), /s3cret/);
		assert.match(saved(), /"bearerToken": ?"\$\{keyring:far-token\}"/);
		const secrets = join(place.home.agent, "mcp-secrets.json");
		assert.match(readFileSync(secrets, "utf8"), /s3cret-token/);
		await place.run("/mcp token far --remove", /token of "far" is removed/);
		assert.doesNotMatch(saved(), /bearerToken/);
		assert.doesNotMatch(readFileSync(secrets, "utf8"), /s3cret/);
	});

	test("/mcp-auth without a name lets choose, and /mcp logout forgets the login", async () => {
		const protectedPlace = await ProtectedPlace.start();
		try {
			await start({ remote: { url: protectedPlace.url }, echo: fakeServer("echo") });
			await logIn("/mcp-auth", async (from) => {
				const isSelect = ({ method }) => method === "select";
				const picker = await place.pi.event("the picker", isSelect, from);
				assert.equal(picker.options.length, 1);
				place.pi.reply(picker, picker.options[0]);
			});
			await place.run("/mcp reconnect remote", /✓ remote/);
			await place.run("/mcp logout remote", /OAuth credentials cleared for "remote"/);
			const told = await place.run("/mcp connect remote", /to log in, run: \/mcp-auth remote/);
			assert.doesNotMatch(told.message, /pi-mcp auth|terminal/);
			await place.run("/mcp logout remote", /no OAuth credentials for "remote"/);
		} finally {
			protectedPlace.stop();
		}
	});

	test("a secret that is missing is stored with what is said about it", async () => {
		await start({ keyed: { ...fakeServer("echo"), env: { KEY: "${keyring:GONE}" } } });
		const told = await place.run("/mcp connect keyed", /run: \/mcp secret GONE$/);
		assert.doesNotMatch(told.message, /pi-mcp secret/);
		await place.run("/mcp secret", /Usage: \/mcp secret <name>/);
		await place.run("/mcp secret no name", /a name has letters/);
		const toFile = ({ options }) => options[0];
		await place.run("/mcp secret GONE", /secret is in .*mcp-secrets\.json/, "s3cret", toFile);
		await place.run("/mcp reconnect keyed", /✓ keyed/);
		await place.run("/mcp secret GONE --remove", /The secret "GONE" is removed/);
		await place.run("/mcp reconnect keyed", /run: \/mcp secret GONE$/);
	});

	test("a login that is locked is said with /mcp-auth, by every way to its server", async () => {
		const protectedPlace = await ProtectedPlace.start();
		const steps = [
			[{ tool: "mcp", args: { connect: "remote" } }],
			[{ tool: "mcp", args: { tool: "remote_echo", args: { text: "x" } } }],
			"over",
		];
		let file;
		const seal = (key) => {
			writeFileSync(file, Buffer.alloc(32, key).toString("base64"));
			chmodSync(file, 0o600);
		};
		const prepare = (home) => {
			file = join(home.root, "key");
			seal("a");
			const sealed = { oauthCredentialStore: "encrypted-file", oauthKeyFile: file };
			home.configure({ remote: { url: protectedPlace.url } }, sealed);
		};
		try {
			await start({}, { prepare, steps });
			await logIn("/mcp-auth remote");
			seal("b");
			const step = /cannot be decrypted.*log in again; to log in, run: \/mcp-auth remote/;
			const { message } = await place.run("/mcp reconnect remote", step);
			assert.doesNotMatch(message, /pi-mcp auth/);
			await place.pi.prompt("go");
			for (const text of place.model.toolTexts()) {
				assert.match(text, step);
				assert.doesNotMatch(text, /pi-mcp auth/);
			}
		} finally {
			protectedPlace.stop();
		}
	});

	test("what people are told to do can be done in Pi", async () => {
		await start({}, { steps: [[{ tool: "mcp", args: { search: "x" } }], "over"] });
		await place.run("/mcp status", /\/mcp add NAME COMMAND adds one/);
		await place.pi.prompt("go");
		assert.match(place.model.toolTexts()[0], /\/mcp add NAME COMMAND/);
	});
});
