"""Puts a record into the pages: docs/benchmarks.json, docs/benchmarks.md and README.md. Run as a
program it fails when they do not say what the record says."""
import json
import re
import sys

import figures
import targets
from place import ROOT

RECORD = ROOT / "docs/benchmarks.json"
PAGE = ROOT / "docs/benchmarks.md"
README = ROOT / "README.md"
PI = "pi"  # the measure that has a section of its own


def load():
    try:
        return json.loads(RECORD.read_text())
    except OSError:
        return {"runs": {}, "measures": {}}


def with_between(whole, name, text):
    """A page with another text between <!-- name --> and <!-- /name -->."""
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    if not re.search(pattern, whole, re.S):
        raise SystemExit(f"a page has no markers called {name}")
    return re.sub(pattern, lambda found: found[1] + text + found[2], whole, flags=re.S)


def named(run, names):
    """Who measured what: one paragraph of the head."""
    machine = run["machine"]
    where = f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}"
    command = f"`{run['command']}`" if run["command"] else "by a command that was not recorded"
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items()
                         if version)
    lines = [f"At {run['commit']}, {run['date']}, {where}, {command}: {', '.join(names)}. "
             f"Versions: {versions}.", ""]
    if run.get("provisional"):
        lines[:0] = [f"**Provisional**: {run['provisional']}", ""]
    return lines


def head(record):
    """Each run of which there still are figures, and which."""
    lines = []
    for name, run in sorted(record["runs"].items()):
        lines += named(run, [measure for measure, found in record["measures"].items()
                             if found["run"] == name])
    return lines


def not_driven(record):
    return sorted({tuple(row) for run in record["runs"].values() for row in run["not_driven"]})


def measure_lines(name, found):
    tables = found.get("tables", [])
    columns = [table for table in tables if "column" in table]
    lines = [figures.markdown(table) for table in tables if table not in columns]
    if columns:
        lines.append(figures.side_by_side(columns))
    if "failed" in found:
        lines.append(f"### {name}\n\nNot measured: {found['failed']}\n")
    if lines:
        lines.append(f"At {found['commit']}, {found['date']}, {found['rounds']} rounds, load "
                     f"{found['load']} before, {found['seconds']} s.\n")
    return lines


def page_text(record):
    parts = ["\n".join(head(record)), targets.markdown(record)]
    if not_driven(record):
        rows = [f"| {name} | {why} |" for name, why in not_driven(record)]
        parts.append("\n".join(["### Not driven", "", "| | because |", "|---|---|", *rows]) + "\n")
    for name, found in record["measures"].items():
        if name != PI:
            parts += measure_lines(name, found)
    return "\n".join(parts)


def nearest(record, place, work, lower_is_better=True):
    """(median, name) of the best peer of a table."""
    measure, number = place
    tables = record["measures"].get(measure, {}).get("tables", [])
    own = {"pi-mcp", figures.APART, "pi-mcp, shared", "relay", "direct"}
    rows = [row for row in (tables[number]["rows"] if number < len(tables) else [])
            if row["work"] == work and row["subject"] not in own and "failed" not in row]
    if not rows:
        return None
    best = (min if lower_is_better else max)(rows, key=lambda row: row["median"])
    return best["median"], best["subject"]


README_ROWS = [
    ("started → tools listed, 100 servers × 10 tools in the cache", ("start", 0),
     "100 servers × 10 tools", "ms", True),
    ("one call after the other, each", ("calls", 0), "", "µs", True),
    ("calls per second, 64 in flight", ("in_flight", 0), "", "", False),
    ("a result of 5 MB", ("payloads", 0), "5 MB text", "ms", True),
    ("an argument of 5 MB", ("payloads", 0), "5 MB argument", "ms", True),
    ("one call from a shell, everything included", ("one_shot", 0), "", "ms", True),
]


README_MEASURES = list(dict.fromkeys([row[1][0] for row in README_ROWS] + ["memory_use"]))


def provenance(content):
    """Of which commit the figures of README are; one run only if all come from one command."""
    used = [content["measures"][name] for name in README_MEASURES if name in content["measures"]]
    runs = {found["run"] for found in used}
    places = sorted({f"{found['commit']} ({found['date'][:10]})" for found in used})
    cores = sorted({content["runs"][run]["machine"]["cores"] for run in runs})
    one_run = len(runs) == 1 and content["runs"][min(runs)]["command"]
    return (f"Medians{' of one run' if one_run else ''} at {', '.join(places)} on "
            f"{' or '.join(map(str, cores))} cores,")


def unmet_lines(content):
    missed = targets.unmet(content)
    if not missed:
        return ["", "All targets of `docs/benchmarks.md` are met."]
    return ["", "Targets that are not met:", "",
            *(f"- {what}: {shown}, the target is {target}" for what, shown, target in missed)]


def readme_text(content):
    record = targets.Record(content)
    lines = [provenance(content), "beside a relay that only copies bytes, and the fastest of the "
             "peers on the same work:", "",
             "| | relay | pi-mcp | fastest peer |", "|---|---|---|---|"]
    reasons = {run["provisional"] for run in content["runs"].values() if run.get("provisional")}
    for reason in sorted(reasons):
        lines[:0] = [f"**Provisional**: {reason}", ""]
    for text, place, work, unit, lower in README_ROWS:
        cells = [with_unit(record.median(place, work, name), unit) for name in ("relay", "pi-mcp")]
        peer = nearest(content, place, work, lower)
        cells.append(f"{with_unit(peer[0], unit)} ({peer[1]})" if peer else "–")
        lines.append(f"| {text} | " + " | ".join(cells) + " |")
    for text, work in (("memory (PSS), 100 servers × 10 tools cached", "100 × 10 tools cached"),
                       ("memory (PSS) after 10 servers were used", "10 servers used once")):
        value = record.median(("memory_use", 0), work, "pi-mcp: PSS")
        lines.append(f"| {text} | | {with_unit(value, 'MiB')} | |")
    return "\n".join(lines + unmet_lines(content)) + "\n"


def with_unit(value, unit):
    return f"{figures.figure(value)} {unit}".strip() if value is not None else "–"


def made_of(record):
    """{page: what it has to be} of a record."""
    text = with_between(PAGE.read_text(), "numbers", page_text(record))
    if found := record["measures"].get(PI):
        text = with_between(text, PI, "\n".join(measure_lines(PI, found)))
    return {PAGE: text, README: with_between(README.read_text(), "measured", readme_text(record))}


def write(record):
    text = json.dumps(record, indent=1, ensure_ascii=False)
    one_line = re.compile(r'\{\s+"work".*?\}', re.S)
    RECORD.write_text(one_line.sub(lambda row: re.sub(r"\s+", " ", row[0]), text) + "\n")
    for page, made in made_of(record).items():
        page.write_text(made)


def main():
    """Whether the pages say what the record says."""
    drifted = [page.name for page, made in made_of(load()).items() if made != page.read_text()]
    for name in drifted:
        print(f"{name} does not say what {RECORD.name} says: ./dev bench full --render")
    return not drifted


if __name__ == "__main__":
    sys.exit(not main())
