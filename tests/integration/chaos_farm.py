"""Servers for every misbehaviour, whoever uses them, and how often each call reached one."""
import collections
import json

from cli_home import FAKE_SERVER

HUNG = {"startupTimeoutMs": 1500, "requestTimeoutMs": 300}
# What each server does wrong: options of the scripted server, limits of its entry.
SERVERS = {
    "plain": ([], {}),
    "family": (["--grandchild", "--escaped-grandchild"], {}),
    "stubborn": (["--ignore-eof", "--ignore-sigterm", "--grandchild"], {}),
    "escaped": (["--ignore-eof", "--ignore-sigterm", "--escaped-grandchild"], {}),
    "deaf": (["--ignore-eof"], {}),
    "short-lived": (["--exit-after", "7"], {}),
    "one-shot": (["--exit-after", "1", "--exit-status", "3"], {}),
    "noisy-stderr": (["--stderr-flood", "2000000"], {}),
    "noisy-stdout": (["--stdout", "Listening on port 8000 {not json"], {}),
    "slow": (["--delay", "50"], {}),
    "endless": (["--endless-cursor", "--pages", "1"], {}),
    "hangs-initialize": (["--hang", "initialize", "--ignore-sigterm"], HUNG),
    "hangs-list": (["--hang", "tools/list", "--grandchild"], HUNG),
    "hangs-call": (["--hang", "tools/call"], HUNG),
    "exits-at-once": (["--exit-at", "start", "--stderr", "no key", "--escaped-grandchild"], {}),
    "exits-initialize": (["--exit-at", "initialize", "--stderr", "TOKEN is required"], {}),
    "dies-list": (["--kill-at", "tools/list", "--grandchild"], {}),
    "dies-call": (["--kill-at", "tools/call", "--grandchild"], {}),
    "closes-stdout": (["--close-stdout", "--ignore-eof"], HUNG),
    "refuses-list": (["--refuse", "tools/list", "--ignore-eof"], {}),
}
# How often each is called, 5 where it is not said. These two take seconds of a processor.
OFTEN = {"endless": 1, "noisy-stderr": 1}
# Tools and how often they are called. Those that end their server are rare: a start costs more.
TOOLS = {"echo": 60, "garbage": 8, "flood_stderr": 3, "duplicate": 6, "stranger": 6, "bad_json": 6,
         "bad_result": 3, "glued": 6, "err": 6, "rpc_error": 4, "log": 4, "progress": 4, "big": 2,
         "crash": 3, "exit": 3}
ARGUMENTS = {"flood_stderr": {"bytes": 300000}, "big": {"bytes": 200000}}


class Farm:
    """All of them in one home."""

    def __init__(self, home):
        self.home = home

    def log_of(self, name):
        return self.home.root / f"{name}.log"

    def entry(self, name, options, limits=None):
        return {"command": FAKE_SERVER,
                "args": ["--name", name, "--tools", "all", "--open-schemas",
                         "--log", str(self.log_of(name)), *options],
                **(limits or {})}

    def configure_all(self, **settings):
        servers = {name: self.entry(name, *wrong) for name, wrong in SERVERS.items()}
        self.home.write(".pi/agent/mcp.json", {
            "mcpServers": servers,
            "settings": {"requestTimeoutMs": 20000, "startupTimeoutMs": 20000, **settings}})
        self.home.write(".pi/agent/mcp-cache.json", {"version": 1, "servers": {}})

    def executions(self):
        """How often each call reached a server, by its token."""
        seen = collections.Counter()
        for name in SERVERS:
            if self.log_of(name).exists():
                for line in self.log_of(name).read_text().splitlines():
                    message = json.loads(line)
                    if message.get("method") == "tools/call":
                        seen[message["params"]["arguments"]["token"]] += 1
        return seen


def random_call(choice, token):
    """Server, tool and arguments; `choice` decides."""
    server = choice.choices(list(SERVERS), [OFTEN.get(name, 5) for name in SERVERS])[0]
    tool = choice.choices(list(TOOLS), list(TOOLS.values()))[0]
    return server, tool, {"token": token, "text": token, **ARGUMENTS.get(tool, {})}
