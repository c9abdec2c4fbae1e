"""Several `pi-mcp serve --http` with one store behind no particular balancer: whichever a client
meets, it has its sessions and its calls. Usage: replicas_test.py PI_MCP FAKE_SERVER"""
import json
import select
import signal
import socket
import threading
import unittest

from http_client import MODERN
from replica_home import ReplicasTest, Store


class OfOneStore(ReplicasTest):
    def setUp(self):
        super().setUp()
        self.shared = self.store()
        self.a, self.b, self.c = self.replicas(3, f"redis://127.0.0.1:{self.shared.port}")

    def test_a_session_is_where_it_began_whoever_is_asked(self):
        client = self.session_at(self.a, path="/servers/fake/mcp")
        client.address = self.b.address
        stream = client.request("GET")
        self.assertTrue(stream.is_stream)
        client.address = self.c.address
        added = client.post("tools/call", {"name": "add_tool", "arguments": {"name": "later"}})
        self.assertEqual(added.status, 200, added.body)
        self.assertEqual(stream.event()["method"], "notifications/tools/list_changed")
        names = [tool["name"] for tool in client.post("tools/list").json()["result"]["tools"]]
        self.assertIn("later", names, "it is the same server process")
        self.assertEqual(len(self.owners()), 1)
        self.assertNotIn(self.a.url, str(self.owners()), "it is sealed")

    def owners(self):
        return [self.shared.tell("GET", key) for key in self.shared.keys()]

    def test_a_store_leads_requests_to_no_other_place(self):
        """Their tokens would go there, too."""
        client = self.session_at(self.a)
        with socket.create_server(("127.0.0.1", 0)) as elsewhere:
            elsewhere.settimeout(0)
            for key in self.shared.keys():
                self.shared.tell("SET", key, f"http://127.0.0.1:{elsewhere.getsockname()[1]}")
            client.address = self.b.address
            self.check(client.post("tools/list"), 503, "none with these session keys has named")
            self.assertRaises(BlockingIOError, elsewhere.accept)

    def test_a_replica_that_comes_back_has_what_it_had_claimed(self):
        client = self.session_at(self.a)
        self.echo(client, self.a, "before")
        self.a.end()
        self.a.start()
        self.echo(client, self.a, "after")
        self.echo(client, self.b, "through b")

    def test_a_session_that_was_ended_is_so_everywhere(self):
        client = self.session_at(self.a)
        self.echo(client, self.b, "one")
        self.assertEqual(client.request("DELETE").status, 200)
        for replica in (self.a, self.b, self.c):
            client.address = replica.address
            self.check(client.post("tools/list"), 404, "initialize")

    def test_a_question_is_answered_through_another_replica(self):
        client = self.session_at(self.a, capabilities={"sampling": {}})
        client.address = self.b.address
        answer = client.call("fake_ask", method="sampling/createMessage", params={
            "maxTokens": 1, "messages": [{"role": "user", "content": {"type": "text",
                                                                     "text": "say"}}]})
        question = answer.event()
        while question.get("method") != "sampling/createMessage":
            question = answer.event()
        client.address = self.c.address
        said = client.request("POST", {"jsonrpc": "2.0", "id": question["id"], "result": {
            "role": "assistant", "model": "m", "content": {"type": "text", "text": "said"}}})
        self.assertEqual(said.status, 202)
        self.assertIn("said", json.dumps(list(answer.events())[-1]))

    def test_a_client_comes_back_to_its_call_at_another_replica(self):
        client = self.session_at(self.a)
        answer = client.call("fake_slow", ms=4000)
        while answer.last_id is None:
            line = answer.comment().decode()
            answer.last_id = line[4:].strip() if line.startswith("id: ") else None
        answer.response.close()
        client.connections[-1].close()
        client.address = self.b.address
        again = client.request("GET", Last_Event_ID=answer.last_id)
        self.assertEqual(list(again.events())[-1]["result"]["content"][0]["text"], "done")

    def test_who_takes_over_when_the_owner_is_killed(self):
        client = self.session_at(self.a)
        self.echo(client, self.b, "at a")
        before = self.owners()
        self.a.end()
        self.echo(client, self.b, "at b now")
        self.echo(client, self.c, "through c")
        self.assertEqual(len(set(before + self.owners())), 2)
        self.a.start()
        self.echo(client, self.a, "through a")

    def test_a_replica_that_is_stopped_leaves_its_sessions_to_the_others(self):
        client = self.session_at(self.a)
        self.echo(client, self.b, "at a")
        self.assertEqual(self.a.end(signal.SIGTERM), 0)
        self.assertEqual(self.shared.keys(), [])
        self.echo(client, self.b, "at b now")

    def test_a_store_that_is_emptied_is_filled_again(self):
        client = self.session_at(self.a)
        self.echo(client, self.b, "one")
        self.shared.tell("FLUSHALL")
        for replica in (self.a, self.b, self.c):
            self.echo(client, replica, "two")

    def test_a_store_that_is_away_is_missed_only_where_it_is_needed(self):
        client, other = self.session_at(self.a), self.session_at(self.a)
        self.echo(client, self.b, "known to b")
        self.shared.end()
        self.echo(client, self.a, "here")
        self.echo(client, self.b, "known")
        other.address = self.c.address
        answer = other.post("tools/list")
        self.check(answer, 503, "which replica has this session is not known: the store redis://")
        self.assertEqual(answer.headers["retry-after"], "1")
        self.assertEqual(self.session_at(self.c).post("tools/list").status, 200)
        stateless = self.at(self.c, version=MODERN)
        self.assertEqual(stateless.post("tools/list").status, 200)
        self.shared = Store(self.shared.port)
        self.addCleanup(self.shared.end)
        self.wait_for_store(other)
        self.echo(other, self.c, "again")

    def wait_for_store(self, client):
        """It is tried again after at most three seconds."""
        for _ in range(200):
            if client.post("tools/list").status == 200:
                return
            select.select([], [], [], .05)
        self.fail("the store was not found again")

    def test_a_forward_that_no_replica_has_made_is_refused(self):
        client = self.session_at(self.a)
        for mark in ("x", "", "A" * 60):
            answer = client.request("POST", {"jsonrpc": "2.0", "id": 1, "method": "ping"},
                                    Pi_Mcp_Forwarded=mark)
            self.check(answer, 400, "which is not so")

    def test_a_session_of_a_key_that_was_removed_is_none(self):
        client = self.session_at(self.a)
        self.key.write_text("cd" * 32 + "\n")
        new, = self.replicas(1, f"redis://127.0.0.1:{self.shared.port}")
        client.address = new.address
        self.check(client.post("tools/list"), 404, "no such session")


class OfOneCall(ReplicasTest):
    def test_a_call_goes_on_at_the_replica_where_it_waits(self):
        """Without a store: the state says where that is."""
        a, b = self.replicas(2, None)
        client = self.at(a, version=MODERN, capabilities={"sampling": {}})
        ask = {"tool": "fake_ask", "args": {"method": "sampling/createMessage", "params": {
            "maxTokens": 1, "messages": [{"role": "user", "content": {"type": "text",
                                                                     "text": "say"}}]}}}
        asked = client.post("tools/call", {"name": "mcp", "arguments": ask}).message()["result"]
        name, = asked["inputRequests"]
        again = {"name": "mcp", "arguments": ask, "requestState": asked["requestState"],
                 "inputResponses": {name: {"role": "assistant", "model": "m",
                                           "content": {"type": "text", "text": "said"}}}}
        client.address = b.address
        self.assertIn("said", json.dumps(client.post("tools/call", again).message()["result"]))
        for replica in (a, b):
            client.address = replica.address
            self.assertEqual(client.post("tools/call", again).json()["error"]["code"], -32602)
        a.end()
        client.address = b.address
        self.assertEqual(client.post("tools/call", again).json()["error"]["code"], -32602)


class OfABadStore(ReplicasTest):
    def test_a_password_is_needed_and_is_taken_from_the_environment(self):
        store = self.store(password="hush")
        self.home.env["PI_MCP_STORE_PASSWORD"] = "hush"
        a, b = self.replicas(2, f"redis://127.0.0.1:{store.port}/2")
        self.echo(self.session_at(a), b, "good")
        del self.home.env["PI_MCP_STORE_PASSWORD"]
        wrong, other = self.replicas(2, f"redis://:wrong@127.0.0.1:{store.port}")
        client = self.session_at(wrong)
        client.address = other.address
        answer = client.post("tools/list")
        self.check(answer, 503, f"the store redis://127.0.0.1:{store.port}: it refuses: WRONGPASS")
        self.assertNotIn("wrong@", answer.body)

    def test_a_store_that_lies_or_says_nothing(self):
        for says in (b"HTTP/1.1 200 OK\r\n\r\n", b"*1000000000\r\n", b"$1000000000\r\n",
                     b"+OK\r\n" * 9, b""):
            with self.subTest(says), socket.create_server(("127.0.0.1", 0)) as listener:
                threading.Thread(target=self.lie, args=(listener, says), daemon=True).start()
                port = listener.getsockname()[1]
                a, b = self.replicas(2, f"redis://127.0.0.1:{port}")
                client = self.session_at(a)
                self.echo(client, a, "here it works")
                client.address = b.address
                self.check(client.post("tools/list"), 503, "is not known: the store redis://")
                self.assertEqual(a.end(signal.SIGTERM), 0)
                listener.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def lie(listener, says):
        kept = []
        try:
            while True:
                connection, _ = listener.accept()
                connection.sendall(says)
                kept.append(connection)
        except OSError:
            for connection in kept:
                connection.close()

    def test_options_that_need_others(self):
        store, advertise = ("--store", "redis://h"), ("--advertise", "http://127.0.0.1:1")
        for words, part in (
                (store, "--store wants --advertise"),
                (advertise, "--advertise wants --session-key"),
                (("--advertise", "127.0.0.1:1", "--session-key", str(self.key)), "http://10.0.0.5"),
                ((*advertise, "--session-key", str(self.key), "--store", "h:6379"),
                 "--store wants redis://HOST:PORT")):
            outcome = self.home.run("serve", "--http", "127.0.0.1:0", *words)
            self.assertEqual(outcome.status, 2, outcome)
            self.assertIn(part, outcome.stderr)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
