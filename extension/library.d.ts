// What `import ... from "pi-mcp"` gives, for type checkers: programs check their own code against
// this and not the extension's sources, which are checked as tsconfig.json says.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export interface McpAdapterOptions {
	// All of the configuration, as in mcp.json: no file counts beside it. It is copied.
	config?: { mcpServers?: Record<string, object>; settings?: object };
	// A file in place of ~/.pi/agent/mcp.json, relative to the session's folder; above --mcp-config.
	configPath?: string;
}

// An extension for Pi's `extensionFactories`. Throws a TypeError where the options are wrong.
export declare function createMcpAdapter(options?: McpAdapterOptions): (pi: ExtensionAPI) => void;

// The same with the user's own configuration.
declare const extension: (pi: ExtensionAPI) => void;
export default extension;
