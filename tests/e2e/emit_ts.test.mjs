// `pi-mcp emit-ts`: what it prints compiles under `tsc --strict` and calls real servers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Home, binary, cli, here, realServers } from "./harness.mjs";

const tsc = join(here, "../pi/node_modules/typescript/bin/tsc");
const strictest = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess",
	"--noUnusedLocals", "--isolatedModules", "--verbatimModuleSyntax", "--erasableSyntaxOnly"];

// A server whose schemas are as unfriendly as they may be.
const hostile = String.raw`
const deep = (n) => (n ? { type: "object", properties: { a: deep(n - 1) } } : {});
const tools = [
	{ name: "cycle", description: "ends */ early\u202e", inputSchema: { type: "object",
		properties: { self: { $ref: "#" }, new: { $ref: "#/$defs/a" }, "a\"b\n": {} },
		$defs: { a: { anyOf: [{ $ref: "#/$defs/b" }, { type: "null" }] }, b: { $ref: "#/$defs/a" } } } },
	{ name: "deep", inputSchema: deep(60) },
	{ name: "wide", inputSchema: { type: "object", properties: Object.fromEntries(
		Array.from({ length: 2000 }, (_, i) => ["p" + i, { enum: ["a*/", i, null] }])) } },
	{ name: "huge", inputSchema: { type: "object", description: "x".repeat(2_000_000) } },
	{ name: "mixed", inputSchema: { type: "object", required: ["kind"], allOf: [{ properties: {
		kind: { const: "k" } } }], oneOf: [{ properties: { n: { type: "integer" } }, required: ["n"] },
		{ $ref: "#/definitions/other" }], additionalProperties: { type: "number" }, definitions: {
		other: { properties: { t: { type: "array", items: [{ type: "string" }], minItems: 1 } } } } } },
	{ name: "constructor", inputSchema: { type: "object" }, outputSchema: { type: "object",
		required: ["ok"], properties: { ok: { type: "boolean" } } } },
	{ name: "new", inputSchema: { type: "object" } },
];
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
	const { id, method, params } = JSON.parse(line);
	const say = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
	if (method === "initialize") {
		say({ protocolVersion: "2025-06-18", capabilities: { tools: {} },
			serverInfo: { name: "h", version: "1" } });
	} else if (method === "tools/list") {
		say({ tools });
	} else if (method === "tools/call") {
		const text = JSON.stringify(params.arguments);
		say(params.name === "constructor"
			? { content: [{ type: "text", text }], structuredContent: { ok: true } }
			: { content: [{ type: "text", text }], isError: params.name === "new" });
	}
});
`;

function run(program, words, options) {
	return new Promise((resolve) => {
		execFile(program, words, options, (error, stdout, stderr) =>
			resolve({ status: error ? error.code : 0, said: stdout + stderr }));
	});
}

describe("emit-ts", { timeout: 240_000 }, () => {
	let home;
	let folder;
	before(() => {
		home = new Home();
		const script = home.write("hostile.cjs", hostile);
		home.configure({ ...realServers(home), "hos-tile": { command: "node", args: [script] } });
		folder = join(home.root, "client");
		mkdirSync(folder);
		writeFileSync(join(folder, "package.json"), '{"type":"module"}');
	});
	after(() => home.remove());

	const emit = async (...words) => {
		const { status, stdout, stderr } = await cli(home, ["emit-ts", ...words]);
		assert.equal(status, 0, stderr);
		return { stdout, stderr };
	};
	// No types but those of the language; every check that a project may switch on.
	const compile = async (...files) =>
		run("node", [tsc, ...strictest, "--target", "es2022", "--module", "nodenext",
			"--lib", "es2022", "--outDir", folder, ...files], { cwd: folder });
	const start = (file) =>
		run("node", [join(folder, file)], { env: home.env, cwd: home.project });

	test("the client of real servers compiles, and its calls give typed results", async () => {
		await emit("everything", "files", "--out", join(folder, "tools.ts"));
		writeFileSync(join(folder, "main.ts"), `
import { ToolError, createEverythingClient, createFilesClient, textOf } from "./tools.js";
import type { EverythingGetStructuredContentInput } from "./tools.js";
declare const console: { log(text: string): void };
declare const process: { env: { [name: string]: string | undefined } };
const options = { command: [${JSON.stringify(binary)}], env: process.env };
const everything = createEverythingClient(options);
const where: EverythingGetStructuredContentInput = { location: "Chicago" };
const weather = await everything["get-structured-content"](where);
const degrees: number = weather.structuredContent.temperature;
const { content } = await everything["get-tiny-image"]();
const image = content.find((block) => block.type === "image");
let refused = "";
try {
	await createFilesClient(options).read_text_file({ path: "/etc/passwd" });
} catch (error) {
	refused = error instanceof ToolError ? error.status + " " + (error.result !== undefined) : "";
}
const sum = textOf(await everything["get-sum"]({ a: 1, b: 41 }));
const mime = image?.type === "image" && image.mimeType;
console.log(JSON.stringify({ sum, degrees, mime, refused }));
`);
		const compiled = await compile("main.ts");
		assert.equal(compiled.status, 0, compiled.said);
		const { said } = await start("main.js");
		const { sum, degrees, mime, refused } = JSON.parse(said);
		assert.match(sum, /42/);
		assert.equal(typeof degrees, "number");
		assert.equal(mime, "image/png");
		assert.equal(refused, "1 true");
		await home.allGone();
	});

	test("what the schema forbids the compiler refuses", async () => {
		const wrong = [
			['everything.echo({ mesage: "x" })', "TS2561"],
			["everything.echo()", "TS2554"],
			['everything["get-sum"]({ a: 1, b: "2" })', "TS2322"],
			['everything["get-structured-content"]({ location: "Paris" })', "TS2322"],
		];
		for (const [call, code] of wrong) {
			writeFileSync(join(folder, "wrong.ts"), `
import { createEverythingClient } from "./tools.js";
const everything = createEverythingClient();\nawait ${call};\n`);
			const { status, said } = await compile("wrong.ts");
			assert.notEqual(status, 0);
			assert.ok(said.includes(`wrong.ts(4,`) && said.includes(code), said);
		}
	});

	test("hostile schemas are bounded, named, and compile", async () => {
		const { stderr } = await emit("hos-tile", "-o", join(folder, "hostile.ts"));
		assert.match(stderr, /HosTileDeepInput: deeper than 24 levels/);
		assert.match(stderr, /HosTileHugeInput: larger than 1.0MB/);
		const text = readFileSync(join(folder, "hostile.ts"), "utf8");
		assert.ok(text.length < 500_000);
		assert.doesNotMatch(text, /\u202e/);
		writeFileSync(join(folder, "use.ts"), `
import { ToolError, createHosTileClient } from "./hostile.js";
declare const console: { log(text: unknown): void };
const client = createHosTileClient({ command: [${JSON.stringify(binary)}] });
const { structuredContent } = await client.constructor();
const failed = await client.new().catch((error: unknown) => error);
console.log(structuredContent.ok && failed instanceof ToolError && failed.status === 1);
`);
		const compiled = await compile("use.ts");
		assert.equal(compiled.status, 0, compiled.said);
		const { said } = await start("use.js");
		assert.equal(said.trim(), "true");
	});

	test("types alone have no client; the same tools give the same text", async () => {
		const { stdout } = await emit("everything", "--types");
		assert.doesNotMatch(stdout, /createEverythingClient|getBuiltinModule/);
		assert.equal((await emit("everything", "--types")).stdout, stdout);
		writeFileSync(join(folder, "types.d.ts"), stdout);
		assert.equal((await compile("types.d.ts")).status, 0);
		assert.equal((await cli(home, ["emit-ts", "nobody"])).status, 3);
		assert.equal((await cli(home, ["emit-ts"])).status, 2);
	});
});
