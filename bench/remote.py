#!/usr/bin/env python3
"""Measures many calls at once over many HTTP servers: do all end, how fast, with how much memory.

Usage: remote.py [--calls N] [--servers N] [--write]. Needs a release build. Prints Markdown;
--write puts it between the remote markers of docs/benchmarks.md.
"""
import argparse
import asyncio
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

from place import PRODUCT, ROOT, commit

SIZES = {"1 KiB": 1 << 10, "64 KiB": 1 << 16}
WORK_SECONDS = 0.2  # of each call at its server, so that calls overlap
TOTAL_SECONDS = 300


class Fleet:
    """Scripted MCP servers over HTTP, each on a port of its own: a session, two kinds of answers,
    and a tool whose result has the wanted size."""

    def __init__(self):
        self.running = self.running_most = self.calls = self.connections = 0

    async def serve(self, count):
        servers = [await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=1024)
                   for _ in range(count)]
        print(json.dumps([server.sockets[0].getsockname()[1] for server in servers]), flush=True)
        asked = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(asked), sys.stdin)
        while await asked.readline():
            print(json.dumps(vars(self)), flush=True)
            self.running_most = self.calls = 0

    async def connection(self, reader, writer):
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"(?i)content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await self.answer(head.split(b" ")[0], body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # how a client that has enough leaves
        writer.close()

    async def answer(self, method, body, writer):
        message = json.loads(body) if body else {}
        name = message.get("method")
        if name == "initialize":
            self.send(writer, message, {
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "scripted", "version": "1"}}, "Mcp-Session-Id: one\r\n")
        elif name == "tools/list":
            self.send(writer, message, {"tools": [
                {"name": "get", "inputSchema": {"type": "object", "properties": {
                    "bytes": {"type": "integer"}}}}]})
        elif name == "tools/call":
            await self.work(writer, message)
        else:
            status = "202 Accepted" if method == b"POST" else "405 Method Not Allowed"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()

    async def work(self, writer, message):
        self.calls += 1
        self.running += 1
        self.running_most = max(self.running, self.running_most)
        await asyncio.sleep(WORK_SECONDS)
        self.running -= 1
        text = "x" * message["params"]["arguments"]["bytes"]
        self.send(writer, message, {"content": [{"type": "text", "text": text}]},
                  as_events=self.calls % 2)

    @staticmethod
    def send(writer, message, result, headers="", as_events=False):
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        kind = "text/event-stream" if as_events else "application/json"
        body = f"data: {body}\n\n" if as_events else body
        writer.write((f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{headers}"
                      f"Content-Length: {len(body)}\r\n\r\n{body}").encode())


class Servers:
    def __init__(self, count):
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", str(count)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ports = json.loads(self.process.stdout.readline())

    def seen(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


class Host:
    def __init__(self, home, ports):
        agent = pathlib.Path(home) / ".pi/agent"
        agent.mkdir(parents=True)
        servers = {f"s{i}": {"url": f"http://127.0.0.1:{port}/mcp", "oauth": False}
                   for i, port in enumerate(ports)}
        (agent / "mcp.json").write_text(json.dumps(
            {"mcpServers": servers, "settings": {"outputGuard": False}}))
        (agent / "mcp-cache.json").write_text('{"version":1,"servers":{}}')
        self.process = subprocess.Popen(
            [PRODUCT, "serve"], cwd=home, env={"PATH": os.environ["PATH"], "HOME": home},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.ask([self.request("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}})])

    def request(self, method, params):
        self.last += 1
        return {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}

    def call(self, **arguments):
        return self.request("tools/call", {"name": "mcp", "arguments": arguments})

    def ask(self, requests):
        """Sends all, then reads all answers: {id: (seconds until it came, answer)}."""
        began = time.monotonic()
        self.process.stdin.write("".join(json.dumps(each) + "\n" for each in requests).encode())
        self.process.stdin.flush()
        answers = {}
        while len(answers) < len(requests):
            message = json.loads(self.process.stdout.readline())
            if "method" not in message:
                answers[message["id"]] = (time.monotonic() - began, message)
            if time.monotonic() - began > TOTAL_SECONDS:
                raise SystemExit(f"{len(answers)} of {len(requests)} calls ended")
        return answers

    def memory(self, field):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", status)[1]) / 1024

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def is_good(answer, size):
    content = answer.get("result", {}).get("content", [{}])
    return len(content[0].get("text", "")) == size


def measure(host, servers, calls, size):
    before = host.memory("VmRSS")
    host.forget_peak()
    servers.seen()
    answers = host.ask([host.call(tool=f"s{i % len(servers.ports)}_get", args={"bytes": size})
                        for i in range(calls)])
    seen = servers.seen()
    times = sorted(seconds for seconds, _ in answers.values())
    return {"good": sum(is_good(answer, size) for _, answer in answers.values()),
            "seconds": times[-1], "median": statistics.median(times),
            "running": seen["running_most"], "connections": seen["connections"],
            "before": before, "peak": host.memory("VmHWM")}


def report(calls, count):
    servers = Servers(count)
    with tempfile.TemporaryDirectory(prefix="pi-mcp-bench-") as home:
        host = Host(home, servers.ports)
        host.ask([host.call(connect=f"s{i}") for i in range(count)])
        lines = [f"At {commit()}, {datetime.date.today()}, {os.cpu_count()} cores, "
                 f"Linux {platform.release()}, load {os.getloadavg()[0]:.1f} before, "
                 f"{calls} calls sent at once, "
                 f"{count} servers, each call {WORK_SECONDS * 1000:.0f} ms at its server.", "",
                 "| result | answered right | all done s | median s | most at the servers | "
                 "connections so far | RSS before MiB | peak MiB |",
                 "|---|---|---|---|---|---|---|---|"]
        for name, size in SIZES.items():
            found = measure(host, servers, calls, size)
            lines.append(f"| {name} | {found['good']} | {found['seconds']:.2f} | "
                         f"{found['median']:.2f} | {found['running']} | {found['connections']} | "
                         f"{found['before']:.1f} | {found['peak']:.1f} |")
        host.close()
    servers.close()
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--servers", type=int, default=50)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(Fleet().serve(options.serve))
        return
    text = report(options.calls, options.servers)
    print(text)
    if options.write:
        page = ROOT / "docs/benchmarks.md"
        whole = page.read_text()
        page.write_text(re.sub(r"(<!-- remote -->\n).*?(<!-- /remote -->)",
                               lambda found: f"{found[1]}{text}\n{found[2]}", whole, flags=re.S))


if __name__ == "__main__":
    main()
