// Fields of an elicitation form: how each is asked, and which answers it takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FormField } from "../../extension/form_field.ts";

// A user who gives these answers in turn; what was shown is kept. More questions are an error.
function userOf(answers) {
	const shown = [];
	const next = (question) => {
		shown.push(question);
		assert.ok(answers.length >= shown.length, `asked again: ${JSON.stringify(question)}`);
		return Promise.resolve(answers[shown.length - 1]);
	};
	return {
		shown,
		input: (title) => next({ title }),
		editor: (title, text) => next({ title, text }),
		select: (title, options) => next({ title, options }),
	};
}

function field(schema, required = true) {
	return FormField.all({ properties: { f: schema }, required: required ? ["f"] : [] })[0];
}

async function asked(schema, answers, required = true, before = undefined) {
	const user = userOf(answers);
	const value = await field(schema, required).ask(user, "Q", before);
	assert.equal(user.shown.length, answers.length);
	return { value, shown: user.shown };
}

// The complaint about `refused`, which is asked for again.
async function complaint(schema, refused, accepted) {
	const { shown } = await asked(schema, [refused, accepted]);
	assert.ok(shown[1].title.startsWith("Q\n"));
	assert.equal(shown[1].text, refused, "what was wrong stands in the field again");
	return shown[1].title.slice(2);
}

test("a required text is asked for until there is one", async () => {
	const { value, shown } = await asked({ type: "string" }, ["", "", "x"]);
	assert.equal(value, "x");
	assert.deepEqual(
		shown.map(({ title }) => title),
		["Q", "Q\nThis field is required.", "Q\nThis field is required."],
	);
});

test("an empty answer leaves an optional field out", async () => {
	assert.equal((await asked({ type: "string" }, [""], false)).value, FormField.omitted);
	assert.equal((await asked({ type: "string", default: "" }, [""])).value, "");
});

test("a default is the first choice, required or not; any other text can be given", async () => {
	const text = { type: "string", default: "main" };
	const { value, shown } = await asked(text, ["main (default)"]);
	assert.equal(value, "main");
	assert.deepEqual(shown[0].options, ["main (default)", "Another answer"]);
	assert.equal((await asked(text, ["Another answer", "next"], false)).value, "next");
	assert.equal((await asked({ type: "number", default: 0 }, ["0 (default)"], false)).value, 0);
	const yes = await asked({ type: "boolean", default: false }, ["No (default)"], false);
	assert.equal(yes.value, false);
	assert.deepEqual(yes.shown[0].options, ["No (default)", "Yes"]);
	const one = await asked({ enum: ["a", "b"], default: "b" }, ["b (default)"]);
	assert.deepEqual([one.value, one.shown[0].options], ["b", ["b (default)", "a"]]);
	const list = { type: "array", items: { enum: ["a", "b"] }, default: ["b"] };
	const some = await asked(list, ["(done)"], false);
	assert.deepEqual([some.value, some.shown[0].options], [["b"], ["(done)", "[ ] a", "[x] b"]]);
});

test("what the user answered before is the first choice when the form is edited", async () => {
	const offered = async (schema, before, answer) =>
		(await asked(schema, [answer], false, before)).shown[0].options;
	const text = { type: "string", default: "main" };
	const labels = ["next (your answer)", "main (default)", "Another answer"];
	assert.deepEqual(await offered(text, "next", labels[0]), labels);
	const same = ["main (your answer)", "Another answer"];
	assert.deepEqual(await offered(text, "main", same[0]), same);
	const yes = ["Yes (your answer)", "No", "(leave out)"];
	assert.deepEqual(await offered({ type: "boolean" }, true, yes[0]), yes);
	const list = ["(done)", "[x] a"];
	assert.deepEqual(await offered({ type: "array", items: { enum: ["a"] } }, ["a"], list[0]), list);
});

test("a field of a server says what an answer has to be", () => {
	const described = (schema, required) => field(schema, required).described;
	const port = { type: "integer", minimum: 1, maximum: 9, default: 5 };
	assert.equal(described(port), "│ required · a whole number · 1 to 9 · default 5");
	assert.equal(described({ type: "string", minLength: 2 }, false), "│ at least 2 characters");
	const mail = { type: "string", format: "email", maxLength: 9 };
	assert.equal(described(mail, false), "│ at most 9 characters · an email address");
	assert.equal(described({ type: "string", pattern: "^a" }, false), "│ matches ^a");
	assert.equal(described({ type: "string" }, false), "");
	assert.equal(described({ type: "boolean" }), "");
});

test("a closed dialog answers nothing, whatever is asked", async () => {
	for (const schema of [
		{ type: "string" },
		{ type: "boolean" },
		{ enum: ["a"] },
		{ type: "array", items: { enum: ["a"] } },
	]) {
		assert.equal((await asked(schema, [undefined])).value, undefined);
	}
});

for (const [schema, refused, accepted, what] of [
	[{ type: "string", minLength: 3 }, "ab", "abc", "At least 3 characters are needed."],
	[{ type: "string", maxLength: 2 }, "abc", "ab", "At most 2 characters are allowed."],
	[{ type: "string", maxLength: 1 }, "😀😀", "😀", "At most 1 characters are allowed."],
	[{ type: "string", pattern: "^a+$" }, "ab", "aa", "It must match ^a+$"],
	[{ type: "string", format: "email" }, "me", "me@x.org", "An email address is needed."],
	[
		{ type: "string", format: "uri" },
		"x.org",
		"https://x.org",
		"An address with its scheme (https://...) is needed.",
	],
	[
		{ type: "string", format: "date" },
		"2026-02-31",
		"2026-02-28",
		"A date (2026-01-31) is needed.",
	],
	[
		{ type: "string", format: "date" },
		"yesterday",
		"2024-02-29",
		"A date (2026-01-31) is needed.",
	],
	[
		{ type: "string", format: "date-time" },
		"2026-01-31T12:00:00",
		"2026-01-31T12:00:00+02:00",
		"A date with time and zone (2026-01-31T12:00:00Z) is needed.",
	],
]) {
	test(`${JSON.stringify(schema)} refuses ${refused} and takes ${accepted}`, async () => {
		assert.equal(await complaint(schema, refused, accepted), what);
		assert.equal((await asked(schema, [accepted])).value, accepted);
	});
}

for (const [schema, refused, accepted, what] of [
	[{ type: "number" }, "ten", "10", "A number is needed."],
	[{ type: "number" }, " ", "0", "A number is needed."],
	[{ type: "number" }, "Infinity", "-1.5", "A number is needed."],
	[{ type: "integer" }, "1.5", "1", "A whole number is needed."],
	[{ type: "integer", minimum: 1 }, "0", "1", "It must be at least 1."],
	[{ type: "number", maximum: 2.5 }, "2.6", "2.5", "It must be at most 2.5."],
]) {
	test(`${JSON.stringify(schema)} refuses "${refused}", takes the number ${accepted}`, async () => {
		assert.equal(await complaint(schema, refused, accepted), what);
		assert.equal((await asked(schema, [accepted])).value, Number(accepted));
	});
}

test("a pattern that is no pattern, and an unknown format, refuse nothing", async () => {
	assert.equal((await asked({ type: "string", pattern: "(" }, ["x"])).value, "x");
	assert.equal((await asked({ type: "string", format: "ipv4" }, ["x"])).value, "x");
});

test("one of several is chosen by its label and answered by its value", async () => {
	const titled = {
		oneOf: [
			{ const: "a", title: "First" },
			{ const: "b", title: "Second" },
		],
	};
	const named = { enum: ["a", "b"], enumNames: ["First"] };
	assert.equal((await asked(titled, ["Second"])).value, "b");
	const { value, shown } = await asked(named, ["First"]);
	assert.equal(value, "a");
	assert.deepEqual(shown[0].options, ["First", "b"]);
});

test("yes and no are true and false", async () => {
	const { value, shown } = await asked({ type: "boolean" }, ["No"]);
	assert.equal(value, false);
	assert.deepEqual(shown[0].options, ["Yes", "No"]);
	assert.equal((await asked({ type: "boolean" }, ["Yes"])).value, true);
});

test("a choice that is optional can be left out, a required one cannot", async () => {
	const { value, shown } = await asked({ enum: ["a"] }, ["(leave out)"], false);
	assert.equal(value, FormField.omitted);
	assert.deepEqual(shown[0].options, ["(leave out)", "a"]);
	assert.deepEqual((await asked({ enum: ["a"] }, ["a"])).shown[0].options, ["a"]);
});

const several = (more) => ({ type: "array", items: { enum: ["a", "b", "c"] }, ...more });

test("of several any number is chosen and unchosen, in the order of the form", async () => {
	const answers = ["[ ] c", "[ ] a", "[ ] b", "[x] b", "(done)"];
	const { value, shown } = await asked(several(), answers);
	assert.deepEqual(value, ["a", "c"]);
	assert.deepEqual(shown[3].options, ["(done)", "[x] a", "[x] b", "[x] c"]);
});

test("too few and too many choices are told, and can be changed", async () => {
	const few = await asked(several({ minItems: 1 }), ["(done)", "[ ] a", "(done)"]);
	assert.equal(few.shown[1].title, "Q\nChoose at least 1.");
	assert.equal(few.shown[2].title, "Q");
	assert.deepEqual(few.value, ["a"]);
	const many = await asked(several({ maxItems: 1 }), [
		"[ ] a",
		"[ ] b",
		"(done)",
		"[x] a",
		"(done)",
	]);
	assert.equal(many.shown[3].title, "Q\nChoose at most 1.");
	assert.deepEqual(many.value, ["b"]);
});

test("no choice leaves an optional list out, a required one empty", async () => {
	assert.equal(
		(await asked(several({ minItems: 1 }), ["(done)"], false)).value,
		FormField.omitted,
	);
	assert.deepEqual((await asked(several(), ["(done)"])).value, []);
});

test("a field says what it is about, unless it is the only one", () => {
	const [first, second] = FormField.all({
		properties: { a: { title: "Name", description: "as in\nthe passport" }, b: {} },
	});
	assert.equal(first.label, "│ Name: as in\n│ the passport");
	assert.equal(second.label, "│ b");
	assert.equal(field({ title: "Name" }).label, "");
	assert.deepEqual(FormField.all({}), []);
});
