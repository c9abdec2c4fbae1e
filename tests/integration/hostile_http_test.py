"""A hostile HTTP server with one way to misbehave for each path, and one call to each of them:
every call ends in time with the answer or a plain error, no credential reaches another origin or
the output, no sanitizer has anything to say, and no process is left.
Usage: hostile_http_test.py PI_MCP FAKE_SERVER"""
import concurrent.futures
import gzip
import json
import os
import signal
import socket
import socketserver
import threading
import time
import unittest

from cli_home import Home
from serve_host import Census

AT_ONCE = 4
HANG_SECONDS = 40  # far more than the limits below add up to
LIMITS = {"startupTimeoutMs": 4000, "requestTimeoutMs": 2000, "requestTotalTimeoutMs": 3000}
SECRETS = ("planted-header-text", "planted-key-text", "planted-query-text")
PLAIN_STATUSES = (0, 1, 4, 5, 6)

OK = b"HTTP/1.1 200 OK\r\n"
JSON_HEAD = OK + b"Content-Type: application/json\r\n"
CHUNKED = JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
EVENTS = OK + b"Content-Type: text/event-stream\r\n\r\n"
PAUSE_SECONDS = 0.02


def answer_to(message):
    """What a good server says; None to a notification."""
    results = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "hostile", "version": "1"}},
        "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "REAL"}]}}
    if "id" not in message:
        return None
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message.get("method") in results:
        return json.dumps(answer | {"result": results[message["method"]]}).encode()
    return json.dumps(answer | {"error": {"code": -32601, "message": "no"}}).encode()


def whole(status, headers, body=b""):
    head = f"HTTP/1.1 {status}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items())
    return head.encode("latin1") + b"Content-Length: %d\r\n\r\n" % len(body) + body


class Mode:
    """One way to misbehave. `goes_well`: whether the call may succeed (True: it has to)."""

    def __init__(self, act, goes_well=False, at="every", says=""):
        self.act, self.goes_well, self.at, self.says = act, goes_well, at, says

    def applies(self, verb, method):
        if self.at == "call":
            return verb == "POST" and method == "tools/call"
        return verb == "POST" or self.at == "every"


def once(data):
    """Sends this and hangs up."""
    def act(peer, _request):
        peer.send(data)
        return False
    return act


def keeps(data):
    """Sends this and takes the next request."""
    def act(peer, _request):
        peer.send(data)
        return True
    return act


def pieces(start, piece, count, pause=0.0):
    def act(peer, _request):
        peer.send(start)
        for _ in range(count):
            peer.send(piece)
            if pause:
                peer.wait(pause)
        return False
    return act


def in_pieces_of(size, start, unit):
    """Past the limit on heads, each piece a packet of its own as long as it matters."""
    piece = (unit * (size // len(unit) + 1))[:size]

    def act(peer, _request):
        peer.send(start)
        for i in range(200_000 // size):
            peer.send(piece)
            if i < 6:
                peer.wait(PAUSE_SECONDS)
        return False
    return act


def redirect(status, where):
    def act(peer, _request):
        peer.send(whole(f"{status} R", {"Location": peer.server.filled(where)}))
        return True
    return act


def stream(piece, count, with_answer):
    """The answer as an event stream, behind what should not be there."""
    def act(peer, request):
        peer.send(EVENTS)
        for _ in range(count):
            peer.send(piece)
        if with_answer:
            peer.send(b"data: " + answer_to(request.message) + b"\n\n")
        return False
    return act


def with_session(session):
    def act(peer, request):
        headers = {"Content-Type": "application/json", "Mcp-Session-Id": session,
                   "Set-Cookie": "c=1"}
        body = answer_to(request.message)
        peer.send(whole("200 OK", headers, body) if body else whole("202 Accepted", headers))
        return True
    return act


def repeats_what_it_got(peer, request):
    said = "\x1b[31m" + request.headers.get("authorization", "") + " " + request.path
    peer.send(whole("500 E", {"Content-Type": "application/json"},
                    json.dumps({"error": {"message": said}}).encode()))
    return True


def answers_twice(peer, request):
    answer = answer_to(request.message)
    peer.send(EVENTS)
    peer.send(b"data: " + answer + b"\n\n")
    peer.send(b"data: " + answer.replace(b"REAL", b"SECOND") + b"\n\n")
    return False


def adds_more(peer, request):
    peer.send(whole("200 OK", {"Content-Type": "application/json"}, answer_to(request.message))
              + b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\njunk")
    return True


def many_interim(count):
    def act(peer, request):
        peer.send(b"HTTP/1.1 100 Continue\r\n\r\n" * count)
        body = answer_to(request.message)
        peer.send(whole("200 OK", {"Content-Type": "application/json"}, body) if body
                  else whole("202 Accepted", {}))
        return True
    return act


NOTIFICATION = b'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
SAMPLING = b'data: {"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{}}\n\n'
TOO_LONG = " is larger than 64.0KB"
MODES = {
    "good": Mode(keeps(b""), True, at="never"),
    # Broken framing.
    "closes": Mode(once(b"")),
    "garbage": Mode(once(bytes(range(256)) * 20)),
    "status-000": Mode(once(b"HTTP/1.1 000 x\r\n\r\n")),
    "status-999": Mode(keeps(whole("999 x", {}, b"{}"))),
    "chunk-size-broken": Mode(once(CHUNKED + b"ZZZZ\r\nabc\r\n0\r\n\r\n")),
    "chunk-size-huge": Mode(once(CHUNKED + b"F" * 17 + b"\r\nabc\r\n")),
    "chunk-size-negative": Mode(once(CHUNKED + b"-5\r\nabc\r\n")),
    "length-and-chunks": Mode(once(JSON_HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked"
                                   b"\r\n\r\n2\r\n{}\r\n0\r\n\r\n")),
    "length-twice": Mode(once(JSON_HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ")),
    "length-negative": Mode(once(JSON_HEAD + b"Content-Length: -1\r\n\r\n{}")),
    "length-huge": Mode(once(JSON_HEAD + b"Content-Length: 99999999999999999999\r\n\r\n{}")),
    "cut": Mode(once(JSON_HEAD + b"Content-Length: 100\r\n\r\n{}")),
    "gzip": Mode(keeps(whole("200 OK", {"Content-Type": "application/json",
                                        "Content-Encoding": "gzip"}, gzip.compress(b"{}"))),
                 says="Content-Encoding: gzip"),
    "page": Mode(keeps(whole("200 OK", {"Content-Type": "text/html"}, b"<html>\x1b[31m"))),
    "switching": Mode(once(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n")),
    "more-behind-the-answer": Mode(adds_more, True, at="call"),
    "a-few-interim-answers": Mode(many_interim(5), True, at="post"),
    "interim-answers-without-end": Mode(once(b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000)),
    # Too long, or never over.
    "head-long": Mode(once(OK + b"X-A: " + b"a" * 500_000 + b"\r\n\r\n"),
                      says="the head of its answer" + TOO_LONG),
    "head-endless": Mode(pieces(OK, b"X-A: a\r\n" * 1000, 2000),
                         says="the head of its answer" + TOO_LONG),
    "head-slow": Mode(pieces(OK, b"X", 200, 0.1)),
    "body-slow": Mode(pieces(JSON_HEAD + b"Content-Length: 100000\r\n\r\n", b" ", 200, 0.1)),
    "body-endless": Mode(pieces(JSON_HEAD + b"\r\n", b" " * 100_000, 4000)),
    "silent": Mode(pieces(b"", b"", 200, 0.1)),
    **{f"{name}-in-pieces-of-{size}": Mode(in_pieces_of(size, CHUNKED + start, unit),
                                           says=f"{what} its answer{TOO_LONG}")
       for name, what, start, unit in (
           ("chunk-extension", "a chunk extension in", b"5;", b"x"),
           ("trailer", "the trailer of", b"2\r\n{}\r\n0\r\n", b"T: x\r\n"))
       for size in (500, 4000, 16_384, 65_536)},
    # Redirects; other origins must see nothing.
    **{f"redirect-{status}-elsewhere": Mode(redirect(status, "OTHER/sink"))
       for status in (301, 302, 303, 307, 308)},
    "redirect-of-the-call": Mode(redirect(307, "OTHER/sink"), at="call"),
    "redirect-to-another-name": Mode(redirect(307, "http://localhost:PORT/good")),
    "redirect-without-scheme": Mode(redirect(307, "//OTHERHOST/sink")),
    "redirect-to-itself": Mode(redirect(307, "HERE/redirect-to-itself")),
    "redirect-to-a-file": Mode(redirect(307, "file:///etc/passwd")),
    "redirect-to-a-script": Mode(redirect(307, "javascript:1")),
    "redirect-broken": Mode(redirect(307, "http://[::1")),
    "redirect-inside": Mode(redirect(307, "/good"), True, at="post"),
    "redirect-with-escaped-line-break": Mode(redirect(307, "/good%0d%0aX: y"), None, at="post"),
    # Refusals.
    "refuses-and-repeats": Mode(repeats_what_it_got),
    "refuses-for-ever": Mode(keeps(whole("401 U", {
        "WWW-Authenticate": 'Bearer error="invalid_token", resource_metadata="OTHER/prm"'}))),
    "busy-for-ever": Mode(keeps(whole("429 T", {"Retry-After": "0"}))),
    "busy-until-yesterday": Mode(keeps(whole("503 T", {"Retry-After": "-5"}))),
    "busy-for-an-age": Mode(keeps(whole("503 T", {"Retry-After": "9" * 23}))),
    "forgets-the-session": Mode(keeps(whole("404 N", {})), at="call"),
    # Sessions.
    **{f"session-{name}": Mode(with_session(session), None, at="post") for name, session in (
        ("plain", "x"), ("with-control", "abc\x0bX: y"), ("huge", "s" * 60_000),
        ("with-space", "a b"), ("with-bytes", "\xff\xfe"))},
    # Event streams.
    "events-comments": Mode(stream(b": keepalive\n\n" * 1000, 4000, False), at="call"),
    "events-long-data": Mode(stream(b"data: " + b"A" * (1 << 18), 400, False), at="call"),
    "events-long-id": Mode(stream(b"id: " + b"A" * (1 << 18), 40, False), at="call"),
    "events-empty-lines": Mode(stream(b"data:\n" * 10_000, 500, False), at="call"),
    "events-cut-off": Mode(stream(b"id: ev\nretry: 0\ndata: {}\n\n", 1, False), at="call"),
    "events-long-retry": Mode(stream(b"retry: 99999999999999999\nid: 1\ndata: {}\n\n", 1, False),
                              at="call"),
    "events-strange-ids": Mode(stream(b"id: a\x0bb\r\rid: x\0y\n", 1, True), True, at="call"),
    "events-of-others": Mode(stream(b'data: {"jsonrpc":"2.0","id":99999,"result":{}}\n\n', 500,
                                    True), True, at="call"),
    "events-notifications": Mode(stream(NOTIFICATION, 2000, True), True, at="call"),
    "events-requests": Mode(stream(SAMPLING, 20, True), True, at="call"),
    "events-two-answers": Mode(answers_twice, True, at="call"),
}


class Request:
    def __init__(self, verb, path, headers, body):
        self.verb, self.path, self.headers = verb, path, headers
        self.message = json.loads(body) if body else {}


class Gone(Exception):
    """The client has hung up, or the test is over."""


class Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def send(self, data):
        try:
            self.request.sendall(data)
        except OSError:
            raise Gone from None

    def wait(self, seconds):
        if self.server.over.wait(seconds):
            raise Gone

    def handle(self):
        try:
            while self.exchange():
                pass
        except (Gone, OSError, ValueError):
            pass  # who misbehaves is hung up on

    def exchange(self):
        verb, path, _ = self.rfile.readline().decode("latin1").split(" ", 2)
        headers = {}
        while (line := self.rfile.readline().decode("latin1").rstrip()):
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        request = Request(verb, path, headers,
                          self.rfile.read(int(headers.get("content-length", 0))))
        self.server.seen.append(request)
        mode = MODES.get(path.split("?")[0].strip("/").split("/")[0])
        if mode and mode.applies(verb, request.message.get("method")) and mode.at != "never":
            return mode.act(self, request)
        if verb != "POST":
            self.send(whole("405 N", {}))
            return True
        answer = answer_to(request.message)
        self.send(whole("200 OK", {"Content-Type": "application/json"}, answer) if answer
                  else whole("202 Accepted", {}))
        return True


class Hostile(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 64

    def __init__(self, other=None):
        super().__init__(("127.0.0.1", 0), Connection)
        self.seen, self.other, self.over = [], other, threading.Event()
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def filled(self, where):
        for name, value in {"OTHERHOST": f"127.0.0.1:{self.other}",
                            "OTHER": f"http://127.0.0.1:{self.other}",
                            "HERE": f"http://127.0.0.1:{self.port}",
                            "PORT": str(self.port)}.items():
            where = where.replace(name, value)
        return where

    def handle_error(self, *_):
        pass  # a client that is killed resets its connections

    def close(self):
        self.over.set()
        self.shutdown()
        self.server_close()


class HostileHttp(unittest.TestCase):
    def setUp(self):
        self.census = Census()
        self.addCleanup(self.end_all)

    def end_all(self):
        for pid in self.census.pids():  # only after a failure
            os.kill(pid, signal.SIGKILL)

    def call(self, name):
        """What is wrong with a call to a server in this mode, one line each."""
        home, other = Home(), Hostile()
        server = Hostile(other.port)
        try:
            self.census.count(home)
            home.configure(h={
                "url": f"http://127.0.0.1:{server.port}/{name}/x?tok={SECRETS[2]}",
                "headers": {"Authorization": "Bearer " + SECRETS[0], "X-Api-Key": SECRETS[1]},
                **LIMITS})
            process = home.start("--log-level", "debug", "call", "h_t", text=False)
            try:
                out, err = process.communicate(timeout=HANG_SECONDS)
            except Exception:
                process.kill()
                process.communicate()
                return [f"{name}: hangs"]
            return [f"{name}: {wrong}" for wrong in
                    self.wrong(MODES[name], process.returncode, out + err, other.seen)]
        finally:
            server.close()
            other.close()
            home.remove()

    @staticmethod
    def wrong(mode, status, said, seen_elsewhere):
        text = said.decode(errors="replace")
        wrong = [line for line in text.splitlines()
                 if "Sanitizer" in line or "runtime error:" in line][:2]
        if status not in PLAIN_STATUSES:
            wrong.append(f"status {status}")
        if mode.goes_well is not None and mode.goes_well != (status == 0):
            wrong.append(f"status {status}: {text[-300:]}")
        if status == 0 and "REAL" not in text:
            wrong.append(f"another answer: {text[-300:]}")
        wrong += [f"shows {secret}" for secret in SECRETS if secret in text]
        wrong += ["shows a second answer"] if "SECOND" in text else []
        wrong += ["shows control characters"] if "\x1b" in text else []
        if mode.says and mode.says not in text:
            wrong.append(f"does not say {mode.says}: {text[-300:]}")
        if mode.says and any(line.count("http://127.0.0.1") > 1 for line in text.splitlines()
                             if mode.says in line):
            wrong.append(f"names the origin twice: {text[-300:]}")
        if seen_elsewhere:
            wrong.append(f"another origin saw {len(seen_elsewhere)} requests")
        return wrong

    def test_every_call_to_a_hostile_server_ends_in_time_and_harms_nobody(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            found = [line for lines in pool.map(self.call, MODES) for line in lines]
        self.assertEqual(found, [], "\n" + "\n".join(found))
        self.census.wait_empty()
        self.assertEqual(self.census.pids(), [])


if __name__ == "__main__":
    unittest.main(argv=[__file__])
