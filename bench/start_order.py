#!/usr/bin/env python3
"""Prints which functions run until `serve` has listed its tools and rests, and then those that run
while it searches and uses ten servers, so that the linker can lay them side by side: one that is
elsewhere brings 64 KiB of the program into memory. With `shared` those of the process that all
sessions share, by the build that PI_MCP_BENCH_BUILD names. `./dev profile` runs it. Needs
valgrind."""
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from place import BUILD, PRODUCT, Held, Shared, ours

REST_SECONDS = 2  # everything that follows the start by itself is done then
END_SECONDS = 30  # that the shared process may take to end


def functions(trace):
    """Names as the linker knows them; callgrind numbers those that call themselves."""
    for line in trace:
        found = re.match(r"c?fn=([A-Za-z_][\w.$]*)('\d+)?$", line.rstrip())
        if found:
            yield found[1]


def functions_of(subject, requests):
    with tempfile.NamedTemporaryFile("r", suffix=".callgrind") as trace:
        subject.command = ["valgrind", "--quiet", "--tool=callgrind", "--demangle=no",
                           "--compress-strings=no", f"--callgrind-out-file={trace.name}",
                           PRODUCT, "serve"]
        held = Held(subject)
        for request in requests:
            held.ask("tools/call", request)
        time.sleep(REST_SECONDS)
        held.close()
        return set(functions(trace))


def functions_of_shared():
    """Those of ours that run in the process which all sessions share, until it ends. Valgrind knows
    too little of the kernel for one, so the program that records for the profile says it."""
    runs = BUILD / "runs"
    for old in runs.glob("*.profraw"):
        old.unlink()
    with contextlib.closing(Shared(10, 10)) as subject:
        held = Held(subject)
        for i in range(10):
            held.ask("tools/call", subject.call("echo", server=f"s{i}", text="x"))
        held.close()
        shared = subject.pids()[0]
    deadline = time.monotonic() + END_SECONDS
    while pathlib.Path("/proc", str(shared)).exists():
        if time.monotonic() > deadline:
            sys.exit(f"the shared process has not ended within {END_SECONDS} s")
        time.sleep(0.1)
    own = max(runs.glob("*.profraw"), key=lambda run: run.stat().st_size)
    counts = subprocess.run(["llvm-profdata-19", "show", "--all-functions", "--counts", own],
                            check=True, capture_output=True, text=True).stdout
    name = None
    for line in counts.splitlines():
        if found := re.match(r"  (?:[^ ;]*;)?([A-Za-z_][\w.$]*):$", line):
            name = found[1]
        elif name and re.match(r" +Block counts: .*[1-9]", line):
            yield from (name, f"{name}.resume")  # of coroutines


def main():
    if "shared" in sys.argv:
        print("\n".join(sorted(set(functions_of_shared()))))
        return
    with contextlib.closing(ours(100, 10)) as resting, contextlib.closing(ours(10, 10)) as used:
        at_start = functions_of(resting, [])
        calls = [used.call("echo", server=f"s{i}", text="x") for i in range(10)]
        search = {"name": "mcp", "arguments": {"search": "say a word"}}
        later = functions_of(used, [*calls, search])
        print("\n".join([*sorted(at_start), *sorted(later - at_start)]))


if __name__ == "__main__":
    main()
