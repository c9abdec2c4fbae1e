// Programs that are built on Pi's library and bring their MCP configuration themselves.
import assert from "node:assert/strict";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { Clone } from "./clone.mjs";
import { Model } from "./model.mjs";
import { library, root } from "./pi.mjs";

const secret = "a-secret-that-no-file-has";

describe("createMcpAdapter", { timeout: 240_000 }, () => {
	let home;
	let model;

	// A machine whose user and project have servers, and a program that has pi-mcp installed.
	async function begin(...steps) {
		model = await Model.start(steps);
		home = new Clone(model);
		home.configure({ mine: home.server("mine", { lifecycle: "eager" }) });
		home.brings(".mcp.json", { teams: home.server("teams", { lifecycle: "eager" }) });
		for (const part of ["extension", "package.json"]) {
			const to = join(home.root, "app/node_modules/pi-mcp", part);
			cpSync(join(root, part), to, { recursive: true });
		}
	}
	afterEach(async () => {
		await model.stop();
		await home.allGone(10).finally(() => home.remove());
	});

	const call = (...servers) =>
		servers.map((name) => ({ tool: "mcp", args: { tool: `${name}_echo`, args: { text: "hi" } } }));
	const configOf = (name, entry = {}, settings = {}) => ({
		mcpServers: { [name]: home.server(name, entry) },
		settings,
	});
	async function outcomes(...sessions) {
		const program = join(home.root, "app");
		const args = [program, home.agent, JSON.stringify(sessions)];
		const { status, stdout, stderr } = await library(home, "adapter_host.mjs", ...args);
		assert.equal(status, 0, stderr);
		return JSON.parse(stdout.trim().split("\n").at(-1));
	}
	const failures = ({ results }) => results.map(({ isError }) => isError);
	const haveRun = () => ["one", "two", "mine", "teams"].filter((name) => home.hasRun(name));

	test("a given configuration is complete and isolated, and in no file", async () => {
		await begin([{ tool: "mcp" }, ...call("one", "mine", "teams")], "over");
		const entry = { description: "Repeats everything", env: { TOKEN: secret } };
		const options = { config: configOf("one", entry) };
		const [session] = await outcomes({ options, prompts: ["go"] });
		const [status] = session.results;
		assert.match(status.text, /^MCP: \d\/1 servers/);
		assert.deepEqual(failures(session), [false, false, true, true]);
		assert.deepEqual(haveRun(), ["one"]);
		assert.equal(session.unchanged, true);
		assert.match(JSON.stringify(model.requests[0].messages), /- one: Repeats everything/);
		for (const [path, text] of home.files()) assert.ok(!text.includes(secret), path);
	});

	test("two sessions of one process have each their own servers", async () => {
		await begin(call("one", "two"), "over");
		const sessions = ["one", "two"].map((name) => {
			return { options: { config: configOf(name) }, prompts: ["go"] };
		});
		const [first, second] = await outcomes(...sessions);
		assert.deepEqual([failures(first), failures(second)], [[false, true], [true, false]]);
		assert.deepEqual(haveRun(), ["one", "two"]);
	});

	test("settings of a given configuration count, and its direct tools are its own", async () => {
		await begin(call("one"), "over", [{ tool: "one_echo", args: { text: "hi" } }], "over");
		const options = { config: configOf("one", {}, { directTools: true }) };
		// The first time nothing is known of its tools; the call waits for them.
		const [session] = await outcomes({ options, prompts: ["go", "go on"] });
		assert.deepEqual(failures(session), [false, false]);
		const from = model.requests.length;
		await outcomes({ options, prompts: ["go"] });
		assert.ok(model.toolNames(model.requests[from]).includes("one_echo"));
		await outcomes({ options: { config: configOf("two") }, prompts: ["go"] });
		assert.ok(!model.toolNames().includes("one_echo"));
	});

	test("what would change a given configuration is refused, and says why", async () => {
		await begin("over");
		const prompts = ["/mcp status", "/mcp add x npx y", "/mcp setup", "/mcp edit"];
		prompts.push("/mcp disable one --everywhere", "/mcp token one");
		const [{ notices }] = await outcomes({ options: { config: configOf("one") }, prompts });
		assert.ok(notices.some((text) => /^MCP: \d\/1 servers/.test(text)), notices.join("\n"));
		const refusals = notices.filter((text) => /was given by the program that runs it/.test(text));
		assert.equal(refusals.length, 5, notices.join("\n"));
		assert.deepEqual(readdirSync(home.agent).filter((name) => name === "mcp-trust.json"), []);
	});

	test("with configPath that file is the user's, beside the others", async () => {
		await begin(call("two", "mine", "one"), "over");
		home.write("project/own.json", configOf("two"));
		home.write(".config/mcp/mcp.json", configOf("one"));
		const options = { configPath: "own.json" };
		const [session] = await outcomes({ options, prompts: ["go"] });
		assert.deepEqual(failures(session), [false, true, false]);
		assert.ok(!home.hasRun("mine"));
	});
});
