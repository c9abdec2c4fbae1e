// Runs scenarios of the official MCP conformance suite, strictly: one process of the suite for
// each, one after the other, so that warnings, exit statuses and timeouts count and nothing shares
// a port or a token.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.join(here, 'node_modules');
// The suite needs Node.js 22, Debian 12 has 18.
export const node = path.join(modules, `node-linux-${process.arch}`, 'bin', 'node');

// In the order of the columns of docs/conformance.md, where they stand under `column`. side: what
// the suite plays pi-mcp's counterpart of. `spoken` is the protocolVersion of the entry of the
// server that pi-mcp stands in front of.
const set = (side, column, suite, more) => ({ name: column, side, column, suite, ...more });
const behind = (requirements, revision, spoken) => {
  const column = requirements + (revision ? ` to ${revision}` : '');
  const name = `server-${column.replaceAll(' ', '-')}`;
  return set('server', column, 'suite-0.2', { name, requirements, spoken });
};
// `gateway`: pi-mcp as a client of pi-mcp over HTTP, which is the client of the suite.
const through = (requirements) =>
  set('client', `${requirements} over HTTP`, 'suite-0.2', {
    name: `gateway-${requirements}`,
    requirements,
    gateway: true,
  });
export const sets = [
  set('client', '0.1.16', 'suite-0.1'),
  set('client', '2025-11-25', 'suite-0.2', { requirements: '2025-11-25' }),
  set('client', '2026-07-28', 'suite-0.2', { requirements: '2026-07-28' }),
  set('client', '0.2.0-alpha.12', 'suite-0.2'),
  through('2025-11-25'),
  through('2026-07-28'),
  behind('2025-11-25'),
  behind('2026-07-28'),
  behind('2025-11-25', '2026-07-28', '2026-07-28'),
  behind('2026-07-28', '2025-11-25', 'legacy'),
];

function ask(set, ...words) {
  const program = path.join(modules, set.suite, 'dist', 'index.js');
  const { status, stdout, stderr } = spawnSync(node, [program, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${set.suite} ${words.join(' ')}: ${stderr}`);
  return stdout;
}

// [{ name, scored }]: the scenarios of a set. Scored are those that a requirement set demands; the
// others of it are extensions, wait for a decision, or came after it was frozen.
export function scenarios(set) {
  const listed = ask(set, 'list', `--${set.side}`);
  const all = [...listed.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name);
  if (!set.requirements) return all.map((name) => ({ name, scored: true }));
  const names = (text, pattern) => new Set([...text.matchAll(pattern)].map(([, n]) => n));
  const demands = ask(set, 'list', '--requirements', set.requirements);
  const [, ...sections] = demands.split(/^(?=(?:Client|Server) scenarios|Run and reported)/m);
  const section = (start) => sections.find((text) => text.toLowerCase().startsWith(start)) ?? '';
  const scored = names(section(set.side), /^ {2}- (\S+)/gm);
  const reported = section('run and reported').replaceAll(`[${set.side}]`, '[here]');
  const others = names(reported, /^ {4}- (\S+) \[here\]/gm);
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
  if (status !== 0 || some('FAILURE', 'WARNING')) return 'failed';
  return some('SUCCESS') ? 'passed' : 'nothing checked';
}

// Runs one scenario with more `words` of the suite's command line; what it said stays in `folder`.
// ms: how long it took.
export async function run(set, scenario, words, env, folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const program = path.join(modules, set.suite, 'dist', 'index.js');
  const all = [program, set.side, '-o', folder, '--scenario', scenario.name, ...words];
  if (set.requirements) all.push('--spec-version', set.requirements, '--force');
  const began = Date.now();
  const child = spawn(node, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const status = await new Promise((done) => child.on('close', done));
  fs.writeFileSync(path.join(folder, 'suite.txt'), said);
  const checks = checksIn(folder);
  const complaints = checks
    .filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
    .map((check) => `${check.status} ${check.id}: ${check.errorMessage ?? check.description}`);
  return { verdict: verdict(status, checks), complaints, ms: Date.now() - began };
}
