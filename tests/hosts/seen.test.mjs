// What real hosts and their models see of us: the tool and the servers in the first request, the
// answers, and nothing left over when a host is killed. PI_MCP_HOSTS has the names of the hosts to
// drive, all without it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { described, HostRun, hosts } from "./hosts.mjs";

const wanted = process.env.PI_MCP_HOSTS?.split(" ") ?? Object.keys(hosts);
const mcp = (args) => ({ tool: "mcp", args });
const call = (name) => mcp({ tool: `probe_${name}` });

// What a host does not hand on to its model, or cannot do; docs/hosts.md says it too.
const without = {
	instructions: ["cline", "copilot", "langchain", "qwen"],
	picture: ["copilot", "qwen"],
};
const has = (what, host) => !without[what].includes(host);
const accepts = /^sdk_/; // the others have nobody who could fill in a form

// Each call and what its result has, as the model reads it.
const asked = {
	status: mcp({}),
	search: mcp({ search: "look at something" }),
	describe: mcp({ describe: "probe_look" }),
	look: call("look"),
	picture: call("picture"),
	long: call("long"),
	fail: call("fail"),
	ask: call("ask"),
};
const declined = /the answer: (cancel|decline|.* no elicitation)/;
const cut = /Full text: (\S+) - /;
const answers = (host) => ({
	status: /probe/,
	search: /probe_look/,
	describe: /Looks at something/,
	look: /PROBE did look/,
	picture: /PROBE did picture/,
	long: cut,
	fail: /it went wrong on purpose/,
	ask: accepts.test(host) ? /the answer: accept .*Ann/ : declined,
});

for (const host of wanted) {
	// Each wait below has a bound of its own, which grows where the machine is busy.
	describe(host, { timeout: 900_000 }, () => {
		let run;
		let brought = {};
		before(async () => {
			run = await HostRun.start(host, Object.values(asked));
			const { results } = await run.headless(...hosts[host].allows);
			brought = Object.fromEntries(Object.keys(asked).map((name, i) => [name, results[i]]));
		});
		after(() => run.close());

		for (const [name, pattern] of Object.entries(answers(host))) {
			test(`${name} brings its answer`, () => {
				assert.ok(brought[name], `the host printed:\n${run.output.slice(-2000)}`);
				assert.match(brought[name], pattern);
			});
		}

		test("all of a long text is in the file that the note names", () => {
			const [, path] = cut.exec(brought.long);
			const lines = readFileSync(path, "utf8").trimEnd().split("\n");
			assert.equal(lines.length, 4000);
			assert.match(lines.at(-1), /^line 3999 x{60}$/);
		});

		test("a picture reaches the model, where the host has it", () => {
			const reached = run.model.bodies.some((body) => body.includes("iVBORw0KGgo"));
			assert.equal(reached, has("picture", host));
		});

		test("the model is told of the tool", (t) => {
			const declared = JSON.stringify(run.model.declared);
			t.diagnostic(`${host}: ${declared.length} bytes of tools`);
			assert.match(declared, /MCP servers/);
		});

		test("the first request names the servers, and says what they are for", () => {
			const [first] = run.model.bodies;
			assert.match(first, /MCP servers \(probe\)/, "the tool's first line");
			assert.equal(first.includes(described), has("instructions", host), "instructions");
		});

		test("details are for Pi", () => {
			assert.ok(!run.model.bodies.some((body) => body.includes("pi-mcp/details")));
		});

		test("kill -9 in a call leaves nothing of us", async () => {
			const killed = await HostRun.start(host, [call("wait")]);
			try {
				killed.begin(hosts[host].allows);
				await killed.called("wait");
				await killed.killHost();
				await killed.nothingLeft();
			} finally {
				await killed.close();
			}
		});
	});
}
