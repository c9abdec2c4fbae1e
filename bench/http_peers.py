"""Other programs that serve one stdio server over HTTP, from bench/peers/package.json."""
import json
import sys

from peers import (FOLDER, MODULES, NODE, TEN_TOOLS, Mcporter, Peer, Supergateway, free_port,
                   listens)
from place import ONE_CORE, OTHER_CORE, direct_call, server_entries


class HttpPeer(Peer):
    """It listens at `self.port`; each connection of the driver has a session of its own."""

    path = "/mcp"

    def __init__(self, driver):
        self.driver, self.port = driver, free_port()
        super().__init__(1, ONE_CORE)

    def listen(self, *command):
        self.start([*ONE_CORE, *command], lambda: listens(self.port))

    def drive(self, params=None, **options):
        self.check()
        words = ["--port", self.port, "--path", self.path, "--params",
                 json.dumps(params, separators=(",", ":"))]
        for key, value in options.items():
            words += [f"--{key}", value]
        return json.loads(self.home.run(*OTHER_CORE, *self.drivers(), *map(str, words)))

    def drivers(self):
        return [self.driver]


class SdkProxyHttp(HttpPeer):
    name, package = "official SDK", "@modelcontextprotocol/sdk"

    def prepare(self, count, pin):
        self.listen(NODE, str(FOLDER / "sdk_proxy.mjs"), "--http", str(self.port), *TEN_TOOLS)


class McpProxy(HttpPeer):
    name, package = "mcp-proxy", "mcp-proxy"

    def prepare(self, count, pin):
        self.listen(NODE, str(MODULES / "mcp-proxy/dist/bin/mcp-proxy.mjs"), "--host", "127.0.0.1",
                    "--port", str(self.port), "--server", "stream", "--", *TEN_TOOLS)


class McpHub(HttpPeer):
    """It speaks the older transport alone, so the driver is one in Python."""

    name, package = "mcp-hub", "mcp-hub"

    def prepare(self, count, pin):
        self.home.write("hub.json", {"mcpServers": server_entries(1, 10)})
        log = self.home.path / "background.log"
        self.call = lambda tool, **args: direct_call(f"s0__{tool}", **args)
        self.start([*ONE_CORE, NODE, str(MODULES / "mcp-hub/dist/cli.js"), "--port",
                    str(self.port), "--config", str(self.home.path / "hub.json")],
                   lambda: "servers started successfully" in log.read_text())

    def drivers(self):
        return [sys.executable, str(FOLDER.parent / "sse_driver.py")]


class SupergatewayHttp(HttpPeer):
    """It starts a server for each session."""

    name, package = "supergateway", "supergateway"

    def prepare(self, count, pin):
        self.listen(*Supergateway.program, "--stdio", " ".join(TEN_TOOLS), "--outputTransport",
                    "streamableHttp", "--stateful", "--port", str(self.port), "--logLevel", "none")


class McporterHttp(HttpPeer, Mcporter):
    """`mcporter serve --http` in front of its daemon, which keeps the servers."""

    name, package = "mcporter serve", "mcporter"

    def prepare(self, count, pin):
        Mcporter.prepare(self, count, pin)
        self.daemon, self.background = self.background, None
        self.listen(*self.program, "serve", "--http", str(self.port))

    def close(self):
        for process in (self.background, getattr(self, "daemon", None)):
            if process:
                process.terminate()
                process.wait(timeout=10)
        self.background = None
        super().close()


HTTP_PEERS = [SdkProxyHttp, McpHub, McpProxy, SupergatewayHttp, McporterHttp]
