// What Pi says of the folder, for the gateway: whether it trusts the project's own files.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { readFileSync } from "node:fs";
import { join } from "node:path";

// By folder, what .pi/mcp.json said when this Pi said yes to it: /reload and /new load the
// extension anew. Nothing of it outlives Pi.
const allowed = Symbol.for("pi-mcp.allowed-files");
const place = globalThis as { [allowed]?: Map<string, string> };

// Undefined with Pi before 0.79, which has no such answer.
function answerOf(ctx: ExtensionContext): boolean | undefined {
	return (ctx as Partial<ExtensionContext>).isProjectTrusted?.();
}

function textOf(cwd: string): string | undefined {
	try {
		return readFileSync(join(cwd, ".pi/mcp.json"), "utf8");
	} catch {
		return undefined; // what is not there, or cannot be read, is allowed to do nothing
	}
}

export class FolderTrust {
	readonly #pi: ExtensionAPI;
	#cwd = "";
	#answer: boolean | undefined;
	#isNewYes = false; // no gateway has been told of it

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
	}

	// Of a session. `isDecided`: Pi has just decided about .pi/mcp.json; a yes of before is kept.
	begin(ctx: ExtensionContext, isDecided: boolean): void {
		this.#cwd = ctx.cwd;
		this.#answer = answerOf(ctx);
		this.#isNewYes = this.#answer === true && isDecided && this.#isAskedForServers();
		const text = this.#isNewYes ? textOf(ctx.cwd) : undefined;
		if (text !== undefined) (place[allowed] ??= new Map()).set(ctx.cwd, text);
	}

	// Pi's user has said no.
	get isForbidden(): boolean {
		return this.#answer === false;
	}

	// For the next gateway of the session, and whether that has to be another one than before. A yes
	// is about the file as it was when it was given.
	take(): { options: string[]; isNew: boolean } {
		const isNew = this.#isNewYes;
		this.#isNewYes = false;
		if (this.#answer === false) return { options: ["--host-trusts", "no"], isNew };
		const text = this.#answer ? place[allowed]?.get(this.#cwd) : undefined;
		const isYes = text !== undefined && text === textOf(this.#cwd);
		return { options: isYes ? ["--host-trusts", "yes"] : [], isNew };
	}

	// The answer when it is not the one of before, else undefined.
	changed(ctx: ExtensionContext): boolean | undefined {
		const answer = answerOf(ctx);
		if (answer === this.#answer) return undefined;
		this.#answer = answer;
		return answer;
	}

	// Pi before 0.99 reads no .pi/mcp.json: in a folder that has only that it says yes unasked.
	#isAskedForServers(): boolean {
		return typeof (this.#pi as Partial<ExtensionAPI>).getMcpServers === "function";
	}
}
