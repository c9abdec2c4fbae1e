// A program built on Pi's library, whose user trusts the folder between two prompts of one session:
// library_host.mjs LIBRARY EXTENSION AGENT_DIR
const [, , library, extension, agentDir] = process.argv;
const cwd = process.cwd();
const pi = await import(library);
const settingsManager = pi.SettingsManager.create(cwd, agentDir, { projectTrusted: false });
const resourceLoader = new pi.DefaultResourceLoader({
	cwd,
	agentDir,
	settingsManager,
	additionalExtensionPaths: [extension],
});
await resourceLoader.reload();
const sessionManager = pi.SessionManager.inMemory(cwd);
const options = { cwd, agentDir, settingsManager, resourceLoader, sessionManager };
const { session } = await pi.createAgentSession(options);
await session.bindExtensions({});
await session.prompt("go");
settingsManager.setProjectTrusted(true);
await session.prompt("go");
session.dispose();
process.exit(0); // the end of its pipes ends the gateway
