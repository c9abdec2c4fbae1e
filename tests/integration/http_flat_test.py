"""Sessions over HTTP that come and go, with their streams, and calls in a row leave the process as
it was: no memory and no descriptor is kept.
Usage: http_flat_test.py PI_MCP FAKE_SERVER [SESSIONS CALLS]"""
import json
import pathlib
import re
import socket
import sys
import unittest

from cli_home import WAIT_SECONDS
from flatness import Flatness
from http_home import HttpTest

SESSION_KIB = 1.5  # at most, of one that nobody uses
SESSIONS, CALLS = map(int, sys.argv[3:5]) if len(sys.argv) > 4 else (60, 2000)


class HttpFlat(Flatness, HttpTest):
    def setUp(self):
        super().setUp()
        self.serve()
        self.stays = self.session(path="/servers/fake/mcp")
        self.assertEqual(self.said(self.call(self.stays, "the server is there")),
                         "the server is there")
        self.stays.close()
        self.wait_until("no connection is open", lambda: not self.connections())
        records = self.home.agent / "mcp-run"
        self.wait_until("what runs is recorded", lambda: any(records.glob("*.json")))

    def connections(self):
        """Established ones, of which the server has not seen the end."""
        port = f":{int(self.address.rsplit(':', 1)[1]):04X}"
        rows = [row.split() for row in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        at_end = {"06", "0A"}  # TIME_WAIT, LISTEN
        return [row for row in rows if row[1].endswith(port) and row[3] not in at_end]

    def kept(self):
        """Sessions that were left behind are in memory for half an hour, for their servers."""
        client = self.client(path="/metrics")
        metrics = client.request("GET").body
        client.close()
        return int(re.search(r"^pi_mcp_sessions (\d+)$", metrics, re.M)[1]) * SESSION_KIB

    @staticmethod
    def call(client, text):
        return client.post("tools/call", {"name": "echo", "arguments": {"text": text}})

    @staticmethod
    def said(answer):
        return answer.message()["result"]["content"][0]["text"]

    def test_sessions_that_come_and_go_leave_nothing(self):
        self.compare(self.process.pid, "sessions over HTTP", self.sessions, SESSIONS)

    def sessions(self, count):
        """Each has a stream; every other one is ended, the rest left behind."""
        for number in range(count):
            client = self.client(path="/mcp" if number % 3 == 0 else "/servers/fake/mcp")
            self.assertEqual(client.initialize().status, 200)
            stream = client.request("GET")
            self.assertEqual(stream.status, 200)
            if number % 3:
                self.assertEqual(self.said(self.call(client, str(number))), str(number))
            stream.response.close()
            if number % 2:
                self.assertEqual(client.request("DELETE").status, 200)
            client.close()

    def test_calls_in_a_row_leave_nothing(self):
        self.compare(self.process.pid, "calls over HTTP", self.calls, CALLS)

    def calls(self, count):
        """On one connection, without a library, which would take most of the time."""
        host, port = self.address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), WAIT_SECONDS) as connection:
            answers = connection.makefile("rb")
            for number in range(count):
                connection.sendall(self.request_of(number))
                status, length = answers.readline(), None
                while (line := answers.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                self.assertIn(b" 200 ", status)
                answer = json.loads(answers.read(length))
                self.assertEqual(answer["id"], f"call {number}")
                self.assertEqual(answer["result"]["content"][0]["text"], str(number))
            answers.close()

    def request_of(self, number):
        body = json.dumps({"jsonrpc": "2.0", "id": f"call {number}", "method": "tools/call",
                           "params": {"name": "echo", "arguments": {"text": str(number)}}})
        head = [f"POST {self.stays.path} HTTP/1.1", f"Host: {self.address}",
                "Accept: application/json, text/event-stream", "Content-Type: application/json",
                f"Mcp-Session-Id: {self.stays.session}",
                f"MCP-Protocol-Version: {self.stays.version}", f"Content-Length: {len(body)}"]
        return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
