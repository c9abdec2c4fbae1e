"""`pi-mcp serve --http`, as its clients see it. Usage: http_serve_test.py PI_MCP FAKE_SERVER"""
import base64
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest

from cli_home import WAIT_SECONDS, fake
from http_client import MODERN
from http_home import HttpTest


class Sessions(HttpTest):
    def test_a_session_from_its_beginning_to_its_end(self):
        self.serve()
        client = self.client()
        hello = client.initialize()
        self.assertEqual(hello.headers["content-type"], "application/json")
        self.assertEqual(hello.json()["result"]["protocolVersion"], "2025-11-25")
        self.assertRegex(client.session, r"^[!-~]{40,1000}$")
        tools = client.post("tools/list").json()["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], ["mcp"])
        result = client.call("fake_echo", text="hi").message()["result"]
        self.assertEqual(result, {"content": [{"type": "text", "text": "hi"}]})
        self.assertEqual(client.request("DELETE").status, 200)
        self.check(client.post("tools/list"), 404, "no such session")
        self.check(client.request("DELETE"), 404, "no such session")

    def test_what_runs_for_clients_is_seen_by_commands(self):
        self.serve(fake=fake("--stderr", "listening"))
        self.assertEqual(self.running(), [])
        self.session().call("fake_echo", text="x").message()
        deadline = time.monotonic() + WAIT_SECONDS
        while not (running := self.running()) or not self.home.run("logs", "fake").stdout:
            self.assertLess(time.monotonic(), deadline, "it is not seen")
        run, = running
        self.assertEqual((run["name"], run["status"], run["client"], run["ownerProcessId"]),
                         ("fake", "connected", "clients over HTTP", self.process.pid))
        self.assertGreater(run["processId"], 0)
        self.assertGreater(run["toolCount"], 2)
        self.assertEqual(self.home.run("logs", "fake").stdout, "listening\n")
        self.process.terminate()
        self.process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(self.running(), [])
        last = json.loads(self.home.run("--json", "logs", "fake").stdout)["lastRun"]
        self.assertEqual((last["client"], last["error"], last["stderr"]),
                         ("clients over HTTP", "", "listening\n"))

    def running(self):
        return json.loads(self.home.run("--json", "status").stdout)["running"]

    def test_what_is_said_before_the_answer_makes_it_a_stream(self):
        self.serve()
        client = self.session()
        answer = client.call("fake_progress", steps=3, meta={"progressToken": "p"})
        self.assertTrue(answer.is_stream)
        events = list(answer.events())
        steps = [e["params"]["message"] for e in events if "step" in str(e.get("params"))]
        self.assertEqual(steps, ["step 1", "step 2", "step 3"])
        self.assertEqual(events[-1]["result"]["content"][0]["text"], "done")

    def test_a_question_comes_on_the_stream_of_its_call(self):
        self.serve()
        client = self.session(capabilities={"sampling": {}})
        answer = client.call("fake_ask", method="sampling/createMessage", params={
            "maxTokens": 1, "messages": [{"role": "user", "content": {"type": "text",
                                                                     "text": "say"}}]})
        self.assertTrue(answer.is_stream)
        question = answer.event()
        while question.get("method") != "sampling/createMessage":
            question = answer.event()
        said = client.request("POST", {"jsonrpc": "2.0", "id": question["id"], "result": {
            "role": "assistant", "model": "m", "content": {"type": "text", "text": "said"}}})
        self.assertEqual(said.status, 202)
        self.assertIn("said", json.dumps(list(answer.events())[-1]))

    def test_the_stream_of_a_session_tells_what_changes_and_can_be_resumed(self):
        self.serve("--config", str(self.home.root / ".pi/agent/mcp.json"),
                   fake=fake() | {"directTools": True})
        client = self.session()
        self.assertTrue(client.call("fake_echo", text="x").message()["result"])
        client.post("tools/list")
        stream = client.request("GET")
        self.assertTrue(stream.is_stream)
        client.call("fake_add_tool", name="later").message()
        change = stream.event()
        self.assertEqual(change["method"], "notifications/tools/list_changed")
        seen = stream.last_id
        stream.response.close()
        again = client.request("GET", Last_Event_ID=seen)
        self.assertTrue(again.is_stream)

    def test_a_session_that_sleeps_hears_what_changes_and_wakes(self):
        self.serve("--config", str(self.home.root / ".pi/agent/mcp.json"),
                   fake=fake() | {"directTools": True})
        working = self.session()
        self.assertTrue(working.call("fake_echo", text="x").message()["result"])
        sleeping = self.session()
        sleeping.post("tools/list")
        stream = sleeping.request("GET")
        for _ in range(300):  # more than may be awake with nothing to do
            other = self.session()
            other.close()
        for name in ("later", "last"):
            working.call("fake_add_tool", name=name).message()
            change = stream.event()
            self.assertEqual(change["method"], "notifications/tools/list_changed")
            self.assertIn(f"fake_{name}", sleeping.post("tools/list").body)
        self.assertEqual(sleeping.call("fake_echo", text="up").message()["result"]["content"],
                         [{"type": "text", "text": "up"}])
        seen = stream.last_id
        stream.response.close()
        self.assertTrue(sleeping.request("GET", Last_Event_ID=seen).is_stream)

    def test_a_session_in_front_of_a_server_sleeps_hears_what_changes_and_wakes(self):
        self.serve(common=fake(name="common"), own=fake(name="own") | {"share": "session"})
        path = {name: f"/servers/{name}/mcp" for name in ("common", "own")}
        working, sleeping, own = (self.session(path=path[name])
                                  for name in ("common", "common", "own"))
        for client in (working, sleeping, own):
            self.assertEqual(client.post("tools/call", {"name": "echo", "arguments": {
                "text": "x"}}).message()["result"]["content"][0]["text"], "x")
        own.post("tools/call", {"name": "add_tool", "arguments": {"name": "kept"}}).message()
        stream = sleeping.request("GET")
        for _ in range(300):  # more than may be awake with nothing to do
            other = self.session(path=path["common"])
            other.close()
        for name in ("later", "last"):
            working.post("tools/call", {"name": "add_tool", "arguments": {"name": name}}).message()
            self.assertEqual(stream.event()["method"], "notifications/tools/list_changed")
            self.assertIn(f'"{name}"', sleeping.post("tools/list").body)
        # One that is only its client's is not left to others.
        self.assertIn('"kept"', own.post("tools/list").body)

    def test_a_client_comes_back_to_its_call(self):
        self.serve()
        client = self.session()
        answer = client.call("fake_slow", ms=4000)
        self.assertTrue(answer.is_stream)  # after a second
        while answer.last_id is None:
            line = answer.comment().decode()
            answer.last_id = line[4:].strip() if line.startswith("id: ") else None
        answer.response.close()
        client.connections[-1].close()
        again = client.request("GET", Last_Event_ID=answer.last_id)
        self.assertEqual(list(again.events())[-1]["result"]["content"][0]["text"], "done")

    def test_a_client_that_takes_json_alone_gets_json_alone(self):
        self.serve()
        client = self.session(accept="application/json")
        answer = client.call("fake_progress", steps=3, meta={"progressToken": "p"})
        self.assertEqual(answer.json()["result"]["content"][0]["text"], "done")

    def test_a_server_that_keeps_a_state_for_its_client_is_for_one_session(self):
        self.serve(own=fake(name="own") | {"share": "session"}, common=fake(name="common"))
        for server, is_shared in (("own", False), ("common", True)):
            first, second = (self.session(path=f"/servers/{server}/mcp") for _ in range(2))
            first.post("tools/call", {"name": "add_tool", "arguments": {"name": "later"}}).message()
            for client, has_it in ((first, True), (second, is_shared)):
                tools = client.post("tools/list").message()["result"]["tools"]
                self.assertEqual("later" in [tool["name"] for tool in tools], has_it, server)

    def test_a_cancelled_call_ends(self):
        self.serve()
        client = self.session()
        answer = client.call("fake_slow")
        self.assertTrue(answer.is_stream)
        client.notify("notifications/cancelled", {"requestId": client.number})
        self.assertEqual(list(answer.events()), [])
        self.assertEqual(client.call("fake_echo", text="x").status, 200)

    def test_a_session_lives_in_its_id(self):
        key = self.home.write("keys", "ab" * 32 + "\n")
        key.chmod(0o600)
        self.serve("--session-key", str(key))
        client = self.session()
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(WAIT_SECONDS), 0)
        self.process.communicate()
        client.address = self.serve("--session-key", str(key))
        result = client.call("fake_echo", text="still").message()["result"]
        self.assertEqual(result["content"][0]["text"], "still")

    def test_batches_of_the_revision_that_has_them(self):
        self.serve()
        old = self.session(version="2025-03-26")
        both = old.request("POST", [{"jsonrpc": "2.0", "id": "a", "method": "ping"},
                                    {"jsonrpc": "2.0", "id": "b", "method": "ping"}])
        self.assertEqual(sorted(each["id"] for each in both.json()), ["a", "b"])
        new = self.session()
        self.check(new.request("POST", [{"jsonrpc": "2.0", "id": 1, "method": "ping"}]), 400,
                   "batch")


class Stateless(HttpTest):
    def test_a_request_that_says_who_asks_needs_no_session(self):
        self.serve()
        client = self.client(version=MODERN)
        found = client.post("server/discover").json()["result"]
        self.assertIn(MODERN, found["supportedVersions"])
        listed = client.post("tools/list").json()["result"]
        self.assertEqual(listed["resultType"], "complete")
        self.assertIn("ttlMs", listed)
        result = client.call("fake_echo", text="hi").message()["result"]
        self.assertEqual(result["content"][0]["text"], "hi")

    def test_headers_have_to_say_what_the_body_says(self):
        self.serve()
        client = self.client(version=MODERN)
        for headers in ({"Mcp_Method": "tools/list"}, {"Mcp_Method": None},
                        {"MCP_Protocol_Version": None}, {"Mcp_Name": "other"},
                        {"MCP_Protocol_Version": "2025-11-25"}, {"Mcp_Name": "=?base64?&&?="}):
            with self.subTest(headers):
                answer = client.post("tools/call", {"name": "mcp", "arguments": {}}, **headers)
                self.assertEqual(answer.status, 400, answer.body)
                self.assertEqual(answer.json()["error"]["code"], -32020)
        encoded = "=?base64?" + base64.b64encode(b"mcp").decode() + "?="
        self.assertEqual(client.post("tools/call", {"name": "mcp", "arguments": {}},
                                     Mcp_Name=encoded).status, 200)

    def test_what_it_does_not_have_is_404_and_what_it_does_not_speak_400(self):
        self.serve()
        client = self.client(version=MODERN)
        for method in ("ping", "logging/setLevel", "resources/subscribe", "initialize", "no/such"):
            with self.subTest(method):
                answer = client.post(method)
                self.assertEqual((answer.status, answer.json()["error"]["code"]), (404, -32601))
        later = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
        answer = client.request("POST", {"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                                         "params": later})
        self.assertEqual((answer.status, answer.json()["error"]["code"]), (400, -32022))
        for method in ("GET", "DELETE"):
            self.assertEqual(client.request(method, MCP_Protocol_Version=MODERN).status, 405)

    def test_a_call_asks_by_its_result(self):
        self.serve()
        client = self.client(version=MODERN, capabilities={"sampling": {}})
        ask = {"tool": "fake_ask", "args": {"method": "sampling/createMessage", "params": {
            "maxTokens": 1, "messages": [{"role": "user", "content": {"type": "text",
                                                                     "text": "say"}}]}}}
        asked = client.post("tools/call", {"name": "mcp", "arguments": ask}).message()["result"]
        self.assertEqual(asked["resultType"], "input_required")
        name, = asked["inputRequests"]
        again = {"name": "mcp", "arguments": ask, "requestState": asked["requestState"],
                 "inputResponses": {name: {"role": "assistant", "model": "m",
                                           "content": {"type": "text", "text": "said"}}}}
        done = client.post("tools/call", again).message()["result"]
        self.assertEqual(done["resultType"], "complete")
        self.assertIn("said", json.dumps(done))
        used = client.post("tools/call", again)
        self.assertEqual(used.json()["error"]["code"], -32602)

    def test_what_one_client_cannot_do_does_not_bind_the_next(self):
        """A server with a handshake is told once what it may ask."""
        server = self.watched("--tools", "all")
        self.serve(fake=server.entry)
        ask = {"name": "ask", "arguments": {"method": "sampling/createMessage", "params": {
            "maxTokens": 1, "messages": [{"role": "user", "content": {"type": "text",
                                                                     "text": "say"}}]}}}
        for capabilities in ({}, {"sampling": {}}):
            client = self.client(version=MODERN, capabilities=capabilities)
            client.path = "/servers/fake/mcp"
            asked = client.post("tools/call", ask).message()["result"]
        self.assertEqual(asked["resultType"], "input_required")
        server.wait_for('"capabilities":{"sampling":{}}')

    def test_whoever_closes_its_stream_has_cancelled_its_call(self):
        server = self.watched("--tools", "all")
        self.serve(fake=server.entry)
        client = self.client(version=MODERN)
        answer = client.call("fake_slow")
        self.assertTrue(answer.is_stream)
        server.wait_for('"slow"')
        answer.response.close()
        client.connections[-1].close()
        server.wait_for("notifications/cancelled")

    def test_equal_ids_of_two_clients_do_not_meet(self):
        self.serve()
        one, two = self.client(version=MODERN), self.client(version=MODERN)
        slow = one.call("fake_slow", ms=1500)
        quick = two.call("fake_echo", text="quick")
        self.assertEqual(one.number, two.number)
        self.assertEqual(quick.message()["result"]["content"][0]["text"], "quick")
        self.assertEqual(slow.message()["result"]["content"][0]["text"], "done")

    def test_a_listening_client_hears_what_changes(self):
        self.serve(fake=fake() | {"directTools": True})
        client = self.client(version=MODERN)
        self.assertTrue(client.call("fake_echo", text="x").message()["result"])
        client.post("tools/list")
        stream = client.post("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        self.assertTrue(stream.is_stream)
        self.assertEqual(stream.event()["method"], "notifications/subscriptions/acknowledged")
        number = client.number
        client.call("fake_add_tool", name="later").message()
        told = stream.event()
        self.assertEqual(told["method"], "notifications/tools/list_changed")
        self.assertEqual(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], number)


class Refusals(HttpTest):
    def test_bad_requests_are_told_what_is_wrong(self):
        self.serve()
        client = self.session()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.check(client.request("POST", "{"), 400, "-32700")
        self.check(client.request("POST", "3"), 400, "-32600")
        self.check(client.request("POST", ping, Content_Type="text/plain"), 415, "application/json")
        self.check(client.request("POST", ping, Accept="text/html"), 406, "application/json")
        self.check(client.request("POST", ping, MCP_Protocol_Version="1999-01-01"), 400, "-32022")
        self.check(client.request("POST", ping, Mcp_Session_Id=None), 400, "Mcp-Session-Id")
        self.check(client.request("POST", ping, Mcp_Session_Id="x" * 80), 404, "no such session")
        self.check(client.request("GET", Accept="application/json"), 406, "text/event-stream")
        self.check(client.request("GET", Last_Event_ID="junk"), 400, "no longer known")
        self.check(client.request("PUT", ping), 405, "POST, GET and DELETE")
        client.path = "/other"
        self.check(client.request("POST", ping), 404, "/mcp")
        client.path = "/servers/none/mcp"
        self.check(client.post("ping"), 404, "no such server")

    def test_only_local_names_and_pages_come_in(self):
        self.serve("--allow-host", "gateway.example", "--allow-origin", "https://app.example")
        client = self.session()
        self.check(client.post("ping", Host="evil.example"), 403, "--allow-host")
        self.check(client.post("ping", Origin="https://evil.example"), 403, "--allow-origin")
        for headers in ({"Host": "gateway.example"}, {"Origin": "https://app.example"},
                        {"Host": "localhost:1"}, {"Origin": "http://localhost:3000"}):
            self.assertEqual(client.post("ping", **headers).status, 200, headers)

    def test_a_page_may_see_what_it_needs(self):
        self.serve("--allow-origin", "https://app.example")
        client = self.client()
        asked = client.request("OPTIONS", Origin="https://app.example",
                               Access_Control_Request_Method="POST",
                               Access_Control_Request_Headers="mcp-session-id, x")
        self.assertEqual(asked.status, 204)
        self.assertEqual(asked.headers["access-control-allow-headers"], "mcp-session-id, x")
        self.assertEqual(client.request("OPTIONS", Origin="https://evil.example").status, 403)
        answer = client.post("initialize", {"protocolVersion": "2025-11-25"},
                             Origin="https://app.example")
        self.assertEqual(answer.headers["access-control-allow-origin"], "https://app.example")
        self.assertIn("Mcp-Session-Id", answer.headers["access-control-expose-headers"])

    def test_an_address_of_this_machine_for_others_needs_a_token(self):
        self.check_output(self.home.run("serve", "--http", "0.0.0.0:0"), "pi-mcp token add")
        self.check_output(self.home.run("serve", "--http", "1:2:3"), "127.0.0.1:8808")
        for option, value in (("--drain", "x"), ("--session-key", "/none")):
            self.check_output(
                self.home.run("serve", "--http", "127.0.0.1:0", option, value), value)

    def check_output(self, outcome, part):
        self.assertNotEqual(outcome.status, 0, outcome)
        self.assertIn(part, outcome.stderr, outcome)


class Operation(HttpTest):
    def test_sign_in_that_cannot_be_understood_ends_it_at_the_start(self):
        oauth = {"resource": "https://gw.example", "issuers": ["http://127.0.0.1:9"],
                 "scopes": {"mcp": {"server": ["fake"]}}}
        self.home.write(".pi/agent/mcp.json", {"mcpServers": {"fake": fake()},
                                               "settings": {"http": {"oauth": oauth}}})
        refused = self.home.run("serve", "--http", "127.0.0.1:0")
        self.assertEqual(refused.status, 2)
        self.assertIn('http.oauth.scopes."mcp" has an unknown key "server"', refused.stderr)

    def test_health(self):
        self.serve()
        client = self.client(path="/healthz")
        self.assertEqual(client.request("GET").body, "ok\n")
        client.path = "/readyz"
        self.assertEqual(client.request("GET", Host="10.0.0.1").body, "ready\n")

    def test_what_is_counted_and_what_is_logged(self):
        log = self.home.root / "access.log"
        self.serve("--access-log", str(log))
        client = self.session()
        client.call("fake_echo", text="the secret")
        client.path = "/metrics?x=hidden"
        metrics = client.request("GET").body
        self.assertRegex(metrics, r'\npi_mcp_answers_total\{method="tools/call",code="0"\} 1\n')
        self.assertRegex(metrics, r"\npi_mcp_sessions 1\n")
        self.assertRegex(metrics, r"\npi_mcp_servers 1\n")
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([line.get("message") for line in lines[:3]],
                         ["initialize", "notifications/initialized", "tools/call"])
        self.assertEqual(lines[2]["status"], 200)
        self.assertNotIn("hidden", log.read_text())
        self.assertNotIn("secret", log.read_text())

    def certificate(self, name):
        """A new one in the files that the server reads."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", self.home.root / "new-key", "-out", self.home.root / "new-cert"],
                       check=True, capture_output=True)
        os.rename(self.home.root / "new-key", self.home.root / "key")
        os.rename(self.home.root / "new-cert", self.home.root / "cert")

    def subject(self):
        """Whom the server is by the certificate that it shows now."""
        context = ssl.create_default_context(cafile=self.home.root / "cert")
        host, port = self.address.split(":")
        try:
            with socket.create_connection((host, int(port)), WAIT_SECONDS) as plain:
                with context.wrap_socket(plain, server_hostname=host) as secure:
                    secure.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    self.assertIn(b"200 OK", secure.recv(4096))
                    return secure.getpeercert()["subject"][0][0][1]
        except ssl.SSLCertVerificationError:
            return None  # still the old one

    def test_tls_with_a_certificate_that_changes(self):
        self.certificate("first")
        files = ("--tls-cert", str(self.home.root / "cert"), "--tls-key",
                 str(self.home.root / "key"))
        self.serve(*files)
        self.assertEqual(self.subject(), "first")
        self.certificate("second")
        deadline = time.monotonic() + WAIT_SECONDS
        while (shown := self.subject()) != "second":
            self.assertLess(time.monotonic(), deadline, shown)
        self.home.write("key", "no key")
        refused = self.home.run("serve", "--http", "127.0.0.1:0", *files)
        self.assertIn("holds no key", refused.stderr)
        refused = self.home.run("serve", "--http", "127.0.0.1:0", *files[:2])
        self.assertIn("go together", refused.stderr)

    def test_a_unix_socket(self):
        path = self.home.root / "socket"
        self.serve(address=f"unix:{path}")
        client = self.session()
        self.assertEqual(client.call("fake_echo", text="x").status, 200)
        self.assertEqual(path.stat().st_mode & 0o077, 0)

    def test_it_ends_at_once_without_calls_whatever_is_open(self):
        server = self.watched()
        self.serve(fake=server.entry)
        client = self.session()
        client.call("fake_echo", text="x").message()
        stream = client.request("GET")
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(list(stream.events()), [])  # it was ended, and not torn
        self.assertEqual(self.process.wait(WAIT_SECONDS), 0)
        self.assertLess(time.monotonic() - began, 5)
        server.wait_gone()

    def test_calls_under_way_may_end_first(self):
        server = self.watched("--tools", "all")
        self.serve(fake=server.entry)
        client = self.session()
        answers = []
        caller = threading.Thread(
            target=lambda: answers.append(client.call("fake_slow", ms=1500).message()))
        caller.start()
        server.wait_for('"slow"')
        self.process.send_signal(signal.SIGTERM)
        caller.join(WAIT_SECONDS)
        self.assertEqual(answers[0]["result"]["content"][0]["text"], "done")
        self.assertEqual(self.process.wait(WAIT_SECONDS), 0)

    def test_a_change_of_the_configuration_reaches_sessions(self):
        self.serve()
        client = self.session()
        self.assertEqual(client.call("fake_echo", text="x").status, 200)
        self.home.configure(other=fake(name="other"))
        deadline = time.monotonic() + WAIT_SECONDS
        while "isError" in (result := client.call("other_echo", text="new").message()["result"]):
            self.assertLess(time.monotonic(), deadline, result)
        self.assertEqual(result["content"][0]["text"], "new")

    def test_nothing_of_a_project_counts(self):
        self.home.write("project/.mcp.json", {"mcpServers": {"planted": fake(name="planted")}})
        self.home.write(".mcp.json", {"mcpServers": {"home": fake(name="home")}})
        self.serve()
        client = self.session()
        status = json.dumps(client.post("tools/call", {"name": "mcp", "arguments": {}}).message())
        self.assertNotIn("planted", status)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
