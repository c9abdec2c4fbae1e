// `pi-mcp serve --http` behind a real authorization server (oidc-provider), and the official SDK's
// client, which logs in by itself: authorization code with PKCE, resource indicators, a client that
// registers itself. As for people of an organisation.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { UnauthorizedError, auth } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Person, authorizationServer } from "./authorization.mjs";
import { Home, binary, cli, freePort, server, until } from "./harness.mjs";

// Whoever comes through a proxy is not the user of this machine, who would need no token.
const proxied = { "X-Forwarded-For": "192.0.2.1" };
const metadataPath = "/.well-known/oauth-protected-resource";
const redirect = "http://127.0.0.1:9/callback";

function newKey(kind = "RS256") {
	const { privateKey } =
		kind === "RS256"
			? generateKeyPairSync("rsa", { modulusLength: 2048 })
			: generateKeyPairSync("ec", { namedCurve: "P-256" });
	const jwk = privateKey.export({ format: "jwk" });
	return { ...jwk, kid: randomUUID(), alg: kind, use: "sig" };
}

// What an agent keeps of its login, and a person who logs in when asked.
class Login {
	constructor(name) {
		this.clientMetadata = {
			client_name: name,
			redirect_uris: [redirect],
			grant_types: ["authorization_code", "refresh_token"],
			response_types: ["code"],
			token_endpoint_auth_method: "none",
			application_type: "native",
		};
		this.redirectUrl = redirect;
	}
	clientInformation() {
		return this.client;
	}
	saveClientInformation(client) {
		this.client = client;
	}
	tokens() {
		return this.kept;
	}
	saveTokens(tokens) {
		this.kept = tokens;
	}
	saveCodeVerifier(verifier) {
		this.verifier = verifier;
	}
	codeVerifier() {
		return this.verifier;
	}
	async redirectToAuthorization(url) {
		this.asked = url;
		const last = await new Person(redirect).logIn(url.href);
		this.code = new URL(last).searchParams.get("code");
		assert.ok(this.code, last);
	}
	get claims() {
		const [, claims] = this.kept.access_token.split(".");
		return JSON.parse(Buffer.from(claims, "base64url"));
	}
	get header() {
		const [header] = this.kept.access_token.split(".");
		return JSON.parse(Buffer.from(header, "base64url"));
	}
}

// `pi-mcp serve --http` of a home, for the tokens of an issuer.
class Gateway {
	static async start(home, issuer, servers, scopes = { mcp: {} }) {
		const gateway = new Gateway();
		gateway.origin = `http://127.0.0.1:${await freePort()}`;
		const oauth = { resource: gateway.origin, issuers: [issuer], scopes };
		home.configure(servers, { http: { oauth } });
		const address = new URL(gateway.origin).host;
		gateway.child = spawn(binary, ["serve", "--http", address], { env: home.env });
		let said = "";
		gateway.child.stderr.on("data", (chunk) => (said += chunk));
		await until("the gateway to listen", () => said.includes("ctrl-C"), 30);
		return gateway;
	}
	post(token, path = "/mcp") {
		return fetch(new URL(path, this.origin), {
			method: "POST",
			headers: {
				...proxied,
				"Content-Type": "application/json",
				Accept: "application/json, text/event-stream",
				...(token && { Authorization: `Bearer ${token}` }),
			},
			body: JSON.stringify({
				jsonrpc: "2.0",
				id: 1,
				method: "initialize",
				params: {
					protocolVersion: "2025-11-25",
					capabilities: {},
					clientInfo: { name: "e2e", version: "1.0.0" },
				},
			}),
		});
	}
	// Asks until the answer is another one than now; that has this status.
	async answers(token, wanted) {
		const { status } = await this.post(token);
		for (;;) {
			const now = (await this.post(token)).status;
			if (now !== status || now === wanted) {
				assert.equal(now, wanted);
				return;
			}
		}
	}
	async stop(home) {
		this.child.kill("SIGTERM");
		await home.allGone();
	}
}

describe("sign-in over HTTP", { timeout: 240_000 }, () => {
	let home;
	let issuer;
	let gateway;
	let origin;
	const clients = [];

	before(async () => {
		home = new Home();
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
		issuer = await authorizationServer(() => `${origin}/mcp`, {
			scopes: ["mcp", "mcp:echo", "offline_access", "other"],
			// A client of this name gets no more than one of the scopes that it asks for.
			resourceServer: (audience, { clientName }) => ({
				scope: { narrow: "mcp:echo", none: "other" }[clientName] ?? "mcp mcp:echo",
				accessTokenFormat: "jwt",
				audience: clientName === "elsewhere" ? "https://other.example" : audience,
			}),
		});
		issuer.begin({ keys: [newKey()] });
		gateway = await Gateway.start(
			home,
			issuer.origin,
			{
				everything: server("mcp-server-everything"),
				memory: {
					...server("mcp-server-memory"),
					env: { MEMORY_FILE_PATH: `${home.root}/memory.jsonl` },
				},
			},
			{ mcp: {}, "mcp:echo": { servers: ["everything"], tools: ["echo"] } },
		);
		({ origin } = gateway);
	});
	after(async () => {
		for (const client of clients) await client.close();
		await gateway.stop(home);
		issuer.server.close();
		issuer.server.closeAllConnections();
		home.remove();
	});

	const transportOf = (path, login) =>
		new StreamableHTTPClientTransport(new URL(path, origin), {
			authProvider: login,
			requestInit: { headers: proxied },
		});
	// A client whose person logs in once it is told to.
	const signIn = async (path, login) => {
		const client = () => new Client({ name: "e2e", version: "1.0.0" });
		const first = transportOf(path, login);
		await assert.rejects(client().connect(first), UnauthorizedError);
		await first.finishAuth(login.code);
		const connected = client();
		await connected.connect(transportOf(path, login));
		clients.push(connected);
		return connected;
	};
	const mcp = async (client, args) => {
		const { content } = await client.callTool({ name: "mcp", arguments: args });
		return content.map(({ text }) => text).join("\n");
	};
	const post = (token, path) => gateway.post(token, path);

	let ada;
	let login;

	test("who has no token is told where to get one", async () => {
		const refused = await post();
		assert.equal(refused.status, 401);
		assert.equal(
			refused.headers.get("www-authenticate"),
			`Bearer resource_metadata="${origin}${metadataPath}/mcp", scope="mcp mcp:echo"`,
		);
		for (const path of ["", "/mcp", "/servers/memory/mcp"]) {
			const answer = await fetch(`${origin}${metadataPath}${path}`, { headers: proxied });
			assert.equal(answer.status, 200);
			assert.deepEqual(await answer.json(), {
				resource: `${origin}${path}`,
				authorization_servers: [issuer.origin],
				scopes_supported: path.includes("memory") ? ["mcp"] : ["mcp", "mcp:echo"],
				bearer_methods_supported: ["header"],
				resource_name: "pi-mcp",
			});
		}
		const nothing = await fetch(`${origin}${metadataPath}/metrics`, { headers: proxied });
		assert.equal(nothing.status, 401);
	});

	test("the client of the official SDK logs in by itself", async () => {
		login = new Login("ada's agent");
		ada = await signIn("/mcp", login);
		assert.equal(login.asked.searchParams.get("resource"), `${origin}/mcp`);
		assert.equal(login.asked.searchParams.get("code_challenge_method"), "S256");
		assert.equal(login.claims.aud, `${origin}/mcp`);
		assert.equal(login.header.typ, "at+jwt");
		assert.match(await mcp(ada, { tool: "everything_echo", args: { message: "hé" } }), /hé/);
		assert.match(await mcp(ada, {}), /memory/);
	});

	test("a token of the token file is as good as ever", async () => {
		const { stdout } = await cli(home, ["token", "add", "ci"]);
		assert.equal((await post(stdout.trim())).status, 200);
	});

	test("a scope that gives one tool of one server gives nothing else", async () => {
		const narrow = await signIn("/mcp", new Login("narrow"));
		assert.match(await mcp(narrow, { tool: "everything_echo", args: { message: "x" } }), /x/);
		assert.doesNotMatch(await mcp(narrow, {}), /memory/);
		const sum = await mcp(narrow, { tool: "everything_get-sum", args: { a: 1, b: 2 } });
		assert.match(sum, /not found/i);
		assert.match(await mcp(narrow, { server: "everything" }), /echo/);
		assert.doesNotMatch(await mcp(narrow, { server: "everything" }), /get-sum/);
	});

	test("where more scopes could help a client is told which", async () => {
		const narrow = new Login("narrow");
		await signIn("/mcp", narrow);
		const refused = await post(narrow.kept.access_token, "/servers/memory/mcp");
		assert.equal(refused.status, 403);
		const challenge = refused.headers.get("www-authenticate");
		assert.match(challenge, /error="insufficient_scope"/);
		assert.match(challenge, /scope="mcp"$/);
		const none = new Login("none");
		await assert.rejects(signIn("/mcp", none));
		assert.equal((await post(none.kept.access_token)).status, 403);
	});

	test("a token for one server's address is for that one", async () => {
		const one = new Login("one");
		const client = await signIn("/servers/everything/mcp", one);
		assert.equal(one.claims.aud, `${origin}/servers/everything/mcp`);
		const { content } = await client.callTool({ name: "echo", arguments: { message: "as it is" } });
		assert.match(content[0].text, /as it is/);
		assert.equal((await post(one.kept.access_token, "/servers/memory/mcp")).status, 403);
	});

	test("a token for somebody else, or a changed one, lets nobody in", async () => {
		const elsewhere = new Login("elsewhere");
		await assert.rejects(signIn("/mcp", elsewhere));
		const refused = await post(elsewhere.kept.access_token);
		assert.equal(refused.status, 401);
		assert.match(refused.headers.get("www-authenticate"), /for another audience/);
		const [header, claims, signature] = login.kept.access_token.split(".");
		const more = Buffer.from(JSON.stringify({ ...login.claims, scope: "mcp x" }));
		const changed = await post(`${header}.${more.toString("base64url")}.${signature}`);
		assert.equal(changed.status, 401);
		assert.match(changed.headers.get("www-authenticate"), /signature of the token is wrong/);
		const none = Buffer.from('{"alg":"none"}').toString("base64url");
		assert.equal((await post(`${none}.${claims}.`)).status, 401);
	});

	test("keys that change while it runs are found, and old ones count no longer", async () => {
		const old = login.kept.access_token;
		issuer.begin({ keys: [newKey("ES256"), newKey()] });
		assert.equal((await post(old)).status, 200); // nobody has told yet
		assert.equal(await auth(login, { serverUrl: `${origin}/mcp` }), "AUTHORIZED");
		assert.notEqual(login.kept.access_token, old);
		// In the session that was opened before.
		assert.match(await mcp(ada, { tool: "everything_echo", args: { message: "new" } }), /new/);
		assert.equal((await post(old)).status, 401);
	});

	test("what scopes give can be changed while it runs", async () => {
		const narrow = new Login("narrow");
		await signIn("/mcp", narrow);
		const settings = JSON.parse(readFileSync(`${home.agent}/mcp.json`, "utf8"));
		settings.settings.http.oauth.scopes = { mcp: {} };
		home.write(".pi/agent/mcp.json", settings);
		await gateway.answers(narrow.kept.access_token, 403);
		assert.equal((await post(login.kept.access_token)).status, 200);
	});
});

// An authorization server that does what a test says: its keys are `keys`, or what `answer` does.
class Issuer {
	constructor() {
		this.keys = [];
		this.asked = 0;
		this.server = createServer((request, response) => {
			if (request.url !== "/keys") {
				const { origin } = this;
				response.end(JSON.stringify({ issuer: origin, jwks_uri: `${origin}/keys` }));
				return;
			}
			this.asked += 1;
			if (this.answer) this.answer(response);
			else response.end(JSON.stringify({ keys: this.keys }));
		});
	}
	async listen() {
		await new Promise((ready) => this.server.listen(0, "127.0.0.1", ready));
		this.origin = `http://127.0.0.1:${this.server.address().port}`;
	}
	// A token by a new key, which is published or not.
	token(audience, isPublished = true) {
		const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const kid = randomUUID();
		if (isPublished) this.keys = [{ ...publicKey.export({ format: "jwk" }), kid }];
		const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
		const exp = Math.floor(Date.now() / 1000) + 600;
		const claims = { iss: this.origin, sub: "ada", aud: audience, scope: "mcp", exp };
		const text = `${part({ alg: "ES256", kid })}.${part(claims)}`;
		const signing = { key: privateKey, dsaEncoding: "ieee-p1363" };
		return `${text}.${sign("sha256", Buffer.from(text), signing).toString("base64url")}`;
	}
}

describe("an authorization server in trouble", { timeout: 120_000 }, () => {
	let home;
	let issuer;
	let gateway;

	before(async () => {
		home = new Home();
		issuer = new Issuer();
		await issuer.listen();
		issuer.answer = (response) => response.writeHead(500).end();
		gateway = await Gateway.start(home, issuer.origin, {});
	});
	after(async () => {
		await gateway.stop(home);
		issuer.server.close();
		issuer.server.closeAllConnections();
		home.remove();
	});

	let known;

	test("without its keys its tokens are answered with 503, until they are there", async () => {
		known = issuer.token(gateway.origin);
		const refused = await gateway.post(known);
		assert.equal(refused.status, 503);
		assert.equal(refused.headers.get("retry-after"), "5");
		issuer.answer = undefined;
		await gateway.answers(known, 200);
	});

	test("a request with a new key waits for it, and nobody else does", async () => {
		const { asked } = issuer;
		const rotated = issuer.token(gateway.origin);
		issuer.answer = () => {}; // hangs
		const waits = gateway.post(rotated);
		await until("the keys to be asked for", () => issuer.asked === asked + 1);
		assert.equal((await gateway.post(known)).status, 200);
		assert.equal((await waits).status, 503);
		issuer.answer = undefined;
		await gateway.answers(rotated, 200);
		assert.equal((await gateway.post(known)).status, 401); // its key is there no longer
	});

	test("names of keys that nobody has cost the issuer nothing", async () => {
		const { asked } = issuer;
		for (let i = 0; i < 20; ++i) {
			const unknown = issuer.token(gateway.origin, false);
			assert.equal((await gateway.post(unknown)).status, 401);
		}
		assert.equal(issuer.asked, asked);
	});
});
