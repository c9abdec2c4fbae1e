// A real authorization server (oidc-provider), an MCP server that wants its tokens (official SDK),
// and a person at a browser: all on this machine, without a browser.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Provider } from "oidc-provider";
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js";

const listen = (handler) =>
	new Promise((ready) => {
		const server = createServer(handler);
		server.listen(0, "127.0.0.1", () => {
			ready({ server, origin: `http://127.0.0.1:${server.address().port}` });
		});
	});

// Grants what a person agrees to; refresh tokens rotate. `resourceServer`: what tokens for an
// address are, opaque where it is not given. `more`: settings of the provider.
export async function authorizationServer(resource, { features, resourceServer, ...more }) {
	const place = {};
	const { server, origin } = await listen((request, response) =>
		place.provider.callback()(request, response),
	);
	const settings = {
		adapter: createMemoryAdapter(),
		clients: [],
		rotateRefreshToken: true,
		issueRefreshToken: async () => true,
		scopes: ["mcp:use", "offline_access"],
		...more,
		features: {
			...features,
			registration: { enabled: true },
			revocation: { enabled: true },
			resourceIndicators: {
				enabled: true,
				defaultResource: () => resource(),
				useGrantedResource: () => true,
				getResourceServerInfo: (context, indicator, client) => {
					if (resourceServer) return resourceServer(indicator, client);
					assert.equal(indicator, resource());
					return { scope: "mcp:use", accessTokenFormat: "opaque", audience: resource() };
				},
			},
		},
	};
	// With other keys it is the same server: what it knows of clients and logins stays.
	place.begin = (jwks) => {
		const provider = new Provider(origin, { ...settings, jwks });
		// One that lets us ask more often than every five seconds.
		provider.use(async (context, next) => {
			await next();
			if (context.path === "/device/auth" && context.body?.device_code) context.body.interval = 1;
		});
		provider.on("server_error", (context, error) => console.error(error));
		place.provider = provider;
	};
	place.begin(undefined);
	return Object.assign(place, { server, origin });
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

// Both of them, at `url`.
export class ProtectedPlace {
	static async start(more = {}) {
		const place = new ProtectedPlace();
		const resource = () => place.url;
		place.issuer = await authorizationServer(resource, more);
		const provider = () => place.issuer.provider;
		place.remote = await protectedServer(provider, () => place.issuer.origin, resource);
		return place;
	}

	get url() {
		return `${this.remote.origin}/mcp`;
	}

	stop() {
		for (const { server } of [this.issuer, this.remote]) {
			server.close();
			server.closeAllConnections();
		}
	}
}

// A person at a browser: keeps cookies, fills in pages and agrees to what they ask, ends at `last`.
export class Person {
	constructor(last, more = {}) {
		this.last = last;
		this.more = more; // what they fill in besides
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

	// The address of the last page, which is not opened, or of one that asks nothing.
	async logIn(url) {
		let response;
		for (let step = 0; step < 20; ++step) {
			if (url.startsWith(this.last)) return url;
			response ??= await this.visit(url);
			if (response.status === 200) {
				const page = await response.text();
				const action = /<form[^>]* action="([^"]*)"/.exec(page)?.[1];
				if (action === undefined) return url; // "" is the page itself
				const hidden = page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g);
				const form = Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
				if (form.prompt === "login") Object.assign(form, { login: "ada", password: "x" });
				for (const [name, value] of Object.entries(this.more)) {
					if (page.includes(`name="${name}"`)) form[name] = value;
				}
				if (/name="action" value="approve"/.test(page)) form.action = "approve";
				response = await this.visit(new URL(action, url).href, form);
				if (form.abort) return url;
			}
			if (response.status === 200) continue; // a form was answered with the next one
			assert.ok(response.headers.has("location"), `${response.status} at ${url}`);
			url = new URL(response.headers.get("location"), url).href;
			response = undefined;
		}
		assert.fail("the login does not end");
	}
}
