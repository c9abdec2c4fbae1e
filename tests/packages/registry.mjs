// A package registry of a test: what packaging/pack.py made, and nothing else.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const manifestOf = (file) =>
	JSON.parse(execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" }));

// The same package as another version of it, as a file in a folder of its own.
export function asVersion(file, version) {
	const folder = mkdtempSync(join(tmpdir(), "pi-mcp-version-"));
	execFileSync("tar", ["-xzf", file, "-C", folder]);
	const place = join(folder, "package/package.json");
	const manifest = JSON.parse(readFileSync(place));
	const needs = Object.keys(manifest.optionalDependencies ?? {});
	const optionalDependencies = Object.fromEntries(needs.map((name) => [name, version]));
	writeFileSync(place, JSON.stringify({ ...manifest, version, optionalDependencies }));
	const packed = join(folder, basename(file).replace(manifest.version, version));
	execFileSync("tar", ["-czf", packed, "-C", folder, "package"]);
	return packed;
}

export class Registry {
	static async start(files) {
		const made = new Registry();
		made.packages = new Map();
		made.server = createServer((request, response) => made.answer(request, response));
		await new Promise((listening) => made.server.listen(0, "127.0.0.1", listening));
		made.url = `http://127.0.0.1:${made.server.address().port}`;
		for (const file of files) made.publish(file);
		return made;
	}

	// The newest is the one that was published last.
	publish(file) {
		const bytes = readFileSync(file);
		const manifest = manifestOf(file);
		const { name, version } = manifest;
		const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
		const tarball = `${this.url}/${name}/-/${basename(file)}`;
		const known = this.packages.get(name) ?? { name, versions: {}, files: {} };
		known["dist-tags"] = { latest: version };
		known.versions[version] = { ...manifest, dist: { tarball, integrity } };
		known.files[basename(file)] = bytes;
		this.packages.set(name, known);
	}

	answer({ url }, response) {
		const [, name, dash, file] = decodeURIComponent(url).split("/");
		const { files, ...told } = this.packages.get(name) ?? {};
		const body = dash ? files?.[file] : files && JSON.stringify(told);
		response.writeHead(body ? 200 : 404, {
			"content-type": dash ? "application/octet-stream" : "application/json",
		});
		response.end(body ?? "{}");
	}

	stop() {
		this.server.closeAllConnections();
		return new Promise((closed) => this.server.close(closed));
	}
}
