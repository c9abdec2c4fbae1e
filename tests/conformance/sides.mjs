// What the suite tests: pi-mcp as a client of its servers, and as a server of its clients. Each
// side: `run(scenario, folder)`, as suite.mjs gives it, and `close()`.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ended, gateway, listening } from './listening.mjs';
import { here, node, run, sets } from './suite.mjs';

// The environment of a person with an empty home.
function freshHome() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-mcp-conformance-'));
  return {
    PATH: process.env.PATH,
    HOME: home,
    PI_MCP_SHARED: 'off',
    PI_CODING_AGENT_DIR: path.join(home, 'agent'),
  };
}
const remove = (home) => fs.rmSync(home, { recursive: true, force: true });

// The suite starts client.mjs, which drives `program`, each time in a fresh home.
function asClient(set, program) {
  const command = `${process.execPath} ${path.join(here, 'client.mjs')}`;
  return {
    async run(scenario, folder) {
      const env = {
        ...freshHome(),
        PI_MCP_BINARY: program,
        ...(set.gateway && { PI_MCP_GATEWAY: 'on' }),
        MCP_OAUTH_CALLBACK_PORT: String(19900 + sets.indexOf(set)), // sets may run side by side
        BROWSER: `${process.execPath} ${path.join(here, 'browser.mjs')}`,
      };
      const result = await run(set, scenario, ['--command', command], env, folder);
      remove(env.HOME);
      return result;
    },
    async close() {},
  };
}

// everything.mjs alone: what fails here is not pi-mcp's failure.
async function direct(set) {
  const words = [path.join(here, 'everything.mjs')];
  const server = await listening(node, words, {}, 'stdout', /^(http:\S+)$/m);
  return {
    url: server.url,
    run: (scenario, folder) =>
      run(set, scenario, ['--url', server.url], { PATH: process.env.PATH }, folder),
    close: () => ended(server, (child) => child.stdin.end()),
  };
}

// One `pi-mcp serve --http` in front of everything.mjs for all scenarios of the set.
async function asServer(set, program) {
  const behind = await direct(set);
  const env = freshHome();
  const entry = { url: behind.url, ...(set.spoken && { protocolVersion: set.spoken }) };
  const file = path.join(env.HOME, 'mcp.json');
  fs.writeFileSync(file, JSON.stringify({ mcpServers: { everything: entry } }));
  const front = await gateway(program, file, env);
  const url = `${front.url}/servers/everything/mcp`;
  return {
    run: (scenario, folder) =>
      run(set, scenario, ['--url', url], { PATH: process.env.PATH }, folder),
    async close() {
      await ended(front, (child) => child.kill('SIGTERM'));
      await behind.close();
      remove(env.HOME);
    },
  };
}

// What a set tests of `program`. isDirect: everything.mjs, in place of pi-mcp in front of it.
export async function open(set, program, isDirect) {
  if (set.side === 'client') return asClient(set, program);
  return isDirect ? direct(set) : asServer(set, program);
}
