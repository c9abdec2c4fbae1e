// The SDKs, how the common server and the client on each are started, and what an SDK does not
// offer over a transport, with the reason. A row is an SDK and a transport.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const built = join(root, "build/servers");

// `stateless` is Streamable HTTP without sessions.
const everywhere = ["stdio", "http", "stateless", "sse"];

const noSession = "without a session nobody can be asked in the middle of a call";
const mute = (reason) => ({ elicitation: reason, sampling: reason, roots: reason });
const unasked = mute(noSession);
const muteSse = "its sessions over SSE have no way to ask";
const goesOn = { cancel: "without a session it does not see that the caller has hung up" };
const plainOnly = "without a session its tools have nothing to send by";
const rustModern = "rmcp answers with questions at revision 2026-07-28 only";
const old = "the SDK speaks no revision that has it";

function python(folder, server, ...client) {
	const program = join(built, folder, "bin/python");
	return {
		language: "python",
		needs: program,
		server: [program, join(here, "python", server)],
		client: [program, join(here, "python/client.py"), ...client],
		transports: everywhere,
	};
}

function typescript(version) {
	const modules = join(here, "typescript/node_modules");
	// Debian 12 has 18, they want 20.
	const newer = join(root, `tests/hosts/node_modules/node-linux-${process.arch}/bin/node`);
	const node = existsSync(newer) ? newer : process.execPath;
	return {
		language: "typescript",
		needs: modules,
		server: [node, join(here, `typescript/server_${version}.mjs`)],
		client: [node, join(here, `typescript/client_${version}.mjs`)],
		transports: everywhere,
	};
}

// A server and a client of one language: commands, and the last file that building them makes.
function programs(language, needs, server, client) {
	const commonJson = join(here, "common.json");
	return {
		language,
		needs,
		server: [...server, commonJson],
		client: [...client, commonJson],
		transports: everywhere,
	};
}

function go(name) {
	const client = join(built, `go/${name}_client`);
	return programs("go", client, [join(built, `go/${name}`)], [client]);
}

function rust() {
	const client = join(built, "rust/release/client");
	return programs("rust", client, [join(built, "rust/release/common")], [client]);
}

// The client reads stdio in the charset of the platform, which with Java 17 is that of the locale.
function java() {
	const classes = join(built, "java/classes");
	const run = ["-cp", `${classes}:${join(built, "java/dependency/*")}`];
	return programs(
		"java",
		join(classes, "Client.class"),
		["java", ...run, "Common"],
		["java", "-Dfile.encoding=UTF-8", ...run, "Client"],
	);
}

// `without`: {transport or "all": {feature: reason}}. `eras`: how the SDK's own client is told to
// connect where that is not by the handshake, because pi-mcp takes the same era there
// (docs/decisions/0039-era.md).
const sdks = [
	{
		name: "Python SDK 1",
		...python("python-1", "sdk_1.py"),
		without: { all: { "input required": old }, stateless: unasked },
	},
	{
		name: "Python SDK 2",
		...python("python-2", "sdk_2.py"),
		eras: { stateless: "auto" },
		without: { stateless: unasked },
	},
	{
		name: "FastMCP 2",
		...python("python-1", "fastmcp_2_4.py", "fastmcp"),
		without: { all: { "input required": old }, stateless: { ...unasked, ...goesOn } },
	},
	{
		name: "FastMCP 4",
		...python("python-2", "fastmcp_2_4.py", "fastmcp"),
		eras: { stateless: "auto" },
		without: { stateless: unasked },
	},
	{
		name: "TypeScript SDK 1",
		...typescript("v1"),
		without: { all: { "input required": old }, stateless: unasked },
	},
	{
		name: "TypeScript SDK 2",
		...typescript("v2"),
		eras: { stateless: "auto" },
		without: { stateless: unasked },
	},
	{
		name: "go-sdk",
		...go("gosdk"),
		eras: { stateless: "auto" },
		without: { stateless: { ...unasked, ...goesOn } },
	},
	{
		name: "mcp-go",
		...go("mcpgo"),
		eras: { stateless: "auto" },
		without: { stateless: unasked, sse: { ...mute(muteSse), "input required": muteSse } },
	},
	{
		name: "rmcp",
		...rust(),
		nightly: true,
		eras: { stateless: "auto" },
		transports: ["stdio", "http", "stateless"],
		without: {
			stdio: { "input required": rustModern },
			http: { "input required": rustModern },
			stateless: unasked,
		},
	},
	{
		name: "Java SDK",
		...java(),
		nightly: true,
		without: {
			all: { "input required": old, cancel: "the SDK has no way to tell a tool of it" },
			stateless: { ...unasked, progress: plainOnly, log: plainOnly },
		},
	},
];

const modernOnly = "FastMCP answers with questions at revision 2026-07-28 only";
for (const transport of ["stdio", "http", "sse"]) {
	sdks.find(({ name }) => name === "FastMCP 4").without[transport] = {
		"input required": modernOnly,
	};
}

export const languages = [...new Set(sdks.map(({ language }) => language))];

// The rows of some languages.
export function rowsOf(languages) {
	const wanted = sdks.filter(({ language }) => languages.includes(language));
	return wanted.flatMap((sdk) =>
		sdk.transports.map((transport) => ({
			...sdk,
			transport,
			title: `${sdk.name}, ${transport}`,
			era: sdk.eras?.[transport] ?? "legacy",
			missing: existsSync(sdk.needs) ? undefined : `there is no ${sdk.needs}`,
			without: {
				...(transport === "stdio" ? { restart: "that is for servers behind a url" } : {}),
				...sdk.without?.all,
				...sdk.without?.[transport],
			},
		})),
	);
}
