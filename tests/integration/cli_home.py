"""What every test of the command line needs: a home directory of its own, the program started in
it, and waits that end as soon as the thing waited for has happened."""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import unittest

BINARY, FAKE_SERVER = sys.argv[1:3]
WAIT_SECONDS = 30  # far more than anything takes, sanitizers and a busy machine included


class Home:
    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="pi-mcp-cli-"))
        self.agent = self.root / ".pi/agent"
        self.project = self.root / "project"
        self.project.mkdir()
        (self.root / "tmp").mkdir()
        # Nothing of the caller's own configuration may show through. Each program has a process of
        # its own, but in the tests of the one that sessions share, or where the caller wants it.
        self.env = {"HOME": str(self.root), "PATH": os.environ["PATH"], "TERM": "xterm",
                    "TMPDIR": str(self.root / "tmp"),
                    "PI_MCP_SHARED": os.environ.get("PI_MCP_TEST_SHARED", "off")}
        self.env |= {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}

    def remove(self):
        shutil.rmtree(self.root)

    def write(self, path, content):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def configure(self, **servers):
        return self.write(".pi/agent/mcp.json", {"mcpServers": servers})

    def files(self):
        """Each file with its bytes. What goes away meanwhile, as records of processes that end do,
        is passed over."""
        for folder, _, names in os.walk(self.root):
            for file in (pathlib.Path(folder) / name for name in names):
                with contextlib.suppress(FileNotFoundError):
                    if file.is_file():
                        yield file, file.read_bytes()

    def start(self, *args, **options):
        usual = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                 "text": True}
        return subprocess.Popen([BINARY, *args], env=self.env, cwd=self.project,
                                **(usual | options))

    def run(self, *args, stdin="", **options):
        process = self.start(*args, stdin=subprocess.PIPE, **options)
        stdout, stderr = process.communicate(stdin, timeout=WAIT_SECONDS)
        return Outcome(process.returncode, stdout, stderr)


class Outcome:
    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


def fake(*options, name="fake", tools="all"):
    """A server entry for the scripted server."""
    return {"command": FAKE_SERVER, "args": ["--name", name, "--tools", tools, *map(str, options)]}


class Watched:
    """A scripted server that can be waited for: what it receives comes through a named pipe."""

    def __init__(self, home, *options, name="fake"):
        self.pid_file = home.root / f"{name}.pid"
        log = home.root / f"{name}.log"
        os.mkfifo(log)
        # Open for writing as well, so that there is no end between two lines.
        self.log = os.open(log, os.O_RDWR | os.O_NONBLOCK)
        self.text = ""
        self.entry = fake("--log", log, "--pid-file", self.pid_file, *options, name=name)

    def wait_for(self, part):
        while part not in self.text:
            ready, _, _ = select.select([self.log], [], [], WAIT_SECONDS)
            if not ready:
                raise AssertionError(f"the server never received {part}, only {self.text}")
            self.text += os.read(self.log, 65536).decode()

    def pids(self):
        return [int(line) for line in self.pid_file.read_text().split()]

    def wait_gone(self):
        for pid in self.pids():
            wait_process_gone(pid)

    def close(self):
        os.close(self.log)


def wait_process_gone(pid):
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    ended = poller.poll(WAIT_SECONDS * 1000)
    os.close(handle)
    if not ended:
        raise AssertionError(f"process {pid} is still there")


class CliTest(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)

    def watched(self, *options, name="fake"):
        server = Watched(self.home, *options, name=name)
        self.addCleanup(server.close)
        return server

    def check(self, outcome, status, stdout="", stderr=""):
        self.assertEqual(outcome.status, status, outcome)
        self.assertIn(stdout, outcome.stdout, outcome)
        self.assertIn(stderr, outcome.stderr, outcome)
        return outcome

    def ok(self, *args, **options):
        return self.check(self.home.run(*args, **options), 0).stdout


class HostTest(CliTest):
    """Is the host of `pi-mcp serve`."""

    HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"experimental": {"pi-mcp/details": {}}},
        "clientInfo": {"name": "test", "version": "1"}}}

    def host(self, *options, **process_options):
        process = self.home.start("serve", *options, stdin=subprocess.PIPE, **process_options)
        self.send(process, self.HELLO)
        self.answer(process, 1)
        self.send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        return process

    def send(self, process, message):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()

    def answer(self, process, number):
        while line := process.stdout.readline():
            message = json.loads(line)
            self.assertEqual(message["jsonrpc"], "2.0")
            if message.get("id") == number and "method" not in message:
                return message
        raise AssertionError("no answer: " + process.stderr.read())

    def call(self, process, number, tool, **args):
        self.send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "mcp", "arguments": {"tool": tool, "args": args}}})


class TerminalTest(CliTest):
    """One pseudo-terminal for stdin, stdout and stderr."""

    def start_in_terminal(self, *args):
        ours, theirs = pty.openpty()

        def take_terminal():
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        process = self.home.start(*args, stdin=theirs, stdout=theirs, stderr=theirs,
                                  start_new_session=True, preexec_fn=take_terminal)
        os.close(theirs)
        return process, ours

    def shown(self, *args):
        process, ours = self.start_in_terminal(*args)
        text = b""
        try:
            while block := os.read(ours, 65536):
                text += block
        except OSError:
            pass  # how Linux says that the other side is closed
        os.close(ours)
        process.wait(timeout=WAIT_SECONDS)
        return process.returncode, text.decode().replace("\r\n", "\n")

    def answer(self, typed, *words):
        """The exit status and all that was shown, with `typed` after the question."""
        process, ours = self.start_in_terminal(*words)
        shown, open_question = "", True
        while True:
            ready, _, _ = select.select([ours], [], [], WAIT_SECONDS)
            self.assertTrue(ready, shown)
            try:
                block = os.read(ours, 65536)
            except OSError:
                break  # how Linux says that the other side is closed
            shown += block.decode(errors="replace")
            if open_question and shown.endswith(("[N]o: ", "[y/N]: ")):
                open_question = False
                os.write(ours, typed)
        os.close(ours)
        process.communicate(timeout=WAIT_SECONDS)
        self.assertFalse(open_question, "nobody was asked: " + shown)
        return process.returncode, shown
