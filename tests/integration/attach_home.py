"""Hosts of attach_peer (tests/support/attach_peer.cc): what the tests of attaching share."""
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

WAIT_SECONDS = 30  # only a failing test waits that long
PEER = str(pathlib.Path(sys.argv[2]).parent / "attach_peer") if len(sys.argv) > 2 else ""
HERE = pathlib.Path(__file__).parent


def eventually(look, holds=bool):
    """Looks again and again until it holds; what was seen last."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds(seen := look()) and time.monotonic() < deadline:
        select.select([], [], [], .002)
    return seen


def is_alive(process):
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] not in "ZX"


class Host:
    """A front and the host that has started it."""

    def __init__(self, folder, *options, kind="pipe", wrapper=(), program=PEER, **more):
        command = [*wrapper, program, str(folder), *options]
        stderr = more.pop("stderr", subprocess.PIPE)
        env = dict(os.environ, MARK="m", ASAN_OPTIONS="detect_leaks=0", **more.pop("env", {}))
        if kind == "socket":
            mine_in, their_in = socket.socketpair()
            mine_out, their_out = socket.socketpair()
            self.process = subprocess.Popen(command, stdin=their_in, stdout=their_out,
                                            stderr=stderr, env=env, **more)
            their_in.close(), their_out.close()
            self.input, self.output = mine_in.detach(), mine_out.detach()
        else:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=stderr,
                                            stdout=subprocess.PIPE, env=env, **more)
            self.input, self.output = os.dup(self.process.stdin.fileno()), \
                os.dup(self.process.stdout.fileno())
            self.process.stdin.close(), self.process.stdout.close()
        self.rest = b""

    def say(self, line):
        try:
            os.write(self.input, line.encode() + b"\n")
        except BrokenPipeError:
            pass  # what the front has said last tells why

    def line(self):
        """The next line of what the host gets; "" at the end."""
        deadline = time.monotonic() + WAIT_SECONDS
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.output], [], [], left)[0]:
                raise TimeoutError("the host got nothing")
            more = os.read(self.output, 65536)
            if not more:
                return ""
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def ask(self, line):
        self.say(line)
        return self.line()

    def about(self):
        """{"shared": "PID", "front": "PID", ...}; or {"alone:": ...}."""
        words = self.ask("about").split()
        return dict(zip(words[::2], words[1::2])) | {"all": " ".join(words)}

    def shared(self):
        return int(self.about()["shared"])

    def front(self):
        return int(self.about()["front"])

    def end_input(self):
        if self.input >= 0:
            os.close(self.input)
            self.input = -1

    def wait(self):
        return self.process.wait(timeout=WAIT_SECONDS)

    def close(self):
        self.end_input()
        try:
            self.process.wait(timeout=WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            os.close(self.output)
            if self.process.stderr:
                self.process.stderr.close()


class AttachTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pi-mcp-attach-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.no_process_is_left)
        self.hosts = []
        self.addCleanup(self.close_hosts)

    def close_hosts(self):
        for host in self.hosts:
            host.close()

    def host(self, *options, **more):
        self.hosts.append(Host(more.pop("folder", self.folder), *options, **more))
        return self.hosts[-1]

    def shared_processes(self):
        """Those that were started for our folder, or one in it."""
        own, found = os.fsencode(self.folder), []
        for entry in pathlib.Path("/proc").glob("[1-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"shared-process" in words and any(word.startswith(own) for word in words):
                found.append(int(entry.name))
        return [process for process in found if is_alive(process)]

    def no_process_is_left(self):
        left = eventually(self.shared_processes, lambda found: not found)
        for process in left:
            os.kill(process, signal.SIGKILL)
        self.assertEqual(left, [], "shared processes that outlive their sessions")

    def die(self, process):
        os.kill(process, signal.SIGKILL)
        self.assertFalse(eventually(lambda: is_alive(process), lambda alive: not alive))

    def sockets(self):
        return [path for path in (self.folder / "pi-mcp").iterdir() if path.is_socket()]
