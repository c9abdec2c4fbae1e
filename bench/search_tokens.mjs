// Counts the tokens that an agent reads before it can make the right call (docs/search.md):
//
//   node bench/search_tokens.mjs FOLDER     FOLDER as for ./dev bench search
//
// Wants `./dev build` with the benchmarks and `npm ci` in tests/e2e, whose tokenizer (o200k) it
// takes.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { encode } from "../tests/e2e/node_modules/gpt-tokenizer/esm/encoding/o200k_base.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const countTokens = (text) => encode(text).length;
const folder = process.argv[2] ?? process.env.PI_MCP_SEARCH_SETS;
if (!folder) {
  console.error("give the folder of the query sets, or set PI_MCP_SEARCH_SETS");
  process.exit(2);
}

const sum = (texts) => texts.reduce((total, text) => total + countTokens(text), 0);
const sets = new Map();

function take(line) {
  if (line.catalog !== undefined) {
    sets.set(line.set, { all: countTokens(line.catalog), queries: 0, reached: 0, pages: 0,
                         first: 0, estimated: 0, shown: 0, whole: 0, describes: 0,
                         reference: { reached: 0, pages: 0, tokens: 0,
                                      both: 0, ours: 0, theirs: 0 } });
    return;
  }
  const set = sets.get(line.set);
  set.queries += 1;
  set.first += countTokens(line.answers[0] ?? "");
  set.estimated += (line.answers[0] ?? "").length / 4;
  const ours = sum(line.answers) + sum(line.describes);
  const { reference } = set;
  if (line.reference_reached) {
    const theirs = sum(line.reference);
    reference.reached += 1;
    reference.pages += line.reference.length;
    reference.tokens += theirs;
    if (line.reached) {
      reference.both += 1;
      reference.ours += ours;
      reference.theirs += theirs;
    }
  }
  if (!line.reached) {
    return;
  }
  set.reached += 1;
  set.pages += line.answers.length;
  set.describes += line.describes.length > 0 ? 1 : 0;
  set.shown += ours;
  set.whole += sum(line.whole);
}

const child = spawn(`${root}build/release/bench/bench_search`, [folder, "answers"],
                    { stdio: ["ignore", "pipe", "inherit"] });
for await (const line of createInterface({ input: child.stdout })) {
  take(JSON.parse(line));
}

console.log("| set | reached | pages | with describe | tokens | the same in full |"
  + " all tools listed | first page | characters / 4 |\n"
  + "|---|---:|---:|---:|---:|---:|---:|---:|---:|");
for (const [name, set] of sets) {
  const mean = (value) => Math.round(value / set.reached);
  console.log(`| ${name} | ${(100 * set.reached / set.queries).toFixed(1)} % | `
    + `${(set.pages / set.reached).toFixed(2)} | `
    + `${(100 * set.describes / set.reached).toFixed(0)} % | `
    + `${mean(set.shown)} | ${mean(set.whole)} | ${set.all} | `
    + `${Math.round(set.first / set.queries)} | ${Math.round(set.estimated / set.queries)} |`);
}

console.log("\n| set | the reference's order and text: reached | pages | tokens |"
  + " queries that both reach | ours | the reference's |\n|---|---:|---:|---:|---:|---:|---:|");
for (const [name, { queries, reference }] of sets) {
  console.log(`| ${name} | ${(100 * reference.reached / queries).toFixed(1)} % | `
    + `${(reference.pages / reference.reached).toFixed(2)} | `
    + `${Math.round(reference.tokens / reference.reached)} | ${reference.both} | `
    + `${Math.round(reference.ours / reference.both)} | `
    + `${Math.round(reference.theirs / reference.both)} |`);
}
