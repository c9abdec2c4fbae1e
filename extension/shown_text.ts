// Text of servers as it may stand on a terminal.

const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]?|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
// Control characters but the end of a line, and those that turn the direction of writing.
const controls = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

// Nothing in it moves the cursor, colours or clears. Lines stay.
export function shown(text: string): string {
	return text.replace(sequences, "").replace(/\t/g, " ").replace(controls, "");
}
