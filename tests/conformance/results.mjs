// The tables of results in docs/conformance.md, one for each side: reading, writing and comparing.
import fs from 'node:fs';
import path from 'node:path';
import { here, sets } from './suite.mjs';

const page = path.join(here, '..', '..', 'docs', 'conformance.md');
const marks = { passed: 'yes', failed: 'no', 'nothing checked': 'nothing checked', '': '' };
const sides = ['client', 'server'].map((side) => ({
  sets: sets.filter((set) => set.side === side),
  begin: `<!-- results: ${side} -->\n`,
  end: `<!-- /results: ${side} -->`,
}));

// The results that the page has: { set: { scenario: mark } }, marks as they stand in the table.
function recorded() {
  const text = fs.readFileSync(page, 'utf8');
  const found = Object.fromEntries(sets.map((set) => [set.name, {}]));
  for (const side of sides) {
    const table = text.slice(text.indexOf(side.begin) + side.begin.length, text.indexOf(side.end));
    for (const line of table.split('\n').filter((row) => row.startsWith('| `'))) {
      const [scenario, ...cells] = line.split('|').slice(1, -1).map((cell) => cell.trim());
      side.sets.forEach((set, i) => {
        const mark = cells[i]?.replace(' (not scored)', '');
        if (mark) found[set.name][scenario.replaceAll('`', '')] = mark;
      });
    }
  }
  return found;
}

function cell(result) {
  return result ? marks[result.verdict] + (result.scored ? '' : ' (not scored)') : '';
}

function summary(results) {
  const scored = Object.values(results).filter((result) => result.scored);
  return `${scored.filter((result) => result.verdict === 'passed').length} of ${scored.length}`;
}

function tableOf(columns, results) {
  const names = [...new Set(columns.flatMap((set) => Object.keys(results[set.name])))].sort();
  const row = (cells) => `| ${cells.join(' | ')} |\n`;
  let table = row(['scenario', ...columns.map((set) => set.column)]);
  table += row(['---', ...columns.map(() => '---')]);
  table += row(['**passed**', ...columns.map((set) => `**${summary(results[set.name])}**`)]);
  for (const name of names) {
    table += row([`\`${name}\``, ...columns.map((set) => cell(results[set.name][name]))]);
  }
  return table;
}

// Writes the whole table of each side all of whose sets did run; `results`: { set: { scenario:
// { verdict, scored } } }.
export function record(results) {
  for (const side of sides.filter((each) => each.sets.every((set) => results[set.name]))) {
    const text = fs.readFileSync(page, 'utf8');
    const head = text.slice(0, text.indexOf(side.begin) + side.begin.length);
    const table = tableOf(side.sets, results);
    fs.writeFileSync(page, `${head}\n${table}\n${text.slice(text.indexOf(side.end))}`);
  }
}

// What is not as the page says, a line each; sets and scenarios that did not run are left out.
export function differences(results) {
  const known = recorded();
  return sets.flatMap((set) =>
    Object.entries(results[set.name] ?? {})
      .filter(([name, result]) => known[set.name][name] !== marks[result.verdict])
      .map(([name, result]) => {
        const before = known[set.name][name] ?? 'not in the table';
        return `${set.name} ${name}: ${marks[result.verdict]}, docs/conformance.md says: ${before}`;
      }),
  );
}
