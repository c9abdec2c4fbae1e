// What the footer of Pi says about the servers.
import { isMisconfigured, type ServerState } from "./gateway.ts";

// Undefined when no server is enabled.
export function footerText(servers: ServerState[]): string | undefined {
	const enabled = servers.filter(({ status }) => status !== "disabled");
	if (enabled.length === 0) return undefined;
	const named = (status: ServerState["status"]) =>
		enabled.filter((server) => server.status === status).map(({ name }) => name);
	const connecting = named("connecting");
	if (connecting.length > 0) {
		const [only] = connecting;
		const what = connecting.length === 1 ? only : `${connecting.length} servers`;
		return `MCP: connecting to ${what}...`;
	}
	const troubles = (["failed", "needs auth"] as const)
		.map((status) => ({ status, count: named(status).length }))
		.filter(({ count }) => count > 0)
		.map(({ status, count }) => `, ${count} ${status}`);
	const wrong = enabled.filter(isMisconfigured).length;
	if (wrong > 0) troubles.push(`, ${wrong} misconfigured`);
	return `MCP: ${named("connected").length}/${enabled.length} servers${troubles.join("")}`;
}
