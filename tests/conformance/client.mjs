// client.mjs URL: what the official suite starts, once for each scenario. It writes the
// configuration that a person would write for such a server, starts the real `pi-mcp serve`
// (PI_MCP_BINARY) and drives it as a host does: it has no protocol code of its own towards the
// server. The suite leaves one thing to a client, and that is here: what to do in each scenario.
// With PI_MCP_GATEWAY the server is reached through a second one, `pi-mcp serve --http`.
// Ends with 0 when all of it succeeded, with 2 for a scenario without a plan.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, gateway } from './listening.mjs';
import { Serve } from './serve.mjs';

const { HOME, MCP_CONFORMANCE_SCENARIO: scenario, PI_MCP_BINARY, PI_MCP_GATEWAY } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

function oauth() {
  const given = {
    clientId: context.client_id,
    clientSecret: context.client_secret,
    privateKey: context.private_key_pem,
  };
  if (context.idp_id_token) {
    const { idp_issuer: issuer, idp_client_id: clientId, idp_id_token: idToken } = context;
    return { ...given, grantType: 'cross_app_access', idp: { issuer, clientId, idToken } };
  }
  if (scenario.startsWith('auth/client-credentials-')) {
    return { ...given, grantType: 'client_credentials' };
  }
  const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json'; // the suite's
  return { ...given, clientMetadataUrl };
}

function write(name, entry) {
  const file = join(HOME, name);
  const settings = { autoAuth: true, toolPrefix: 'none' };
  writeFileSync(file, JSON.stringify({ settings, mcpServers: { conformance: entry } }));
  return file;
}

const call = (tool, args = {}, mayFail = false) => ({ tool, args, mayFail });
const only = (tool, args) => ({ calls: () => [call(tool, args)] });

// `looks`: only the handshake and the lists count. `calls`: of the names of the tools.
const plans = {
  initialize: { looks: true },
  'request-metadata': { looks: true },
  'json-schema-ref-no-deref': { looks: true },
  tools_call: only('add_numbers', { a: 5, b: 3 }),
  'sse-retry': only('test_reconnection'),
  'elicitation-sep1034-client-defaults': only('test_client_elicitation_defaults'),
  'http-standard-headers': { calls: (tools) => tools.map((tool) => call(tool)), prompt: true },
  'http-custom-headers': {
    calls: () => context.toolCalls.map(({ name, arguments: args }) => call(name, args)),
  },
  'http-invalid-tool-headers': {
    calls: (tools) => tools.map((tool) => call(tool, { region: 'us' })),
  },
  'json-schema-2020-12-preservation': {
    async calls() {
      const { tool } = await host.mcp({ describe: 'json_schema_2020_12_tool' });
      return [call('json_schema_echo', { schema: tool.inputSchema })];
    },
  },
  'sep-2322-client-request-state': {
    calls: () => [
      ...['echo_state', 'no_state', 'unrelated'].map((name) => call(`test_mrtr_${name}`)),
      call('test_mrtr_no_result_type', {}, true),
    ],
  },
};
const plan = plans[scenario] ?? (scenario.startsWith('auth/') ? only('test-tool') : undefined);
if (!plan) {
  console.error(`there is no plan for the scenario ${scenario}`);
  process.exit(2);
}

const login = scenario.startsWith('auth/') ? { auth: 'oauth', oauth: oauth() } : {};
let file = write('mcp.json', { url: process.argv.at(-1), ...login });
const between = PI_MCP_GATEWAY && (await gateway(PI_MCP_BINARY, file, process.env));
if (between) file = write('front.json', { url: `${between.url}/servers/conformance/mcp` });
if (between) { // it has no pipe whose end it would see, should a scenario fail or be given up
  process.on('exit', () => between.child.kill());
  process.on('SIGTERM', () => process.exit(1));
}
const host = await Serve.start(PI_MCP_BINARY, ['--config', file], HOME);
await host.mcp({ connect: 'conformance' }, true); // the first call says why, should it have failed
if (!plan.looks) {
  const { tools = [] } = await host.mcp({ server: 'conformance' }, true);
  for (const { mayFail, ...wanted } of await plan.calls(tools)) await host.mcp(wanted, mayFail);
}
if (plan.prompt) {
  const { prompts } = await host.ask('prompts/list');
  await host.ask('prompts/get', { name: prompts[0].name });
}
process.exitCode = await host.close();
if (between) {
  console.error(between.said());
  await ended(between, (child) => child.kill('SIGTERM'));
}
