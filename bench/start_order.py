#!/usr/bin/env python3
"""Prints which functions run until `serve` has listed its tools and rests, so that the linker can
lay them side by side: one that is elsewhere brings 64 KiB of the program into memory. `./dev
profile` runs it. Needs valgrind."""
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


def main():
    with tempfile.NamedTemporaryFile("r", suffix=".callgrind") as trace:
        with contextlib.closing(ours(100, 10)) as subject:
            subject.command = ["valgrind", "--quiet", "--tool=callgrind", "--demangle=no",
                               "--compress-strings=no", f"--callgrind-out-file={trace.name}",
                               PRODUCT, "serve"]
            held = Held(subject)
            time.sleep(REST_SECONDS)
            held.close()
        print("\n".join(sorted(set(functions(trace)))))


if __name__ == "__main__":
    main()
