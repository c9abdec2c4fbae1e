#!/usr/bin/env python3
"""Does the work of the benchmarks once with a program that records how often each part of it runs.

`./dev profile` runs it; PI_MCP_BENCH_BUILD names the folder of that program.
"""
import contextlib

import figures
import measures
import remote
import resources
from place import PRODUCT, Held, ours

QUERIES = ("say a word", "create an issue in a repository", "getUserByID", "weather tomorrow",
           "sned mail", "copy file.txt to https://example.org", "天气", "echo")


def search():
    """The shell's commands and a host's searches over many servers."""
    with contextlib.closing(ours(100, 100)) as subject:
        for words in (("status",), ("list", "s1"), ("describe", "s1_echo"), ("search", "echo")):
            subject.home.run(PRODUCT, *words)
        with contextlib.closing(Held(subject)) as held:
            for query in QUERIES:
                held.ask("tools/call", {"name": "mcp", "arguments": {"search": query}})
            held.ask("tools/call", {"name": "mcp", "arguments": {"describe": "s1_echo"}})
            held.ask("tools/call", {"name": "mcp", "arguments": {}})


def main():
    bench = figures.Bench(1, [], True)
    for measure in (measures.start, measures.first_call, measures.calls, measures.in_flight,
                    measures.payloads, measures.one_shot, measures.at_once,
                    resources.memory_use):
        print(measure.__name__, flush=True)
        measure(bench)
    print(remote.report(200, 10))
    search()


if __name__ == "__main__":
    main()
