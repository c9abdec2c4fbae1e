// What tools/package.sh makes, installed into empty folders: each program runs, and Pi finds it.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { binary, run } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, command, print, root } from "./pi.mjs";

describe("packages", { timeout: 280_000 }, () => {
	let folder;
	const made = (pattern) => join(folder, readdirSync(folder).find((name) => pattern.test(name)));
	const ran = async (command, args, options) => {
		const result = await run(command, args, { env: process.env, seconds: 120, ...options });
		assert.equal(result.status, 0, `${command}: ${result.stderr}`);
		return result.stdout;
	};
	// Pi loads the extension of this folder and gets the tool without being told where the program is.
	async function piFindsTheProgram(extension, { env, install } = {}) {
		const model = await Model.start([[{ tool: "mcp" }], "finished"]);
		const home = new PiHome(model).withCache();
		if (install) {
			const { status, stderr } = await command(home, "install", extension);
			assert.equal(status, 0, stderr);
		}
		const options = install ? { bare: true, builtins: true } : { extension };
		const { stdout, stderr } = await print(home, "go", {
			...options,
			env: { PI_MCP_BIN: "", ...env },
		});
		await model.stop();
		home.remove();
		assert.equal(stdout.trim(), "finished", stderr);
		assert.match(model.toolTexts()[0], /MCP/);
	}
	// A folder with the files of a checkout that Pi needs, and no program.
	function checkout() {
		const copy = mkdtempSync(join(folder, "checkout-"));
		cpSync(join(root, "extension"), join(copy, "extension"), { recursive: true });
		for (const file of ["package.json", "dev"]) cpSync(join(root, file), join(copy, file));
		return copy;
	}
	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "pi-mcp-packages-"));
		await ran(join(root, "tools/package.sh"), [binary, folder]);
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("the npm packages install without the network and bring command and extension", async () => {
		const prefix = join(folder, "npm");
		const files = [made(/^pi-mcp-\d.*\.tgz$/), made(/^pi-mcp-linux-.*\.tgz$/)];
		const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
		await ran("npm", ["install", "--prefix", prefix, ...options, ...files]);
		const command = join(prefix, "node_modules/.bin/pi-mcp");
		assert.match(await ran(command, ["--version"]), /^pi-mcp \d/);
		const { status } = await run(command, ["no-such-command"], { env: process.env });
		assert.equal(status, 2, "the exit status is that of the program");
		await piFindsTheProgram(join(prefix, "node_modules/pi-mcp"));
	});

	test("pi install takes a checkout, whose own build is used", async () => {
		const copy = checkout();
		mkdirSync(join(copy, "build/release"), { recursive: true });
		symlinkSync(binary, join(copy, "build/release/pi-mcp"));
		await piFindsTheProgram(copy, { install: true });
	});

	test("a program on the PATH will do", async () => {
		const bin = mkdtempSync(join(folder, "bin-"));
		symlinkSync(binary, join(bin, "pi-mcp"));
		await piFindsTheProgram(checkout(), { env: { PATH: `${process.env.PATH}:${bin}` } });
	});

	test("the tarball runs where it is unpacked", async () => {
		const prefix = mkdtempSync(join(folder, "plain-"));
		const args = ["xzf", made(/\.tar\.gz$/), "-C", prefix, "--strip-components=1"];
		await ran("tar", args);
		assert.match(await ran(join(prefix, "bin/pi-mcp"), ["--version"]), /^pi-mcp \d/);
		await piFindsTheProgram(prefix);
	});

	test("the Debian package has the program, the extension and its needs", async () => {
		const prefix = join(folder, "deb");
		const file = made(/\.deb$/);
		assert.match(await ran("dpkg-deb", ["--field", file, "Depends"]), /libc6/);
		await ran("dpkg-deb", ["--extract", file, prefix]);
		assert.match(await ran(join(prefix, "usr/bin/pi-mcp"), ["--version"]), /^pi-mcp \d/);
		assert.ok(readdirSync(join(prefix, "usr/share/pi-mcp/extension")).includes("index.ts"));
	});
});
