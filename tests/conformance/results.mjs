// The table of results in docs/conformance.md: reading, writing and comparing it.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const page = path.join(root, 'docs', 'conformance.md');
const begin = '<!-- results -->\n';
const end = '<!-- /results -->';
const marks = { passed: 'yes', failed: 'no', 'nothing checked': 'nothing checked', '': '' };

// The results that the page has: { set: { scenario: mark } }, marks as they stand in the table.
export function recorded(sets) {
  const text = fs.readFileSync(page, 'utf8');
  const table = text.slice(text.indexOf(begin) + begin.length, text.indexOf(end));
  const found = Object.fromEntries(sets.map((set) => [set.name, {}]));
  for (const line of table.split('\n').filter((row) => row.startsWith('| `'))) {
    const [scenario, ...cells] = line.split('|').slice(1, -1).map((cell) => cell.trim());
    sets.forEach((set, i) => {
      const mark = cells[i].replace(' (not scored)', '');
      if (mark) found[set.name][scenario.replaceAll('`', '')] = mark;
    });
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

// Writes the whole table; `results`: { set: { scenario: { verdict, scored } } }.
export function record(sets, results) {
  const names = [...new Set(sets.flatMap((set) => Object.keys(results[set.name])))].sort();
  const row = (cells) => `| ${cells.join(' | ')} |\n`;
  let table = row(['scenario', ...sets.map((set) => set.name)]);
  table += row(['---', ...sets.map(() => '---')]);
  table += row(['**passed**', ...sets.map((set) => `**${summary(results[set.name])}**`)]);
  for (const name of names) {
    table += row([`\`${name}\``, ...sets.map((set) => cell(results[set.name][name]))]);
  }
  const text = fs.readFileSync(page, 'utf8');
  const head = text.slice(0, text.indexOf(begin) + begin.length);
  fs.writeFileSync(page, `${head}\n${table}\n${text.slice(text.indexOf(end))}`);
}

// What is not as the page says, a line each; sets and scenarios that did not run are left out.
// `sets` are all of them, in the order of the columns.
export function differences(sets, results) {
  const known = recorded(sets);
  return sets.flatMap((set) =>
    Object.entries(results[set.name] ?? {})
      .filter(([name, result]) => known[set.name][name] !== marks[result.verdict])
      .map(([name, result]) => {
        const before = known[set.name][name] ?? 'not in the table';
        return `${set.name} ${name}: ${marks[result.verdict]}, docs/conformance.md says: ${before}`;
      }),
  );
}
