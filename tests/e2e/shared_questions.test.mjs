// Two hosts on one process of a real server: each question, progress and cancellation reaches the
// host whose call caused it, and what was asked by a process that has died allows nothing.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
	CreateMessageRequestSchema,
	ElicitRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Home, Host, server, until } from "./harness.mjs";

// A host whose user has this name; `answers` may be given another way to answer forms and models.
class Person {
	static async start(home, name, capabilities) {
		const person = new Person();
		person.name = name;
		person.forms = [];
		person.prompts = [];
		person.fill = () => ({ action: "accept", content: { name, check: true } });
		person.host = await Host.start(home, {
			capabilities,
			prepare(client) {
				if (capabilities.elicitation) {
					client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
						person.forms.push(params);
						return person.fill(params);
					});
				}
				if (capabilities.sampling) {
					client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
						person.prompts.push(params.messages[0].content.text);
						const content = { type: "text", text: `${name} heard it` };
						return { model: `model of ${name}`, role: "assistant", content };
					});
				}
			},
		});
		return person;
	}

	call(tool, args = {}, options = {}) {
		return this.host.mcp({ tool, args }, options);
	}

	close() {
		return this.host.close();
	}
}

const form = "everything_trigger-elicitation-request";
const model = "everything_trigger-sampling-request";
const long = "everything_trigger-long-running-operation";
const all = { elicitation: { form: {}, url: {} }, sampling: {} };

describe("two hosts on one server process", { timeout: 240_000 }, () => {
	let home;
	let ann;
	let ben;
	before(async () => {
		home = new Home().share();
		// Also once it has asked, for this is what is to be seen here.
		const everything = { ...server("mcp-server-everything"), share: "folder" };
		home.configure({ everything }, { approveTools: false });
		ann = await Person.start(home, "Ann", all);
		await ann.host.mcp({ connect: "everything" });
		ben = await Person.start(home, "Ben", { elicitation: { form: {} }, sampling: {} });
		await ben.host.mcp({ connect: "everything" });
	});
	after(async () => {
		await ann?.close();
		await ben?.close();
		await home.allGone(10);
		home.remove();
	});
	const counts = () => [ann.forms, ben.forms, ann.prompts, ben.prompts].map((list) => list.length);

	test("it is one, in one process for both", () => {
		assert.equal(home.servers().length, 1);
		assert.ok(home.sharedProcess());
	});

	test("a form is shown to whoever has called, whoever did before", async () => {
		const before = counts();
		for (const person of [ann, ben, ben, ann]) {
			const { text, isError } = await person.call(form);
			assert.equal(isError, false, text);
			assert.match(text, new RegExp(`"name": "${person.name}"`));
		}
		assert.deepEqual(counts(), [before[0] + 2, before[1] + 2, before[2], before[3]]);
	});

	test("so is a prompt for the model", async () => {
		const before = counts();
		for (const person of [ben, ann]) {
			const { text } = await person.call(model, { prompt: `from ${person.name}`, maxTokens: 9 });
			assert.match(text, new RegExp(`model of ${person.name}`));
			assert.match(person.prompts.at(-1), new RegExp(`from ${person.name}`));
		}
		assert.deepEqual(counts(), [before[0], before[1], before[2] + 1, before[3] + 1]);
		assert.equal(home.servers().length, 1);
	});

	test("with calls of both under way a question is its caller's or nobody's", async () => {
		const before = counts();
		const rounds = Array.from({ length: 10 }, (_, number) => number);
		const asks = async (person) => {
			for (const number of rounds) {
				const prompt = `${number} from ${person.name}`;
				const { text } = await person.call(model, { prompt, maxTokens: 9 });
				assert.match(text, new RegExp(`model of ${person.name}|more than one session has calls`));
			}
		};
		await Promise.all([asks(ann), asks(ben)]);
		for (const person of [ann, ben]) {
			assert.deepEqual(person.prompts.filter((text) => !text.includes(person.name)), []);
		}
		assert.deepEqual(counts().slice(0, 2), before.slice(0, 2));
	});

	test("what one host cannot do is refused in its name, and the other is not asked", async () => {
		const before = counts();
		const { isError } = await ben.call("everything_trigger-url-elicitation", {
			url: "https://example.org/consent",
		});
		assert.equal(isError, true);
		assert.deepEqual(counts(), before);
	});

	test("progress and cancellation belong to one call of one host", async () => {
		const seen = { ann: [], ben: [] };
		const abort = new AbortController();
		const cancelled = ann.call(long, { duration: 60, steps: 300 }, {
			signal: abort.signal,
			onprogress: ({ total }) => {
				seen.ann.push(total);
				if (seen.ann.length > 2 && seen.ben.length > 2) abort.abort("enough");
			},
		});
		const ended = ben.call(long, { duration: 2, steps: 10 }, {
			onprogress: ({ total }) => seen.ben.push(total),
		});
		await assert.rejects(cancelled, /enough/);
		assert.match((await ended).text, /completed/);
		assert.deepEqual([...new Set(seen.ann)], [300]);
		assert.deepEqual([...new Set(seen.ben)], [10]);
		// The SDK drops one that comes together with the answer.
		assert.ok(seen.ben.length >= 8, String(seen.ben.length));
	});
});

describe("a server that has asked", { timeout: 120_000 }, () => {
	test("is one session's from then on, and the other gets its own", async () => {
		const home = new Home().share();
		home.configure({ everything: server("mcp-server-everything") }, { approveTools: false });
		const ann = await Person.start(home, "Ann", all);
		const ben = await Person.start(home, "Ben", all);
		await ann.call("everything_echo", { message: "x" });
		await ben.call("everything_echo", { message: "x" });
		assert.equal(home.servers().length, 1);
		assert.match((await ann.call(form)).text, /"Ann"/);
		assert.match((await ben.call(form)).text, /"Ben"/);
		assert.equal(home.servers().length, 2);
		// Each has a process of its own now, so both can ask at the same time.
		const both = await Promise.all([ann.call(form), ben.call(form)]);
		assert.deepEqual(both.map(({ text }) => /"name": "(\w+)"/.exec(text)[1]), ["Ann", "Ben"]);
		await ann.close();
		await ben.close();
		await home.allGone(10);
		home.remove();
	});
});

describe("a late answer to a process that has died", { timeout: 120_000 }, () => {
	let home;
	let ann;
	before(async () => {
		home = new Home().share();
		const everything = server("mcp-server-everything");
		home.configure({ everything, guarded: { ...everything, approveTools: true } });
		ann = await Person.start(home, "Ann", all);
		await ann.call("everything_echo", { message: "x" });
	});
	after(async () => {
		await ann?.close();
		await home.allGone(10);
		home.remove();
	});

	// A question waits, its process dies, the same is asked anew, and then the first is answered yes.
	async function lateYes(call) {
		const later = [];
		ann.fill = () => new Promise((answer) => later.push(answer));
		const asked = ann.forms.length;
		const first = call();
		await until("the question", () => ann.forms.length === asked + 1);
		process.kill(home.sharedProcess(), "SIGKILL");
		await assert.rejects(first, /ended while this call was under way/);
		let over = false;
		const second = call().finally(() => (over = true));
		await until("the question again", () => ann.forms.length === asked + 2, 30);
		later[0]({ action: "accept", content: { name: "Ann", check: true, decision: "once" } });
		// An answer to something later passes it by in both directions.
		await ann.host.client.ping();
		assert.match((await ann.call("everything_echo", { message: "after" })).text, /after/);
		assert.equal(over, false, "it still waits for its own answer");
		later[1]({ action: "decline" });
		return second;
	}

	test("fills in no form of the next one", async () => {
		const { text } = await lateYes(() => ann.call(form));
		assert.match(text, /declined/);
		assert.doesNotMatch(text, /"Ann"/);
	});

	test("approves no call", async () => {
		const { isError, text } = await lateYes(() =>
			ann.call("guarded_echo", { message: "must not run" }),
		);
		assert.equal(isError, true, text);
		assert.doesNotMatch(text, /Echo: must not run/);
	});
});
