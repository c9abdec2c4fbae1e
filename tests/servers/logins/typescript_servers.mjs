// MCP servers of the TypeScript SDK, 1.x and 2.x, each with the authorization server of its SDK and
// in this process.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import * as errors1 from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import * as legacy from "@modelcontextprotocol/server-legacy/auth";
import express from "express";

const generations = {
	1: {
		auth: { ...errors1, mcpAuthRouter, requireBearerAuth },
		McpServer: McpServer1,
		Transport: StreamableHTTPServerTransport,
	},
	2: { auth: legacy, McpServer: McpServer2, Transport: NodeStreamableHTTPServerTransport },
};

// What the SDKs leave to their users: clients, codes and tokens. Agrees to everything.
class Provider {
	constructor({ InvalidGrantError, InvalidTokenError }) {
		this.errors = { InvalidGrantError, InvalidTokenError };
		this.codes = new Map();
		this.access = new Map();
		this.refresh = new Map();
		const clients = new Map();
		this.clientsStore = {
			getClient: (id) => clients.get(id),
			registerClient: (client) => {
				clients.set(client.client_id, client);
				return client;
			},
		};
	}

	async authorize(client, { redirectUri, state, scopes = [], codeChallenge }, response) {
		const code = randomUUID();
		this.codes.set(code, { scopes, codeChallenge });
		response.redirect(`${redirectUri}?${new URLSearchParams({ code, state })}`);
	}

	async challengeForAuthorizationCode(client, code) {
		return this.codes.get(code)?.codeChallenge;
	}

	issue(client, scopes) {
		const [access, refresh] = [randomUUID(), randomUUID()];
		const known = { clientId: client.client_id, scopes, access, refresh };
		this.access.set(access, known);
		this.refresh.set(refresh, known);
		return {
			access_token: access,
			refresh_token: refresh,
			token_type: "Bearer",
			expires_in: 3600,
			scope: scopes.join(" "),
		};
	}

	async exchangeAuthorizationCode(client, code) {
		const known = this.codes.get(code);
		this.codes.delete(code);
		if (!known) throw new this.errors.InvalidGrantError("unknown code");
		return this.issue(client, known.scopes);
	}

	forget({ access, refresh }) {
		this.access.delete(access);
		this.refresh.delete(refresh);
	}

	async exchangeRefreshToken(client, token) {
		const known = this.refresh.get(token);
		if (!known) throw new this.errors.InvalidGrantError("unknown refresh token");
		this.forget(known);
		return this.issue(client, known.scopes);
	}

	async verifyAccessToken(token) {
		const known = this.access.get(token);
		if (!known) throw new this.errors.InvalidTokenError("unknown token");
		return { token, ...known, expiresAt: Date.now() / 1000 + 3600 };
	}

	async revokeToken(client, { token }) {
		const known = this.access.get(token) ?? this.refresh.get(token);
		if (known) this.forget(known);
	}
}

export async function typescriptServer(generation, scopes) {
	const { auth, McpServer, Transport } = generations[generation];
	const app = express();
	const server = createServer(app);
	await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
	const origin = `http://127.0.0.1:${server.address().port}`;
	const url = `${origin}/mcp`;
	const provider = new Provider(auth);
	app.use(
		auth.mcpAuthRouter({
			provider,
			issuerUrl: new URL(origin),
			resourceServerUrl: new URL(url),
			scopesSupported: scopes,
		}),
	);
	const protect = auth.requireBearerAuth({
		verifier: provider,
		requiredScopes: scopes,
		resourceMetadataUrl: `${origin}/.well-known/oauth-protected-resource/mcp`,
	});
	app.post("/mcp", protect, async (request, response) => {
		const mcp = new McpServer({ name: "protected", version: "1.0.0" });
		mcp.registerTool("whoami", { description: "Tells who is logged in" }, () => ({
			content: [{ type: "text", text: "logged in" }],
		}));
		const transport = new Transport({ sessionIdGenerator: undefined });
		await mcp.connect(transport);
		await transport.handleRequest(request, response);
	});
	app.use((request, response) => response.status(405).end());
	return {
		url,
		stop: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}
