// run.mjs [--set NAME]... [--only REGEX] [--scored] [--write | --direct]: runs the sets (all, when
// none is named) and compares the results with docs/conformance.md; --write puts them there. What
// each scenario said is in build/conformance/SET/SCENARIO. PI_MCP_BINARY is the program. --direct
// runs the scenarios for servers on everything.mjs alone, which has to pass what is scored.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { differences, record } from './results.mjs';
import { open } from './sides.mjs';
import { here, scenarios, sets } from './suite.mjs';

const root = path.join(here, '..', '..');
const { values: options } = parseArgs({
  options: {
    set: { type: 'string', multiple: true },
    only: { type: 'string' },
    scored: { type: 'boolean' },
    write: { type: 'boolean' },
    direct: { type: 'boolean' },
  },
});
const program = path.resolve(
  process.env.PI_MCP_BINARY ?? path.join(root, 'build/release/pi-mcp'),
);

async function runSet(set) {
  const found = {};
  const side = await open(set, program, options.direct);
  for (const scenario of scenarios(set)) {
    const left = options.only && !new RegExp(options.only).test(scenario.name);
    if (left || (options.scored && !scenario.scored)) continue;
    const folder = path.join(root, 'build/conformance', set.name, scenario.name);
    const result = await side.run(scenario, folder);
    found[scenario.name] = { ...result, scored: scenario.scored };
    console.log(`${set.name} ${scenario.name}: ${result.verdict} (${result.ms} ms)`);
    for (const complaint of result.complaints) console.log(`    ${complaint.slice(0, 300)}`);
  }
  await side.close();
  const passed = Object.values(found).filter((result) => result.verdict === 'passed').length;
  console.log(`${set.name}: ${passed} of ${Object.keys(found).length} passed\n`);
  return found;
}

const named = (set) => !options.set || options.set.includes(set.name);
const wanted = sets.filter((set) => named(set) && !(options.direct && set.side === 'client'));
const unknown = (options.set ?? []).filter((name) => !sets.some((set) => set.name === name));
if (unknown.length > 0) {
  console.error(`no set ${unknown}; there are ${sets.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const results = {};
for (const set of wanted) results[set.name] = await runSet(set);
const failures = wanted.flatMap((set) =>
  Object.entries(results[set.name])
    .filter(([, result]) => result.scored && result.verdict !== 'passed')
    .map(([name]) => `${set.name} ${name}: not passed by everything.mjs alone`),
);
if (options.write) {
  record(results);
} else {
  const changed = options.direct ? failures : differences(results);
  console.log(changed.join('\n') || (options.direct ? 'all passed' : 'as in docs/conformance.md'));
  process.exitCode = changed.length > 0 ? 1 : 0;
}
