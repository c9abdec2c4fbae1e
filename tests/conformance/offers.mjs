// What the suite's scenarios for servers ask for, by the names that they use: the tools, prompts
// and resources of everything.mjs.
import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';

const words = (text) => ({ type: 'text', text });
const said = (text) => ({ content: [words(text)] });
const embedded = (uri, mimeType, text) => ({ type: 'resource', resource: { uri, mimeType, text } });
const picture = {
  type: 'image',
  mimeType: 'image/png',
  data:
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==',
};
const sound = {
  type: 'audio',
  mimeType: 'audio/wav',
  data: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==',
};
const contents = {
  test_simple_text: [words('This is a simple text response for testing.')],
  test_image_content: [picture],
  test_audio_content: [sound],
  test_embedded_resource: [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    words('Multiple content types test:'),
    picture,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_streaming_elicitation: [words('Nothing but this result was streamed.')],
};

const schemaOf = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const form = (message, ...schema) => ({
  mode: 'form',
  message,
  requestedSchema: schemaOf(...schema),
});
const thought = (text, maxTokens) => ({
  messages: [{ role: 'user', content: words(text) }],
  maxTokens,
});
const titled = (name, ...titles) =>
  titles.map((title, i) => ({ const: `${name}${i + 1}`, title }));
const options = ['option1', 'option2', 'option3'];

const forms = {
  test_elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled('value', 'First Option', 'Second Option') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled('value', 'First Choice', 'Second Choice') },
    },
  },
};
const answered = (start, { inputResponses }) => {
  const { action, content } = inputResponses?.form ?? {};
  return action && said(`${start}: action=${action}, content=${JSON.stringify(content ?? {})}`);
};

// Questions inside a result, as of revision 2026-07-28: { key: request }, the keys of the suite.
// The SDK asks them as requests where the revision is an older one.
const states = createRequestStateCodec({ key: randomBytes(32) });
const elicit = (...parts) => inputRequired.elicit(form(...parts));
const text = { type: 'string' };
const whatName = elicit('What is your name?', { name: text });
const confirm = elicit('Please confirm', { ok: { type: 'boolean' } });
const greeting = inputRequired.createMessage(thought('Generate a greeting', 50));
const roots = inputRequired.listRoots();
const ask = (inputRequests, requestState) => inputRequired({ inputRequests, requestState });
const accepted = ({ inputResponses }, key) => acceptedContent(inputResponses, key);

const asking = {
  elicitation(call) {
    const { name } = accepted(call, 'user_name') ?? {};
    return name ? said(`Hello, ${name}!`) : ask({ user_name: whatName });
  },
  sampling({ inputResponses }) {
    const { content } = inputResponses?.capital_question ?? {};
    if (content) return said(content.text);
    const question = thought('What is the capital of France?', 100);
    return ask({ capital_question: inputRequired.createMessage(question) });
  },
  list_roots({ inputResponses }) {
    const found = inputResponses?.client_roots?.roots;
    return found ? said(found.map(({ uri }) => uri).join(', ')) : ask({ client_roots: roots });
  },
  async request_state(call) {
    const isOver = call.requestState() && accepted(call, 'confirm');
    return isOver ? said('state-ok') : ask({ confirm }, await states.mint({ of: 'state' }));
  },
  async tampered_state(call) { // the SDK refuses what was not minted here
    const isOver = call.requestState() && accepted(call, 'confirm');
    return isOver ? said('untampered') : ask({ confirm }, await states.mint({ of: 'tampered' }));
  },
  async multiple_inputs(call) {
    const { greeting: greeted, client_roots } = call.inputResponses ?? {};
    const { name } = accepted(call, 'user_name') ?? {};
    if (name && greeted && client_roots && call.requestState()) {
      return said(`${greeted.content.text} ${name}, ${client_roots.roots.length} roots`);
    }
    const all = { user_name: whatName, greeting, client_roots: roots };
    return ask(all, await states.mint({ of: 'several' }));
  },
  async multi_round(call) {
    const { round, name } = call.requestState() ?? {};
    if (round === 2) return said(`${name} likes ${accepted(call, 'step2')?.color}`);
    if (round === 1) {
      const state = await states.mint({ round: 2, name: accepted(call, 'step1')?.name });
      return ask({ step2: elicit('Step 2: What is your favorite color?', { color: text }) }, state);
    }
    const state = await states.mint({ round: 1 });
    return ask({ step1: elicit('Step 1: What is your name?', { name: text }) }, state);
  },
  capabilities({ inputResponses, envelope }, server) {
    if (inputResponses) return said('answered');
    const { elicitation, sampling, roots: hasRoots } =
      envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
    const possible = {
      ...(elicitation && { user_name: whatName }),
      ...(sampling && { greeting }),
      ...(hasRoots && { client_roots: roots }),
    };
    return Object.keys(possible).length > 0 ? ask(possible) : said('nothing can be asked');
  },
};

function missingCapability({ inputResponses }) { // the SDK refuses to ask without `sampling`
  if (inputResponses) return said('answered');
  return ask({ thought: inputRequired.createMessage(thought('Say pong', 10)) });
}

async function withLogging(call) {
  for (const step of ['execution started', 'processing data', 'execution completed']) {
    await call.log('info', `Tool ${step}`);
  }
  return said('logged');
}

async function withProgress(call) {
  const { progressToken } = call._meta ?? {};
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    const params = { progressToken, progress, total: 100 };
    await call.notify({ method: 'notifications/progress', params });
  }
  return said('done');
}

const schema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: text, city: text },
    },
  },
  properties: {
    name: text,
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: text,
    email: text,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

function addTools(server, changed) {
  const add = (name, schema, run) => {
    const inputSchema = schema && fromJsonSchema(schema);
    server.registerTool(name, { description: `For scenarios: ${name}.`, inputSchema }, run);
  };
  const plain = (name, run) => add(name, undefined, (context) => run(context.mcpReq, context));
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  add('test_x_mcp_header', schemaOf({ region }, []), ({ region: given }) => said(`${given}`));
  for (const [name, content] of Object.entries(contents)) plain(name, () => ({ content }));
  plain('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  plain('test_tool_with_logging', withLogging);
  plain('test_logging_tool', withLogging);
  plain('test_tool_with_progress', withProgress);
  plain('test_reconnection', (_, { http }) => {
    http?.closeSSE?.(); // the result waits for the client that comes again
    return said('You came again.');
  });
  add('test_sampling', schemaOf({ prompt: text }), ({ prompt }, { mcpReq }) => {
    const { content } = mcpReq.inputResponses?.thought ?? {};
    if (content) return said(`LLM response: ${content.text}`);
    return ask({ thought: inputRequired.createMessage(thought(prompt, 100)) });
  });
  const who = { username: text, email: text };
  add('test_elicitation', schemaOf({ message: text }), ({ message }, { mcpReq }) =>
    answered('User response', mcpReq) ?? ask({ form: elicit(message, who) }));
  for (const [name, fields] of Object.entries(forms)) {
    plain(name, (call) =>
      answered('Elicitation completed', call) ?? ask({ form: elicit('Fill it in', fields, []) }));
  }
  add('json_schema_2020_12_tool', schema2020, (given) => said(JSON.stringify(given)));
  for (const [name, run] of Object.entries(asking)) {
    plain(`test_input_required_result_${name}`, (call) => run(call, server));
  }
  plain('test_missing_capability', missingCapability);
  for (const kind of ['tool', 'prompt']) {
    plain(`test_trigger_${kind}_change`, async () => {
      await changed(kind);
      return said('changed');
    });
  }
}

function addPrompts(server) {
  const add = (name, fields, run) => {
    const argsSchema = fields && fromJsonSchema(schemaOf(fields));
    server.registerPrompt(name, { description: `For scenarios: ${name}.`, argsSchema }, run);
  };
  const of = (...items) => ({ messages: items.map((content) => ({ role: 'user', content })) });
  add('test_simple_prompt', undefined, () => of(words('This is a simple prompt for testing.')));
  add('test_prompt_with_arguments', { arg1: text, arg2: text }, ({ arg1, arg2 }) =>
    of(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)));
  add('test_prompt_with_embedded_resource', { resourceUri: text }, ({ resourceUri }) =>
    of(
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      words('Please process the embedded resource above.'),
    ));
  add('test_prompt_with_image', undefined, () =>
    of(picture, words('Please analyze the image above.')));
  add('test_input_required_result_prompt', undefined, ({ mcpReq }) => {
    const { context } = accepted(mcpReq, 'user_context') ?? {};
    if (context) return of(words(`Use this: ${context}`));
    const question = 'What context should the prompt use?';
    return ask({ user_context: elicit(question, { context: text }) });
  });
  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['test', 'testing'].filter((value) => value.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
}

function addResources(server) {
  const add = (name, uri, mimeType, content) => {
    const about = { description: `For scenarios: ${name}.`, mimeType };
    server.registerResource(name, uri, about, ({ href }, variables) => ({
      contents: [{ uri: href, mimeType, ...content(variables) }],
    }));
  };
  const same = (words) => () => ({ text: words });
  add('static-text', 'test://static-text', 'text/plain', same('The content of the static text.'));
  add('static-binary', 'test://static-binary', 'image/png', () => ({ blob: picture.data }));
  add('watched-resource', 'test://watched-resource', 'text/plain', same('Watched content.'));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  add('template', template, 'application/json', ({ id }) => ({
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    server.server.setRequestHandler(method, () => ({}));
  }
}

// `changed(kind)` tells every client that the list of tools or of prompts is another one.
export function everything(changed) {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    logging: {},
    completions: {},
  };
  const requestState = { verify: states.verify };
  const info = { name: 'everything', version: '1.0.0' };
  const server = new McpServer(info, { capabilities, requestState });
  addTools(server, changed);
  addPrompts(server);
  addResources(server);
  return server;
}
