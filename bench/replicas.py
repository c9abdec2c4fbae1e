"""Three replicas behind haproxy while one is killed, and while the store is away: which calls fail,
and how long calls take. And what passing on costs, and a store."""
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from figures import Table, fill
from http_serving import Served, drive_calls
from place import PRODUCT, ROOT, Failed, gateway_call, ours, short

EXAMPLE = ROOT / "packaging/replicas/example.sh"
CALLS, WORKERS = 100_000, 4
AWAY_SECONDS = 10
ALONE_CALLS = 3000
OVER = -1
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"}}
CALL = {"name": "mcp", "arguments": {"tool": "s0_echo", "args": {"text": "x"}}}


class Client:
    """Calls one after the other, in a session or with requests that say who asks."""

    def __init__(self, address, token, in_session):
        self.address, self.token, self.in_session = address, token, in_session
        self.connection, self.session = None, None
        if in_session:
            self.session = self.post({"method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"}}})[0]["mcp-session-id"]

    def post(self, message):
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}",
                   "Accept": "application/json, text/event-stream"}
        if self.session:
            headers |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-11-25"}
        elif not self.in_session:
            headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"],
                        "Mcp-Name": message["params"]["name"]}
        self.connection = self.connection or http.client.HTTPConnection(self.address, timeout=30)
        try:
            self.connection.request("POST", "/mcp",
                                    json.dumps({"jsonrpc": "2.0", "id": 1} | message),
                                    headers)
            answer = self.connection.getresponse()
            body = answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise
        if answer.status != 200:
            raise ValueError(f"{answer.status} {body[:200]}")
        return {name.lower(): value for name, value in answer.getheaders()}, body

    def call(self):
        params = CALL if self.in_session else CALL | {"_meta": MODERN}
        body = self.post({"method": "tools/call", "params": params})[1]
        if r'\"x\"' not in body:  # it says its arguments
            raise ValueError(body[:200])


def work(address, token, number, shared, results):
    """(phase, seconds, what failed) of each call, until the phases are over."""
    phase, counts = shared
    client, found = Client(address, token, number % 2 == 0), []
    while phase.value != OVER:
        counts[number] += 1
        began, during, failed = time.perf_counter(), phase.value, None
        try:
            client.call()
        except (OSError, http.client.HTTPException, ValueError) as error:
            failed = f"{type(error).__name__}: {error}"
        found.append((during, time.perf_counter() - began, failed))
    results.put(found)


class Replicas:
    """The example of packaging/replicas."""

    def __init__(self):
        self.home = ours(1).home
        self.token = self.home.run(PRODUCT, "token", "add", "bench").decode().strip()
        self.folder = pathlib.Path(self.home.path) / "replicas"
        self.port = free_port()
        env = self.home.env | {"PI_MCP": PRODUCT, "PORT": str(self.port)}
        self.process = subprocess.Popen(["sh", EXAMPLE, self.folder], env=env, cwd=self.home.path,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.address = f"127.0.0.1:{self.port}"
        self.came_back = []
        line = self.process.stdout.readline()
        if "ctrl-C" not in line:
            raise Failed(line.strip() or "the example does not start")
        while not answers(self.port):
            time.sleep(.05)

    def at(self, name):
        return f"127.0.0.1:{self.port + 1 + 'abc'.index(name)}"

    def pid(self, name):
        return int((self.folder / f"{name}.pid").read_text())

    def kill(self, name):
        os.kill(self.pid(name), signal.SIGKILL)

    def options(self, address):
        """With which a program listens there as a replica."""
        return ["--http", address, "--advertise", f"http://{address}", "--session-key",
                str(self.folder / "keys"), "--store", f"redis://127.0.0.1:{self.port + 4}"]

    def again(self, command):
        """A process that was killed comes back."""
        self.came_back.append(subprocess.Popen(
            command, env=self.home.env, cwd=self.home.path, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def replica_again(self, name):
        self.again([PRODUCT, "serve", *self.options(self.at(name))])

    def store_again(self):
        self.again(["redis-server", "--port", str(self.port + 4), "--bind", "127.0.0.1",
                    "--save", "", "--appendonly", "no"])
        while not answers(self.port + 4):
            time.sleep(.02)

    def empty_store(self):
        self.home.run("redis-cli", "-p", str(self.port + 4), "FLUSHALL")

    def close(self):
        for process in self.came_back:
            process.terminate()
            process.wait()
        self.process.terminate()
        self.process.communicate(timeout=30)
        self.home.close()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def answers(port):
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def bad_moments(replicas):
    """(name, what begins it): the phases of the run, each with a fifth of the calls or more."""

    def kill():
        replicas.kill("a")

    def back():
        replicas.replica_again("a")

    def away():
        replicas.kill("store")
        time.sleep(AWAY_SECONDS)
        replicas.store_again()

    return [("nothing happens", None), ("a replica is killed", kill),
                       ("it comes back", back), (f"the store is away for {AWAY_SECONDS} s", away),
                       ("the store is emptied", replicas.empty_store)]


def replicas(bench):
    if not shutil.which("haproxy") or not shutil.which("redis-server"):
        raise Failed("haproxy and redis-server are not installed")
    with contextlib.closing(Replicas()) as place:
        try:
            return [under_failures(place), passing_on(bench, place), stateless(bench, place)]
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Failed(short(str(error))) from error


def under_failures(place):
    table = Table(f"{CALLS:,} calls through haproxy to three replicas, half of them in sessions",
                  "ms", base=None)
    phase, counts = multiprocessing.Value("i", 0), multiprocessing.Array("q", WORKERS, lock=False)
    results = multiprocessing.Queue()
    moments = bad_moments(place)
    workers = [multiprocessing.Process(target=work, daemon=True, args=(
        place.address, place.token, number, (phase, counts), results)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    for number, (_, begin) in enumerate(moments):
        phase.value = number
        if begin:
            begin()
        enough = sum(counts) + CALLS / len(moments)
        while sum(counts) < enough:
            time.sleep(.02)
    phase.value = OVER
    found = [each for _ in workers for each in results.get()]
    for worker in workers:
        worker.join()
    failures = []
    for number, (name, _) in enumerate(moments):
        during = [each for each in found if each[0] == number]
        table.add(name, "pi-mcp", [seconds * 1000 for _, seconds, failed in during if not failed])
        failed = [what for _, _, what in during if what]
        failures.append(f"{name}: {len(during):,} calls, {len(failed)} failed"
                        + (f" ({failed[0]})" if failed else ""))
    table.head["note"] = "; ".join(failures) + "."
    return table


def passing_on(bench, place):
    table = Table("One call after the other of a session", "µs", base="at its own replica")
    own = Client(place.at("b"), place.token, True)
    other = Client(place.at("b"), place.token, True)
    other.connection = None
    other.address = place.at("c")
    places = {"at its own replica": own, "at another one": other}
    for client in places.values():
        client.call()

    def times(client):
        found = []
        for _ in range(ALONE_CALLS // bench.rounds):
            began = time.perf_counter()
            client.call()
            found.append((time.perf_counter() - began) * 1e6)
        return found

    for name, samples in bench.alternate(places, times).items():
        table.add("", name, [each for sample in samples for each in sample])
    return table


def stateless(bench, place):
    table = Table("One call after the other that has no session", "µs", base="without a store")
    listening = {"without a store": ["--http", "127.0.0.1:0"],
                 "with one": place.options(f"127.0.0.1:{free_port()}")}
    with contextlib.ExitStack() as stack:
        served = {name: stack.enter_context(contextlib.closing(
            Served(name, [PRODUCT, "serve", *options], ours(1).home, gateway_call,
                   stateless=True))) for name, options in listening.items()}
        fill(table, "", bench.alternate(served, drive_calls), lambda times: times)
    return table
