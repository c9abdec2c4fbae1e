#!/usr/bin/env python3
"""Measures pi-mcp beside a relay that only copies bytes and beside its peers, in turn, in one run.

Usage: run.py [full] [--only NAME,…] [--rounds N] [--write | --render]. Needs a release build.
Prints Markdown, leaves every sample in build/bench.json. `full` has every measure and the peers;
--write puts a full run into docs/benchmarks.json and the pages, with --only just those measures;
--render only makes the pages again from the record.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import sys

import figures
import http_serving
import linking
import measures
import other
import pages
import peers
import real_sessions
import replicas
import resources
import targets
from place import PRODUCT, ROOT, commit, said_by

QUICK = [measures.start, measures.first_call, measures.calls, measures.in_flight,
         measures.payloads, measures.one_shot, resources.memory_use, resources.sessions]
FULL = [*QUICK, measures.at_once, http_serving.http_calls, http_serving.http_large,
        http_serving.http_sessions, replicas.replicas, linking.linking, resources.cpu,
        resources.day, resources.profile, real_sessions.real_sessions, other.search, other.pi]


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*: (.*)", text, re.M)
    return {"processor": model[1] if model else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release()}


def versions(with_peers):
    found = {"pi-mcp": (said_by(PRODUCT, "--version") or "pi-mcp none").split()[1]}
    return found | (peers.versions() if with_peers else {})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", nargs="?", choices=["quick", "full"], default="quick")
    parser.add_argument("--only", default="", metavar="NAME,…",
                        help=", ".join(measure.__name__ for measure in FULL))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="record a full run")
    parser.add_argument("--provisional", metavar="WHY", help="recorded figures are not to be kept")
    parser.add_argument("--render", action="store_true", help="make the pages from the record")
    chosen = parser.parse_args()
    known = {measure.__name__ for measure in FULL}
    chosen.only = [name for name in chosen.only.split(",") if name]
    for name in set(chosen.only) - known:
        parser.error(f"there is no measure {name}")
    if chosen.write and chosen.set != "full":
        parser.error("only a full run is recorded: ./dev bench full --write")
    return chosen


def run_of(chosen):
    """What is true of all that one command measures."""
    is_full = chosen.set == "full"
    return {"commit": commit(), "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"),
            "command": " ".join(["./dev bench", *sys.argv[1:]]), "machine": machine(),
            "versions": versions(is_full), "not_driven": peers.not_driven() if is_full else [],
            **({"provisional": chosen.provisional} if chosen.provisional else {})}


def record_of(chosen):
    """The new record: what is measured now replaces what was recorded of the same measures. The
    others keep their own commit, date and run."""
    is_full = chosen.set == "full"
    record = pages.load() if chosen.only else {"runs": {}, "measures": {}}
    kept, run = record["measures"], run_of(chosen)
    record = {"runs": {**record["runs"], run["date"]: run}, "measures": {}}
    bench = figures.Bench(chosen.rounds, peers.PEERS if is_full else [], is_full)
    samples = {}
    for measure in FULL if is_full else QUICK:
        name = measure.__name__
        if chosen.only and name not in chosen.only:
            if name in kept:
                record["measures"][name] = kept[name]
            continue
        found, samples[name] = bench.measure(measure)
        record["measures"][name] = {"run": run["date"], **found}
        print("\n".join(pages.measure_lines(name, found)), flush=True)
        (ROOT / "build/bench.json").write_text(json.dumps({**record, "samples": samples}))
    used = {found["run"] for found in record["measures"].values()}
    record["runs"] = {name: each for name, each in record["runs"].items() if name in used}
    return record


def main():
    chosen = arguments()
    if chosen.render:
        if not pages.load()["measures"]:
            raise SystemExit("there is no record yet: ./dev bench full --write")
        pages.write(pages.load())
        return
    record = record_of(chosen)
    print(targets.markdown(record))
    for name, why in pages.not_driven(record):
        print(f"{name} is not driven: {why}")
    if chosen.write:
        pages.write(record)


if __name__ == "__main__":
    main()
