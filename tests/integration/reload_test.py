"""A configuration that changes while a host is served. Usage: reload_test.py PI_MCP FAKE_SERVER"""
import json
import os
import select
import signal
import sys
import time
import unittest

from cli_home import WAIT_SECONDS, HostTest, fake


class ReloadTest(HostTest):
    def serve(self, *options, **servers):
        self.home.configure(**servers)
        self.process = self.host("--log-level", "info", *options)
        self.addCleanup(self.end)
        self.number = 10

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=WAIT_SECONDS)

    def mcp(self, **arguments):
        self.number += 1
        self.send(self.process, {"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                                 "params": {"name": "mcp", "arguments": arguments}})
        return self.answer(self.process, self.number)["result"]

    def status(self):
        result = self.mcp()
        return {server["name"]: server for server in result["_meta"]["pi-mcp/details"]["servers"]}

    def until(self, holds):
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds(seen := self.status()):
            self.assertLess(time.monotonic(), deadline, seen)
        return seen

    def tools(self):
        self.number += 1
        self.send(self.process, {"jsonrpc": "2.0", "id": self.number, "method": "tools/list"})
        return self.answer(self.process, self.number)["result"]

    def until_notified(self, method):
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("method") == method:
                return message.get("params")
        raise AssertionError("no " + method)

    def until_logged(self, part):
        text = ""
        while part not in text:
            ready, _, _ = select.select([self.process.stderr], [], [], WAIT_SECONDS)
            self.assertTrue(ready, text)
            text += os.read(self.process.stderr.fileno(), 65536).decode()
        return text

    def echo(self, tool="fake_echo"):
        result = self.mcp(tool=tool, args={"text": "x"})
        self.assertFalse(result.get("isError"), result)
        return self.status()[tool.split("_")[0]]["processId"]


class Reload(ReloadTest):
    def test_a_server_that_is_added_is_there_and_nothing_else_has_moved(self):
        self.serve(fake=fake())
        before = self.tools()
        process = self.echo()
        self.home.configure(fake=fake(), more=fake(name="more"))
        self.until(lambda servers: "more" in servers)
        self.echo("more_echo")
        self.assertEqual(self.echo(), process, "an unchanged server keeps its connection")
        said = json.dumps(self.tools())
        self.assertIn("(fake, more)", said)
        self.assertEqual(json.loads(said.replace("(fake, more)", "(fake)")), before)

    def test_a_server_that_is_taken_away_ends_after_its_last_call(self):
        server = self.watched()
        self.serve(fake=server.entry, other=fake(name="other"))
        self.call(self.process, 2, "fake_slow", ms=1500)
        server.wait_for("tools/call")
        self.home.configure(other=fake(name="other"))
        seen = []
        self.send(self.process, {"jsonrpc": "2.0", "id": 3, "method": "ping"})
        while len(seen) < 2:
            message = json.loads(self.process.stdout.readline())
            seen += [message] if message.get("id") in (2, 3) else []
        slow = next(message for message in seen if message["id"] == 2)
        self.assertEqual(slow["result"]["content"][0]["text"], "done")
        self.until(lambda servers: "fake" not in servers)
        server.wait_gone()
        self.assertTrue(self.mcp(tool="fake_echo", args={"text": "x"})["isError"])

    def test_a_changed_command_is_another_process_and_other_servers_stay(self):
        old = self.watched(name="old")
        self.serve(fake=old.entry, other=fake(name="other"))
        process, other = self.echo(), self.echo("other_echo")
        self.home.configure(fake=fake("--version", "2"), other=fake(name="other"))
        old.wait_gone()
        self.assertNotEqual(self.echo(), process)
        self.assertEqual(self.echo("other_echo"), other)

    def test_how_tools_are_shown_changes_without_a_new_process(self):
        self.serve(fake=fake())
        process = self.echo()
        tools = self.status()["fake"]["toolCount"]
        self.home.configure(fake=fake() | {"excludeTools": ["add"], "lifecycle": "keep-alive"})
        servers = self.until(lambda servers: servers["fake"]["toolCount"] == tools - 1)
        self.assertEqual(servers["fake"]["processId"], process)

    def test_a_broken_file_changes_nothing_and_is_said_once(self):
        self.serve(fake=fake())
        process = self.echo()
        file = self.home.agent / "mcp.json"
        file.write_text('{\n  "mcpServers": {,}\n}')
        said = self.until_notified("notifications/message")
        self.assertEqual((said["level"], said["logger"]), ("warning", "pi-mcp"))
        self.assertIn("line 2", said["data"])
        self.assertIn("is used until that is corrected", said["data"])
        self.until_logged("line 2")
        file.write_text('{\n  "mcpServers": {,}\n} ')
        self.process.send_signal(signal.SIGHUP)
        self.until_logged("was read again")
        self.assertEqual(self.echo(), process)
        self.home.configure(fake=fake(), fixed=fake(name="fixed"))
        self.until(lambda servers: "fixed" in servers)
        self.assertEqual(self.echo(), process)

    def test_sighup_reads_it_again_without_a_change(self):
        self.serve(fake=fake())
        process = self.echo()
        self.process.send_signal(signal.SIGHUP)
        self.until_logged("was read again: 0 servers")
        self.assertEqual(self.echo(), process)

    def test_files_that_appear_are_replaced_or_are_links_are_followed(self):
        self.serve(fake=fake())
        self.home.write("project/.mcp.json", {"mcpServers": {"team": fake()}})
        self.until(lambda servers: "team" in servers)
        new = self.home.write("new.json", {"mcpServers": {"renamed": fake()}})
        os.rename(new, self.home.agent / "mcp.json")
        self.until(lambda servers: "renamed" in servers and "fake" not in servers)
        dots = self.home.write("dots/mcp.json", {"mcpServers": {"linked": fake()}})
        link = self.home.root / "link"
        link.symlink_to(dots)
        os.rename(link, self.home.agent / "mcp.json")
        self.until(lambda servers: "linked" in servers)
        dots.write_text(json.dumps({"mcpServers": {"behind": fake()}}))
        self.until(lambda servers: "behind" in servers)
        (self.home.project / ".mcp.json").unlink()
        self.until(lambda servers: "team" not in servers)

    def test_a_hosts_file_that_appears_above_is_seen(self):
        self.home.write("project/.git/HEAD", "ref: refs/heads/main\n")
        folder = self.home.project / "sub"
        folder.mkdir()
        self.home.write(".pi/agent/mcp.json", {"imports": ["cursor"]})
        self.process = self.host("--log-level", "info", "--trust-project", "--cwd", str(folder))
        self.addCleanup(self.end)
        self.number = 10
        self.assertEqual(self.status(), {})
        self.home.write("project/.cursor/mcp.json", {"mcpServers": {"above": fake()}})
        self.until(lambda seen: "above" in seen)
        self.home.write("project/sub/.cursor/mcp.json", {"mcpServers": {"here": fake()}})
        self.until(lambda seen: "here" in seen)

    def test_a_server_that_is_to_be_kept_alive_is_started(self):
        self.serve(fake=fake())
        self.echo()
        self.home.configure(fake=fake(), kept=fake(name="kept") | {"lifecycle": "keep-alive"})
        self.until(lambda servers: servers.get("kept", {}).get("status") == "connected")

    def test_the_host_is_told_when_its_list_of_tools_changes(self):
        self.serve(fake=fake())
        self.echo()
        before = self.tools()["tools"]
        self.home.configure(fake=fake() | {"directTools": ["echo"]})
        self.until_notified("notifications/tools/list_changed")
        after = self.tools()["tools"]
        self.assertEqual(after[0], before[0], "the definition of mcp never changes")
        self.assertEqual([tool["name"] for tool in after], ["mcp", "fake_echo"])

    def test_calls_in_flight_while_everything_changes_are_all_answered(self):
        self.serve(fake=fake(), other=fake(name="other"))
        calls = range(100, 160)
        for number in calls:
            self.call(self.process, number, "fake_slow" if number % 2 else "other_slow",
                      ms=10 * (number % 50))
            if number % 10 == 0:
                version = str(number)
                self.home.configure(fake=fake("--version", version), other=fake(name="other"))
        answers = {}
        while len(answers) < len(calls):
            message = json.loads(self.process.stdout.readline())
            if message.get("id") in calls:
                self.assertNotIn(message["id"], answers)
                answers[message["id"]] = message["result"]["content"][0]["text"]
        self.assertEqual(set(answers.values()), {"done"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
