// A host of `pi-mcp serve`: asks it over standard input and output, and answers forms as a person
// who leaves them as they are and ticks what has to be ticked.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

function untouched({ properties = {} }) {
  const fields = Object.entries(properties)
    .filter(([, field]) => 'default' in field || field.type === 'boolean')
    .map(([name, field]) => [name, field.default ?? true]);
  return Object.fromEntries(fields);
}

export class Serve {
  // `words`: of the command line after `serve`.
  static async start(program, words, cwd) {
    const host = new Serve();
    const stdio = ['pipe', 'pipe', 'inherit'];
    host.child = spawn(program, ['serve', ...words], { cwd, stdio });
    host.waiting = new Map();
    host.last = 0;
    host.ended = new Promise((ended) => host.child.on('exit', ended));
    const lines = createInterface({ input: host.child.stdout });
    lines.on('line', (line) => host.#read(JSON.parse(line)));
    await host.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {} }, experimental: { 'pi-mcp/details': {} } },
      clientInfo: { name: 'conformance', version: '1' },
    });
    host.#write({ method: 'notifications/initialized' });
    return host;
  }

  #write(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read({ id, method, params, result, error }) {
    if (method === 'elicitation/create') {
      const content = untouched(params.requestedSchema);
      this.#write({ id, result: { action: 'accept', content } });
    } else if (method && id !== undefined) {
      this.#write({ id, error: { code: -32601, message: `no ${method}` } });
    } else if (!method) {
      const { done, failed } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) failed(new Error(JSON.stringify(error)));
      else done(result);
    }
  }

  ask(method, params) {
    const id = ++this.last;
    this.#write({ id, method, params });
    return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
  }

  // What the tool `mcp` answers: its details. `mayFail`: so may the call.
  async mcp(args, mayFail = false) {
    const call = { name: 'mcp', arguments: args };
    const { isError, content, _meta } = await this.ask('tools/call', call);
    const text = content.map((item) => item.text ?? item.type).join('\n');
    console.error(`${JSON.stringify(args).slice(0, 200)}: ${text.slice(0, 1000)}`);
    if (isError && !mayFail) throw new Error(text);
    return _meta['pi-mcp/details'];
  }

  // The exit status; the program ends because its standard input does.
  close() {
    this.child.stdin.end();
    return this.ended;
  }
}
