// What the footer of Pi says about the servers.
import { isInUse, isMisconfigured, type ServerState, type ShownSettings } from "./gateway.ts";
import { shownLine } from "./shown_text.ts";
import { counted } from "./words.ts";

// Undefined when there is no server to tell of. What Pi's user refused is not told again and again.
export function footerText(servers: ServerState[], settings: ShownSettings): string | undefined {
	const text = settings.mcpFooterStatus === "off" ? undefined : wordsOf(servers, settings);
	return text && settings.showStatusIcon ? `🔌 ${text}` : text;
}

function wordsOf(servers: ServerState[], settings: ShownSettings): string | undefined {
	const used = servers.filter(isInUse);
	const waiting = servers.filter((server) => server.status === "needs trust" && !server.forbidden);
	const need = waiting.length === 1 ? "needs trust" : "need trust";
	if (used.length === 0) {
		return waiting.length > 0 ? `MCP: ${counted(waiting.length, "server")} ${need}` : undefined;
	}
	const named = (status: ServerState["status"]) =>
		used.filter((server) => server.status === status).map(({ name }) => name);
	const counts = `MCP: ${named("connected").length}/${used.length}`;
	if (settings.mcpFooterStatus === "compact") return counts;
	const connecting = named("connecting");
	if (connecting.length > 0) {
		const [only = ""] = connecting;
		const what = connecting.length === 1 ? shownLine(only) : `${connecting.length} servers`;
		return `MCP: connecting to ${what}...`;
	}
	const troubles = (["failed", "needs auth"] as const)
		.map((status) => ({ status, count: named(status).length }))
		.filter(({ count }) => count > 0)
		.map(({ status, count }) => `, ${count} ${status}`);
	const wrong = used.filter(isMisconfigured).length;
	if (wrong > 0) troubles.push(`, ${wrong} misconfigured`);
	if (waiting.length > 0) troubles.push(`, ${waiting.length} ${need}`);
	return `${counts} servers${troubles.join("")}`;
}
