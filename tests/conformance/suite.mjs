// Runs scenarios of the official MCP conformance suite against `pi-mcp serve`, strictly: one
// process of the suite for each, one after the other, so that warnings, exit statuses and timeouts
// count and nothing shares a port or a token.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.join(here, 'node_modules');
// The suite needs Node.js 22, Debian 12 has 18.
const node = path.join(modules, `node-linux-${process.arch}`, 'bin', 'node');

// In the order of the columns of docs/conformance.md.
export const sets = [
  { name: '0.1.16', suite: 'suite-0.1' },
  { name: '2025-11-25', suite: 'suite-0.2', requirements: true },
  { name: '2026-07-28', suite: 'suite-0.2', requirements: true },
  { name: '0.2.0-alpha.12', suite: 'suite-0.2' },
];

function ask(set, ...words) {
  const program = path.join(modules, set.suite, 'dist', 'index.js');
  const { status, stdout, stderr } = spawnSync(node, [program, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${set.suite} ${words.join(' ')}: ${stderr}`);
  return stdout;
}

// [{ name, scored }]: the scenarios for clients of a set. Scored are those that a requirement set
// demands; the others of it are extensions, or came after it was frozen.
export function scenarios(set) {
  const all = [...ask(set, 'list', '--client').matchAll(/^ {2}- (\S+) \[/gm)].map(([, n]) => n);
  if (!set.requirements) return all.map((name) => ({ name, scored: true }));
  const listed = ask(set, 'list', '--requirements', set.name).split(/^Client scenarios.*/m)[1];
  const [demanded, reported = ''] = listed.split('Run and reported');
  const names = (text, pattern) => new Set([...text.matchAll(pattern)].map(([, n]) => n));
  const scored = names(demanded, /^ {2}- (\S+)/gm);
  const others = names(reported, /^ {4}- (\S+) \[client\]/gm);
  return all
    .filter((name) => scored.has(name) || others.has(name))
    .map((name) => ({ name, scored: scored.has(name) }));
}

function checksIn(folder) {
  const files = fs.readdirSync(folder, { recursive: true }).map(String);
  const file = files.find((name) => path.basename(name) === 'checks.json');
  return file ? JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')) : [];
}

function verdict(status, checks) {
  const some = (...kinds) => checks.some((check) => kinds.includes(check.status));
  if (status !== 0) return 'failed';
  return some('SUCCESS', 'FAILURE', 'WARNING') ? 'passed' : 'nothing checked';
}

// Runs one scenario with `program`; what the suite and the client said stays in `folder`. ms: how
// long it took.
export async function run(set, scenario, program, folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-mcp-conformance-'));
  const words = [path.join(modules, set.suite, 'dist', 'index.js'), 'client', '-o', folder];
  const client = `${process.execPath} ${path.join(here, 'client.mjs')}`;
  words.push('--command', client, '--scenario', scenario.name);
  if (set.requirements) words.push('--spec-version', set.name, '--force');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    PI_MCP_BINARY: program,
    PI_MCP_SHARED: 'off',
    PI_CODING_AGENT_DIR: path.join(home, 'agent'),
    MCP_OAUTH_CALLBACK_PORT: String(19900 + sets.indexOf(set)), // sets may run side by side
    BROWSER: `${process.execPath} ${path.join(here, 'browser.mjs')}`,
  };
  const began = Date.now();
  const child = spawn(node, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const status = await new Promise((done) => child.on('close', done));
  fs.writeFileSync(path.join(folder, 'suite.txt'), said);
  fs.rmSync(home, { recursive: true, force: true });
  const checks = checksIn(folder);
  const complaints = checks
    .filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
    .map((check) => `${check.status} ${check.id}: ${check.errorMessage ?? check.description}`);
  return { verdict: verdict(status, checks), complaints, said, ms: Date.now() - began };
}
