"""What clients over HTTP feel: a call alone, many at once, and what open sessions cost."""
import contextlib
import json
import pathlib
import re
import signal
import subprocess

from figures import Table, fill
from http_peers import HTTP_PEERS
from peers import Peer
from place import (BUILD, ONE_CORE, OTHER_CORE, SERVER, Failed, Home, direct, direct_call,
                   gateway_call, memory, ours, short)

HTTP_DRIVER, HTTP_RELAY = (str(BUILD / "bench" / f"bench_http_{name}")
                           for name in ("driver", "relay"))
CONNECTIONS = 64
SESSIONS = 10_000
LARGE = 50_000_000


class Served:
    """A program that serves MCP over HTTP, until it is closed. It has a core of its own, and the
    driver the other one."""

    def __init__(self, name, command, home, call, path="/mcp", stateless=False):
        self.name, self.home, self.call, self.path = name, home, call, path
        self.stateless, self.failed = stateless, None
        self.process = subprocess.Popen([*ONE_CORE, *command], env=home.env, cwd=home.path,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        line, port = "", None
        while not port:  # valgrind may warn of what it does not know before
            if not (said := self.process.stdout.readline()):
                raise Failed(short(line))
            line = said
            port = re.search(r"127\.0\.0\.1:(\d+)/mcp|^(\d+)$", line.strip())
        self.port = port[1] or port[2]

    def words(self, **options):
        words = ["--port", self.port, "--path", self.path, "--stateless", int(self.stateless)]
        for key, value in options.items():
            words += [f"--{key}", value]
        return [HTTP_DRIVER, *map(str, words)]

    def drive(self, params, **options):
        command = [*OTHER_CORE,
                   *self.words(params=json.dumps(params, separators=(",", ":")), **options)]
        return json.loads(self.home.run(*command))

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self.home.close()


def http_relay():
    return Served("relay", [HTTP_RELAY, "--", SERVER], Home(), direct_call)


def http_ours(name, call, path="/mcp", stateless=False, settings=None):
    subject = ours(1, settings=settings)
    command = [subject.command[0], "serve", "--http", "127.0.0.1:0"]
    return Served(name, command, subject.home, call, path, stateless)


def subjects():
    return [http_relay(), http_ours("pi-mcp /mcp", gateway_call),
            http_ours("pi-mcp /servers/s0/mcp", direct_call, "/servers/s0/mcp"),
            http_ours("pi-mcp /mcp, 2026-07-28", gateway_call, stateless=True)]


def direct_on_two_cores():
    """Without a gateway: the server on stdio, a core for each side as everywhere here."""
    subject = direct()
    subject.command = [*ONE_CORE, *subject.command]
    return subject


def drive_calls(subject):
    """µs of each of some calls, one after the other."""
    params, is_peer = subject.call("echo", text="x"), isinstance(subject, Peer)
    options = {"calls": 300 if is_peer else 2000, "warm": 30 if is_peer else 200}
    if isinstance(subject, (Served, Peer)):
        return subject.drive(params, **options)["us"]
    return subject.drive(params, pin=OTHER_CORE, **options)["us"]


def drive_together(subject):
    """Calls per second over some connections."""
    count = 2000 if isinstance(subject, Peer) else 40_000
    seen = subject.drive(subject.call("echo", text="x"), calls=count, connections=CONNECTIONS)
    return count / seen["us"][0] * 1e6


def http_calls(bench):
    table = Table("Over HTTP, one call after the other, a core for each side", "µs")
    rates = Table(f"Over HTTP, {CONNECTIONS} connections with a call each under way", "calls/s",
                  "rate")
    with contextlib.ExitStack() as stack:
        served = [stack.enter_context(contextlib.closing(subject)) for subject in subjects()]
        served += [stack.enter_context(contextlib.closing(kind(HTTP_DRIVER)))
                   for kind in (HTTP_PEERS if bench.peers else [])]
        alone = stack.enter_context(contextlib.closing(direct_on_two_cores()))
        named = {subject.name: subject for subject in served}
        found = bench.alternate({alone.name: alone, **named}, drive_calls, share=3)
        fill(table, "", found, lambda times: times)
        fill(rates, "", bench.alternate(named, drive_together, share=3))
    medians = {row["subject"]: row.get("median") for row in table.as_json()["rows"]}
    added = {name: median - medians["direct"] for name, median in medians.items()
             if median and medians.get("direct") and name != "direct"}
    shown = ", ".join(f"{name} {time:.1f} µs" for name, time in added.items())
    table.head["note"] = ("Direct is the server on stdio, without anything between; the programs "
                          "of others are those of npm. Supergateway starts a server for each "
                          "session; mcp-hub speaks the older transport alone, by a driver in "
                          "Python. "
                          f"Added to each call: {shown}.")
    return [table, rates]


def http_large(bench):
    """A large answer, and what it makes a program hold at most."""
    size = f"{LARGE // 1_000_000} MB text"
    times = Table(f"{size} over HTTP, output guard off", "ms")
    peaks = Table(f"Peak memory (RSS) with {size} over HTTP", "MiB", "size")
    off = {"outputGuard": False}
    subjects = {subject.name: subject for subject in (
        http_relay(), http_ours("pi-mcp /mcp", gateway_call, settings=off),
        http_ours("pi-mcp /servers/s0/mcp", direct_call, "/servers/s0/mcp", settings=off))}

    def run(subject):
        proc = pathlib.Path("/proc", str(subject.process.pid))
        (proc / "clear_refs").write_text("5")  # the peak is that of what follows
        seen = subject.drive(subject.call("blob", bytes=LARGE), calls=3, warm=1)
        if seen["bytes"] < LARGE:
            raise Failed(f"the result was cut to {seen['bytes']} bytes")
        peak = re.search(r"^VmHWM:\s+(\d+)", (proc / "status").read_text(), re.M)
        return seen["us"], int(peak[1]) / 1024

    try:
        found = bench.alternate(subjects, run, min(bench.rounds, 3))
    finally:
        for subject in subjects.values():
            subject.close()
    fill(times, "", found, lambda seen: [us / 1000 for us in seen[0]])
    fill(peaks, "", found, lambda seen: [seen[1]])
    return [times, peaks]


def http_sessions(bench):
    """What 10,000 sessions hold that were opened and say nothing."""
    table = Table(f"{SESSIONS:,} sessions over HTTP, opened and idle", "KiB each", "size",
                  base=None)
    for work, path, options in (("once all are open", "/mcp", {}),
                                ("each with a stream that it reads", "/mcp", {"streams": 1}),
                                ("the same in front of one server", "/servers/s0/mcp",
                                 {"streams": 1})):
        table.add(work, "pi-mcp", [kib_of_each(path, options)])
    return [table]


def kib_of_each(path, options):
    subject = http_ours("pi-mcp", direct_call if "s0" in path else gateway_call, path)
    try:
        subject.drive(subject.call("echo", text="x"), calls=10)
        before = memory(subject.process.pid)[0]
        with subprocess.Popen(subject.words(sessions=SESSIONS, **options), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as driver:
            if not driver.stdout.readline().strip():
                raise Failed("the driver has opened no session")
            found = (memory(subject.process.pid)[0] - before) * 1024 / SESSIONS
            driver.stdin.close()
    finally:
        subject.close()
    return found
