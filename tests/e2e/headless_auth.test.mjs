// Logins from a terminal on a machine without a browser, with a real authorization server
// (oidc-provider): a code that is entered elsewhere, and an address that is pasted back.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Person, ProtectedPlace } from "./authorization.mjs";
import { Home, binary, cli, run } from "./harness.mjs";

describe("a machine without a browser", { timeout: 240_000 }, () => {
	const places = {};
	let home;

	before(async () => {
		home = new Home();
		places.code = await ProtectedPlace.start({ features: { deviceFlow: { enabled: true } } });
		places.paste = await ProtectedPlace.start();
		home.configure({ code: { url: places.code.url }, paste: { url: places.paste.url } });
	});
	after(() => {
		places.code.stop();
		places.paste.stop();
		home.remove();
	});

	// `pi-mcp auth` at a terminal. When what it shows has `expression`, `act` gets what is found and
	// may type.
	const auth = async (args, expression, act) => {
		const pty = "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
		const command = ["-c", pty, binary, "--log-level", "debug", "auth", ...args];
		const child = spawn("python3", command, { env: home.env, cwd: home.project });
		let acted;
		let text = "";
		const ended = new Promise((done) => child.on("close", done));
		child.stderr.on("data", (chunk) => (text += chunk));
		child.stdout.on("data", (chunk) => {
			text += String(chunk).replaceAll("\r", "");
			const found = expression.exec(text);
			if (found) acted ??= act(found, (line) => child.stdin.write(line)) ?? true;
		});
		const status = await ended;
		await acted;
		return { status, text };
	};
	const codeShown = /^(http\S+\/device)\n[^]*enter the code (\S+) there/m;
	const pageShown = /^(http\S+)\n[^]*paste the address/m;
	const whoami = async (server) => {
		const { status, stdout, stderr } = await cli(home, ["call", `${server}_whoami`]);
		assert.equal(status, 0, stderr);
		assert.match(stdout, /logged in as ada/);
	};

	test("a code is shown, and entered on another device", async () => {
		const { status, text } = await auth(["code"], codeShown, ([, page, code]) =>
			new Person(" ", { user_code: code }).logIn(page),
		);
		assert.equal(status, 0, text);
		assert.match(text, /authentication successful/);
		assert.doesNotMatch(text, /device_code|access_token/);
		await whoami("code");
	});

	test("a person who says no to the code ends the login", async () => {
		const { status, text } = await auth(["code", "--no-browser"], codeShown, ([, page, code]) =>
			new Person(" ", { user_code: code, abort: "yes" }).logIn(page),
		);
		assert.equal(status, 5, text);
		assert.match(text, /access_denied/);
	});

	test("ctrl-C ends a login that waits for a person at once", async () => {
		for (const [server, shown] of [["code", codeShown], ["paste", pageShown]]) {
			let since;
			const { status, text } = await auth([server], shown, (found, type) => {
				since = Date.now();
				type("\x03");
			});
			assert.equal(status, 130, text);
			assert.ok(Date.now() - since < 2000);
		}
	});

	test("the address of the last page is pasted; one of another login is refused", async () => {
		let code;
		const { status, text } = await auth(["paste"], pageShown, async ([, url], type) => {
			const last = await new Person(new URL(url).searchParams.get("redirect_uri")).logIn(url);
			code = new URL(last).searchParams.get("code");
			type(`${last.replace(/state=[^&]*/, "state=guessed")}\n`);
			type(`${last}\n`);
		});
		assert.equal(status, 0, text);
		assert.match(text, /belongs to another login/);
		const ours = text.split("\n").filter((line) => !line.startsWith("http"));
		assert.ok(!ours.join("\n").includes(code), "the code is only where it was pasted");
		await whoami("paste");
	});

	describe("a login is handed over", () => {
		let other;
		const auth = (at, args, input) => run(binary, ["auth", ...args], { env: at.env, input });
		const take = (text, ...more) => auth(other, ["paste", "--import", "-", ...more], text);
		const calls = async () => {
			const { status, stdout, stderr } = await cli(other, ["call", "paste_whoami"]);
			assert.equal(status, 0, stderr);
			assert.match(stdout, /logged in as ada/);
		};
		const stored = () => {
			const folder = join(home.agent, "mcp-credentials");
			const records = readdirSync(folder).filter((name) => name.endsWith(".json"));
			const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
			return records.map(read).find(({ serverUrl }) => serverUrl === places.paste.url);
		};
		before(() => {
			other = new Home();
			other.configure({ paste: { url: places.paste.url }, code: { url: places.code.url } });
		});
		after(() => other.remove());

		test("what one machine exports the other imports, and renews", async () => {
			const nobody = await auth(other, ["paste", "--export"]);
			assert.equal(nobody.status, 5, nobody.stderr);
			assert.match(nobody.stderr, /nobody is logged in/);
			const exported = await auth(home, ["paste", "--export"]);
			assert.equal(exported.status, 0, exported.stderr);
			assert.match(exported.stderr, /logged in to "paste" as you/);
			const login = JSON.parse(exported.stdout);
			assert.equal(login.tokens.refresh, stored().tokens.refresh);
			const wrong = await auth(other, ["code", "--import", "-"], exported.stdout);
			assert.equal(wrong.status, 2, wrong.stderr);
			assert.match(wrong.stderr, /another url/);
			assert.ok(!wrong.stderr.includes(login.tokens.refresh));

			login.tokens.access = "no-longer-good";
			const imported = await take(JSON.stringify(login));
			assert.equal(imported.status, 0, imported.stderr);
			await calls();
		});

		test("the answer of a token endpoint is redeemed at its issuer, and nowhere else", async () => {
			const exported = JSON.parse((await auth(other, ["paste", "--export"])).stdout);
			const text = {
				tokens: { access_token: "no-longer-good", refresh_token: exported.tokens.refresh },
				clientInfo: { client_id: exported.client.id, client_secret: exported.client.secret },
			};
			const without = await take(JSON.stringify(text));
			assert.equal(without.status, 2, without.stderr);
			assert.match(without.stderr, /"issuer"/);
			const elsewhere = await take(JSON.stringify({ ...text, issuer: "https://as.example" }));
			assert.notEqual(elsewhere.status, 0);
			const { status, stderr } = await take(JSON.stringify({ ...text, issuer: exported.issuer }));
			assert.equal(status, 0, stderr);
			await calls();
		});

		test("an access token alone is used until it is refused", async () => {
			const { tokens } = JSON.parse((await auth(other, ["paste", "--export"])).stdout);
			assert.equal((await take(JSON.stringify({ access_token: tokens.access }))).status, 0);
			await calls();
			assert.equal((await take('{"access_token":"no-longer-good"}')).status, 0);
			const { status, stderr } = await cli(other, ["call", "paste_whoami"]);
			assert.equal(status, 5, stderr);
			assert.match(stderr, /pi-mcp auth paste/);
		});
	});

	test("the listener takes the answer also while something can be pasted", async () => {
		const { status, text } = await auth(["paste"], pageShown, async ([, url]) => {
			const last = await new Person(new URL(url).searchParams.get("redirect_uri")).logIn(url);
			assert.equal((await fetch(last)).status, 200);
		});
		assert.equal(status, 0, text);
	});
});
