// The settings that docs/hosts.md tells people to write, so that what is tested is what they read.
import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../docs/hosts.md", import.meta.url), "utf8");

// The file and the text of the block in the section `heading`: "`~/FILE`" and the block after it.
export function settingsOf(heading) {
	const [, section] = page.split(`\n### ${heading}\n`);
	const [, path, , text] = /`~\/(\S+?)`.*?\n\n```(\w+)\n(.*?)```/s.exec(section.split("\n##")[0]);
	return { path, text };
}
