#!/usr/bin/env python3
"""What bench_http_driver is for Streamable HTTP, for servers that speak the older transport alone:
answers come on a stream of GET, and requests go to the address that it names (2024-11-05, HTTP with
SSE). Prints the microseconds of each call, or of all calls over some connections."""
import argparse
import asyncio
import json
import time

GREETING = {"protocolVersion": "2024-11-05", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}}


class Client:
    """A session: its stream, and the connection that its requests take."""

    def __init__(self, port, path):
        self.port, self.path, self.last = port, path, 0

    async def begin(self):
        self.stream, self.getting = await asyncio.open_connection("127.0.0.1", self.port)
        self.getting.write(f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                           "Accept: text/event-stream\r\n\r\n".encode())
        self.target = await self.event(b"endpoint")
        self.posts, self.out = await asyncio.open_connection("127.0.0.1", self.port)
        await self.ask("initialize", GREETING)
        await self.post({"method": "notifications/initialized"})

    async def event(self, kind):
        """What the next event of this kind says; sizes of chunks are lines to skip."""
        while line := await self.stream.readline():
            if line.strip() == b"event: " + kind:
                return (await self.stream.readline()).removeprefix(b"data: ").strip().decode()
        raise EOFError("the stream has ended")

    async def post(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.out.write(f"POST {self.target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                       f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                       .encode() + body)
        head = await self.posts.readuntil(b"\r\n\r\n")
        assert b" 202 " in head.split(b"\r\n")[0], head
        if b"chunked" in head:
            while await self.posts.readuntil(b"\r\n") != b"0\r\n":
                pass
            await self.posts.readuntil(b"\r\n")

    async def ask(self, method, params):
        self.last += 1
        await self.post({"id": self.last, "method": method, "params": params})
        answer = json.loads(await self.event(b"message"))
        while answer.get("id") != self.last:
            answer = json.loads(await self.event(b"message"))
        assert not answer.get("error") and not answer["result"].get("isError"), answer


async def calls(client, params, count):
    """The microseconds of each."""
    found = []
    for _ in range(count):
        began = time.perf_counter()
        await client.ask("tools/call", params)
        found.append((time.perf_counter() - began) * 1e6)
    return found


async def drive(options):
    clients = [Client(options.port, options.path) for _ in range(options.connections or 1)]
    for client in clients:
        await client.begin()
    await calls(clients[0], options.params, options.warm)
    if not options.connections:
        return await calls(clients[0], options.params, options.calls)
    began = time.perf_counter()
    each = options.calls // len(clients)
    await asyncio.gather(*(calls(client, options.params, each) for client in clients))
    return [(time.perf_counter() - began) * 1e6]


def main():
    parser = argparse.ArgumentParser()
    for name, kind, default in (("port", int, 0), ("path", str, "/mcp"), ("calls", int, 1),
                                ("warm", int, 0), ("connections", int, 0),
                                ("params", json.loads, None)):
        parser.add_argument(f"--{name}", type=kind, default=default)
    print(json.dumps({"us": asyncio.run(drive(parser.parse_args()))}))


if __name__ == "__main__":
    main()
