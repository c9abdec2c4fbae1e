"""Measures that other programs of this repository make: search, and the real Pi."""
import json
import os
import re
import shutil
import tempfile

from figures import Table
from place import BUILD, ROOT, Failed, execute

PI_SECONDS = 420
NODE_OF_PI = ROOT / "tests/pi/node_modules"


def search(bench):
    """Needs the query sets, which are not part of the repository: PI_MCP_SEARCH_SETS names them."""
    folder = os.environ.get("PI_MCP_SEARCH_SETS")
    if not folder:
        raise Failed("PI_MCP_SEARCH_SETS names no folder of query sets")
    said = execute([str(BUILD / "bench/bench_search"), folder, "speed"], None, ROOT, 300).decode()
    table = Table("Search, processor time of one query", "ms", "size", base=None)
    for tools, ready, middle, slow, _ in re.findall(
            r"^\| (\d+) \| ([\d.]+) ms \| ([\d.]+) ms \| ([\d.]+) ms \| ([\d.]+) MB", said, re.M):
        work = f"{int(tools):,} tools"
        table.add(work, "p50", [float(middle)])
        table.add(work, "p95", [float(slow)])
        table.add(work, "ready, once", [float(ready)])
    return [table]


# Key of a sample: head of its column in the one table of Pi.
PI_COLUMNS = {
    "ready": "ready ms", "first": "first call ms", "call": "next calls ms",
    "requestBytes": "first request B", "tokens": "its tokens", "rss": "RSS MiB", "pss": "PSS MiB",
    "processes": "processes", "servers": "and servers",
}


def pi(bench):
    """Pi alone, with an empty extension and with every way to MCP: bench/pi.mjs."""
    node = shutil.which("node")
    if not node or not NODE_OF_PI.exists():
        raise Failed("Pi is not installed; ./dev bench full does that, given Node.js and npm")
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        env = {**os.environ, "ROUNDS": str(max(2, bench.rounds // 2)),
               "PI_MCP_BINARY": str(BUILD / "pi-mcp")}
        execute([node, str(ROOT / "bench/pi.mjs"), "--json", report.name], env, ROOT, PI_SECONDS)
        seen = json.load(report)
    started = Table("Pi started → its state answered, 10 servers", "ms", base="Pi alone")
    asked = Table("Pi started and prompted → its first request to the model, 10 servers", "ms",
                  base="Pi alone")
    for key, table in (("ready", started), ("request", asked)):
        for row in seen["starts"]:
            if row.get("failed"):
                table.fail("", row["subject"], row["failed"])
            else:
                table.add("", row["subject"], [sample[key] for sample in row["samples"]])
    columns = {key: Table("", "", "size", base=None) for key in PI_COLUMNS}
    for row in seen["rows"]:
        work = f"{row['servers']} server{'s' if row['servers'] > 1 else ''}"
        for key, table in columns.items():
            values = [s[key] for s in row["samples"] if s.get(key) is not None]
            if row.get("failed"):
                table.fail(work, row["subject"], row["failed"])
            elif values:
                table.add(work, row["subject"], values)
    for key, table in columns.items():
        table.head["column"] = PI_COLUMNS[key]
    columns["ready"].head["note"] = (
        "RSS, PSS and processes are those of Pi and its helpers after the calls, servers left out.")
    return [started, asked, *columns.values()]
