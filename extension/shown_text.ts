// Words of others (servers, models, foreign programs) made fit to be shown: nothing in them moves
// the cursor, changes the colour, or looks like a line of ours.

// Sequences of a terminal as a whole (CSI, strings like OSC, the rest), so that no "[31m" is left.
const csi = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g;
const string = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*/g;
const escape = /\u001b[ -/]*[0-~]?/g;
const lineEnd = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
// Control and format characters (among them what turns the direction of writing) and halves of
// characters; joiners are part of words and emoji.
const unseen = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu;

const quote = "│ ";
const lineCharactersMax = 200;
const quotedLinesMax = 14;
const quotedCharactersPerLine = 80;
const seenLinesMax = 10;

// As it may stand on a terminal. Lines stay.
export function shown(text: string): string {
	const plain = text.replace(string, "").replace(csi, "").replace(escape, "");
	return plain.replace(lineEnd, "\n").replaceAll("\t", " ").replace(unseen, "");
}

function cut(text: string, max: number): string {
	const characters = [...text];
	if (characters.length <= max) return text;
	return `${characters.slice(0, max).join("")}… (${characters.length - max} more characters)`;
}

// The same, cut.
export function shownText(text: string, max = 4000): string {
	return cut(shown(text), max);
}

export function oneLine(text: string): string {
	return shown(text).replace(/\s+/g, " ").trim();
}

export function shownLine(text: string, max = lineCharactersMax): string {
	return cut(oneLine(text), max);
}

// Every line of it is marked, so that none passes for ours.
export function quoted(text: string, linesMax = quotedLinesMax): string {
	const max = linesMax * quotedCharactersPerLine;
	const lines = shownText(text.trim(), max).split("\n").flatMap(wrapped);
	const more = lines.length - linesMax;
	const shown = more > 0 ? [...lines.slice(0, linesMax), `… (${more} more lines)`] : lines;
	if (!text.trim()) return "";
	return shown.map((line) => `${quote}${line}`.trimEnd()).join("\n");
}

// Our own line with `parts` under it, and once more below what would push it off a small screen.
export function framed(ours: string, ...parts: string[]): string {
	const lines = parts.filter(Boolean).flatMap((part) => part.split("\n"));
	const columns = process.stdout.columns ?? 80;
	const height = lines.reduce((sum, line) => sum + 1 + Math.floor(line.length / columns), 0);
	return [ours, ...lines, ...(height > seenLinesMax ? [ours] : [])].join("\n");
}

// In a terminal lines are broken here: Pi would go on at the start of the next one, without a mark.
function wrapped(line: string): string[] {
	const { columns } = process.stdout;
	if (columns === undefined) return [line];
	const width = Math.max(columns - 2 * quote.length - 2, 10);
	const lines: string[] = [];
	let rest = [...line];
	for (let end = fitting(rest, width); end < rest.length; end = fitting(rest, width)) {
		const space = rest.lastIndexOf(" ", end);
		const next = space > 0 ? space : end;
		lines.push(rest.slice(0, next).join(""));
		rest = rest.slice(space > 0 ? next + 1 : next);
	}
	return [...lines, rest.join("")];
}

// How many of these characters a line of this width takes; from Hangul on they may be two wide.
export function fitting(characters: string[], width: number): number {
	let used = 0;
	const over = characters.findIndex((character) => {
		used += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
		return used > width;
	});
	return over < 0 ? characters.length : over;
}
