// A home whose project brings servers along; each leaves a file behind when it is started.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PiHome, fakeServer } from "./pi.mjs";

export const trustIt = "Trust them, as they are now";
export const trustForSession = "Only for this session";

export class Clone extends PiHome {
	#canary(name) {
		return join(this.root, `ran-${name}`);
	}

	hasRun(name) {
		return existsSync(this.#canary(name));
	}

	// An entry of `mcpServers`, with one tool.
	server(name, entry = {}) {
		const { command, args } = fakeServer("echo");
		const script = `: > '${this.#canary(name)}'; exec "$0" "$@"`;
		return { command: "sh", args: ["-c", script, command, ...args], ...entry };
	}

	brings(path, mcpServers) {
		return this.write(`project/${path}`, { mcpServers });
	}
}
