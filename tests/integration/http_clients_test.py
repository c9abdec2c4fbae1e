"""What bad clients do to `pi-mcp serve --http`: each gets a clear refusal, and nobody else notices.
Usage: http_clients_test.py PI_MCP FAKE_SERVER"""
import json
import pathlib
import re
import socket
import time
import unittest

from cli_home import WAIT_SECONDS, fake
from http_home import HttpTest

HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


class BadClients(HttpTest):
    def setUp(self):
        super().setUp()
        self.serve(fake=fake())
        self.good = self.session()
        self.good.call("fake_echo", text="x").message()

    def tearDown(self):
        """Whatever was done, the next client is served, and what was sent is not kept."""
        self.assertEqual(self.good.call("fake_echo", text="y").message()["result"]["content"],
                         [{"type": "text", "text": "y"}])
        self.assertEqual(self.session().post("ping").status, 200)

    def connect(self):
        host, port = self.address.split(":")
        connection = socket.create_connection((host, int(port)), WAIT_SECONDS)
        self.addCleanup(connection.close)
        return connection

    def said(self, text, ends=False):
        """All that is answered until the server closes."""
        connection = self.connect()
        connection.sendall(text if isinstance(text, bytes) else text.encode())
        if ends:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while got := connection.recv(65536):
            answer += got
        return answer.decode()

    def refused(self, text, status):
        answer = self.said(text)
        self.assertTrue(answer.startswith(f"HTTP/1.1 {status} "), answer)
        return answer

    def kib(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(text.split("VmRSS:")[1].split()[0])

    def test_requests_that_two_programs_could_read_differently(self):
        for wrong in (f"Content-Length: {len(PING)}\r\nTransfer-Encoding: chunked\r\n",
                      f"Content-Length: {len(PING)}\r\nContent-Length: 3\r\n",
                      "Content-Length: -1\r\n", "Content-Length: 0x10\r\n",
                      "Transfer-Encoding: gzip, chunked\r\nTransfer-Encoding: identity\r\n",
                      "X: a\r\n b\r\nContent-Length: 0\r\n", "Bad Header : x\r\n"):
            with self.subTest(wrong):
                answer = self.said(HEAD + wrong + "\r\n" + PING)
                self.assertRegex(answer, r"^HTTP/1\.1 (400|501) ")
                self.assertEqual(len(re.findall(r"HTTP/1\.1 \d", answer)), 1, answer)

    def test_what_is_too_much(self):
        self.refused(HEAD + "Content-Length: 1073741824\r\n\r\n", 413)
        self.refused(HEAD + "X: " + "x" * (1 << 20), 431)
        self.refused("GET /" + "x" * (1 << 16) + " HTTP/1.1\r\n", 414)
        before = self.kib()
        deep = "[" * 100_000
        self.refused(HEAD + f"Connection: close\r\nContent-Length: {len(deep)}\r\n\r\n{deep}", 400)
        self.assertLess(self.kib() - before, 64 << 10)

    def test_what_is_no_http(self):
        for text in ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "x" * 100,
                     "GET /mcp HTTP/3.0\r\nHost: localhost\r\n\r\n",
                     "get\r\n\r\n", "GET mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     "SSH-2.0-OpenSSH_9.2\r\n\r\n"):
            with self.subTest(text):
                self.assertRegex(self.said(text), r"^HTTP/1\.1 (400|408|505) ")

    def test_who_promises_more_than_is_sent(self):
        answer = self.said(HEAD + "Content-Length: 1000\r\n\r\n" + PING, ends=True)
        self.assertEqual(answer, "")  # no request, no answer

    def test_who_sends_byte_by_byte(self):
        connection = self.connect()
        for byte in (HEAD + f"Content-Length: {len(PING)}\r\nConnection: close\r\n\r\n{PING}"):
            connection.sendall(byte.encode())
        self.assertIn("400 Bad Request", connection.recv(65536).decode())  # it has no session

    def test_who_begins_a_head_and_does_not_end_it(self):
        connection = self.connect()
        connection.sendall(b"POST /mcp HTTP/1.1\r\n")
        began = time.monotonic()
        self.assertIn("408", connection.recv(65536).decode())
        self.assertLess(time.monotonic() - began, 20)

    def test_many_who_say_nothing(self):
        before = self.kib()
        for _ in range(800):
            self.connect()
        self.assertEqual(self.good.post("ping").status, 200)
        self.assertLess((self.kib() - before) / 800, 64)

    def test_who_asks_for_much_and_reads_nothing(self):
        connection = self.connect()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "mcp", "arguments": {"tool": "fake_big", "args": {"bytes": 1 << 20}}}})
        request = (HEAD + f"Mcp-Session-Id: {self.good.session}\r\nContent-Length: {len(body)}"
                   f"\r\nAccept: application/json\r\n\r\n{body}")
        connection.sendall(request.encode())
        for _ in range(20):
            self.assertEqual(self.good.post("ping").status, 200)

    def test_sessions_of_others(self):
        other = self.session()
        other.session = other.session[:-4] + "AAAA"
        self.check(other.post("ping"), 404, "no such session")
        token = self.home.run("token", "add", "one").stdout.strip()
        guest = self.client(token=token)
        guest.session = self.good.session
        self.check(guest.post("ping"), 404, "no such session")

    def test_bad_tokens(self):
        for token in ("x", "pimcp_" + "A" * 43, "", "a b", "x" * 10_000):
            answer = self.client(token=token or "-").post("ping")
            self.assertEqual(answer.status, 401, token)
            self.assertIn("Bearer", answer.headers["www-authenticate"])
        token = self.home.run("token", "add", "one").stdout.strip()
        guest = self.session(token=token)
        self.assertEqual(self.home.run("token", "remove", "one").status, 0)
        deadline = time.monotonic() + WAIT_SECONDS
        while guest.post("ping").status != 401:
            self.assertLess(time.monotonic(), deadline)

    def test_a_principal_has_what_its_token_gives(self):
        self.home.configure(fake=fake(), secret=fake(name="secret"))
        token = self.home.run("token", "add", "one", "--servers", "fake", "--tools",
                              "echo").stdout.strip()
        deadline = time.monotonic() + WAIT_SECONDS
        while "isError" in self.good.call("secret_echo", text="x").message()["result"]:
            self.assertLess(time.monotonic(), deadline)
        guest = self.session(token=token)
        self.assertNotIn("isError", guest.call("fake_echo", text="x").message()["result"])
        seen = json.dumps([guest.post("tools/list").json(),
                           guest.post("tools/call", {"name": "mcp", "arguments": {}}).message(),
                           guest.post("tools/call", {"name": "mcp", "arguments": {
                               "search": "add"}}).message()])
        self.assertNotIn("secret", seen)
        self.assertNotIn("fake_add", seen)
        hidden = guest.call("fake_add", a=1, b=2).message()["result"]
        missing = guest.call("fake_nothing", a=1, b=2).message()["result"]
        self.assertTrue(hidden["isError"])
        self.assertEqual(json.dumps(hidden).replace("fake_add", "fake_nothing"),
                         json.dumps(missing))
        guest.path = "/servers/secret/mcp"
        self.check(guest.post("ping"), 404, "no such server")


if __name__ == "__main__":
    unittest.main(argv=[__file__])
