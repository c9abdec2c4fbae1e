// The gateway between two sessions of one Pi. For /new, /resume and /fork Pi loads its extensions
// anew; where the next session is one for the same gateway, its servers run on.
import type { Gateway } from "./gateway.ts";

// The next session begins at once. Pi may have none, or one without this extension.
const keptMsMax = 10_000;

interface Kept {
	key: string;
	gateway: Gateway;
	timer: NodeJS.Timeout;
}

// What an instance of this module has is gone with the extension.
const kept = Symbol.for("pi-mcp.kept-gateway");
const place = globalThis as { [kept]?: Kept | undefined };

export function keep(key: string, gateway: Gateway): void {
	const nothing = () => {};
	gateway.follow({
		toolsChanged: nothing,
		promptsChanged: nothing,
		statusChanged: nothing,
		definitionsChanged: nothing,
		approve: () => Promise.reject(new Error("the session has ended")),
		notice: nothing,
		serverSaid: nothing,
		ended: nothing,
		root: "",
	});
	take(""); // that of another session of this process
	const timer = setTimeout(() => void take(""), keptMsMax);
	place[kept] = { key, gateway, timer };
}

// The gateway that was kept under the key; one of another key is ended.
export function take(key: string): Gateway | undefined {
	const found = place[kept];
	if (!found) return undefined;
	place[kept] = undefined;
	clearTimeout(found.timer);
	if (found.key === key && !found.gateway.hasEnded) return found.gateway;
	void found.gateway.close();
	return undefined;
}
