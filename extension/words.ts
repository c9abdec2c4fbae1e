// Words of what people are told.
import { shown } from "./shown_text.ts";

export function counted(count: number, what: string): string {
	return `${count} ${what}${count === 1 ? "" : "s"}`;
}

export function oneLine(text: string): string {
	return shown(text).replace(/\s+/g, " ").trim();
}
