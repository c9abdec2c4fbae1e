"""How many requests a token may make over HTTP, alone and at several replicas. Usage: rates_test.py
PI_MCP FAKE_SERVER"""
import json
import re
import select
import signal
import socket
import threading
import time
import unittest

from cli_home import WAIT_SECONDS, fake
from http_client import MODERN
from http_home import HttpTest
from replica_home import ReplicasTest, Store

USAGE = 2
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
RATE, SECONDS = 20, 3


class Rated(HttpTest):
    def token(self, name, *options):
        outcome = self.home.run("token", "add", name, *options)
        self.assertEqual(outcome.status, 0, outcome)
        return outcome.stdout.strip()

    def stateless(self, token=None):
        return self.client(token=token, version=MODERN)

    def over(self, answer, limit, seconds):
        """Has to wait for so long at most."""
        wait = answer.headers.get("retry-after", "0")
        self.check(answer, 429, f"the limit of your requests, {limit}, is reached; try again in "
                                f"{wait} s, or ask whoever runs this server")
        self.assertIn(int(wait), range(1, seconds + 1))
        self.assertEqual(answer.json()["error"]["code"], -32600)

    def passed(self, client, limit, seconds):
        """How often it is let through until it is not."""
        for count in range(1000):
            answer = client.post("tools/list")
            if answer.status != 200:
                self.over(answer, limit, seconds)
                return count
        return self.fail("it was never refused")

    def until(self, client, status):
        for _ in range(200):
            if client.post("tools/list").status == status:
                return
            select.select([], [], [], .05)
        self.fail(f"{status} did not come")

    def metric(self, name):
        found = re.search(rf"^{name} (\d+)$", self.client(path="/metrics").request("GET").body,
                          re.MULTILINE)
        self.assertTrue(found, name)
        return int(found[1])


class OfAToken(Rated):
    def test_who_has_made_as_many_is_told_when_to_come_back(self):
        self.serve()
        slow = self.stateless(self.token("slow", "--rate", "1/m,6"))
        free = self.stateless(self.token("free"))
        self.assertEqual(self.passed(slow, "1 a minute and 6 at once", 60), 6)
        self.over(slow.post("tools/list"), "1 a minute and 6 at once", 60)
        for _ in range(20):
            self.assertEqual(free.post("tools/list").status, 200)
        self.assertEqual(self.metric("pi_mcp_over_rate_total"), 2)

    def test_a_burst_is_had_again_with_time(self):
        self.serve()
        quick = self.stateless(self.token("quick", "--rate", "5,8"))
        began = time.monotonic()
        passed = self.passed(quick, "5 a second and 8 at once", 1)
        self.assertGreaterEqual(passed, 8)
        self.assertLessEqual(passed, 8 + 5 * (time.monotonic() - began) + 1)
        self.until(quick, 200)

    def test_requests_count_and_nothing_else_does(self):
        self.serve()
        client = self.client(token=self.token("few", "--rate", "1/m,3"))
        self.assertEqual(client.initialize().status, 200)  # the first
        for _ in range(10):
            self.assertEqual(client.notify("notifications/initialized").status, 202)
            answer = {"jsonrpc": "2.0", "id": 99, "result": {}}
            self.assertEqual(client.request("POST", answer).status, 202)
        stream = client.request("GET")
        self.assertTrue(stream.is_stream)
        for path in ("/healthz", "/readyz"):
            client.path = path
            self.assertEqual(client.request("GET").status, 200)
        client.path = "/mcp"
        self.assertEqual(client.post("ping").status, 200)
        self.assertEqual(client.post("ping").status, 200)
        self.over(client.post("ping"), "1 a minute and 3 at once", 60)
        self.assertEqual(client.notify("notifications/initialized").status, 202)
        self.assertEqual(client.request("DELETE").status, 200)

    def test_a_batch_is_as_many_as_it_has(self):
        self.serve()
        client = self.client(token=self.token("batches", "--rate", "1/m,10"), version="2025-03-26")
        self.assertEqual(client.initialize().status, 200)  # the first
        batch = [PING | {"id": number} for number in range(5)]
        notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.assertEqual(client.request("POST", batch + [notice] * 20).status, 200)
        self.over(client.request("POST", batch), "1 a minute and 10 at once", 60)
        self.assertEqual(client.request("POST", batch[:4]).status, 200)
        self.over(client.post("ping"), "1 a minute and 10 at once", 60)

    def test_the_list_shows_it(self):
        self.token("quick", "--rate", "20/s,40")
        self.token("free", "--rate", "none")
        self.token("ci")
        self.assertIn("tools: all  rate: 20 a second and 40 at once  until",
                      self.home.run("token", "list").stdout)
        rows = json.loads(self.home.run("token", "list", "--json").stdout)["tokens"]
        self.assertEqual({row["name"]: row["rate"] for row in rows},
                         {"quick": {"perSecond": 20, "burst": 40}, "free": "none", "ci": None})
        for words, part in ((("--rate", "fast"), '--rate: "fast" is no rate: 20 (a second'),
                            (("--rate", "5", "--metrics"), "nor --rate")):
            outcome = self.home.run("token", "add", "x", *words)
            self.assertEqual(outcome.status, USAGE)
            self.assertIn(part, outcome.stderr)
        self.assertEqual(self.home.run("token", "list", "--rate", "5").status, USAGE)


class OfEverybody(Rated):
    def limit(self, rate):
        self.home.write(".pi/agent/mcp.json", {"mcpServers": {"fake": fake()},
                                               "settings": {"http": {"rate": rate}}})

    def test_it_is_each_ones_own_and_changes_while_it_runs(self):
        self.limit({"perMinute": 1, "burst": 6})
        self.start()
        me, other = self.stateless(), self.stateless(self.token("other"))
        own = self.stateless(self.token("own", "--rate", "none"))
        for client in (me, other):
            self.assertEqual(self.passed(client, "1 a minute and 6 at once", 60), 6)
        for _ in range(20):
            self.assertEqual(own.post("tools/list").status, 200)
        self.limit({"perMinute": 2, "burst": 1})
        self.until(me, 200)
        self.over(me.post("tools/list"), "2 a minute and 1 at once", 30)
        self.limit({"perMinutes": 2})
        self.until_said("unknown key")
        self.over(me.post("tools/list"), "2 a minute and 1 at once", 30)
        self.limit("none")
        self.until(me, 200)
        for _ in range(20):
            self.assertEqual(me.post("tools/list").status, 200)

    def test_a_mistake_in_it_is_named_at_start(self):
        self.limit({"perSecond": "20"})
        outcome = self.home.run("serve", "--http", "127.0.0.1:0")
        self.assertEqual(outcome.status, USAGE, outcome)
        self.assertIn("settings.http.rate has whole numbers", outcome.stderr)


def words_of(sent):
    """Commands of RESP, as many as are whole."""
    while found := re.match(rb"\*(\d+)\r\n", sent):
        sent, words = sent[found.end():], []
        for _ in range(int(found[1])):
            length = re.match(rb"\$(\d+)\r\n", sent)
            end = length.end() + int(length[1])
            words.append(sent[length.end():end].decode())
            sent = sent[end + 2:]
        yield words


class OfTheStore(ReplicasTest, Rated):
    """What the script does that the program sends."""
    def script(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(WAIT_SECONDS)
            end, = self.replicas(1, f"redis://127.0.0.1:{listener.getsockname()[1]}")
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(WAIT_SECONDS)
                self.assertEqual(list(words_of(connection.recv(65536))), [["SELECT", "0"]])
                connection.sendall(b"+OK\r\n")
                client = self.at(end, version=MODERN, token=self.token("x", "--rate", "20,40"))
                self.assertEqual(client.post("tools/list").status, 200)
                (name, script, *rest), = words_of(connection.recv(65536))
        self.assertEqual((name, rest[0], rest[2:]), ("EVAL", "1", ["50000", "40", "1", "5"]))
        self.assertRegex(rest[1], "^pi-mcp:1:rate:[0-9a-f]{32}$")
        return script

    def test_a_bucket_gives_no_more_than_it_has_and_takes_back(self):
        store = self.store()
        script = self.script()
        gap = 1_000_000  # ms; nothing comes back while this runs

        def draw(settle, want):
            return int(store.tell("EVAL", script, "1", "k", f"{gap * 1000}", "4", f"{settle}",
                                  f"{want}"))

        def waits(answer, gaps, more=0):
            self.assertIn(-answer, range(gap * gaps + more - 60_000, gap * gaps + more + 1))

        self.assertEqual(draw(0, 3), 3)
        self.assertIn(int(store.tell("PTTL", "k")), range(3 * gap - 60_000, 3 * gap + 1001))
        self.assertEqual(draw(0, 3), 1)
        waits(draw(0, 3), 1)
        self.assertEqual(draw(-2, 0), 0)
        self.assertEqual(draw(0, 9), 2)
        waits(draw(3, 0), 4)
        waits(draw(0, 1), 1, more=60_000)  # a minute of debt is remembered
        self.assertEqual(draw(-100, 9), 4)
        for text in ("junk", "nan", "", "-5"):
            store.tell("SET", "k", text)
            self.assertEqual(draw(0, 9), 4, text)


class AtReplicas(ReplicasTest, Rated):
    def setUp(self):
        super().setUp()
        self.shared = self.store()
        self.ends = self.replicas(2, f"redis://127.0.0.1:{self.shared.port}")
        self.limited = self.token("limited", "--rate", f"{RATE}")

    def ask(self, end, until, counts):
        client = self.at(end, version=MODERN, token=self.limited)
        statuses = []
        while time.monotonic() < until:
            statuses.append(client.post("tools/list").status)
            client.connections.pop().close()
        counts.append((statuses.count(200), statuses.count(429), len(statuses)))

    def hammer(self):
        """What each of both lets through in so many seconds."""
        counts = []
        until = time.monotonic() + SECONDS
        threads = [threading.Thread(target=self.ask, args=(end, until, counts))
                   for end in self.ends]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for passed, over, asked in counts:
            self.assertEqual(passed + over, asked)
            self.assertGreater(over, 0, "it was asked too little to say anything")
        return [passed for passed, _, _ in counts]

    def wait_for_store(self, end):
        self.address = end.address
        for _ in range(200):
            if self.metric("pi_mcp_store_up"):
                return
            select.select([], [], [], .05)
        self.fail("the store was not found again")

    def test_together_they_let_through_the_rate_with_a_store_and_each_by_itself_without(self):
        own = RATE * SECONDS  # of one of them
        self.assertLessEqual(sum(self.hammer()), own + RATE + RATE)  # the burst, and what is owed
        keys = self.shared.keys("rate")
        self.assertEqual(len(keys), 1)
        self.assertGreater(int(self.shared.tell("PTTL", keys[0])), 0)
        self.assertTrue(self.shared.tell("GET", keys[0]).isdigit())
        self.shared.end()
        for passed in self.hammer():
            self.assertGreater(passed, own * .8)
            self.assertLessEqual(passed, own + RATE + 1)
        self.shared = Store(self.shared.port)
        self.addCleanup(self.shared.end)
        for end in self.ends:
            self.wait_for_store(end)
        together = sum(self.hammer())
        self.assertGreater(together, own * .8)
        self.assertLessEqual(together, own + RATE + RATE)

    def test_no_request_waits_for_the_store(self):
        client = self.at(self.ends[0], version=MODERN, token=self.limited)
        self.assertEqual(client.post("tools/list").status, 200)
        self.shared.process.send_signal(signal.SIGSTOP)
        try:
            took = []
            for _ in range(RATE // 2):
                began = time.monotonic()
                self.assertEqual(client.post("tools/list").status, 200)
                took.append(time.monotonic() - began)
        finally:
            self.shared.process.send_signal(signal.SIGCONT)
        self.assertLess(max(took), .8, "an answer of the store is given up after a second")

    def test_what_is_passed_on_to_another_replica_counts_once(self):
        a, b = self.ends
        token = self.token("slow", "--rate", "1/m,6")
        client = self.session_at(a, token=token)  # the first
        client.address = b.address
        for _ in range(5):
            self.assertEqual(client.post("tools/list").status, 200)
        self.over(client.post("tools/list"), "1 a minute and 6 at once", 60)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
