// Text that is longer than a line or than the panel.
import { shown } from "./shown_text.ts";

export interface Terminal {
	visibleWidth(text: string): number;
	truncateToWidth(text: string, width: number, ellipsis?: string): string;
	wrapTextWithAnsi(text: string, width: number): string[];
}

export const rowsMax = 12;

// The lines of a text of a server, none wider than `width`.
export function wrapped(text: string, width: number, terminal: Terminal): string[] {
	const lines = shown(text).split("\n");
	return lines.flatMap((line) => terminal.wrapTextWithAnsi(line, Math.max(1, width)));
}

// A text to scroll in.
export class Pager {
	readonly #text: string;
	#top = 0;
	#topMax = 0; // as it was shown last

	constructor(text: string) {
		this.#text = text;
	}

	move(by: number): void {
		this.#top = Math.max(0, Math.min(this.#top + by, this.#topMax));
	}

	// What is shown now, and which lines of how many that is.
	page(width: number, terminal: Terminal): { lines: string[]; place: string } {
		const lines = wrapped(this.#text, width, terminal);
		this.#topMax = Math.max(0, lines.length - rowsMax);
		this.move(0);
		const end = Math.min(this.#top + rowsMax, lines.length);
		const place = this.#topMax > 0 ? `${this.#top + 1}-${end}/${lines.length}` : "";
		return { lines: lines.slice(this.#top, end), place };
	}
}
