// Tools of servers in scripts of Pi's codemode.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { Model, textOf } from "./model.mjs";
import { PiHome, fakeServer, print, scriptedServer } from "./pi.mjs";

const script = `
const { content: [block], structuredContent } = await tools.fake_structured({});
text(JSON.stringify(structuredContent));
text((await tools.fake_big({ bytes: 200000 })).content[0].text.length);
text((await tools.fake_add({ a: 2, b: 40 })).content[0].text);
text((await tools.mcp({ tool: "fake_structured" })).structuredContent ? "also through mcp" : "no");
text((await tools.fake_err({ message: "no luck" })).isError);
image((await tools.fake_image({})).content[0]);
text(await tools.mcp({ tool: "nope" }).catch((error) => "rejected: " + error.message));
text((await searchTools("picture")).map(({ name }) => name).join());
text((await describeNamespace("fake")).description);
`;

async function run(settings, options = {}) {
	const model = await Model.start([[{ tool: "codemode", args: { code: script } }], "finished"]);
	const home = new PiHome(model).withCache();
	const tools = ["structured", "big", "add", "err", "image"];
	const description = "All kinds of tests";
	home.configure(
		{
			fake: { ...fakeServer(...tools), directTools: ["add"], description },
			other: scriptedServer({ tools: ["one", "two"] }),
		},
		settings,
	);
	const known = await cli(home, ["connect", "--all"]);
	assert.equal(known.status, 0, known.stderr);
	const { stderr, status } = await print(home, "go", { builtins: true, ...options });
	await model.stop();
	const left = home.processes();
	home.remove();
	assert.deepEqual(left, []);
	assert.equal(status, 0, stderr);
	return { model, stderr };
}

describe("scripts of codemode", { timeout: 240_000 }, () => {
	test("a script calls every tool and gets whole results, and no tool is declared", async () => {
		const { model } = await run({ codemode: true });
		const [first, last] = model.requests;
		const names = model.toolNames(first);
		assert.ok(names.includes("codemode") && names.includes("mcp"), names.join());
		assert.ok(!names.includes("fake_big"), names.join());
		const result = last.messages.filter(({ role }) => role === "tool").map(textOf).join("\n");
		assert.match(result, /Script completed/, result);
		assert.match(result, /200000/, result);
		assert.match(result, /42/);
		assert.match(result, /also through mcp/);
		assert.match(result, /true/);
		assert.match(result, /rejected: .*nope/);
		assert.match(result, /fake_image/);
		assert.match(result, /All kinds of tests/);
		assert.match(JSON.stringify(last.messages), /data:image\/png;base64/);
		const { description } = first.tools.find((tool) => tool.function.name === "codemode").function;
		assert.doesNotMatch(description, /fake_big|other_one/);
	});

	test("who has switched codemode on in Pi needs no setting", async () => {
		const { model } = await run({}, { args: ["--tools", "+codemode"] });
		const result = model.requests.at(-1).messages.filter(({ role }) => role === "tool");
		assert.match(textOf(result[0]), /Script completed[^]*200000/);
	});

	test("without either nothing is switched on", async () => {
		const { model } = await run({});
		assert.ok(!model.toolNames(model.requests[0]).includes("codemode"));
	});
});
