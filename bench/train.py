#!/usr/bin/env python3
"""Does the work of the benchmarks once with a program that records how often each part of it runs.

`./dev profile` runs it; PI_MCP_BENCH_BUILD names the folder of that program. With the name of a
file it is a server of the tools in it, for itself.
"""
import contextlib
import json
import pathlib
import re
import sys

import figures
import http_serving
import measures
import remote
import resources
from place import PRODUCT, Held, Home, Subject, gateway_call, ours

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
    """Tools of which this project's own documentation says what they do."""
    text = " ".join(page.read_text() for page in sorted(DOCS.rglob("*.md")))
    sentences = [part for part in re.split(r"(?<=[.:])\s+", text) if len(part) < 300]
    for number in range(count):
        at = number * 3 % (len(sentences) - 6)
        words = re.findall(r"[a-z]+", sentences[at]) or ["tool"]
        name = "_".join(words[:3]) if number % 2 else words[0] + "".join(
            word.title() for word in words[1:3])
        yield {"name": f"{name}_{number}", "description": " ".join(sentences[at:at + 2]),
               "inputSchema": schema(sentences[at + 2:at + 6])}


def serve(file):
    """An MCP server that has the tools of a file and does nothing else."""
    results = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                              "serverInfo": {"name": "described", "version": "1"}},
               "tools/list": {"tools": json.loads(pathlib.Path(file).read_text())}, "ping": {}}
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = results.get(message["method"])
            answer = {"error": {"code": -32601, "message": "not here"}} if result is None else {
                "result": result}
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)


def ranking():
    """An index of much text, and searches in sentences."""
    tools = list(described_tools(3000))
    per_server = 100
    with contextlib.closing(Home()) as home:
        servers = {}
        for first in range(0, len(tools), per_server):
            name = f"described{first // per_server}"
            home.write(f"{name}.json", tools[first:first + per_server])
            servers[name] = {"command": sys.executable, "args": [__file__, f"{name}.json"]}
        home.write(".pi/agent/mcp.json", {"mcpServers": servers})
        home.run(PRODUCT, "connect", "--all", "--quiet", seconds=300)
        subject = Subject("pi-mcp", [PRODUCT, "serve"], home, gateway_call)
        with contextlib.closing(Held(subject)) as held:
            for tool in tools[::10]:
                query = tool["description"][:120]
                held.ask("tools/call", {"name": "mcp", "arguments": {"search": query}})


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
                    resources.memory_use, http_serving.http_calls, http_serving.http_large):
        print(measure.__name__, flush=True)
        measure(bench)
    print(remote.report(200, 10))
    search()
    ranking()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1])
    else:
        main()
