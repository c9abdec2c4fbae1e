#!/usr/bin/env python3
"""Measures servers configured with npx: through the resolver, and as written.

Usage: npx.py [--write]. Needs a release build, Node.js and the registry of npm. Prints Markdown;
--write puts it between the npx markers of docs/benchmarks.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from place import ROOT, commit

PRODUCT = os.environ.get("PI_MCP_BINARY", str(ROOT / "build/release/pi-mcp"))
PINNED = json.loads((ROOT / "tests/e2e/package.json").read_text())["dependencies"]
SERVERS = {name: f"@modelcontextprotocol/server-{name}"
           for name in ("everything", "filesystem", "memory")}
ROUNDS = 5


def pids_of(home):
    needle = f"HOME={home}\0".encode()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and needle in (entry / "environ").read_bytes():
                yield entry
        except OSError:
            pass  # it is gone, or somebody else's


def weigh(home):
    """(processes, PSS in MiB) of the servers alone: without pi-mcp and its keepers."""
    count, kilobytes = 0, 0
    for entry in pids_of(home):
        if not (entry / "comm").read_text().startswith("pi-mcp"):
            count += 1
            kilobytes += int(re.search(r"Pss:\s+(\d+)", (entry / "smaps_rollup").read_text())[1])
    return count, kilobytes / 1024


class Session:
    """One `pi-mcp serve` with the three servers, their npx started by these words."""

    def __init__(self, home, npx):
        self.home = home
        servers = {name: {"command": npx[0],
                          "args": [*npx[1:], "-y", f"{package}@{PINNED[package]}"]}
                   for name, package in SERVERS.items()}
        servers["filesystem"]["args"].append(str(home))
        agent = home / ".pi/agent"
        agent.mkdir(parents=True, exist_ok=True)
        (agent / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
        (agent / "mcp-cache.json").write_text('{"version":1,"servers":{}}')
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen([PRODUCT, "serve"], env=environment, cwd=home, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})

    def ask(self, method, params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == 1:
                return answer["result"]

    def connect(self, server):
        begun = time.monotonic()
        result = self.ask("tools/call", {"name": "mcp", "arguments": {"connect": server}})
        if result.get("isError"):
            raise SystemExit(result["content"][0]["text"])
        return time.monotonic() - begun

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        left = list(pids_of(self.home))
        if left:
            raise SystemExit(f"processes are left: {left}")


def measure(home, npx):
    """(processes, MiB, seconds to connect) of the three servers together."""
    session = Session(home, npx)
    seconds = sum(session.connect(server) for server in SERVERS)
    count, memory = weigh(home)
    session.close()
    return count, memory, seconds


def table():
    with tempfile.TemporaryDirectory(prefix="pi-mcp-npx-") as folder:
        home = pathlib.Path(folder)
        # A shell is not resolved.
        ways = {"as written": ["sh", "-c", 'exec npx "$@"', "sh"], "through the resolver": ["npx"]}
        measure(home, ways["as written"])  # installs
        rows = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, npx in ways.items():
                rows[way].append(measure(home, npx))
    lines = [f"At {commit()}, {datetime.date.today()}, {len(SERVERS)} servers "
             f"({', '.join(SERVERS)}), {ROUNDS} rounds, medians.", "",
             "| npx | processes | PSS MiB | connect, one after the other, s |", "|---|---|---|---|"]
    for way, samples in rows.items():
        count, memory, seconds = (statistics.median(column) for column in zip(*samples))
        lines.append(f"| {way} | {count} | {memory:.0f} | {seconds:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    text = table()
    print(text)
    if write:
        page = ROOT / "docs/benchmarks.md"
        parts = re.split(r"(?<=<!-- npx -->\n).*?(?=<!-- /npx -->)", page.read_text(), flags=re.S)
        page.write_text(f"{text}\n".join(parts))


if __name__ == "__main__":
    main()
