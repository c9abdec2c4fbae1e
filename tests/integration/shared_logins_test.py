"""Logins at servers that replicas have together: machines with no common disk, a store, and an
authorization server that ends a login whose refresh token comes twice.
Usage: shared_logins_test.py PI_MCP FAKE_SERVER"""
import shutil
import subprocess
import threading
import time
import unittest

import oauth_strict
from cli_home import Home
from http_client import MODERN, VERSION, Client, redirect_of
from replica_home import Replica, ReplicasTest, Store

NOBODY = "nobody is logged in"
NO_KEY = "none with these session keys has put there"
DONE = "authentication successful"


class SharedLoginsTest(ReplicasTest):
    def setUp(self):
        super().setUp()
        self.far = oauth_strict.Server()
        self.addCleanup(self.far.close)
        self.shared = self.store()
        self.home.configure(far=self.entry())
        self.token = self.home.run("token", "add", "one").stdout.strip()
        self.a = self.machine(self.home)
        self.b = self.machine()

    def entry(self):
        return {"url": f"{self.far.origin}/mcp", "auth": "oauth"}

    def machine(self, home=None, **options):
        """A replica with a disk of its own."""
        if home is None:
            home = Home()
            self.addCleanup(home.remove)
            home.configure(far=self.entry())
            for name in ("mcp-http-tokens.json", "mcp.json"):
                shutil.copy(self.home.agent / name, home.agent / name)
        return Replica(self, f"redis://127.0.0.1:{self.shared.port}", home=home, **options)

    def client(self, replica, token=None, **options):
        client = Client(replica.address, token=token or self.token, **options)
        self.addCleanup(client.close)
        if client.version != MODERN:
            self.assertEqual(client.initialize().status, 200)
        return client

    def mcp(self, client, **arguments):
        result = client.post("tools/call", {"name": "mcp", "arguments": arguments}).message()
        return result["result"]["content"][0]["text"]

    def whoami(self, replica, **options):
        return self.mcp(self.client(replica, **options), tool="far_whoami", args={})

    def begin(self, client):
        """Where the browser is sent at the end."""
        text = self.mcp(client, action="auth-start", server="far")
        url, = [line for line in text.splitlines() if line.startswith("http")]
        return redirect_of(url)

    def complete(self, client, redirect):
        return self.mcp(client, action="auth-complete", server="far",
                        args={"redirectUrl": redirect})

    def log_in(self, replica, token=None):
        client = self.client(replica, token)
        self.assertIn(DONE, self.complete(client, self.begin(client)))

    def logins(self):
        return self.shared.keys("login")

    def asked_for_logins(self, act):
        """How often the store is asked for one while something is done."""
        words = ["redis-cli", "-p", str(self.shared.port), "MONITOR"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as monitor:
            self.assertEqual(monitor.stdout.readline(), "OK\n")
            act()
            self.shared.tell("ECHO", "it is done")
            lines = iter(monitor.stdout.readline, "")
            asked = 0
            while "it is done" not in (line := next(lines)):
                asked += '"GET" "pi-mcp:1:login:' in line
            monitor.kill()
        return asked


class OfTwoMachines(SharedLoginsTest):
    def test_who_has_logged_in_at_one_is_logged_in_at_all(self):
        self.assertIn(NOBODY, self.whoami(self.b))
        self.log_in(self.a)
        for replica in (self.a, self.b):
            self.assertEqual(self.whoami(replica), "login 1")
            self.assertEqual(self.whoami(replica, version=MODERN), "login 1")
        key, = self.logins()
        self.assertNotIn("strict-access", self.shared.tell("GET", key), "it is sealed")
        for home in (self.a.home, self.b.home):
            self.assertEqual(list(home.agent.rglob("mcp-credentials/*.json")), [])
        two = self.home.run("token", "add", "two").stdout.strip()
        self.assertIn(NOBODY, self.whoami(self.a, token=two))

    def test_a_login_that_one_has_begun_another_one_completes(self):
        redirect = self.begin(self.client(self.a, version=MODERN))
        waiting, = self.shared.keys("waiting")
        self.assertLessEqual(int(self.shared.tell("TTL", waiting)), 600)
        self.a.end()
        ended = self.client(self.b, version=MODERN)
        wrong = redirect.replace("state=", "state=x")
        self.assertIn("belongs to another login", self.complete(ended, wrong))
        self.assertIn(DONE, self.complete(ended, redirect))
        self.assertEqual(self.whoami(self.b), "login 1")
        self.assertIn("no login is under way", self.complete(ended, redirect))

    def see_the_end_elsewhere(self, version):
        begun = self.client(self.a, version=version)
        self.assertIn(NOBODY, self.mcp(begun, tool="far_whoami", args={}))
        redirect = self.begin(begun)
        self.assertIn("far (needs auth)", self.mcp(begun))
        self.assertIn(DONE, self.complete(self.client(self.b, version=MODERN), redirect))
        self.wait_until(lambda: "✓ far (1 tool)" in self.mcp(begun))
        self.assertIn(DONE, self.mcp(begun, action="auth-start", server="far"))
        self.assertEqual(self.mcp(begun, tool="far_whoami", args={}), "login 1")

    def test_the_session_that_has_begun_a_login_sees_that_it_was_completed_elsewhere(self):
        self.see_the_end_elsewhere(VERSION)

    def test_so_does_a_client_without_a_session(self):
        self.see_the_end_elsewhere(MODERN)

    def test_a_code_that_was_redeemed_elsewhere_is_not_redeemed_again(self):
        begun = self.client(self.a)
        redirect = self.begin(begun)
        self.mcp(begun)
        self.assertIn(DONE, self.complete(self.client(self.b), redirect))
        self.assertIn(DONE, self.complete(begun, redirect))
        self.assertEqual((self.whoami(self.a), self.whoami(self.b)), ("login 1", "login 1"))
        self.assertEqual(self.far.reused, 0)

    def test_a_login_under_way_asks_the_store_when_it_is_looked_at_and_seldom(self):
        begun = self.client(self.a)
        self.begin(begun)
        before = time.monotonic()
        asked = self.asked_for_logins(lambda: [self.mcp(begun) for _ in range(20)])
        self.assertGreaterEqual(asked, 1)
        self.assertLessEqual(asked, 1 + (time.monotonic() - before) / 3)
        self.log_in(self.b)
        self.assertEqual(self.whoami(self.a, version=MODERN), "login 1")
        stateless = self.client(self.a, version=MODERN)
        self.assertEqual(0, self.asked_for_logins(lambda: [
            self.mcp(stateless, tool="far_whoami", args={}) for _ in range(20)]))
        self.shared.end()
        self.assertIn("far", self.mcp(begun))

    def test_calls_at_all_of_them_renew_a_login_once(self):
        self.log_in(self.a)
        clients = [self.client(replica) for replica in (self.a, self.b) for _ in range(10)]
        for client in clients:
            self.assertEqual(self.mcp(client, tool="far_whoami", args={}), "login 1")
        self.far.expire()
        said = []
        threads = [threading.Thread(target=lambda client=client: said.append(
            self.mcp(client, tool="far_whoami", args={}))) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(said, ["login 1"] * 20)
        self.assertEqual((self.far.renewals, self.far.reused), (1, 0))

    def call_and_kill(self, replica):
        """It dies while it redeems a refresh token."""
        client = self.client(replica)

        def call():
            try:
                self.mcp(client, tool="far_whoami", args={})
            except OSError:
                pass  # its end is what is wanted
        self.far.asked.clear()
        thread = threading.Thread(target=call)
        thread.start()
        self.assertTrue(self.far.asked.wait(30))
        return thread

    def test_one_that_dies_before_its_turn_has_come_to_anything_leaves_it_to_the_others(self):
        self.log_in(self.a)
        self.whoami(self.b)
        self.far.expire()
        self.far.before.clear()
        thread = self.call_and_kill(self.a)
        self.a.end()
        self.far.is_deaf = True
        self.far.before.set()
        thread.join()
        self.wait_until(lambda: not self.shared.keys("turn"))
        self.far.is_deaf = False
        self.assertEqual(self.whoami(self.b), "login 1")
        self.assertEqual((self.far.renewals, self.far.reused), (1, 0))

    def test_one_that_dies_with_the_new_tokens_takes_the_login_with_it(self):
        self.log_in(self.a)
        self.whoami(self.b)
        self.far.expire()
        self.far.after.clear()
        thread = self.call_and_kill(self.a)
        self.wait_until(lambda: self.far.renewals == 1)
        self.a.end()
        thread.join()
        self.far.after.set()
        self.assertIn(NOBODY, self.whoami(self.b))
        self.log_in(self.b)
        self.assertEqual(self.whoami(self.b), "login 2")

    def test_an_operators_login_is_everybodys_and_the_newest_counts(self):
        browser = self.home.write("browser.py", "import sys, urllib.request as request\n"
                                  "request.urlopen(sys.argv[1], timeout=30).read()\n")
        self.home.env["BROWSER"] = f"python3 {browser}"
        for number in (1, 2):
            said = self.home.run("auth", "far", "--for", "one")
            self.assertEqual(said.status, 0, said)
            self.far.expire()
            self.far.logins[-1].access_is_good = True
            self.assertEqual(self.whoami(self.a), f"login {number}")
            self.assertEqual(self.whoami(self.b), f"login {number}")
        self.far.expire()
        self.assertEqual(self.whoami(self.b), "login 2")
        self.assertEqual(self.whoami(self.a), "login 2")
        self.assertEqual(self.far.reused, 0)

    def test_commands_end_logins_of_replicas_where_they_are_told_of_them(self):
        store = ("--store", f"redis://127.0.0.1:{self.shared.port}", "--session-key", str(self.key))
        self.log_in(self.a)
        said = self.home.run("logout", "far", "--for", "one")
        self.assertIn("There are no OAuth credentials", said.stdout, said)
        self.assertEqual(self.whoami(self.b), "login 1", "it is not on this machine")
        said = self.home.run("logout", "far", "--for", "one", *store)
        self.assertIn("OAuth credentials cleared", said.stdout, said)
        for replica in (self.a, self.b):
            self.assertIn(NOBODY, self.whoami(replica))
        self.assertFalse(self.far.logins[0].is_good, "it was revoked")
        self.log_in(self.b)
        said = self.home.run("token", "remove", "one", *store)
        self.assertIn("1 login of it ended", said.stdout, said)
        self.assertFalse(self.far.logins[1].is_good, "it was revoked")
        away = ("--store", "redis://127.0.0.1:1")
        for words, part in ((store[:2], "--store and --session-key go together"),
                            ((*away, *store[2:]), "the store redis://127.0.0.1:1")):
            said = self.home.run("logout", "far", *words)
            self.assertNotEqual(said.status, 0, said)
            self.assertIn(part, said.stderr, said)


class OfAStore(SharedLoginsTest):
    def setUp(self):
        super().setUp()
        self.log_in(self.a)
        self.assertEqual(self.whoami(self.b), "login 1")
        self.kept, = self.logins()

    def test_a_store_that_is_away_keeps_nobody_from_tokens_that_are_good(self):
        known = self.client(self.b)
        self.mcp(known, tool="far_whoami", args={})
        self.shared.end()
        self.assertEqual(self.mcp(known, tool="far_whoami", args={}), "login 1")
        self.assertEqual(self.whoami(self.b), "login 1")
        self.far.expire()
        said = self.mcp(known, tool="far_whoami", args={})
        self.assertIn(f"the store redis://127.0.0.1:{self.shared.port}", said)
        self.assertIn("call again when it is back", said)
        self.assertEqual(self.far.renewals, 0)
        self.assertIn("the store redis://", self.mcp(known, action="auth-start", server="far"))
        # It comes back with nothing in it: what was seen of it goes there again.
        self.shared = Store(self.shared.port)
        self.addCleanup(self.shared.end)
        for replica in (self.b, self.a):
            self.wait_until(lambda replica=replica: self.whoami(replica) == "login 1")
        self.assertEqual((self.far.renewals, self.far.reused), (1, 0))

    def test_a_store_that_goes_away_in_the_middle_is_told_when_it_is_back(self):
        self.far.expire()
        self.far.after.clear()
        said = []
        thread = threading.Thread(target=lambda: said.append(self.whoami(self.a)))
        thread.start()
        self.wait_until(lambda: self.far.renewals == 1)
        self.shared.end()
        self.far.after.set()
        thread.join()
        self.assertEqual(said, ["login 1"])
        self.shared = Store(self.shared.port)
        self.addCleanup(self.shared.end)
        self.wait_until(lambda: self.logins() == [self.kept])
        self.assertEqual(self.whoami(self.b), "login 1")
        self.assertEqual((self.far.renewals, self.far.reused), (1, 0))

    def test_a_store_gives_nobody_what_is_anothers(self):
        two = self.home.run("token", "add", "two").stdout.strip()
        self.log_in(self.a, two)
        other, = set(self.logins()) - {self.kept}
        self.shared.tell("COPY", self.kept, other, "REPLACE")
        fresh = self.machine()
        self.assertIn(NO_KEY, self.whoami(fresh, token=two))
        for garbage in ("x", "{}", "A" * 4000):
            self.shared.tell("SET", self.kept, garbage)
            self.assertIn(NO_KEY, self.whoami(fresh))
        self.shared.tell("SADD", "pi-mcp:1:set", "x")
        self.shared.tell("RENAME", "pi-mcp:1:set", self.kept)
        self.assertIn("it refuses: WRONGTYPE", self.whoami(fresh))
        self.shared.tell("DEL", self.kept)
        self.shared.tell("SET", self.kept, "x")
        self.log_in(fresh)
        self.assertEqual(self.whoami(fresh), "login 3")

    def test_an_older_login_than_was_seen_is_not_believed(self):
        old = self.shared.tell("GET", self.kept)
        self.far.expire()
        self.assertEqual(self.whoami(self.a), "login 1")
        self.assertEqual(self.whoami(self.b), "login 1")
        self.shared.tell("SET", self.kept, old)
        self.far.expire()
        self.assertEqual(self.whoami(self.b), "login 1")
        self.assertEqual((self.far.renewals, self.far.reused), (2, 0))

    def test_a_login_is_sealed_anew_by_a_new_key(self):
        both = self.home.write("both", "cd" * 32 + "\n" + "ab" * 32 + "\n")
        new = self.home.write("new", "cd" * 32 + "\n")
        both.chmod(0o600)
        new.chmod(0o600)
        self.assertIn(NO_KEY, self.whoami(self.machine(key=new)))
        before = self.shared.tell("GET", self.kept)
        self.assertEqual(self.whoami(self.machine(key=both)), "login 1")
        self.assertNotEqual(self.shared.tell("GET", self.kept)[:3], before[:3])
        self.assertEqual(self.whoami(self.machine(key=new)), "login 1")


if __name__ == "__main__":
    unittest.main(argv=[__file__])
