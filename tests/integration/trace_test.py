"""settings.trace: what is said to servers, without its content. Usage: trace_test.py PI_MCP FAKE"""
import json
import stat
import sys
import unittest

from cli_home import CliTest, fake

MARKER = "a-thing-to-hide"


class TraceTest(CliTest):
    def configure(self, wanted, **server):
        self.home.write(".pi/agent/mcp.json", {
            "mcpServers": {"fake": fake(tools="echo") | server}, "settings": {"trace": wanted}})

    def events(self, file):
        text = file.read_text()
        self.assertNotIn(MARKER, text)
        return [json.loads(line) for line in text.splitlines()]

    def call(self):
        outcome = self.home.run("call", "fake", "echo", f"text={MARKER}")
        self.assertEqual(outcome.status, 0, outcome)
        self.assertIn(MARKER, outcome.stdout)

    def test_a_call_is_traced_without_its_content(self):
        self.configure({"enabled": True, "file": "traces/one.jsonl"})
        self.call()
        file = self.home.project / "traces/one.jsonl"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        events = self.events(file)
        request = next(e for e in events if e.get("method") == "tools/call")
        self.assertEqual((request["direction"], request["status"], request["server"]),
                         ("outbound", "sent", "fake"))
        answer = next(e for e in events if e["kind"] == "response" and e["id"] == request["id"])
        self.assertEqual((answer["method"], answer["status"]), ("tools/call", "received"))
        self.assertGreaterEqual(answer["durationMs"], 0)

    def test_each_process_has_a_file_of_its_own_unless_one_is_named(self):
        self.configure(True)
        self.call()
        self.call()
        files = list((self.home.project / ".pi/mcp-traces").iterdir())
        self.assertEqual(len(files), 2)
        for file in files:
            self.assertTrue(self.events(file))

    def test_a_server_that_does_not_want_it_is_not_traced(self):
        self.configure(True, trace=False)
        self.call()
        self.assertFalse((self.home.project / ".pi").exists())

    def test_a_project_writes_nowhere(self):
        entry = fake(tools="echo") | {"trace": True}
        self.home.write("project/.mcp.json", {"mcpServers": {"fake": entry}})
        outcome = self.home.run("call", "--trust-project", "fake", "echo", "text=hi")
        self.assertEqual(outcome.status, 0, outcome)
        self.assertFalse((self.home.project / ".pi").exists())

    def test_a_file_that_cannot_be_written_costs_a_warning_and_no_call(self):
        self.home.write("project/file", "")
        self.configure({"enabled": True, "file": "file/t.jsonl"})
        outcome = self.home.run("call", "fake", "echo", "text=hi")
        self.assertEqual(outcome.status, 0, outcome)
        self.assertEqual(outcome.stderr.count("the trace ended: "), 1, outcome)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
