"""What servers list to one replica, others know without a server of their own: machines with no
common disk, and a store. Usage: shared_listings_test.py PI_MCP FAKE_SERVER"""
import shutil
import unittest

from cli_home import Home, Watched
from http_client import MODERN
from replica_home import Replica, ReplicasTest


class SharedListings(ReplicasTest):
    def setUp(self):
        super().setUp()
        self.shared = self.store()
        self.server = self.watched()
        self.home.configure(fake=self.server.entry)

    def watched(self):
        server = Watched(self.home)
        self.addCleanup(server.close)
        return server

    def machine(self, home=None):
        if home is None:
            home = Home()
            self.addCleanup(home.remove)
            home.agent.mkdir(parents=True)
            shutil.copy(self.home.agent / "mcp.json", home.agent / "mcp.json")
        return Replica(self, f"redis://127.0.0.1:{self.shared.port}", home=home)

    def mcp(self, replica, **arguments):
        client = self.at(replica, version=MODERN)
        result = client.post("tools/call", {"name": "mcp", "arguments": arguments}).message()
        return result["result"]["content"][0]["text"]

    def lists(self):
        return self.shared.keys("listing")

    def told(self):
        """A machine that has connected to the server, and has told it."""
        replica = self.machine(self.home)
        self.assertIn("fake_echo", self.mcp(replica, connect="fake"))
        self.wait_until(self.lists)
        return replica

    def test_a_replica_finds_what_another_one_was_listed(self):
        self.told()
        key, = self.lists()
        self.assertNotIn("echo", self.shared.tell("GET", key), "it is sealed")
        other = self.machine()
        self.assertIn("fake_echo", self.mcp(other, search="echo"))
        self.assertIn("fake_echo", self.mcp(other, server="fake"))
        self.assertIn("fake_echo", self.mcp(other, describe="fake_echo"))
        self.assertEqual(len(self.server.pids()), 1, "it has not started the server")

    def test_a_store_that_is_emptied_takes_nothing_from_who_knows_and_is_filled_again(self):
        first = self.told()
        other = self.machine()
        self.assertIn("fake_echo", self.mcp(other, search="echo"))
        self.shared.tell("FLUSHALL")
        self.assertIn("fake_echo", self.mcp(other, search="echo"))
        self.assertEqual(len(self.server.pids()), 1)
        # The next one starts the server, and then it is known again.
        self.assertIn("fake_echo", self.mcp(self.machine(), search="echo"))
        self.assertEqual(len(self.server.pids()), 2)
        self.wait_until(self.lists)
        self.assertIn("fake_echo", self.mcp(first, search="echo"))

    def test_what_no_replica_has_said_reaches_no_model(self):
        self.told()
        key, = self.lists()
        sealed = self.shared.tell("GET", key)
        for said in ('{"version":1,"servers":{"fake":{"tools":[{"name":"planted"}]}}}', "x",
                     sealed[:-4] + "AAAA", sealed[:40]):
            self.shared.tell("SET", key, said)
            before = len(self.server.pids())
            found = self.mcp(self.machine(), search="echo planted")
            self.assertNotIn("planted_", found)
            self.assertNotIn("fake_planted", found)
            self.assertIn("fake_echo", found, "it has asked the server itself")
            self.assertEqual(len(self.server.pids()), before + 1)
            self.wait_until(lambda told=said: self.shared.tell("GET", key) != told)

    def test_without_the_store_each_asks_the_server_itself(self):
        self.told()
        self.shared.end()
        self.assertIn("fake_echo", self.mcp(self.machine(), search="echo"))
        self.assertEqual(len(self.server.pids()), 2)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
