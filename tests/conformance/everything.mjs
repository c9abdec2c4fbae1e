// The server that the suite's scenarios for servers want, on the official SDK: Streamable HTTP for
// the revisions with sessions and for 2026-07-28. It listens on a free port of 127.0.0.1, prints
// its URL and ends with its standard input.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { everything } from './offers.mjs';

const sessions = new Map(); // of the revisions that have them: { link, server } by id

async function changed(kind) {
  const name = kind === 'tool' ? 'ToolListChanged' : 'PromptListChanged';
  for (const { server } of sessions.values()) await server.server[`send${name}`]();
  if (kind === 'tool') modern.notify.toolsChanged();
  else modern.notify.promptsChanged();
}
const modern = createMcpHandler(() => everything(changed), { legacy: 'reject' });

// What was sent in one session, for clients that come again; an id is a place in it.
function memory() {
  const events = [];
  return {
    async storeEvent(stream, message) {
      events.push({ stream, message });
      return String(events.length - 1);
    },
    async replayEventsAfter(last, { send }) {
      const { stream } = events[Number(last)];
      for (let id = Number(last) + 1; id < events.length; id += 1) {
        const event = events[id];
        // An event without a method or an id only gives the stream a place to begin at.
        const isMessage = 'method' in event.message || 'id' in event.message;
        if (event.stream === stream && isMessage) await send(String(id), event.message);
      }
      return stream;
    },
  };
}

async function open() {
  const link = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: memory(),
    retryInterval: 500,
    onsessioninitialized: (id) => sessions.set(id, { link, server }),
    onsessionclosed: (id) => sessions.delete(id),
  });
  const server = everything(changed);
  await server.connect(link);
  return link;
}

async function legacy(request, response, body) {
  const id = request.headers['mcp-session-id'];
  if (id && !sessions.has(id)) {
    const error = { code: -32001, message: 'Session not found' };
    response.writeHead(404, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  }
  const link = id ? sessions.get(id).link : await open();
  await link.handleRequest(request, response, body);
}

async function bodyOf(request) {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body ? JSON.parse(body) : undefined;
}

const guards = [localhostHostValidation(), localhostOriginValidation()];
const listener = createServer(async (request, response) => {
  if (!guards.every((guard) => guard(request, response))) return;
  const body = await bodyOf(request);
  const isLegacy = await isLegacyRequest(await toWebRequest(request, body), body);
  if (isLegacy) await legacy(request, response, body);
  else await toNodeHandler(modern)(request, response, body);
});
listener.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${listener.address().port}/mcp`);
});
process.stdin.resume().on('end', () => process.exit(0));
