"""What each token has of its own over HTTP. Usage: http_principals_test.py PI_MCP FAKE_SERVER"""
import hashlib
import json
import os
import re
import select
import socket
import sys
import time
import unittest

import oauth_echo
from cli_home import WAIT_SECONDS, fake
from http_client import MODERN, redirect_of
from http_home import HttpTest
from jwt_issuer import Issuer
from keyring_test import Desktop
from oauth_echo import PLANTED

USAGE, NOT_FOUND = 2, 3


class Principals(HttpTest):
    def ok(self, *words):
        outcome = self.home.run(*words)
        self.assertEqual(outcome.status, 0, outcome)
        return outcome.stdout

    def token(self, name, *options):
        return self.ok("token", "add", name, *options).strip()

    def folders(self):
        """Of principals that something is kept for."""
        folder = self.home.agent / "mcp-principals"
        return sorted(folder.iterdir()) if folder.exists() else []

    def mcp(self, client, **arguments):
        return json.dumps(client.post("tools/call", {
            "name": "mcp", "arguments": arguments}).message()["result"])


class Servers(Principals):
    def test_each_token_and_the_user_have_a_process_of_their_own(self):
        server = self.watched()
        self.serve(fake=server.entry)
        one, two = self.token("one"), self.token("two")
        for token in (one, two, None, one, two, None):
            result = self.session(token=token).call("fake_echo", text="x").message()["result"]
            self.assertEqual(result["content"][0]["text"], "x")
        self.assertEqual(len(server.pids()), 3)

    def test_a_failure_for_a_token_is_none_of_the_users(self):
        self.serve(fake={"command": "sh", "args": ["-c", "exit 3"]})
        self.assertIn("status 3", self.mcp(self.session(token=self.token("one")), connect="fake"))
        self.wait_until("what runs is recorded", lambda: json.loads(
            self.ok("--json", "status"))["running"])
        def own():
            return json.loads(self.ok("--json", "status"))["servers"][0]["status"]

        self.assertEqual(own(), "not connected")
        self.assertIn("status 3", self.mcp(self.session(), connect="fake"))
        self.wait_until("it is the user's too", lambda: own() == "failed")

    def wait_until(self, what, holds):
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"waited until {what}")

    def test_the_same_without_sessions_and_in_front_of_one_server(self):
        server = self.watched()
        self.serve(fake=server.entry)
        for token in (self.token("one"), self.token("two"), None):
            for path in ("/mcp", "/servers/fake/mcp"):
                client = self.client(token=token, version=MODERN, path=path)
                name, args = ("echo", {"text": "x"}) if "servers" in path else (
                    "mcp", {"tool": "fake_echo", "args": {"text": "x"}})
                answer = client.post("tools/call", {"name": name, "arguments": args})
                self.assertEqual(answer.message()["result"]["content"][0]["text"], "x")
        self.assertEqual(len(server.pids()), 3)

    def test_a_client_that_cannot_be_asked_is_not_asked_for_another(self):
        self.serve()
        token = self.token("one")
        ask = {"tool": "fake_ask", "args": {"method": "elicitation/create", "params": {
            "message": "really?", "requestedSchema": {"type": "object", "properties": {}}}}}
        able = self.client(token=token, version=MODERN, capabilities={"elicitation": {}})
        asked = able.post("tools/call", {"name": "mcp", "arguments": ask}).message()["result"]
        self.assertEqual(asked["resultType"], "input_required")
        weak = self.client(token=token, version=MODERN)
        refused = weak.post("tools/call", {"name": "mcp", "arguments": ask}).message()["result"]
        self.assertEqual(refused["resultType"], "complete", refused)

    def test_what_one_has_allowed_for_good_the_next_is_asked_about(self):
        self.home.agent.mkdir(parents=True, exist_ok=True)
        self.serve(fake=fake() | {"approveTools": True})
        call = {"name": "mcp", "arguments": {"tool": "fake_echo", "args": {"text": "x"}}}

        def ask(token):
            client = self.client(token=token, version=MODERN, capabilities={"elicitation": {}})
            return client, client.post("tools/call", call).message()["result"]

        one, two = self.token("one"), self.token("two")
        client, asked = ask(one)
        name, = asked["inputRequests"]
        form = asked["inputRequests"][name]["params"]["requestedSchema"]["properties"]
        choice, = form
        done = client.post("tools/call", call | {
            "requestState": asked["requestState"], "inputResponses": {name: {
                "action": "accept", "content": {choice: "always_server"}}}}).message()["result"]
        self.assertEqual(done["content"][0]["text"], "x")
        self.assertEqual(ask(one)[1]["resultType"], "complete")
        for other in (two, None):
            self.assertEqual(ask(other)[1]["resultType"], "input_required")
        self.assertFalse((self.home.agent / "mcp-trust.json").exists())
        self.ok("token", "remove", "one")
        self.assertNotIn("mcp-trust.json", [file.name for folder in self.folders()
                                            for file in folder.iterdir()])

    def test_what_a_token_has_allowed_for_good_is_shown_and_withdrawn(self):
        self.serve(fake=fake() | {"approveTools": True})
        token = self.token("one")
        self.token("two")
        call = {"name": "mcp", "arguments": {"tool": "fake_echo", "args": {"text": "x"}}}
        client = self.client(token=token, version=MODERN, capabilities={"elicitation": {}})

        def is_asked():
            return client.post("tools/call", call).message()["result"]

        def allow(answer):
            asked = is_asked()
            name, = asked["inputRequests"]
            choice, = asked["inputRequests"][name]["params"]["requestedSchema"]["properties"]
            done = client.post("tools/call", call | {
                "requestState": asked["requestState"], "inputResponses": {name: {
                    "action": "accept", "content": {choice: answer}}}}).message()["result"]
            self.assertEqual(done["content"][0]["text"], "x")

        self.assertIn("has allowed nothing", self.ok("trust", "--for", "one"))
        self.assertIn("withdrawn: 0", self.ok("trust", "--revoke", "--for", "two"))
        allow("always_tool")
        self.assertIn("without a question: fake, echo", self.ok("trust", "--list", "--for", "one"))
        shown = json.loads(self.ok("trust", "--for", "one", "--json"))
        self.assertEqual([shown["for"], shown["approvals"][0]["tool"]], ["one", "echo"])
        for mine in (("--list",), ("--for", "two")):
            self.assertNotIn("echo", self.ok("trust", *mine))
        self.check_run(NOT_FOUND, 'nothing of "other"', "trust", "--revoke", "other", "--for",
                       "one")
        self.assertEqual(is_asked()["resultType"], "complete")
        self.assertIn("withdrawn: 1 approval ", self.ok("trust", "--revoke", "fake", "--for",
                                                        "one"))
        self.assertEqual(is_asked()["resultType"], "input_required")
        allow("always_server")
        left = json.loads(self.ok("trust", "--revoke", "--for", "one", "--json"))
        self.assertEqual(left["approvals"], [])
        self.assertEqual(is_asked()["resultType"], "input_required")
        for wrong in (("fake",), ("--yes",), ("--list", "--revoke")):
            self.check_run(USAGE, "trust --for shows", "trust", *wrong, "--for", "one")
        self.check_run(NOT_FOUND, 'there is no token "none"', "trust", "--for", "none")

    def test_metrics_are_for_a_token_that_has_nothing_else(self):
        self.serve()
        self.check_run(USAGE, "neither --servers nor", "token", "add", "x", "--metrics",
                       "--tools", "a")
        reader = self.client(token=self.token("reader", "--metrics"), path="/metrics")
        self.assertIn("pi_mcp_sessions", reader.request("GET").body)
        reader.path = "/mcp"
        self.check(reader.post("ping"), 404, "nothing here")
        one = self.client(token=self.token("one"), path="/metrics")
        self.check(one.request("GET"), 404, "nothing here")
        self.assertIn("/metrics alone", self.ok("token", "list"))

    def check_run(self, status, part, *words):
        outcome = self.home.run(*words)
        self.assertEqual(outcome.status, status, outcome)
        self.assertIn(part, outcome.stderr, outcome)


class Bodies(Principals):
    """A token that has sent nearly all of some requests of 64 MiB, and then nothing."""
    LARGE = 64 << 20

    def dribble(self, token):
        """A connection on which a byte of the body is missing, and what is answered."""
        host, port = self.address.rsplit(":", 1)
        client = socket.create_connection((host, int(port)), WAIT_SECONDS)
        self.addCleanup(client.close)
        client.sendall((f"POST /mcp HTTP/1.1\r\nHost: {self.address}\r\n"
                        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {self.LARGE}\r\n\r\n").encode())
        body, piece = memoryview(bytes(self.LARGE - 1)), 1 << 20
        for at in range(0, len(body), piece):
            if select.select([client], [], [], 0)[0]:
                break  # it was refused
            client.sendall(body[at:at + piece])
        return client

    def test_who_dribbles_large_bodies_leaves_room_for_others(self):
        log = self.home.root / "access.log"
        self.serve("--access-log", str(log))
        greedy, modest = self.token("greedy"), self.token("modest")
        clients = [self.dribble(greedy) for _ in range(4)]
        refused, _, _ = select.select(clients, [], [], WAIT_SECONDS)
        self.assertTrue(refused, "it holds all the room there is")
        said = refused[0].recv(65536)
        self.assertIn(b"HTTP/1.1 429 ", said)
        self.assertIn(b"Retry-After: 1\r\n", said)
        logged = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertIn(("greedy", "POST", "/mcp", 429),
                      [(line["token"], line["method"], line["path"], line["status"])
                       for line in logged])
        for token in (modest, None):
            session = self.session(token=token)
            for text in ("x", "x" * (1 << 20)):
                result = session.call("fake_echo", text=text).message()["result"]
                self.assertNotIn("isError", result, result)
        for client in clients:
            client.close()
        self.session(token=greedy)


class WithLogins(Principals):
    def setUp(self):
        super().setUp()
        self.far = oauth_echo.Server()
        self.addCleanup(self.far.close)
        browser = self.home.write("browser.py", "import sys, urllib.request as request\n"
                                  "request.urlopen(sys.argv[1], timeout=30).read()\n")
        self.home.env |= {"BROWSER": f"{sys.executable} {browser}"}
        self.entry = {"url": f"{self.far.origin}/person-renews/mcp", "auth": "oauth"}


class Logins(WithLogins):
    def shown(self):
        """The tokens that the far server was shown."""
        return self.far.received.get("bearer", set())

    def test_a_login_is_of_who_has_logged_in(self):
        self.serve(far=self.entry)
        token = self.token("one")
        self.ok("auth", "far")
        users = PLANTED["access"] + "-1"
        guest = self.session(token=token)
        wanted = self.mcp(guest, connect="far")
        self.assertIn("requires authorization", wanted)
        self.assertIn("pi-mcp auth far --for one", wanted)
        self.assertNotIn("far_fail", self.mcp(guest, server="far"))
        through = self.client(token=token, path="/servers/far/mcp").post("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {}})
        self.assertIn("pi-mcp auth far --for one", json.dumps(through.message()))
        self.assertNotIn(users, self.shown())
        self.assertIn("for the token one", self.ok("auth", "far", "--for", "one"))
        self.assertNotIn("isError", self.mcp(guest, connect="far"))
        self.assertEqual(self.shown(), {PLANTED["access"] + "-2"})
        self.assertNotIn("isError", self.mcp(self.session(), connect="far"))
        self.assertEqual(self.shown(), {users, PLANTED["access"] + "-2"})
        # Another one has neither.
        self.assertIn("requires authorization",
                      self.mcp(self.session(token=self.token("two")), connect="far"))

    def test_logging_out_is_as_well(self):
        self.serve(far=self.entry)
        self.token("one")
        self.ok("auth", "far")
        self.ok("auth", "far", "--for", "one")
        self.assertIn("for the token one", self.ok("logout", "far", "--for", "one"))
        self.assertIn("There are no", self.ok("logout", "far", "--for", "one"))
        self.assertIn(PLANTED["access"], self.ok("auth", "far", "--export"))

    def test_a_token_takes_its_logins_with_it(self):
        self.serve(far=self.entry)
        self.token("one")
        self.token("two")
        for name in ("one", "two"):
            self.ok("auth", "far", "--for", name)
        self.assertEqual(len(self.folders()), 2)
        self.assertIn("1 login of it ended", self.ok("token", "remove", "one"))
        kept, = self.folders()
        self.assertEqual([file.suffix for file in (kept / "mcp-credentials").glob("*.json")],
                         [".json"])
        # A new one of that name is somebody else.
        again = self.session(token=self.token("one"))
        self.assertIn("requires authorization", self.mcp(again, connect="far"))

    def test_who_comes_over_http_logs_in_where_it_is(self):
        self.serve(far=self.entry)
        guest = self.session(token=self.token("one"))
        begun = guest.post("tools/call", {"name": "mcp", "arguments": {
            "action": "auth-start", "server": "far"}}).message()["result"]
        text = begun["content"][0]["text"]
        self.assertIn("The user has to open this address", text)
        url, = [line for line in text.splitlines() if line.startswith("http")]
        # No browser of this machine has gone there.
        self.assertIn("nobody is logged in", self.exported("--for", "one").stderr)
        done = self.mcp(guest, action="auth-complete", server="far", args={
            "redirectUrl": redirect_of(url)})
        self.assertIn("authentication successful", done)
        self.assertIn(PLANTED["access"], self.exported("--for", "one").stdout)
        self.assertIn("nobody is logged in", self.exported().stderr)
        self.assertIn("requires authorization", self.mcp(self.session(), connect="far"))

    def exported(self, *options):
        return self.home.run("auth", "far", "--export", *options)

    def test_what_is_configured_is_for_everybody(self):
        entry = {"url": self.entry["url"], "bearerToken": PLANTED["access"] + "-of-all"}
        self.serve(far=entry)
        self.assertNotIn("isError", self.mcp(self.session(token=self.token("one")), connect="far"))
        self.assertEqual(self.shown(), {PLANTED["access"] + "-of-all"})

    def test_mistakes_are_named(self):
        self.home.configure(far=self.entry, fake=fake())
        self.token("one", "--servers", "fake")
        for status, part, words in (
                (NOT_FOUND, 'there is no token "none"', ("auth", "far", "--for", "none")),
                (USAGE, 'the token one may not use "far"', ("auth", "far", "--for", "one")),
                (USAGE, 'the token one may not use "far"', ("logout", "far", "--for", "one")),
                (USAGE, "has no url", ("auth", "fake", "--for", "one"))):
            outcome = self.home.run(*words)
            self.assertEqual(outcome.status, status, outcome)
            self.assertIn(part, outcome.stderr, outcome)


class Absent(WithLogins):
    def test_of_who_signs_in_no_more_nothing_is_kept_not_even_in_the_keyring(self):
        Desktop.of(self)
        self.home.write(".pi/agent/mcp.json", {
            "mcpServers": {"far": self.entry}, "settings": {"http": {"forgetAfterDays": 30}}})
        self.token("one")
        self.ok("auth", "far", "--for", "one")
        of_token, = self.folders()
        file, = of_token.glob("mcp-credentials/*.json")
        secrets = self.ok("__keyring", "find", self.name_in_keyring(file))
        # As if by a token of an authorization server; others have come since, or have a token.
        absent, present = (of_token.with_name("jwt-" + 32 * digit) for digit in "ab")
        of_token.rename(absent)
        file = absent / "mcp-credentials" / file.name
        self.assertEqual(self.home.run("__keyring", "keep", self.name_in_keyring(file),
                                       stdin=secrets).status, 0)
        for folder, days in ((absent, 31), (present, 29), (of_token, 31)):
            folder.mkdir(exist_ok=True)
            self.set_back(folder, days)
        self.start()
        self.wait_removed(30)
        self.assertEqual(self.folders(), sorted((present, of_token)))
        self.assertEqual(self.home.run("__keyring", "find", self.name_in_keyring(file)).status,
                         NOT_FOUND)
        self.assertIn(json.loads(secrets)["refresh"], self.far.received["token"])

    def test_who_signs_in_is_seen_and_then_absent(self):
        gateway = "https://gateway.example"
        issuer = Issuer(self.home.root)
        self.addCleanup(issuer.close)
        self.home.write(".pi/agent/mcp.json", {
            "mcpServers": {"fake": fake()}, "settings": {"http": {"oauth": {
                "resource": gateway, "issuers": [issuer.name], "scopes": {"mcp": {}}}}}})
        token = issuer.token(sub="ann", aud=gateway, scope="mcp")
        self.start()
        self.session(token=token).call("fake_echo", text="x")
        self.stop()
        folder, = self.folders()
        self.assertRegex(folder.name, "^jwt-[0-9a-f]{32}$")
        self.set_back(folder, 80)
        self.start()
        self.session(token=token)
        self.assertLess(time.time() - folder.stat().st_mtime, 3600)
        self.stop()
        self.set_back(folder, 91)
        self.start()
        self.wait_removed(90)
        self.assertEqual(self.folders(), [])

    def start(self):
        self.process = self.home.start("--log-level", "info", "serve", "--http", "127.0.0.1:0")
        self.addCleanup(self.end)
        self.said = self.until_said("ctrl-C")
        self.address = re.search(r"http://(\S+)/mcp,", self.said)[1]

    def wait_removed(self, days):
        part = f"not signed in for {days} days"
        if part not in self.said:
            self.until_said(part)

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=WAIT_SECONDS)

    @staticmethod
    def set_back(folder, days):
        then = time.time() - days * 24 * 3600
        os.utime(folder, (then, then))

    @staticmethod
    def name_in_keyring(file):
        return hashlib.sha256(str(file).encode()).hexdigest()

    def test_a_time_that_is_none_is_named(self):
        self.home.write(".pi/agent/mcp.json", {"settings": {"http": {"forgetAfterDays": 0}}})
        outcome = self.home.run("serve", "--http", "127.0.0.1:0")
        self.assertEqual(outcome.status, USAGE, outcome)
        self.assertIn("settings.http.forgetAfterDays has to be a number of days", outcome.stderr)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
