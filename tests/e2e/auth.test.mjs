// A real authorization server (oidc-provider) and a protected MCP server (official SDK) on this
// machine: login, refresh with rotation, a revoked login, logout; and no secret where none belongs.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Provider } from "oidc-provider";
import { Home, Host, binary, cli, run, until } from "./harness.mjs";

const listen = (handler) =>
	new Promise((ready) => {
		const server = createServer(handler);
		server.listen(0, "127.0.0.1", () => {
			ready({ server, origin: `http://127.0.0.1:${server.address().port}` });
		});
	});

// Grants what a person agrees to; tokens are opaque, refresh tokens rotate.
async function authorizationServer(resource) {
	let provider;
	const { server, origin } = await listen((request, response) =>
		provider.callback()(request, response),
	);
	provider = new Provider(origin, {
		clients: [],
		jwks: undefined,
		rotateRefreshToken: true,
		issueRefreshToken: async () => true,
		scopes: ["mcp:use", "offline_access"],
		features: {
			registration: { enabled: true },
			revocation: { enabled: true },
			resourceIndicators: {
				enabled: true,
				defaultResource: () => resource(),
				useGrantedResource: () => true,
				getResourceServerInfo: (context, indicator) => {
					assert.equal(indicator, resource());
					return { scope: "mcp:use", accessTokenFormat: "opaque", audience: resource() };
				},
			},
		},
	});
	provider.on("server_error", (context, error) => console.error(error));
	return { server, origin, provider };
}

// An MCP server with one tool behind bearer tokens of the provider.
async function protectedServer(provider, issuer, resource) {
	const sessions = new Map();
	const handler = async (request, response) => {
		if (request.url === "/.well-known/oauth-protected-resource/mcp") {
			response.setHeader("Content-Type", "application/json");
			response.end(
				JSON.stringify({
					resource: resource(),
					authorization_servers: [issuer()],
					scopes_supported: ["mcp:use"],
				}),
			);
			return;
		}
		const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
		const known = token ? await provider().AccessToken.find(token) : undefined;
		if (!known) {
			const metadata = new URL("/.well-known/oauth-protected-resource/mcp", resource());
			response.writeHead(401, {
				"WWW-Authenticate": `Bearer error="invalid_token", resource_metadata="${metadata}"`,
			});
			response.end();
			return;
		}
		let transport = sessions.get(request.headers["mcp-session-id"]);
		if (!transport) {
			transport = new StreamableHTTPServerTransport({
				sessionIdGenerator: () => crypto.randomUUID(),
				onsessioninitialized: (id) => sessions.set(id, transport),
			});
			const mcp = new McpServer({ name: "protected", version: "1.0.0" });
			mcp.registerTool("whoami", { description: "Tells who is logged in" }, () => ({
				content: [{ type: "text", text: `logged in as ${known.accountId}` }],
			}));
			await mcp.connect(transport);
		}
		await transport.handleRequest(request, response);
	};
	return listen(handler);
}

// A person at a browser: keeps cookies, fills in the pages of oidc-provider, ends at `last`.
class Person {
	constructor(last) {
		this.last = last;
		this.cookies = new Map();
	}

	async visit(url, form) {
		const response = await fetch(url, {
			method: form ? "POST" : "GET",
			body: form && new URLSearchParams(form),
			redirect: "manual",
			headers: { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
		});
		for (const cookie of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
			this.cookies.set(name, value);
		}
		return response;
	}

	// The address of the last page, which is not opened.
	async logIn(url) {
		for (let step = 0; step < 20; ++step) {
			if (url.startsWith(this.last)) return url;
			let response = await this.visit(url);
			if (response.status === 200) {
				const page = await response.text();
				const action = /action="([^"]+)"/.exec(page)[1];
				const prompt = /name="prompt" value="([^"]+)"/.exec(page)[1];
				const form = prompt === "login" ? { prompt, login: "ada", password: "x" } : { prompt };
				response = await this.visit(new URL(action, url).href, form);
			}
			assert.ok(response.headers.has("location"), `${response.status} at ${url}`);
			url = new URL(response.headers.get("location"), url).href;
		}
		assert.fail("the login does not end");
	}
}

describe("authorisation", { timeout: 240_000 }, () => {
	let home;
	let issuer;
	let remote;
	const said = []; // everything the product printed
	const secrets = new Set(); // everything that must not be in it

	const resource = () => `${remote.origin}/mcp`;
	before(async () => {
		home = new Home();
		issuer = await authorizationServer(resource);
		remote = await protectedServer(() => issuer.provider, () => issuer.origin, resource);
		home.configure({ remote: { url: resource() } });
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
	});
	after(() => {
		issuer.server.close();
		remote.server.close();
		issuer.server.closeAllConnections();
		remote.server.closeAllConnections();
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
		await (await issuer.provider.AccessToken.find(before.tokens.access)).destroy();
		await whoami();
		const now = stored();
		assert.notEqual(now.tokens.access, before.tokens.access);
		assert.notEqual(now.tokens.refresh, before.tokens.refresh);
		const old = await issuer.provider.RefreshToken.find(before.tokens.refresh, {
			ignoreExpiration: true,
		});
		assert.ok(old.consumed);
		await whoami();
	});

	test("a login that was revoked asks for a new one", async () => {
		const { tokens } = stored();
		await (await issuer.provider.AccessToken.find(tokens.access)).destroy();
		await (await issuer.provider.RefreshToken.find(tokens.refresh)).destroy();
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
		assert.equal(await issuer.provider.AccessToken.find(tokens.access), undefined);
		assert.equal(await issuer.provider.RefreshToken.find(tokens.refresh), undefined);
		assert.equal(stored(), undefined);
		assert.equal((await call()).status, 5);
	});

	test("with everything failing no token, code or secret shows up anywhere", async () => {
		await logIn();
		stored();
		const before = said.length;
		issuer.server.close();
		issuer.server.closeAllConnections();
		const { tokens } = stored();
		await (await issuer.provider.AccessToken.find(tokens.access)).destroy();
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
