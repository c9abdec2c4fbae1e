"""A host of `pi-mcp serve` that has its two streams in its own hands: it can stop in the middle of
a request, read no further in the middle of an answer, and knows when each answer came."""
import collections
import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import termios
import threading
import time

from cli_home import WAIT_SECONDS
from serve_host import ANSWER_SECONDS

READ_BYTES = 65536
SIOCOUTQ = termios.TIOCOUTQ  # what the other side of a socket has not read
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {},
         "clientInfo": {"name": "raw", "version": "1"}}


class RawHost:
    def __init__(self, home, kind="pipe"):
        self.kind = kind
        if kind == "socket":
            (ours_in, theirs_in), (ours_out, theirs_out) = socket.socketpair(), socket.socketpair()
            self.process = home.start("serve", stdin=theirs_in, stdout=theirs_out)
            theirs_in.close(), theirs_out.close()
            self.input, self.output = ours_in.detach(), ours_out.detach()
        else:
            self.process = home.start("serve", stdin=subprocess.PIPE)
            self.input = os.dup(self.process.stdin.fileno())
            self.output = os.dup(self.process.stdout.fileno())
            self.process.stdin.close(), self.process.stdout.close()
        self.changed = threading.Condition()
        self.count = collections.Counter()  # answers by id
        self.answers = {}                   # the last one of each id
        self.when = {}                      # when the first one came
        self.notices = []                   # notifications
        self.strange = []                   # other lines that are no answer
        self.partial = 0                    # bytes of a line that is not whole yet
        self.held_at = None                 # so many of them, and it reads no further
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def greet(self):
        self.say(line_of(0, "initialize", HELLO))
        self.wait([0])
        self.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def say(self, data):
        while data:
            data = data[os.write(self.input, data):]

    def unread(self):
        """How many bytes of what was said nobody has read yet."""
        ask = SIOCOUTQ if self.kind == "socket" else termios.FIONREAD
        return struct.unpack("i", fcntl.ioctl(self.input, ask, bytes(4)))[0]

    def all_is_read(self):
        deadline = time.monotonic() + WAIT_SECONDS
        while self.unread() > 0:
            if time.monotonic() > deadline:
                raise AssertionError("what was said is not read")
            select.select([], [], [], .002)

    def read(self):
        rest = bytearray()
        while chunk := os.read(self.output, READ_BYTES):
            rest += chunk
            lines = []
            if b"\n" in chunk:
                *lines, rest = rest.split(b"\n")
            with self.changed:
                for line in lines:
                    self.take(line)
                self.partial = len(rest)
                self.changed.notify_all()
                self.changed.wait_for(
                    lambda: self.held_at is None or self.partial < self.held_at, ANSWER_SECONDS)

    def take(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            message = {"broken": bytes(line[:200])}
        if message.get("method", "").startswith("notifications/"):
            self.notices.append(message)
            return
        if "method" in message or "id" not in message:
            self.strange.append(message)
            return
        self.count[message["id"]] += 1
        self.answers[message["id"]] = message
        self.when.setdefault(message["id"], time.monotonic())

    def hold(self, partial):
        """Reads no further once so many bytes of a line are there; None: reads on."""
        with self.changed:
            self.held_at = partial
            self.changed.notify_all()

    def wait_for(self, holds, seconds=ANSWER_SECONDS):
        """Whether it holds within that time; it is looked at whenever something has come."""
        with self.changed:
            return self.changed.wait_for(holds, seconds)

    def wait(self, ids, seconds=ANSWER_SECONDS):
        missing = set(ids)

        def all_came():
            missing.difference_update([number for number in missing if self.count[number]])
            return not missing
        if not self.wait_for(all_came, seconds):
            raise AssertionError(f"{len(missing)} of {len(ids)} calls have no answer after "
                                 f"{seconds} s: {sorted(missing)[:10]}")

    def close(self):
        """The end of the conversation; the exit status."""
        os.close(self.input)
        self.input = -1
        status = self.process.wait(timeout=WAIT_SECONDS)
        self.end()
        return status

    def end(self):
        """Whatever state it is in."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=WAIT_SECONDS)
        self.hold(None)
        self.reader.join(timeout=WAIT_SECONDS)
        for number in (self.input, self.output):
            if number >= 0:
                os.close(number)
        self.input = self.output = -1
        if not self.process.stderr.closed:
            self.process.stderr.close()


def line_of(number, method, params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def call_of(number, tool, **args):
    return line_of(number, "tools/call", {"name": "mcp", "arguments": {"tool": tool, "args": args}})


def text_in(message):
    """The text of an answer; of an error its message."""
    if "error" in message:
        return message["error"]["message"]
    return "".join(block.get("text", "") for block in message["result"]["content"])
