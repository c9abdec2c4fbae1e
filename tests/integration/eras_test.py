"""Servers behind HTTP that speak the protocol of 2026-07-28 and an older one: which one is taken,
that it is remembered from process to process, and what is said of errors that come of it.
Usage: eras_test.py PI_MCP FAKE_SERVER"""
import http.server
import json
import threading
import unittest

from cli_home import CliTest

NEWEST = "2026-07-28"
FASTMCP = "elicitation via server-initiated requests is unavailable on 2026-07-28 connections."
PYTHON_SDK = "Handler returned an invalid result"


class BothKinds(http.server.ThreadingHTTPServer):
    """Counts what it is asked. `lists`: the versions that it discovers. `wants`: a session, of a
    GET that has none."""
    daemon_threads = True

    def __init__(self, lists=(NEWEST, "2025-11-25"), sessions=True, discovers=True, wants=False):
        super().__init__(("127.0.0.1", 0), Conversation)
        self.lists, self.sessions, self.discovers, self.wants = lists, sessions, discovers, wants
        self.version = "1"
        self.asked = []
        threading.Thread(target=self.serve_forever, args=(0.01,)).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def take_asked(self):
        asked, self.asked = self.asked, []
        return asked

    def close(self):
        self.shutdown()
        self.server_close()


class Conversation(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        wants = self.server.wants and not self.headers.get("Mcp-Session-Id")
        self.send(400 if wants else 405)

    def do_DELETE(self):
        self.send(200)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method = message.get("method", "answer")
        self.server.asked.append(method)
        if "id" not in message:
            self.send(202)
            return
        modern = self.headers.get("MCP-Protocol-Version") == NEWEST
        answer = self.answer(method, message.get("params", {}), modern)
        if not modern and method not in ("initialize", "server/discover") and \
                self.server.sessions and not self.headers.get("Mcp-Session-Id"):
            answer = {"error": {"code": -32000, "message": "no session"}}
        headers = {"Content-Type": "application/json"}
        if method == "initialize" and self.server.sessions:
            headers["Mcp-Session-Id"] = "s-1"
        self.send(200, headers, json.dumps({"jsonrpc": "2.0", "id": message["id"]} | answer))

    def answer(self, method, params, modern):
        info = {"name": "both", "version": self.server.version}
        if method == "server/discover" and modern and self.server.discovers:
            return {"result": {"supportedVersions": list(self.server.lists),
                               "capabilities": {"tools": {}}, "serverInfo": info}}
        if method == "initialize":
            return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                               "serverInfo": info}}
        if method == "tools/list":
            return {"result": {"tools": [{"name": name, "inputSchema": {"type": "object"}}
                                         for name in ("ask", "answer")]}}
        if method == "tools/call" and params["name"] == "ask" and modern:
            return {"result": {"isError": True, "content": [{"type": "text", "text": FASTMCP}]}}
        if method == "tools/call" and params["name"] == "answer" and not modern:
            return {"error": {"code": -32603, "message": PYTHON_SDK}}
        if method == "tools/call":
            return {"result": {"content": [{"type": "text", "text": "it works"}]}}
        return {"error": {"code": -32601, "message": "no such method"}}

    def send(self, status, headers=None, body=""):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


class Eras(CliTest):
    def server(self, entry=None, **options):
        server = BothKinds(**options)
        self.addCleanup(server.close)
        self.home.configure(far={"url": server.url} | (entry or {}))
        return server

    def opened(self, server):
        """How a new process opens its link."""
        self.ok("connect", "far")
        return [method for method in server.take_asked()
                if method in ("server/discover", "initialize")]

    def call(self, tool):
        outcome = self.home.run("call", tool)
        return outcome.status, outcome.stdout + outcome.stderr


class Remembered(Eras):
    def test_a_session_is_asked_for_once_and_then_begun_at_once(self):
        server = self.server()
        self.assertEqual(self.opened(server), ["server/discover", "initialize"])
        self.assertEqual(self.opened(server), ["initialize"])
        self.assertEqual(self.call("far_ask")[0], 0)
        self.assertEqual(server.take_asked()[0], "initialize")

    def test_a_server_without_sessions_is_not_asked_for_one_again(self):
        server = self.server(sessions=False)
        self.assertEqual(self.opened(server), ["server/discover", "initialize"])
        self.assertEqual(self.opened(server), ["server/discover"])

    def test_an_older_server_is_not_asked_what_it_refuses_again(self):
        server = self.server(discovers=False)
        self.assertEqual(self.opened(server), ["server/discover", "initialize"])
        self.assertEqual(self.opened(server), ["initialize"])

    def test_a_server_that_wants_a_session_of_whoever_has_none_is_asked_for_it(self):
        server = self.server(lists=[NEWEST], wants=True)
        self.assertEqual(self.opened(server), ["server/discover", "initialize"])
        self.assertEqual(self.opened(server), ["initialize"])

    def test_another_version_is_asked_anew(self):
        server = self.server(sessions=False)
        self.opened(server)
        server.version = "2"
        self.assertEqual(self.opened(server), ["server/discover", "initialize"])
        self.assertEqual(self.opened(server), ["server/discover"])

    def test_sessions_that_are_given_no_more_are_found_out(self):
        server = self.server()
        self.opened(server)
        server.sessions = False
        self.assertEqual(self.opened(server), ["initialize", "server/discover"])
        self.assertEqual(self.opened(server), ["server/discover"])

    def test_other_programs_read_the_file_as_before(self):
        server = self.server()
        self.opened(server)
        cache = json.loads((self.home.agent / "mcp-cache.json").read_text())
        self.assertEqual(cache["version"], 1)
        self.assertEqual(cache["servers"]["far"]["era"],
                         {"protocolVersion": "2025-11-25", "session": True, "tried": True,
                          "server": "both 1"})


class Pinned(Eras):
    def test_decides_alone_and_leaves_nothing(self):
        for wanted, asked in (("legacy", "initialize"), (NEWEST, "server/discover")):
            server = self.server({"protocolVersion": wanted})
            for _ in range(2):
                self.assertEqual(self.opened(server), [asked])


class WrongEra(Eras):
    def test_a_server_that_discovers_less_than_it_speaks_is_believed_until_it_complains(self):
        server = self.server(lists=[NEWEST])
        self.assertEqual(self.opened(server), ["server/discover"])
        status, said = self.call("far_ask")
        self.assertEqual(status, 1, said)
        self.assertIn(FASTMCP, said)
        self.assertIn('[pi-mcp spoke revision 2026-07-28 with server "far" and tries an older one '
                      "with the next call]", said)
        server.take_asked()
        status, said = self.call("far_ask")
        self.assertEqual((status, said.strip()), (0, "it works"))
        self.assertEqual(server.take_asked()[0], "initialize")
        self.assertEqual(self.opened(server), ["initialize"])

    def test_one_that_keeps_no_session_either_is_not_tried_again(self):
        server = self.server(lists=[NEWEST], sessions=False)
        self.opened(server)
        self.assertIn("tries an older one", self.call("far_ask")[1])
        for _ in range(2):
            self.assertIn('"far"; to change that, set "protocolVersion": "legacy" in its entry]',
                          self.call("far_ask")[1])
        server.take_asked()
        self.assertEqual(self.opened(server), ["server/discover"])

    def test_pinned_it_is_the_setting_that_is_named(self):
        self.server({"protocolVersion": NEWEST})
        self.assertIn('set "protocolVersion": "legacy"', self.call("far_ask")[1])

    def test_what_works_in_the_newest_only_names_it(self):
        self.server()
        status, said = self.call("far_answer")
        self.assertEqual(status, 1, said)
        self.assertIn(PYTHON_SDK, said)
        self.assertIn('[pi-mcp spoke revision 2025-11-25 with server "far"; to change that, set '
                      '"protocolVersion": "2026-07-28" in its entry]', said)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
