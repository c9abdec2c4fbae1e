"""A host that speaks MCP with one `pi-mcp serve`, and a census of the processes that it started."""
import collections
import json
import pathlib
import queue
import select
import subprocess
import threading
import time
import uuid

from cli_home import WAIT_SECONDS, wait_process_gone

MARK = "PI_MCP_TEST_CENSUS"  # in the environment of everything that is counted
# Nothing takes longer, with sanitizers on a busy machine: the longest limit of a server is 20 s.
ANSWER_SECONDS = 90


class Census:
    """All processes that were started with the mark of one test in their environment. A keeper has
    but the home of its server there, which is one test's alone."""

    def __init__(self, *homes):
        self.value = uuid.uuid4().hex
        self.mark = f"{MARK}={self.value}\0".encode()
        self.homes = []
        for home in homes:
            self.count(home)

    def count(self, home):
        """From now on what is started in that home."""
        home.env[MARK] = self.value
        self.homes.append(f"HOME={home.root}\0".encode())

    def pids(self):
        return [int(entry.name) for entry in pathlib.Path("/proc").iterdir()
                if entry.name.isdigit() and self.counts(entry)]

    def counts(self, entry):
        environment = self.read(entry / "environ")
        return self.mark in environment or (environment in self.homes and
                                            self.read(entry / "comm") == b"pi-mcp-keeper\n")

    @staticmethod
    def read(file):
        try:
            return file.read_bytes()
        except OSError:
            return b""  # it is gone, or somebody else's

    def wait_for(self, count):
        """Returns once there are so many; a keeper that becomes another program counts not at all
        for a moment."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(pids := self.pids()) != count:
            if time.monotonic() > deadline:
                raise AssertionError(f"{len(pids)} processes, not {count}: {pids}")
            select.select([], [], [], .005)

    def wait_empty(self):
        """Waits for those that are there; processes they started meanwhile are waited for too."""
        while pids := self.pids():
            for pid in pids:
                wait_process_gone(pid)


class Host:
    """Speaks MCP with one `pi-mcp serve`; call() may be used by many threads."""

    def __init__(self, home, **options):
        self.process = home.start("serve", stdin=subprocess.PIPE, **options)
        self.lock = threading.Lock()
        self.waiting = {}
        self.progress = queue.Queue()  # params of every notifications/progress
        self.answers = collections.Counter()
        self.last_id = 0
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "chaos", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.process.stdin.flush()

    def begin(self, method, params):
        """Sends a request; where its answer will be put, or None at the end of pi-mcp."""
        answer = queue.Queue()
        with self.lock:
            self.last_id += 1
            number = self.last_id
            self.waiting[number] = answer
        self.send({"id": number, "method": method, "params": params})
        return answer

    def request(self, method, params):
        return self.begin(method, params).get(timeout=ANSWER_SECONDS)

    def mcp(self, **arguments):
        return self.request("tools/call", {"name": "mcp", "arguments": arguments})

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("method") == "notifications/progress":
                self.progress.put(message["params"])
            elif "method" not in message:
                self.answers[message["id"]] += 1
                self.waiting[message["id"]].put(message)
        with self.lock:
            for answer in self.waiting.values():
                answer.put(None)

    def close(self):
        """The end of the conversation; the exit status and what was written to stderr."""
        self.process.stdin.close()
        return self.wait()

    def wait(self):
        errors = self.process.stderr.read()
        status = self.process.wait(timeout=WAIT_SECONDS)
        self.reader.join(timeout=WAIT_SECONDS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass  # it was killed before it read all of it
        return status, errors


def text_of(answer):
    return "".join(block.get("text", "") for block in answer["result"]["content"])
