// The npm packages that packaging/pack.py made, installed by npm and by each Pi that the extension
// is for; they come from a registry of the test. PI_MCP_PACKAGES: where they are.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { Home, run } from "../e2e/harness.mjs";
import { Model } from "../pi/model.mjs";
import { PiHome, commandOf, fakeServer, print, root, versions } from "../pi/pi.mjs";
import { Registry, asVersion } from "./registry.mjs";

const packages = resolve(process.env.PI_MCP_PACKAGES ?? join(root, "build/packages"));
const made = (pattern) => join(packages, readdirSync(packages).find((name) => pattern.test(name)));
const npmFiles = () => readdirSync(packages).filter((name) => name.endsWith(".tgz"))
	.map((name) => join(packages, name));

let folder;
let registry;
before(async () => {
	folder = mkdtempSync(join(tmpdir(), "pi-mcp-install-"));
	registry = await Registry.start(npmFiles().map((file) => asVersion(file, "0.0.1")));
	for (const file of npmFiles()) registry.publish(file);
});
after(async () => {
	await registry.stop();
	rmSync(folder, { recursive: true, force: true });
});

// What npm goes by: nothing of the user's, and no network but the test's.
function npmEnvironment(home) {
	return {
		npm_config_registry: registry.url,
		npm_config_prefix: join(home.root, "global"),
		npm_config_cache: join(home.root, ".npm"),
		npm_config_audit: "false",
		npm_config_fund: "false",
		npm_config_update_notifier: "false",
	};
}

async function ran(command, args, options = {}) {
	const result = await run(command, args, { env: process.env, seconds: 120, ...options });
	assert.equal(result.status, 0, `${command} ${args.join(" ")}: ${result.stdout}${result.stderr}`);
	return result.stdout;
}

describe("npm", { timeout: 280_000 }, () => {
	let home;
	before(() => {
		home = new Home();
		Object.assign(home.env, npmEnvironment(home));
		home.configure({ fake: fakeServer("echo") });
	});
	after(() => home.remove());
	const inHome = (command, ...args) => ran(command, args, { env: home.env, cwd: home.project });

	test("npx runs the program without another step", async () => {
		assert.match(await inHome("npx", "--yes", "pi-mcp", "--version"), /^pi-mcp \d/);
		const said = await inHome("npx", "--yes", "pi-mcp", "call", "fake_echo", "text=hello");
		assert.match(said, /hello/);
	});

	test("a global installation brings the command and its manual", async () => {
		await inHome("npm", "install", "--global", "pi-mcp");
		const command = join(home.root, "global/bin/pi-mcp");
		assert.match(await inHome(command, "call", "fake_echo", "text=hello"), /hello/);
		const { status } = await run(command, ["no-such-command"], { env: home.env });
		assert.equal(status, 2, "the exit status is that of the program");
		assert.match(readFileSync(join(home.root, "global/share/man/man1/pi-mcp.1"), "utf8"), /\.TH/);
		const modules = join(home.root, "global/lib/node_modules/pi-mcp");
		const program = `node_modules/pi-mcp-linux-${process.arch}`;
		const bill = JSON.parse(readFileSync(join(modules, program, "sbom.spdx.json")));
		assert.equal(bill.spdxVersion, "SPDX-2.3");
	});

	test("the wrapper says what is missing where npm left the program out", async () => {
		await inHome("npm", "install", "--omit=optional", "--prefix", join(home.root, "bare"), "pi-mcp");
		const command = join(home.root, "bare/node_modules/.bin/pi-mcp");
		const { status, stderr } = await run(command, ["--version"], { env: home.env });
		assert.equal(status, 127);
		assert.match(stderr, /reinstall with optional dependencies/);
	});
});

describe("pi install", { timeout: 580_000 }, () => {
	// A prompt whose model calls a tool through the extension that is installed.
	async function mainJob(home, model, version, options = {}) {
		const { stdout, stderr } = await print(home, "go", {
			version, bare: true, builtins: true, env: { PI_MCP_BIN: "" }, ...options,
		});
		assert.equal(stdout.trim(), "finished", stderr);
		assert.match(model.toolTexts().at(-1), /hello/);
	}
	const turn = [[{ tool: "mcp", args: { tool: "fake_echo", args: { text: "hello" } } }], "finished"];
	async function newHome(turns) {
		const model = await Model.start(Array(turns).fill(turn).flat());
		const home = new PiHome(model).withCache();
		home.configure({ fake: fakeServer("echo") });
		Object.assign(home.env, npmEnvironment(home));
		delete home.env.PI_OFFLINE;
		return { home, model };
	}
	async function end({ home, model }) {
		await model.stop();
		const left = home.processes();
		home.remove();
		assert.deepEqual(left, [], "processes were left behind");
	}
	async function pi(version, home, ...args) {
		const { status, stdout, stderr } = await commandOf(version, home, ...args);
		assert.equal(status, 0, `${args.join(" ")}: ${stdout}${stderr}`);
	}
	// Files that a user would miss.
	const kept = ["mcp.json", "mcp-cache.json", "mcp-trust.json", "mcp-credentials/x.json"];
	const contents = (home) => kept.map((name) => readFileSync(join(home.agent, name), "utf8"));

	for (const version of versions) {
		test(`Pi ${version.name} installs from npm, upgrades and removes`, async () => {
			const place = await newHome(2);
			const { home, model } = place;
			await pi(version, home, "install", "npm:pi-mcp@0.0.1");
			await mainJob(home, model, version);
			home.write(".pi/agent/mcp-trust.json", { version: 1, folders: {} });
			home.write(".pi/agent/mcp-credentials/x.json", { a: 1 });
			const before = contents(home);

			await pi(version, home, "remove", "npm:pi-mcp");
			await pi(version, home, "install", "npm:pi-mcp");
			await mainJob(home, model, version);
			assert.deepEqual(contents(home), before);

			await pi(version, home, "remove", "npm:pi-mcp");
			assert.deepEqual(contents(home), before);
			const left = readdirSync(home.root, { recursive: true })
				.filter((name) => /(^|\/)pi-mcp/.test(name) && !name.startsWith(".npm/"));
			assert.deepEqual(left, []);
			await end(place);
		});

		test(`Pi ${version.name} installs the packed file`, async () => {
			const place = await newHome(1);
			const file = made(/^pi-mcp-\d.*\.tgz$/);
			await pi(version, place.home, "install", `npm:pi-mcp@file:${file}`);
			await mainJob(place.home, place.model, version);
			await end(place);
		});

		test(`Pi ${version.name} installs a folder: a tarball's, and a checkout's`, async () => {
			const place = await newHome(2);
			const unpacked = mkdtempSync(join(folder, "plain-"));
			const plain = made(new RegExp(`linux-${process.arch}\\.tar\\.gz$`));
			await ran("tar", ["xzf", plain, "-C", unpacked, "--strip-components=1"]);
			for (const source of [unpacked, checkout(join(unpacked, "bin/pi-mcp"))]) {
				await pi(version, place.home, "install", source);
				await mainJob(place.home, place.model, version);
				await pi(version, place.home, "remove", source);
				assert.ok(existsSync(join(source, "extension")), "the folder is the user's");
			}
			await end(place);
		});
	}

	// A folder with the files of a checkout that Pi needs; with a program, one that has been built.
	function checkout(program) {
		const copy = mkdtempSync(join(folder, "checkout-"));
		cpSync(join(root, "extension"), join(copy, "extension"), { recursive: true });
		for (const file of ["package.json", "dev"]) cpSync(join(root, file), join(copy, file));
		if (program) {
			mkdirSync(join(copy, "build/release"), { recursive: true });
			symlinkSync(program, join(copy, "build/release/pi-mcp"));
		}
		return copy;
	}

	test("a program on the PATH will do", async () => {
		const place = await newHome(1);
		const unpacked = mkdtempSync(join(folder, "path-"));
		const plain = made(new RegExp(`linux-${process.arch}\\.tar\\.gz$`));
		await ran("tar", ["xzf", plain, "-C", unpacked, "--strip-components=1"]);
		const PATH = `${process.env.PATH}:${unpacked}/bin`;
		await mainJob(place.home, place.model, versions[0], {
			bare: false, builtins: false, extension: checkout(), env: { PI_MCP_BIN: "", PATH },
		});
		await end(place);
	});
});
