"""Other programs that stand between a host and its servers, from bench/peers/package.json."""
import json
import os
import pathlib
import platform
import shutil
import socket
import subprocess
import time

from place import ROOT, SERVER, Failed, Home, Subject, direct_call, server_entries, short

FOLDER = ROOT / "bench/peers"
MODULES = FOLDER / "node_modules"
ARCHITECTURE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
NODE = str(MODULES / f"node-linux-{ARCHITECTURE}/bin/node")
TEN_TOOLS = [SERVER, "--tools", "10"]
START_SECONDS = 20


def version_of(package):
    try:
        return json.loads((MODULES / package / "package.json").read_text())["version"]
    except OSError:
        return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Peer(Subject):
    """A subject of another project. What cannot be started raises when it is to be driven."""

    package = ""
    most_servers = 1

    def __init__(self, count, pin):
        super().__init__(self.name, [], Home(), direct_call)
        self.background = None
        try:
            if not version_of(self.package) or not os.access(NODE, os.X_OK):
                raise Failed("not installed; ./dev bench full does that")
            self.prepare(count, pin)
        except Failed as error:
            self.failed = error

    def prepare(self, count, pin):
        raise NotImplementedError

    def start(self, command, is_ready):
        """Runs a program that the peer needs beside it, until `is_ready`."""
        log = self.home.path / "background.log"
        with log.open("w") as out:
            self.background = subprocess.Popen(
                command, env=self.home.env, cwd=self.home.path, stdin=subprocess.PIPE,
                stdout=out, stderr=out, start_new_session=True)
        deadline = time.monotonic() + START_SECONDS
        while not is_ready():
            if self.background.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"its own service did not start: {short(log.read_text())}")
            time.sleep(0.02)

    def close(self):
        if self.background:
            self.background.terminate()
            try:
                self.background.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.background.kill()
                self.background.wait()
        super().close()


class SdkProxy(Peer):
    """The official SDK as a proxy for one server, bench/peers/sdk_proxy.mjs."""

    name, package = "official SDK", "@modelcontextprotocol/sdk"

    def prepare(self, count, pin):
        self.command = [NODE, str(FOLDER / "sdk_proxy.mjs"), *TEN_TOOLS]


class Mcporter(Peer):
    """`mcporter serve` in front of its daemon, which keeps the servers."""

    name, package, most_servers = "mcporter", "mcporter", 100
    program = [NODE, str(MODULES / "mcporter/dist/cli.js")]

    def configure(self, count, **more):
        entries = {name: {**entry, **more} for name, entry in server_entries(count, 10).items()}
        self.home.write("config/mcporter.json", {"mcpServers": entries, "imports": []})

    def prepare(self, count, pin):
        self.configure(count, lifecycle="keep-alive")
        sockets = self.home.path / ".mcporter/daemon"
        self.start([*pin, *self.program, "daemon", "start", "--foreground"],
                   lambda: any(sockets.glob("*.sock")))
        self.command = [*self.program, "serve", "--stdio"]
        self.call = lambda tool, server="s0", **args: direct_call(f"{server}__{tool}", **args)


class McporterCall(Mcporter):
    """`mcporter call`, which starts the server."""

    name = "mcporter call"
    one_call = [*Mcporter.program, "call", "s0.echo", "text=x"]

    def prepare(self, count, pin):
        self.configure(count)
        self.command = self.one_call


class McporterDaemonCall(Mcporter):
    """`mcporter call` beside a daemon that has the server."""

    name = "mcporter call, its daemon running"

    def prepare(self, count, pin):
        super().prepare(count, pin)
        self.command = McporterCall.one_call


class Supergateway(Peer):
    """Two of it, as bridge to a remote host: stdio → HTTP → stdio."""

    name, package = "supergateway, both ways", "supergateway"
    program = [NODE, str(MODULES / "supergateway/dist/index.js")]

    def prepare(self, count, pin):
        port = free_port()
        self.start([*pin, *self.program, "--stdio", " ".join(TEN_TOOLS),
                    "--outputTransport", "streamableHttp", "--stateful", "--port", str(port),
                    "--logLevel", "none"],
                   lambda: listens(port))
        self.command = [*self.program, "--streamableHttp", f"http://127.0.0.1:{port}/mcp",
                        "--logLevel", "none"]


PEERS = [SdkProxy, Mcporter, Supergateway]


def not_driven():
    """[(name, why no figures are there)]."""
    asked = subprocess.run(["npm", "view", "@1mcp/agent", "version"], capture_output=True,
                           text=True, timeout=60) if shutil.which("npm") else None
    offered = asked is not None and asked.returncode == 0
    return [
        ("1mcp", "its front was not written down here" if offered else
         "npm of this machine does not offer @1mcp/agent"),
    ]


def versions():
    names = {peer.name: peer.package for peer in PEERS}
    names |= {name: name for name in ("mcp-hub", "mcp-proxy", "pi-mcp-adapter")}
    names |= {"Node.js of the peers": pathlib.Path(NODE).parent.parent.name}
    return {name: version_of(package) for name, package in names.items()}
