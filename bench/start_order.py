#!/usr/bin/env python3
"""Prints which functions run until `serve` has listed its tools and rests, and then those that run
while it searches and uses ten servers, so that the linker can lay them side by side: one that is
elsewhere brings 64 KiB of the program into memory. `./dev profile` runs it. Needs valgrind."""
import contextlib
import re
import tempfile
import time

from place import PRODUCT, Held, ours

REST_SECONDS = 2  # everything that follows the start by itself is done then


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


def main():
    with contextlib.closing(ours(100, 10)) as resting, contextlib.closing(ours(10, 10)) as used:
        at_start = functions_of(resting, [])
        calls = [used.call("echo", server=f"s{i}", text="x") for i in range(10)]
        search = {"name": "mcp", "arguments": {"search": "say a word"}}
        later = functions_of(used, [*calls, search])
        print("\n".join([*sorted(at_start), *sorted(later - at_start)]))


if __name__ == "__main__":
    main()
