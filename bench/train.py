#!/usr/bin/env python3
"""Does the work of the benchmarks once with a program that records how often each part of it runs.

`./dev profile` runs it; PI_MCP_BENCH_BUILD names the folder of that program.
"""
import contextlib
import json
import pathlib
import re

import figures
import measures
import remote
import resources
from place import PRODUCT, Held, Home, ours

QUERIES = ("say a word", "create an issue in a repository", "getUserByID", "weather tomorrow",
           "sned mail", "copy file.txt to https://example.org", "天气", "echo")


DOCS = pathlib.Path(__file__).parent.parent / "docs"


def schema(sentences):
    """Parameters named by a word of each sentence and described by all of it."""
    properties = {}
    for sentence in sentences:
        words = re.findall(r"\w+", sentence)
        name = max(words, key=len, default="value")
        properties[name] = {"type": "string", "description": sentence, "enum": words[:3]}
    return {"type": "object", "properties": properties}


def described_tools(count):
    """Tools of which this project's own documentation says what they do, five to a server."""
    text = " ".join(page.read_text() for page in sorted(DOCS.rglob("*.md")))
    sentences = [part for part in re.split(r"(?<=[.:])\s+", text) if len(part) < 300]
    for number in range(count):
        at = number * 3 % (len(sentences) - 6)
        words = re.findall(r"[a-z]+", sentences[at]) or ["tool"]
        name = "_".join(words[:3]) if number % 2 else words[0] + "".join(
            word.title() for word in words[1:3])
        yield {"server": f"server-{number // 5}", "name": f"{name}_{number}",
               "description": " ".join(sentences[at:at + 2]),
               "inputSchema": schema(sentences[at + 2:at + 6])}


def ranking():
    """An index of much text, and queries in sentences."""
    def lines(values):
        return "".join(json.dumps(value) + "\n" for value in values)

    tools = list(described_tools(3000))
    queries = [{"query": tool["description"][:120], "relevant": [[tool["server"], tool["name"]]]}
               for tool in tools[::10]]
    with contextlib.closing(Home()) as home:
        (home.path / "tools.jsonl").write_text(lines(tools))
        (home.path / "queries.jsonl").write_text(lines(queries))
        home.run(PRODUCT, "search", "--eval", "queries.jsonl", "--catalog", "tools.jsonl")


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
    ranking()


if __name__ == "__main__":
    main()
