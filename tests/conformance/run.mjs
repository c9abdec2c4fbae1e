// run.mjs [--set NAME]... [--only REGEX] [--scored] [--write]: runs the sets (all, when none is
// named) and compares the results with docs/conformance.md; --write puts them there. What each
// scenario said is in build/conformance/SET/SCENARIO. PI_MCP_BINARY is the program whose `serve`
// the suite's client drives (client.mjs).
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { differences, record } from './results.mjs';
import { run, scenarios, sets } from './suite.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options } = parseArgs({
  options: {
    set: { type: 'string', multiple: true },
    only: { type: 'string' },
    scored: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});
const program = path.resolve(
  process.env.PI_MCP_BINARY ?? path.join(root, 'build/release/pi-mcp'),
);

async function runSet(set) {
  const found = {};
  for (const scenario of scenarios(set)) {
    const left = options.only && !new RegExp(options.only).test(scenario.name);
    if (left || (options.scored && !scenario.scored)) continue;
    const folder = path.join(root, 'build/conformance', set.name, scenario.name);
    const result = await run(set, scenario, program, folder);
    found[scenario.name] = { ...result, scored: scenario.scored };
    console.log(`${set.name} ${scenario.name}: ${result.verdict} (${result.ms} ms)`);
    for (const complaint of result.complaints) console.log(`    ${complaint.slice(0, 300)}`);
  }
  const passed = Object.values(found).filter((result) => result.verdict === 'passed').length;
  console.log(`${set.name}: ${passed} of ${Object.keys(found).length} passed\n`);
  return found;
}

const wanted = sets.filter((set) => !options.set || options.set.includes(set.name));
const results = {};
for (const set of wanted) results[set.name] = await runSet(set);
if (options.write) {
  record(sets, results);
} else {
  const changed = differences(sets, results);
  console.log(changed.join('\n') || 'as in docs/conformance.md');
  process.exitCode = changed.length > 0 ? 1 : 0;
}
