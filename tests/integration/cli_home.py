"""What every test of the command line needs: a home directory of its own, the program started in
it, and waits that end as soon as the thing waited for has happened."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile

BINARY, FAKE_SERVER = sys.argv[1:3]
WAIT_SECONDS = 30  # far more than anything takes, sanitizers and a busy machine included


class Home:
    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="pi-mcp-cli-"))
        self.agent = self.root / ".pi/agent"
        self.project = self.root / "project"
        self.project.mkdir()
        # Nothing of the caller's own configuration may show through.
        self.env = {"HOME": str(self.root), "PATH": os.environ["PATH"], "TERM": "xterm"}
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
