"""Puts a record into the pages: docs/benchmarks.json, docs/benchmarks.md and README.md."""
import json
import re

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
        return {"measures": {}}


def put_between(page, name, text):
    """Replaces what stands between <!-- name --> and <!-- /name -->."""
    whole = page.read_text()
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    if not re.search(pattern, whole, re.S):
        raise SystemExit(f"{page.name} has no markers called {name}")
    page.write_text(re.sub(pattern, lambda found: found[1] + text + found[2], whole, flags=re.S))


def head(record):
    machine = record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items()
                         if version)
    lines = [f"{record['when']}, {machine['processor']}, {machine['cores']} cores, "
             f"Linux {machine['kernel']}, `{record['command']}`.", ""]
    if record.get("provisional"):
        lines[:0] = [f"**Provisional**: {record['provisional']}", ""]
    return lines + [f"Versions: {versions}.", ""] if versions else lines


def measure_lines(name, found):
    tables = found.get("tables", [])
    columns = [table for table in tables if "column" in table]
    lines = [figures.markdown(table) for table in tables if table not in columns]
    if columns:
        lines.append(figures.side_by_side(columns))
    if "failed" in found:
        lines.append(f"### {name}\n\nNot measured: {found['failed']}\n")
    if lines:
        lines.append(f"{found['when']}, {found['rounds']} rounds, load {found['load']} before, "
                     f"{found['seconds']} s.\n")
    return lines


def page_text(record):
    parts = ["\n".join(head(record)), targets.markdown(record)]
    if record.get("not_driven"):
        rows = [f"| {name} | {why} |" for name, why in record["not_driven"]]
        parts.append("\n".join(["### Not driven", "", "| | because |", "|---|---|", *rows]) + "\n")
    for name, found in record["measures"].items():
        if name != PI:
            parts += measure_lines(name, found)
    return "\n".join(parts)


def nearest(record, place, work, lower_is_better=True):
    """(median, name) of the best peer of a table."""
    measure, number = place
    tables = record["measures"].get(measure, {}).get("tables", [])
    own = {"pi-mcp", "relay", "direct"}
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


def readme_text(content):
    record = targets.Record(content)
    machine = content["machine"]
    lines = [f"Medians of one run beside a relay that only copies bytes, and the fastest of the "
             f"peers on the same\nwork; {machine['cores']} cores, {content['when'][:10]}:", "",
             "| | relay | pi-mcp | fastest peer |", "|---|---|---|---|"]
    if content.get("provisional"):
        lines[:0] = [f"**Provisional**: {content['provisional']}", ""]
    for text, place, work, unit, lower in README_ROWS:
        cells = [with_unit(record.median(place, work, name), unit) for name in ("relay", "pi-mcp")]
        peer = nearest(content, place, work, lower)
        cells.append(f"{with_unit(peer[0], unit)} ({peer[1]})" if peer else "–")
        lines.append(f"| {text} | " + " | ".join(cells) + " |")
    for text, work in (("memory (PSS), 100 servers × 10 tools cached", "100 × 10 tools cached"),
                       ("memory (PSS) after 10 servers were used", "10 servers used once")):
        value = record.median(("memory_use", 0), work, "pi-mcp: PSS")
        lines.append(f"| {text} | | {with_unit(value, 'MiB')} | |")
    return "\n".join(lines) + "\n"


def with_unit(value, unit):
    return f"{figures.figure(value)} {unit}".strip() if value is not None else "–"


def write(record):
    text = json.dumps(record, indent=1, ensure_ascii=False)
    one_line = re.compile(r'\{\s+"work".*?\}', re.S)
    RECORD.write_text(one_line.sub(lambda row: re.sub(r"\s+", " ", row[0]), text) + "\n")
    put_between(PAGE, "numbers", page_text(record))
    found = record["measures"].get(PI)
    if found:
        put_between(PAGE, PI, "\n".join(measure_lines(PI, found)))
    put_between(README, "measured", readme_text(record))
