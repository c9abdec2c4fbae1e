// The Pi extension: puts into Pi what `pi-mcp serve --host pi` offers.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Commands } from "./commands.ts";
import { Session } from "./session.ts";

export default function piMcp(pi: ExtensionAPI): void {
	const session = new Session(pi);
	pi.registerFlag("mcp-config", { description: "MCP configuration file", type: "string" });
	new Commands(pi, session);
	pi.on("session_start", (_event, ctx) => session.start(ctx));
	pi.on("input", async () => {
		await session.ready();
	});
	pi.on("before_agent_start", async () => {
		await session.ready();
	});
	pi.on("session_shutdown", () => session.close());
}
