// A real server behind a url, over Streamable HTTP and over HTTP+SSE, from a shell and from a host.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Home, Host, bin, cli, freePort, until } from "./harness.mjs";

// The everything server in one of its modes; resolves when it listens.
async function everything(mode) {
	const port = await freePort();
	const env = { PATH: process.env.PATH, PORT: String(port) };
	const stdio = ["ignore", "ignore", "pipe"];
	const child = spawn(bin("mcp-server-everything"), [mode], { env, stdio });
	let stderr = "";
	child.stderr.on("data", (chunk) => (stderr += chunk));
	await until(`${mode} to listen`, () => /port \d+/.test(stderr), 60);
	return { port, stop: () => child.kill("SIGKILL") };
}

// TLS in front of a port, with a certificate of its own for localhost.
function tlsFront(port, folder) {
	const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
	const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
	const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
	const files = ["-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"];
	execFileSync("openssl", ["req", "-x509", ...kind, ...files, "-addext", names], { stdio: "pipe" });
	const tls = { key: readFileSync(key), cert: readFileSync(cert) };
	const front = https.createServer(tls, (request, response) => {
		const { method, headers, url: path } = request;
		const behind = http.request({ port, method, path, headers }, (answer) => {
			response.writeHead(answer.statusCode, answer.headers);
			answer.pipe(response);
		});
		behind.on("error", () => response.destroy());
		response.on("close", () => behind.destroy());
		request.pipe(behind);
	});
	return new Promise((ready) => front.listen(0, "127.0.0.1", () => ready({ front, cert })));
}

describe("a real server behind a url", { timeout: 240_000 }, () => {
	let home;
	const servers = [];
	before(async () => {
		home = new Home();
		home.write(".pi/agent/mcp-cache.json", { version: 1, servers: {} });
		servers.push(await everything("streamableHttp"), await everything("sse"));
	});
	after(() => {
		for (const server of servers) server.stop();
		home.remove();
	});

	const ok = async (...args) => {
		const { status, stdout, stderr } = await cli(home, args);
		assert.equal(status, 0, stderr + stdout);
		return stdout;
	};

	test("is added and called from a shell", async () => {
		await ok("add", "far", `http://127.0.0.1:${servers[0].port}/mcp`);
		await ok("add", "older", `http://127.0.0.1:${servers[1].port}/sse`);
		for (const name of ["far", "older"]) {
			assert.match(await ok("connect", name), new RegExp(`${name}_echo`));
			assert.match(await ok("call", `${name}_echo`, "message=hé 😀"), /hé 😀/);
			assert.match(await ok("call", `${name}_get-sum`, "a=2", "b=40"), /42/);
		}
		await home.allGone();
	});

	test("serves a host: progress, and many calls beside a slow one", async () => {
		const host = await Host.connect(home);
		try {
			for (const name of ["far", "older"]) {
				let steps = 0;
				const slow = host.mcp(
					{ tool: `${name}_trigger-long-running-operation`, args: { duration: 2, steps: 4 } },
					{ onprogress: () => ++steps, resetTimeoutOnProgress: true },
				);
				const sum = (i) => host.mcp({ tool: `${name}_get-sum`, args: { a: i, b: 1 } });
				const sums = await Promise.all(Array.from({ length: 30 }, (_, i) => sum(i)));
				sums.forEach(({ text }, i) => assert.match(text, new RegExp(`\\b${i + 1}\\b`)));
				const done = await slow;
				assert.equal(done.isError, false, done.text);
				assert.ok(steps > 0, "progress arrived");
			}
		} finally {
			await host.close();
		}
		await home.allGone();
	});

	test("speaks TLS with the roots of caFile, and with no other certificate", async () => {
		const { front, cert } = await tlsFront(servers[0].port, home.root);
		try {
			const url = `https://localhost:${front.address().port}/mcp`;
			home.configure({ known: { url, caFile: cert }, unknown: { url } });
			assert.match(await ok("call", "known_echo", "message=by TLS"), /by TLS/);
			const { status, stdout, stderr } = await cli(home, ["connect", "unknown"]);
			assert.equal(status, 4);
			assert.match(stdout + stderr, /certificate is not accepted .*"caFile"/);
		} finally {
			front.closeAllConnections();
			front.close();
		}
	});

	test("says in one sentence what is wrong with a url and exits with 4", async () => {
		const url = `http://127.0.0.1:${servers[0].port}`;
		home.configure({
			page: {
				url: `${url}/nothing-here?key=planted-secret`,
				headers: { "X-Key": "planted-secret" },
			},
			tls: { url: `https://127.0.0.1:${servers[0].port}/mcp` },
			closed: { url: `http://127.0.0.1:${await freePort()}/mcp` },
		});
		const cases = {
			page: /no MCP endpoint|web page/,
			tls: /does not speak TLS/,
			closed: /connection refused/,
		};
		for (const [name, says] of Object.entries(cases)) {
			const { status, stdout, stderr } = await cli(home, ["connect", name]);
			assert.equal(status, 4, stdout + stderr);
			assert.match(stdout + stderr, says);
			assert.doesNotMatch(stdout + stderr, /planted-secret/);
		}
	});
});
