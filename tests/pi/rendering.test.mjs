// How calls stand in Pi's transcript, live and in a session that is taken up again.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { cli } from "../e2e/harness.mjs";
import { Model } from "./model.mjs";
import { PiHome, fakeServer, print, versions } from "./pi.mjs";
import { Screen } from "./screen.mjs";

const text = Array.from({ length: 40 }, (_, line) => `row ${line + 1}`).join("\n");
const steps = [
	[
		{ tool: "mcp", args: { tool: "fake_echo", args: { text } } },
		{ tool: "fake_add", args: { a: 2, b: 40 } },
		{ tool: "mcp", args: { search: "echo" } },
		{ tool: "mcp", args: { tool: "fake_err", args: { message: "no luck" } } },
	],
	"All done.",
	"Once more.",
];

// A Pi with the server "fake", of which the cache knows, one of its tools direct.
async function start(version, settings, use) {
	const model = await Model.start(steps);
	const home = new PiHome(model).withCache();
	home.configure({ fake: { ...fakeServer("echo", "add", "err"), directTools: ["add"] } }, settings);
	const known = await cli(home, ["connect", "--all"]);
	assert.equal(known.status, 0, known.stderr);
	const open = (args = []) => new Screen(home, 120, { version, saves: true, args });
	let screen = open();
	// Ends Pi; the next one goes on with its session.
	const again = async () => {
		screen.keys("C-d");
		await home.allGone(20);
		screen = open(["-c"]);
	};
	try {
		await screen.shows(/scripted/);
		await screen.enter("go", /All done\./);
		await use(() => screen, again);
	} finally {
		screen.close();
		await model.stop();
		await home.allGone(10).finally(() => home.remove());
	}
}

const folded = [
	/^ mcp fake\/echo text="row 1.* → row 1 \(39 more lines, ctrl\+o\)$/m,
	/^ mcp fake\/add a=2 b=40 → 42$/m,
	/^ mcp search echo → Found \d.* \(\d+ more lines, ctrl\+o\)$/m,
	/^ mcp fake\/err message="no luck" → .*no luck/m,
];
const isFolded = (screen) => folded.every((row) => row.test(screen)) && !/row 40/.test(screen);

describe("calls in the transcript", { timeout: 240_000 }, () => {
	for (const version of versions) {
		test(`Pi ${version.name} shows a row for each call, in -c and after /reload too`, async () => {
			await start(version, {}, async (screen, again) => {
				await screen().drawn("a row for each call", isFolded);
				await again();
				await screen().drawn("the same rows with -c", isFolded);
				await screen().enter("/reload", /Reloaded/);
				await screen().drawn("the same rows after /reload", isFolded);
				screen().keys("C-o");
				await screen().drawn("the result unfolded", (seen) => /^ row 40$/m.test(seen));
				screen().keys("C-o");
				await screen().drawn("the result folded again", isFolded);
			});
		});
	}

	test("toolResultRendering and collapsedResultLines say how results are shown", async () => {
		const [version] = versions;
		const settings = { toolResultRendering: "boxed", collapsedResultLines: 2 };
		const isBoxed = (seen) =>
			/mcp fake\/echo text=.*\n +row 1 *\n +row 2 *\n +\(38 more lines, ctrl\+o\)/.test(seen);
		await start(version, settings, async (screen, again) => {
			await screen().drawn("two lines of the result", isBoxed);
			await again();
			await screen().drawn("the same with -c", isBoxed);
		});
	});

	test("wide characters and control sequences stay within a narrow terminal", async () => {
		const text = "日本語のテキスト 😀👨‍👩‍👧 \t\u001b[31mred\u001b[0m é ".repeat(20);
		const call = [{ tool: "mcp", args: { tool: "fake_echo", args: { text } } }];
		const model = await Model.start([call, "All done."]);
		const home = new PiHome(model).withCache();
		home.configure({ fake: fakeServer("echo") });
		const screen = new Screen(home, 44);
		try {
			await screen.shows(/scripted/);
			await screen.enter("go", /All done\./);
			await screen.drawn("the row", (seen) => /^ mcp fake\/echo text="日/m.test(seen));
			screen.keys("C-o");
			await screen.drawn("all of it", (seen) => seen.split("日本語").length > 10);
		} finally {
			screen.close();
			await model.stop();
			await home.allGone(10).finally(() => home.remove());
		}
	});

	test("a model gets the tools as they are now, whatever is remembered", async () => {
		const model = await Model.start([]);
		const home = new PiHome(model).withCache();
		const start = async (servers) => {
			home.configure(servers);
			const known = await cli(home, ["connect", "--all"]);
			assert.equal(known.status, 0, known.stderr);
			const { stderr } = await print(home, "go");
			assert.equal(stderr, "");
			return model.requests.at(-1).tools.map((tool) => tool.function);
		};
		const names = (tools) => tools.map(({ name }) => name);
		const before = await start({ one: { ...fakeServer("add"), directTools: true } });
		assert.ok(names(before).includes("one_add"), names(before).join());
		const after = await start({ two: fakeServer("echo") });
		assert.ok(!names(after).includes("one_add"), names(after).join());
		assert.match(after.find(({ name }) => name === "mcp").description, /servers \(two\)/);
		const [file] = readdirSync(`${home.agent}/mcp-pi-tools`);
		home.write(`.pi/agent/mcp-pi-tools/${file}`, '{"tools":[{"name":');
		assert.ok(names(await start({ two: fakeServer("echo") })).includes("mcp"));
		await model.stop();
		home.remove();
	});
});
