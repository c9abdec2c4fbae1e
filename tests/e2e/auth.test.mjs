// A real authorization server (oidc-provider) and a protected MCP server (official SDK) on this
// machine: login, refresh with rotation, a revoked login, logout; and no secret where none belongs.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ProtectedPlace, Person } from "./authorization.mjs";
import { Home, Host, binary, cli, run, until } from "./harness.mjs";

describe("authorisation", { timeout: 240_000 }, () => {
	let home;
	let place;
	const said = []; // everything the product printed
	const secrets = new Set(); // everything that must not be in it

	before(async () => {
		home = new Home();
		place = await ProtectedPlace.start();
		home.configure({ remote: { url: place.url } });
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
	});
	after(() => {
		place.stop();
		home.remove();
	});

	const shell = async (...args) => {
		const result = await cli(home, ["--log-level", "debug", ...args]);
		said.push(result.stdout, result.stderr);
		return result;
	};
	const call = () => shell("call", "remote_whoami");
	const stored = () => {
		const folder = join(home.agent, "mcp-credentials");
		const [file] = readdirSync(folder).filter((name) => name.endsWith(".json"));
		const credentials = file && JSON.parse(readFileSync(join(folder, file), "utf8"));
		if (credentials?.tokens) {
			secrets.add(credentials.tokens.access).add(credentials.tokens.refresh);
		}
		return credentials;
	};
	const whoami = async () => {
		const { status, stdout, stderr } = await call();
		assert.equal(status, 0, stderr);
		assert.match(stdout, /logged in as ada/);
	};
	// Runs `pi-mcp auth`; the person opens what it shows.
	const logIn = async () => {
		let open;
		const shown = new Promise((found) => (open = found));
		const ended = run(binary, ["--log-level", "debug", "auth", "remote"], {
			env: home.env,
			cwd: home.project,
			onStart: (child) => {
				let text = "";
				child.stderr.on("data", (chunk) => {
					text += chunk;
					const url = /^http\S+$/m.exec(text);
					if (url && text.includes(`${url[0]}\n`)) open(url[0]);
				});
			},
		});
		const url = await Promise.race([shown, ended.then((result) => assert.fail(result.stderr))]);
		const redirect = new URL(url).searchParams.get("redirect_uri");
		const last = await new Person(redirect).logIn(url);
		secrets.add(new URL(last).searchParams.get("code"));
		const page = await fetch(last);
		assert.equal(page.status, 200);
		const result = await ended;
		said.push(result.stdout, result.stderr);
		assert.equal(result.status, 0, result.stderr);
		assert.match(result.stdout, /authentication successful/);
	};

	test("without a login a connection fails with status 5 and says what to run", async () => {
		const { status, stderr } = await shell("connect", "remote");
		assert.equal(status, 5, stderr);
		assert.match(stderr, /pi-mcp auth remote/);
	});

	test("a login in the browser makes calls work, also of later processes", async () => {
		await logIn();
		assert.equal((await shell("connect", "remote")).status, 0);
		await whoami();
		await whoami();
		const folder = join(home.agent, "mcp-credentials");
		assert.equal(statSync(folder).mode & 0o777, 0o700);
		for (const name of readdirSync(folder)) {
			assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
		}
	});

	test("a token that the server refuses is renewed, and the refresh token rotates", async () => {
		const before = stored();
		await (await place.issuer.provider.AccessToken.find(before.tokens.access)).destroy();
		await whoami();
		const now = stored();
		assert.notEqual(now.tokens.access, before.tokens.access);
		assert.notEqual(now.tokens.refresh, before.tokens.refresh);
		const old = await place.issuer.provider.RefreshToken.find(before.tokens.refresh, {
			ignoreExpiration: true,
		});
		assert.ok(old.consumed);
		await whoami();
	});

	test("a login that was revoked asks for a new one", async () => {
		const { tokens } = stored();
		await (await place.issuer.provider.AccessToken.find(tokens.access)).destroy();
		await (await place.issuer.provider.RefreshToken.find(tokens.refresh)).destroy();
		const { status, stderr } = await call();
		assert.equal(status, 5, stderr);
		assert.match(stderr, /pi-mcp auth remote/);
		assert.equal(stored().tokens, undefined);
	});

	test("an agent starts a login and hands over what its user pastes", async () => {
		const host = await Host.connect(home);
		const started = await host.mcp({ action: "auth-start", server: "remote" });
		assert.equal(started.isError, false, started.text);
		const url = started.details.authorizationUrl;
		assert.ok(started.text.includes(url));
		const redirect = new URL(url).searchParams.get("redirect_uri");
		const last = await new Person(redirect).logIn(url);
		secrets.add(new URL(last).searchParams.get("code"));
		const args = { redirectUrl: last };
		const wrong = { redirectUrl: last.replace(/state=[^&]*/, "state=guessed") };
		const refused = await host.mcp({ action: "auth-complete", server: "remote", args: wrong });
		assert.equal(refused.isError, true);
		const done = await host.mcp({ action: "auth-complete", server: "remote", args });
		assert.equal(done.isError, false, done.text);
		assert.equal(done.details.authenticated, true);
		const answer = await host.mcp({ tool: "remote_whoami" });
		assert.match(answer.text, /logged in as ada/);
		said.push(host.stderr, JSON.stringify([started.details, refused, done, host.logs]));
		await host.close();
		stored();
	});

	test("a logout revokes the tokens and removes them", async () => {
		const { tokens } = stored();
		const out = await shell("logout", "remote");
		assert.equal(out.status, 0, out.stderr);
		assert.equal(await place.issuer.provider.AccessToken.find(tokens.access), undefined);
		assert.equal(await place.issuer.provider.RefreshToken.find(tokens.refresh), undefined);
		assert.equal(stored(), undefined);
		assert.equal((await call()).status, 5);
	});

	test("with everything failing no token, code or secret shows up anywhere", async () => {
		await logIn();
		stored();
		const before = said.length;
		place.issuer.server.close();
		place.issuer.server.closeAllConnections();
		const { tokens } = stored();
		await (await place.issuer.provider.AccessToken.find(tokens.access)).destroy();
		for (const args of [["connect", "remote"], ["call", "remote_whoami"], ["status"], ["config"]]) {
			await shell(...args);
			await shell("--json", ...args);
		}
		await shell("logout", "remote");
		assert.ok(said.length > before);
		said.push(readFileSync(home.cache, "utf8"));
		assert.ok(secrets.size >= 6);
		for (const secret of secrets) {
			assert.ok(secret.length > 10);
			assert.ok(!said.some((text) => text.includes(secret)), "a secret was printed");
		}
	});
});
