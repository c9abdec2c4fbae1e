#!/usr/bin/env python3
"""Measures pi-mcp beside a relay that only copies bytes, in turn, in one run.

Usage: run.py [--rounds N] [--write]. Needs a release build. Prints Markdown, leaves every sample in
build/bench.json; --write also puts the tables between the markers of docs/benchmarks.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
PRODUCT = str(BUILD / "pi-mcp")
DRIVER, RELAY, SERVER = (str(BUILD / "bench" / f"bench_{name}")
                         for name in ("driver", "relay", "fast_server"))
ONE_CORE = ["taskset", "-c", "1"] if shutil.which("taskset") and os.cpu_count() > 1 else []
MIB = 1 << 20


class Place:
    """A home directory with `count` configured servers whose tools are in the metadata cache."""

    def __init__(self, count, tools, settings=None):
        self.folder = tempfile.TemporaryDirectory(prefix="pi-mcp-bench-")
        home = pathlib.Path(self.folder.name)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        servers = {f"s{i}": {"command": SERVER, "args": ["--name", f"s{i}", "--tools", str(tools)]}
                   for i in range(count)}
        agent = home / ".pi/agent"
        agent.mkdir(parents=True)
        config = {"mcpServers": servers, "settings": settings or {}}
        (agent / "mcp.json").write_text(json.dumps(config))
        (agent / "mcp-cache.json").write_text('{"version":1,"servers":{}}')
        self.run(PRODUCT, "connect", "--all", "--quiet")

    def run(self, *command):
        done = subprocess.run(command, env=self.env, cwd=self.folder.name, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stderr.decode()}{done.stdout.decode()}")
        return done.stdout

    def drive(self, command, params=None, pin=ONE_CORE, **options):
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        if params:
            words += ["--params", json.dumps(params)]
        return json.loads(self.run(*pin, DRIVER, *words, "--", *command))


DIRECT = [SERVER]
FLOOR = [RELAY, SERVER]
SERVE = [PRODUCT, "serve"]


def direct_call(tool, **arguments):
    return {"name": tool, "arguments": arguments}


def gateway_call(tool, **arguments):
    return {"name": "mcp", "arguments": {"tool": f"s0_{tool}", "args": arguments}}


def summary(samples):
    """(median, 95th percentile) of the samples."""
    ordered = sorted(samples)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def alternate(rounds, **subjects):
    """Runs every subject once a round, so that a noisy minute hits all alike."""
    results = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, subject in subjects.items():
            results[name].append(subject())
    return results


def table(title, unit, results, note=""):
    """One table; ratios are to the row called relay, or to the first."""
    base = summary(results.get("relay") or next(iter(results.values())))[0]
    lines = [f"### {title}", "", f"| | median {unit} | p95 | × relay |", "|---|---|---|---|"]
    for name, samples in results.items():
        median, p95 = summary(samples)
        lines.append(f"| {name} | {median:.4g} | {p95:.4g} | {median / base:.2f} |")
    return "\n".join(lines + ["", note] if note else lines) + "\n"


def cold_start(rounds):
    place = Place(100, 10)
    results = alternate(
        rounds * 3,
        relay=lambda: place.drive(FLOOR, pin=[], calls=0)["list_ms"],
        **{"pi-mcp serve": lambda: place.drive(SERVE, pin=[], calls=0)["list_ms"]})
    return table("Process started → tools/list answered, 100 cached servers × 10 tools", "ms",
                 results), results


def calls(rounds):
    place = Place(1, 2)
    count = {"calls": 1000, "warm": 100}
    runs = alternate(
        rounds,
        direct=lambda: place.drive(DIRECT, direct_call("echo", text="x"), **count)["us"],
        relay=lambda: place.drive(FLOOR, direct_call("echo", text="x"), **count)["us"],
        **{"pi-mcp": lambda: place.drive(SERVE, gateway_call("echo", text="x"), **count)["us"]})
    results = {name: [t for run in samples for t in run] for name, samples in runs.items()}
    direct, relay, ours = (statistics.median(results[n]) for n in ("direct", "relay", "pi-mcp"))
    note = (f"Added by the relay {relay - direct:.1f} µs, by pi-mcp {ours - direct:.1f} µs: "
            f"{(ours - direct) / (relay - direct):.2f} times the relay's.")
    return table("One call after the other, on one core", "µs", results, note), results


def in_flight(rounds):
    place = Place(1, 2)
    count = {"calls": 10000, "window": 64, "pin": []}

    def rate(command, params):
        return count["calls"] / place.drive(command, params, **count)["us"][0] * 1e6

    results = alternate(
        rounds,
        relay=lambda: rate(FLOOR, direct_call("echo", text="x")),
        **{"pi-mcp": lambda: rate(SERVE, gateway_call("echo", text="x"))})
    return table("64 calls in flight", "calls/s", results), results


def payloads(rounds):
    place = Place(1, 2, {"outputGuard": False})
    lines = ["### Large text results, output guard off", "",
             "| result | relay ms | pi-mcp ms | × relay | pi-mcp peak RSS MiB | peak / payload |",
             "|---|---|---|---|---|---|"]
    samples = {}
    for megabytes in (1, 5, 50):
        size = {"bytes": megabytes * MIB}
        count = {"calls": 3, "warm": 1}
        runs = alternate(
            max(3, rounds // 3),
            relay=lambda: place.drive(FLOOR, direct_call("blob", **size), **count),
            ours=lambda: place.drive(SERVE, gateway_call("blob", **size), **count))
        assert all(run["bytes"] > size["bytes"] for run in runs["ours"]), "the result was cut"
        relay, ours = (statistics.median(t for run in runs[n] for t in run["us"]) / 1000
                       for n in ("relay", "ours"))
        peak = statistics.median(run["peak_kib"] for run in runs["ours"]) / 1024
        lines.append(f"| {megabytes} MiB | {relay:.2f} | {ours:.2f} | {ours / relay:.2f} "
                     f"| {peak:.1f} | {peak / megabytes:.2f} |")
        samples[f"{megabytes} MiB"] = runs
    return "\n".join(lines) + "\n", samples


def one_shot(rounds):
    place = Place(1, 2)

    def wall(*command):
        began = time.perf_counter()
        place.run(*command)
        return (time.perf_counter() - began) * 1000

    results = alternate(
        rounds * 3,
        relay=lambda: wall(DRIVER, "--calls", "1", "--", *FLOOR),
        **{"pi-mcp call": lambda: wall(PRODUCT, "call", "s0_echo", "text=x")})
    note = "The relay's row is a program that starts relay and server and makes one call."
    return table("One call from a shell, start and end of every process included", "ms", results,
                 note), results


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    load = os.getloadavg()[0]
    text = [f"{datetime.date.today()}, {os.cpu_count()} cores, Linux {platform.release()}, "
            f"load {load:.1f} before, {chosen.rounds} rounds.", ""]
    samples = {}
    for measure in (cold_start, calls, in_flight, payloads, one_shot):
        tables, samples[measure.__name__] = measure(chosen.rounds)
        print(tables, flush=True)
        text.append(tables)
    (ROOT / "build/bench.json").write_text(json.dumps(samples))
    if chosen.write:
        page = ROOT / "docs/benchmarks.md"
        before, _, rest = page.read_text().partition("<!-- numbers -->\n")
        after = rest.partition("<!-- /numbers -->")[2]
        marked = "<!-- numbers -->\n" + "\n".join(text) + "<!-- /numbers -->" + after
        page.write_text(before + marked)


if __name__ == "__main__":
    main()
