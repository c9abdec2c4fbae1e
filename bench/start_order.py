#!/usr/bin/env python3
"""Prints which functions each call runs, then those that run until `serve` has listed its tools and
rests, then those that run while it searches and uses ten servers, so that the linker can lay them
side by side: one that is elsewhere brings 64 KiB of the program into memory, and what a call runs
is fetched anew by each call that comes after a pause. With `shared` those of the process that all
sessions share, by the build that PI_MCP_BENCH_BUILD names. With `faults` those for which the kernel
brings a piece of the program into memory as it is laid out now: parts of functions that were not
known to run, and functions of libraries in the shared process. `./dev profile` runs it. Needs
valgrind and perf."""
import bisect
import collections
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from http_serving import Served
from place import BUILD, PRODUCT, Held, Shared, direct_call, gateway_call, ours

CALLS = 200  # of which those functions are told that each call runs
REST_SECONDS = 2  # everything that follows the start by itself is done then
END_SECONDS = 30  # that the shared process may take to end


def under_callgrind(command, trace):
    return ["valgrind", "--quiet", "--tool=callgrind", "--demangle=no", "--compress-strings=no",
            f"--callgrind-out-file={trace}", *command]


def functions(trace):
    """How often each function was called, by its name as the linker knows it; callgrind numbers
    those that call themselves."""
    counts, called = collections.Counter(), None
    for line in trace:
        if found := re.match(r"(c?)fn=([A-Za-z_][\w.$]*)('\d+)?$", line.rstrip()):
            counts[found[2]] += 0
            called = found[1] and found[2]
        elif called and (times := re.match(r"calls=(\d+)", line)):
            counts[called] += int(times[1])
            called = None
    return counts


def functions_of(subject, requests):
    with tempfile.NamedTemporaryFile("r", suffix=".callgrind") as trace:
        subject.command = under_callgrind([PRODUCT, "serve"], trace.name)
        held = Held(subject)
        for request in requests:
            held.ask("tools/call", request)
        time.sleep(REST_SECONDS)
        held.close()
        return functions(trace)


def functions_of_http(path, call, stateless):
    with tempfile.NamedTemporaryFile("r", suffix=".callgrind") as trace:
        command = under_callgrind([PRODUCT, "serve", "--http", "127.0.0.1:0"], trace.name)
        served = Served("pi-mcp", command, ours(1).home, call, path, stateless)
        with contextlib.closing(served):
            served.drive(call("echo", text="x"), calls=CALLS)
        return functions(trace)


VARIANT = re.compile(r"(__[a-z]+)_(?:avx|evex|sse)\w*$")


def with_variants(names):
    """The C library has functions of their own for some kinds of processor, of which valgrind is
    one; the others' stand beside them."""
    used = {found[1] for name in names if (found := VARIANT.match(name))}
    symbols = subprocess.run(["nm", "--format=just-symbols", PRODUCT], check=True,
                             capture_output=True, text=True).stdout.split()
    return names | {name for name in symbols
                    if (found := VARIANT.match(name)) and found[1] in used}


def of_each_call(counts):
    """Those that run once or more in each of CALLS calls."""
    return {name for name, count in counts.items() if count >= CALLS}


def functions_of_calls():
    """Those of each call on stdio and over HTTP."""
    with contextlib.closing(ours(1)) as subject:
        found = of_each_call(functions_of(subject, [subject.call("echo", text="x")] * CALLS))
    for path, call, stateless in (("/mcp", gateway_call, False), ("/mcp", gateway_call, True),
                                  ("/servers/s0/mcp", direct_call, False)):
        found |= of_each_call(functions_of_http(path, call, stateless))
    return found


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


def functions_by_faults(is_shared, *options):
    """One for each fault, so there may be others behind it that only show when this one lies
    elsewhere."""
    listed = subprocess.run(["nm", "--numeric-sort", "--defined-only", PRODUCT], check=True,
                            capture_output=True, text=True).stdout
    code = [(int(at, 16), name) for at, kind, name in map(str.split, listed.splitlines())
            if kind in "tTwWi"]
    subject = ours(10, 10)
    del subject.home.env["TMPDIR"]  # as most people have none
    if is_shared:
        del subject.home.env["PI_MCP_SHARED"]
    with contextlib.closing(subject), tempfile.NamedTemporaryFile(suffix=".perf") as trace:
        subject.command = ["perf", "record", "--quiet", "--event=page-faults", "--count=1",
                           "--data", f"--output={trace.name}", *subject.command, *options]
        held = Held(subject)
        for i in range(10):
            held.ask("tools/call", subject.call("echo", server=f"s{i}", text="x"))
        if is_shared:
            for words in (("connect", "--all"), ("call", "s0_echo", "text=x"), ("status",)):
                subject.home.run(PRODUCT, *words)
        time.sleep(REST_SECONDS)
        held.close()
        faults = subprocess.run(["perf", "script", f"--input={trace.name}", "--fields=comm,addr"],
                                check=True, capture_output=True, text=True).stdout
    for line in faults.splitlines():
        command, address = line.rsplit(maxsplit=1)
        at = bisect.bisect_right(code, (int(address, 16), "~")) - 1
        if command.strip().startswith("pi-mcp") and 0 <= at < len(code) - 1:
            yield code[at][1]


def main():
    if "faults" in sys.argv:
        print("\n".join(sorted({*functions_by_faults(False), *functions_by_faults(True),
                                *functions_by_faults(True, "--host", "pi")})))
        return
    if "shared" in sys.argv:
        print("\n".join(sorted(set(functions_of_shared()))))
        return
    with contextlib.closing(ours(100, 10)) as resting, contextlib.closing(ours(10, 10)) as used:
        calls = [used.call("echo", server=f"s{i}", text="x") for i in range(10)]
        search = {"name": "mcp", "arguments": {"search": "say a word"}}
        for names in (functions_of_calls(), set(functions_of(resting, [])),
                      set(functions_of(used, [*calls, search]))):
            print("\n".join(sorted(with_variants(names))))


if __name__ == "__main__":
    main()
