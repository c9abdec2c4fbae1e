// Logins at the authorization servers that people meet: those of the SDKs, of FastMCP, and
// oidc-provider. Each: without a login the call says what to run; a login in the browser; a call; a
// token that is no longer good is renewed; a logout makes its tokens worthless.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ProtectedPlace, Person } from "../../e2e/authorization.mjs";
import { Home, binary, cli, run } from "../../e2e/harness.mjs";
import { typescriptServer } from "./typescript_servers.mjs";

const here = dirname(fileURLToPath(import.meta.url));

// A process with a server for each of `names`.
class PythonServers {
	constructor(generation) {
		const python = resolve(here, `../../../build/python-logins-${generation}/bin/python`);
		assert.ok(existsSync(python), `${python} is missing; ./dev e2e installs it`);
		this.process = spawn(python, ["-W", "ignore", join(here, "python_servers.py")], {
			env: { ...process.env, FASTMCP_LOG_LEVEL: "ERROR", FASTMCP_SHOW_CLI_BANNER: "false" },
			stdio: ["pipe", "pipe", "inherit"],
		});
		this.urls = new Promise((found, lost) => {
			createInterface(this.process.stdout).once("line", (line) => found(JSON.parse(line)));
			this.process.once("exit", (status) => lost(new Error(`the servers ended: ${status}`)));
		});
	}

	stop() {
		this.process.stdin.end();
		this.process.kill();
	}
}

const scopes = ["read", "write"];
const python = ["sdk", "memory", "proxy"].flatMap((kind) => [kind, `${kind} with scopes`]);
const pythonNames = { sdk: ["Python SDK 1", "Python SDK 2"], memory: ["FastMCP 2", "FastMCP 4"] };
pythonNames.proxy = pythonNames.memory.map((name) => `${name} OAuthProxy`);

// [name, what starts it: {url, stop}]
const places = [
	...[1, 2].flatMap((generation) => [
		[`TypeScript SDK ${generation}`, () => typescriptServer(generation)],
		[`TypeScript SDK ${generation} with scopes`, () => typescriptServer(generation, scopes)],
	]),
	["oidc-provider", () => ProtectedPlace.start()],
	[
		"oidc-provider that wants client_secret_basic",
		() => ProtectedPlace.start({ clientAuthMethods: ["client_secret_basic"] }),
	],
	[
		"oidc-provider that lets nobody register with the scope",
		() => ProtectedPlace.start({ scopes: ["offline_access"] }),
	],
];

describe("logins", { timeout: 300_000 }, () => {
	const pythons = [1, 2].map((generation) => new PythonServers(generation));
	let home;
	before(() => (home = new Home()));
	after(() => {
		for (const servers of pythons) servers.stop();
		home.remove();
	});

	const records = () => {
		const folder = join(home.agent, "mcp-credentials");
		return readdirSync(folder)
			.filter((name) => name.endsWith(".json"))
			.map((name) => join(folder, name));
	};
	const stored = () => JSON.parse(readFileSync(records()[0], "utf8"));
	const call = async () => {
		const { status, stdout, stderr } = await cli(home, ["call", "remote_whoami"]);
		assert.equal(status, 0, stderr);
		assert.match(stdout, /logged in/);
	};
	const logIn = async () => {
		let open;
		const shown = new Promise((found) => (open = found));
		const ended = run(binary, ["auth", "remote"], {
			env: home.env,
			cwd: home.project,
			onStart: (child) =>
				createInterface(child.stderr).on("line", (line) => line.startsWith("http") && open(line)),
		});
		const url = await Promise.race([shown, ended.then((result) => assert.fail(result.stderr))]);
		const last = await new Person(new URL(url).searchParams.get("redirect_uri")).logIn(url);
		assert.equal((await fetch(last)).status, 200);
		const result = await ended;
		assert.equal(result.status, 0, result.stderr);
	};
	const accepts = async (url, token) => {
		const response = await fetch(url, {
			method: "POST",
			headers: {
				"Content-Type": "application/json",
				Accept: "application/json, text/event-stream",
				Authorization: `Bearer ${token}`,
			},
			body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
		});
		await response.body?.cancel();
		return response.status !== 401;
	};

	// `keepsAccess`: FastMCP's proxy forgets the refresh token and leaves the access token to its end.
	const check = async (url, keepsAccess = false) => {
		home.configure({ remote: { url } });
		const without = await cli(home, ["connect", "remote"]);
		assert.equal(without.status, 5, without.stderr);
		assert.match(without.stderr, /pi-mcp auth remote/);
		await logIn();
		await call();

		const first = stored();
		first.tokens.access = "no-longer-good";
		writeFileSync(records()[0], JSON.stringify(first));
		await call();
		const record = records()[0];
		const last = stored();
		assert.notEqual(last.tokens.access, "no-longer-good");

		assert.ok(await accepts(url, last.tokens.access));
		const out = await cli(home, ["logout", "remote"]);
		assert.equal(out.status, 0, out.stderr);
		assert.doesNotMatch(out.stderr, /did not accept/);
		assert.deepEqual(records(), []);
		assert.ok(keepsAccess || !(await accepts(url, last.tokens.access)));
		last.tokens.access = "no-longer-good";
		writeFileSync(record, JSON.stringify(last));
		assert.equal((await cli(home, ["call", "remote_whoami"])).status, 5);
		await cli(home, ["logout", "remote"]);
	};

	for (const [name, start] of places) {
		test(name, async () => {
			const place = await start();
			try {
				await check(place.url);
			} finally {
				place.stop();
			}
		});
	}
	pythons.forEach((servers, index) => {
		for (const kind of python) {
			const [base, ...more] = kind.split(" ");
			test([pythonNames[base][index], ...more].join(" "), async () => {
				await check((await servers.urls)[kind], base === "proxy");
			});
		}
	});
});
