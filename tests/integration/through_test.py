"""One server as it is: a host of `pi-mcp serve --through NAME` and one that talks to the same
server itself get the same messages. Usage: through_test.py PI_MCP FAKE_SERVER"""
import json
import subprocess
import unittest

from cli_home import FAKE_SERVER, WAIT_SECONDS, CliTest, fake
from sharing_home import SharingTest

NEWEST = "2026-07-28"
CAN = {"elicitation": {}, "sampling": {}, "roots": {"listChanged": True}}
ARGUMENTS = ["--name", "fake", "--tools", "all", "--instructions", "Use it well.", "--subscribe",
             "--capabilities", "tools,resources,prompts,logging,completions", "--pages", "7"]


class Peer:
    """A conversation, line by line. Questions are answered by `answers`, by their method."""

    def __init__(self, process):
        self.process = process
        self.answers = {}
        self.seen = []

    def send(self, **message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("no more messages: " + self.process.stderr.read())
        message = json.loads(line)
        if "method" in message and "id" in message:
            self.send(id=message.pop("id"), **self.answers[message["method"]])
        self.seen.append(message)
        return message

    def ask(self, method, number=1, **params):
        """All that comes up to the answer, which is the last."""
        begin = len(self.seen)
        self.send(id=number, method=method, **({"params": params} if params else {}))
        while self.read().get("id") != number:
            pass
        return self.seen[begin:]

    def call(self, tool, number=1, meta=None, **arguments):
        more = {"_meta": meta} if meta else {}
        return self.ask("tools/call", number, name=tool, arguments=arguments, **more)

    def wait_for(self, method):
        while all(message.get("method") != method for message in self.seen):
            self.read()

    def hello(self, version="2025-11-25"):
        answer = self.ask("initialize", 0, protocolVersion=version, capabilities=CAN,
                          clientInfo={"name": "test", "version": "1"})
        self.send(method="notifications/initialized")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=WAIT_SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()


class Through(CliTest):
    def setUp(self):
        super().setUp()
        self.entry = {"command": FAKE_SERVER, "args": ARGUMENTS}
        self.home.configure(one=self.entry, other=fake(name="other"))

    def peer(self, process):
        peer = Peer(process)
        self.addCleanup(peer.close)
        return peer

    def direct(self):
        return self.peer(subprocess.Popen(
            [FAKE_SERVER, *ARGUMENTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True))

    def through(self, *options):
        return self.peer(self.home.start("serve", "--through", "one", *options,
                                         stdin=subprocess.PIPE))

    def both(self):
        peers = self.direct(), self.through()
        for peer in peers:
            peer.hello()
        return peers

    def check_same(self, talk):
        direct, through = (talk(peer) for peer in self.both())
        self.assertEqual(direct, through)
        return through


class AsItIs(Through):
    def test_each_version_is_greeted_as_the_server_does(self):
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            self.assertEqual(self.direct().hello(version), self.through().hello(version))

    def test_lists_page_by_page(self):
        def talk(peer):
            pages, cursor = [], {}
            while cursor is not None:
                pages += peer.ask("tools/list", **cursor)
                after = pages[-1]["result"].get("nextCursor")
                cursor = None if after is None else {"cursor": after}
            return pages + peer.ask("prompts/list") + peer.ask("resources/list") + \
                peer.ask("resources/templates/list")
        self.assertGreater(len(self.check_same(talk)), 6)

    def test_every_kind_of_result_and_of_error(self):
        def talk(peer):
            said = peer.call("rpc_error", code=-32123, message="so") + peer.call("nobody") + \
                peer.call("echo", text=7) + peer.call("big", bytes=300_000) + peer.ask("no/method")
            for name in ("err", "image", "audio", "link", "embedded", "structured",
                         "structured_only", "empty", "mixed", "add"):
                said += peer.call(name)
            return said
        said = self.check_same(talk)
        self.assertEqual(said[0]["error"],
                         {"code": -32123, "message": "so", "data": {"why": "asked"}})

    def test_arguments_and_meta_reach_the_server(self):
        def talk(peer):
            meta = {"traceparent": "00-1", "vendor/key": [1.0]}
            return peer.call("raw", meta=meta, a={"b": None})
        text = self.check_same(talk)[0]["result"]["content"][0]["text"]
        self.assertIn("traceparent", text)

    def test_prompts_resources_and_completion(self):
        def talk(peer):
            return peer.ask("prompts/get", name="greet", arguments={"who": "you"}) + \
                peer.ask("resources/read", uri="demo://x") + \
                peer.ask("completion/complete", argument={"name": "name", "value": "b"},
                         ref={"type": "ref/resource", "uri": "demo://{name}"})
        self.assertEqual(self.check_same(talk)[-1]["result"]["completion"]["values"], ["ba"])

    def test_watches_and_what_changes(self):
        def talk(peer):
            said = peer.ask("resources/subscribe", uri="demo://x")
            peer.wait_for("notifications/resources/updated")
            said += peer.ask("resources/unsubscribe", uri="demo://x") + \
                [each for each in peer.call("add_tool", name="new") if "id" in each]
            peer.wait_for("notifications/tools/list_changed")
            return said + [each for each in peer.seen if "updated" in each.get("method", "")]
        self.check_same(talk)

    def test_questions_and_answers(self):
        def talk(peer):
            peer.answers = {
                "elicitation/create": {"result": {"action": "accept", "content": {}}},
                "sampling/createMessage": {"error": {"code": -1, "message": "no", "data": 1}},
                "roots/list": {"result": {"roots": [{"uri": "file:///x"}]}}}
            form = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {
                "a": {"type": "string", "default": "b"}}}}
            return peer.call("ask", method="elicitation/create", params=form) + \
                peer.call("ask", method="sampling/createMessage",
                          params={"messages": [], "maxTokens": 5, "systemPrompt": "be brief"}) + \
                peer.call("ask", method="roots/list", params={})
        said = self.check_same(talk)
        self.assertEqual(said[0]["params"]["message"], "Who?")

    def test_log_messages_and_progress(self):
        def talk(peer):
            return peer.ask("logging/setLevel", level="debug") + \
                peer.call("log", level="debug", text="so it is") + \
                peer.call("progress", meta={"progressToken": "mine"}, steps=2)
        said = self.check_same(talk)
        self.assertEqual(said[1]["params"]["logger"], "fake")
        self.assertEqual(said[3]["params"]["progressToken"], "mine")

    def test_a_host_without_a_handshake(self):
        peer = self.through()
        meta = {"io.modelcontextprotocol/protocolVersion": NEWEST,
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
        found = peer.ask("server/discover", _meta=meta)[0]["result"]
        self.assertEqual(found["instructions"], "Use it well.")
        self.assertEqual(found["_meta"]["io.modelcontextprotocol/serverInfo"],
                         {"name": "fake", "version": "1.0"})
        listed = peer.ask("tools/list", _meta=meta)[0]["result"]
        self.assertEqual((listed["resultType"], listed["cacheScope"]), ("complete", "private"))
        asked = peer.ask("tools/call", name="ask", _meta=meta, arguments={
            "method": "elicitation/create", "params": {"message": "Who?"}})[-1]["result"]
        (key, question), = asked["inputRequests"].items()
        self.assertEqual(question["params"], {"message": "Who?"})
        done = peer.ask("tools/call", 2, name="ask", _meta=meta, arguments={
            "method": "elicitation/create", "params": {"message": "Who?"}},
            requestState=asked["requestState"], inputResponses={key: {"action": "decline"}})
        self.assertEqual(json.loads(done[-1]["result"]["content"][0]["text"]),
                         {"action": "decline"})
        peer.send(id="l", method="subscriptions/listen", params={
            "_meta": meta, "notifications": {"toolsListChanged": True}})
        peer.wait_for("notifications/subscriptions/acknowledged")
        peer.ask("tools/call", 3, name="add_tool", _meta=meta, arguments={})
        peer.wait_for("notifications/tools/list_changed")


class Ends(Through):
    def test_a_server_that_dies_is_an_error_and_runs_again(self):
        peer = self.through()
        peer.hello()
        first = peer.call("pid")[-1]["result"]["content"][0]["text"]
        self.assertIn('server "one": ', peer.call("crash")[-1]["error"]["message"])
        self.assertNotEqual(peer.call("pid")[-1]["result"]["content"][0]["text"], first)
        self.assertIn("notifications/tools/list_changed",
                      [message.get("method") for message in peer.seen])

    def test_a_server_that_does_not_start_fails_initialize(self):
        self.home.configure(one={"command": "/no/such/program"})
        peer = self.through()
        error = peer.hello()[0]["error"]
        self.assertEqual(error["code"], -32603)
        self.assertIn('server "one": ', error["message"])
        self.assertIn("/no/such/program", error["message"])

    def test_a_name_that_is_not_configured_is_an_error_of_the_command(self):
        self.check(self.home.run("serve", "--through", "none"), 3,
                   stderr='--through: there is no server "none"; configured are one, other')
        for more in (["--servers", "one"], ["--split"], ["--host", "pi"], ["--host-config"]):
            self.check(self.home.run("serve", "--through", "one", *more), 2, stderr="--through")

    def test_excluded_tools_are_not_there(self):
        self.home.configure(one=self.entry | {"excludeTools": ["echo"]})
        peer = self.through()
        peer.hello()
        names = [tool["name"] for tool in peer.ask("tools/list")[0]["result"]["tools"]]
        self.assertNotIn("echo", names)
        self.assertEqual(peer.call("echo")[0]["error"],
                         {"code": -32602, "message": 'unknown tool "echo"'})


class Shared(Through, SharingTest):
    def test_two_hosts_have_one_server(self):
        peers = [self.through(), self.through()]
        pids = set()
        for peer in peers:
            peer.hello()
            pids.add(peer.call("pid")[-1]["result"]["content"][0]["text"])
        self.assertEqual(len(pids), 1)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
