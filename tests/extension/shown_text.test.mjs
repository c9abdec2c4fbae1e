// Words of others on a terminal: nothing in them moves the cursor or passes for a line of ours.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Pager, rowsMax, wrapped } from "../../extension/panel_text.ts";
import {
	framed,
	oneLine,
	quoted,
	shown,
	shownLine,
	shownText,
} from "../../extension/shown_text.ts";

const { columns } = process.stdout;
afterEach(() => {
	process.stdout.columns = columns;
});

for (const [name, text, left] of [
	["colours", "\u001b[1;31mred\u001b[0m", "red"],
	["a colour in one character", "\u009b31mred", "red"],
	["a moved cursor", "a\u001b[2J\u001b[Hb", "ab"],
	["a title of the window", "a\u001b]0;title\u0007b", "ab"],
	["a link", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
	["an escape at the end", "a\u001b", "a"],
	["a sequence that is cut off", "a\u001b[3", "a"],
	["a bell and a backspace", "a\u0007\bb", "ab"],
	["a line written over", "ok\rbad", "ok\nbad"],
	["line ends of every kind", "a\r\nb\vc\fd\u0085e\u2028f\u2029g", "a\nb\nc\nd\ne\nf\ng"],
	["a turned direction", "a\u202Eb\u2066c", "abc"],
	["invisible characters", "a\u200Bb\uFEFFc\u{E0041}d", "abcd"],
	["half a character", "a\uD83Db", "ab"],
	["a tab", "a\tb", "a b"],
	["joined emoji and accents", "👩‍👩‍👧 é", "👩‍👩‍👧 é"],
]) {
	test(`${name}: only what may be shown is left`, () => {
		assert.equal(shown(text), left);
	});
}

test("one line has no line ends and no runs of spaces", () => {
	assert.equal(oneLine(" a \n\n b\tc "), "a b c");
});

test("what is cut says how much is missing, and never cuts a character", () => {
	assert.equal(shownLine("😀".repeat(5), 3), "😀😀😀… (2 more characters)");
	assert.equal(shownLine("abc", 3), "abc");
	assert.equal(shownText("a\nbcd", 3), "a\nb… (2 more characters)");
});

test("every line of a quotation is marked, empty ones too", () => {
	process.stdout.columns = undefined;
	assert.equal(quoted("a\n\nmcp wants:"), "│ a\n│\n│ mcp wants:");
	assert.equal(quoted(" \n "), "");
	assert.equal(quoted("\n a \n\n"), "│ a");
	assert.equal(quoted("1\n2\n3\n4", 2), "│ 1\n│ 2\n│ … (2 more lines)");
});

test("in a terminal a long line of a quotation goes on behind a mark of its own", () => {
	process.stdout.columns = 26;
	const lines = quoted("aaaa bbbb cccc dddd eeee ffff gggg").split("\n");
	assert.ok(lines.length > 1);
	for (const line of lines) assert.match(line, /^│ .{1,20}$/);
	assert.equal(
		lines.map((line) => line.slice(2)).join(" "),
		"aaaa bbbb cccc dddd eeee ffff gggg",
	);
	const wide = quoted("語".repeat(30)).split("\n");
	for (const line of wide) assert.ok([...line.slice(2)].length <= 10, line);
});

test("our line stands below again when what is between would push it off the screen", () => {
	process.stdout.columns = 40;
	assert.equal(framed("ours", "a", "", "b"), "ours\na\nb");
	const lines = Array.from({ length: 11 }, (_, i) => `${i}`).join("\n");
	assert.equal(framed("ours", lines), `ours\n${lines}\nours`);
	assert.ok(framed("ours", "x".repeat(400)).endsWith("\nours"));
});

// As Pi's, for text without escapes.
const terminal = {
	wrapTextWithAnsi: (text, width) => text.match(new RegExp(`.{1,${width}}`, "g")) ?? [""],
};

test("lines of the panel are wrapped to its width, which may be nothing", () => {
	assert.deepEqual(wrapped("abcd\n\u001b[1mef", 3, terminal), ["abc", "d", "ef"]);
	assert.deepEqual(wrapped("ab", 0, terminal), ["a", "b"]);
});

test("a long text is scrolled between its ends and says where it is", () => {
	const pager = new Pager(
		Array.from({ length: rowsMax + 3 }, (_, i) => `${i + 1}`).join("\n"),
	);
	const page = () => pager.page(80, terminal);
	assert.deepEqual([page().lines[0], page().place], ["1", "1-12/15"]);
	pager.move(100);
	assert.deepEqual([page().lines.at(-1), page().place], ["15", "4-15/15"]);
	pager.move(-2);
	assert.equal(page().place, "2-13/15");
	pager.move(-100);
	assert.equal(page().place, "1-12/15");
});

test("a text that fits says no place", () => {
	const pager = new Pager("a\nb");
	pager.move(5);
	assert.deepEqual(pager.page(80, terminal), { lines: ["a", "b"], place: "" });
});
