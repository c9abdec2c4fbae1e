// The tools of all servers for scripts of Pi's codemode (Pi 1.0 and newer): registered, and not
// declared to the model, so that they cost no tokens.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Definitions } from "./definitions.ts";
import { type Gateway, isForModel, type ToolDefinitions } from "./gateway.ts";

const codemode = "codemode";

export class Scripts {
	readonly #pi: ExtensionAPI;
	readonly #definitions: Definitions;
	#isSwitchedOn = false; // by us, once; who switches it off again has the last word
	#followed: Gateway | undefined; // the tools are registered, and followed

	constructor(pi: ExtensionAPI, definitions: Definitions) {
		this.#pi = pi;
		this.#definitions = definitions;
	}

	// `wanted`: settings.codemode. Registers the tools once scripts can be written.
	async offer(gateway: Gateway, wanted: boolean, taken: () => ReadonlySet<string>): Promise<void> {
		if (wanted && !this.#isSwitchedOn && taken().has(codemode)) {
			this.#isSwitchedOn = true;
			this.#pi.setActiveTools([...new Set([...this.#pi.getActiveTools(), codemode])]);
		}
		if (this.#followed === gateway || !this.#pi.getActiveTools().includes(codemode)) return;
		this.#followed = gateway;
		await gateway.followDefinitions();
		await this.refresh(gateway, taken);
	}

	// The tools may be others.
	async refresh(gateway: Gateway, taken: () => ReadonlySet<string>): Promise<void> {
		if (this.#followed !== gateway) return;
		const known = await gateway.definitions();
		const others = taken();
		const isFree = ({ name }: { name: string }) =>
			!others.has(name) && !this.#definitions.has(name);
		const tools = known.tools.filter((tool) => isForModel(tool) && isFree(tool));
		this.#definitions.deferOnly({ ...known, tools } satisfies ToolDefinitions);
	}
}
