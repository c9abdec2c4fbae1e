// What Pi says of the folder, for the gateway: whether it trusts the project's own files.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

// Undefined with Pi before 0.79, which has no such answer.
function answerOf(ctx: ExtensionContext): boolean | undefined {
	return (ctx as Partial<ExtensionContext>).isProjectTrusted?.();
}

export class FolderTrust {
	readonly #pi: ExtensionAPI;
	#answer: boolean | undefined;
	#isNewYes = false; // no gateway has been told of it

	constructor(pi: ExtensionAPI) {
		this.#pi = pi;
	}

	// Of a session. `isDecided`: Pi has just decided about .pi/mcp.json; a yes of before is kept.
	begin(ctx: ExtensionContext, isDecided: boolean): void {
		this.#answer = answerOf(ctx);
		this.#isNewYes = this.#answer === true && isDecided && this.#isAskedForServers();
	}

	// Pi's user has said no.
	get isForbidden(): boolean {
		return this.#answer === false;
	}

	// For the next gateway of the session. A yes is about the files as they were when it was given, so
	// the first one alone is told.
	options(): string[] {
		if (this.#answer === false) return ["--host-trusts", "no"];
		if (!this.#isNewYes) return [];
		this.#isNewYes = false;
		return ["--host-trusts", "yes"];
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
