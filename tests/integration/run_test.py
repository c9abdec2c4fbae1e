"""Servers that run for one host, seen from a shell. Usage: run_test.py PI_MCP FAKE_SERVER"""
import json
import os
import signal
import stat
import sys
import time
import unittest

from cli_home import WAIT_SECONDS, HostTest, TerminalTest, fake, wait_process_gone


class RunTest(HostTest):
    def eventually(self, look, holds):
        """Looks again and again until it holds; what was seen then."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds(seen := look()):
            self.assertLess(time.monotonic(), deadline, seen)
        return seen

    def running(self):
        return json.loads(self.ok("status", "--json"))["running"]

    def until_running(self, holds=lambda servers: len(servers) == 1):
        return self.eventually(self.running, holds)

    def serve(self, *options, tool="fake_echo", **servers):
        """A host that has used a server."""
        self.home.configure(**servers)
        process = self.host(*options)
        self.addCleanup(self.end, process)
        self.call(process, 2, tool, text="x")
        self.answer(process, 2)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=WAIT_SECONDS)

    def end_kindly(self, process):
        process.stdin.close()
        process.wait(timeout=WAIT_SECONDS)
        process.stdin = None

    def files(self):
        folder = self.home.agent / "mcp-run"
        return sorted(folder.rglob("*")) if folder.exists() else []


class Status(RunTest):
    def test_shows_servers_that_run_for_a_host(self):
        process = self.serve("--cwd", self.home.project, fake=fake("--grandchild"))
        server = self.until_running(lambda found: found and found[0]["client"])[0]
        self.assertEqual((server["name"], server["status"]), ("fake", "connected"), server)
        self.assertEqual((server["client"], server["cwd"]), ("test 1", str(self.home.project)))
        self.assertEqual(server["ownerProcessId"], process.pid)
        self.assertGreater(server["toolCount"], 2)
        self.assertGreaterEqual(server["processes"], 3, "keeper, server and what it started")
        self.assertGreater(server["memoryBytes"], 100_000)
        self.assertGreaterEqual(server["connectedSeconds"], 0)
        self.assertRegex(self.ok("status"),
                         rf"✓  fake +connected +\d+ +{server['processId']} .*  test 1\n")

    def test_nothing_is_left_of_a_host_that_ends(self):
        process = self.serve(fake=fake())
        self.until_running()
        self.end_kindly(process)
        self.assertEqual(self.running(), [])
        self.assertEqual(self.files(), [])

    def test_a_host_that_is_killed_disappears_with_the_next_look(self):
        process = self.serve(fake=fake("--stderr", "last words"))
        server = self.until_running()[0]
        process.kill()
        process.wait(timeout=WAIT_SECONDS)
        self.assertEqual(self.running(), [])
        self.assertEqual([file.name for file in self.files()][0], "last")
        self.assertEqual(len(self.files()), 2, self.files())
        self.assertEqual(self.ok("logs", "fake"), "last words\n")
        wait_process_gone(server["processId"])

    def test_only_the_user_may_read_the_files_and_calls_do_not_touch_them(self):
        process = self.serve(fake=fake("--stderr", "noise"))
        self.until_running(lambda found: found and found[0]["client"])
        self.eventually(lambda: self.ok("logs", "fake"), lambda text: text == "noise\n")
        before = {file: file.stat().st_ino for file in self.files()}
        for file in before:
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)
        folder = (self.home.agent / "mcp-run").stat()
        self.assertEqual(stat.S_IMODE(folder.st_mode), 0o700)
        for number in range(10, 60):
            self.call(process, number, "fake_echo", text="x")
            self.answer(process, number)
        self.assertEqual({file: file.stat().st_ino for file in self.files()}, before)

    def test_a_server_that_failed_says_why_and_when(self):
        self.serve(tool="broken_x", broken={"command": "sh", "args": ["-c", "exit 3"]})
        failed = self.until_running(lambda found: found and found[0]["status"] == "failed")[0]
        self.assertIn("exited with status 3", failed["reason"])
        self.assertIn("exited with status 3", failed["lastError"])
        self.assertGreaterEqual(failed["lastErrorAgo"], 0)

    def test_a_command_that_failed_is_remembered_until_it_works(self):
        broken = {"command": "sh", "args": ["-c", "echo no such database >&2; exit 3"]}
        self.home.configure(fake=broken)
        self.check(self.home.run("connect", "fake"), 4, stderr="exited with status 3")
        self.assertRegex(self.ok("status"), r"✗  fake +failed\n +\d+ s ago: .*status 3")
        failed = json.loads(self.ok("status", "--json"))["servers"][0]
        self.assertEqual(failed["status"], "failed")
        self.check(self.home.run("logs", "fake"), 0, "no such database\n", "last run")
        self.home.configure(fake=fake())
        self.ok("connect", "fake")
        self.assertIn("○  fake", self.ok("status"))
        self.check(self.home.run("logs", "fake"), 4, stderr="of earlier runs there is nothing")

    def test_without_a_place_for_records_everything_else_works(self):
        self.home.write(".pi/agent/mcp-run", "a file where the folder should be")
        self.serve(fake=fake())
        self.assertEqual(self.running(), [])


class Logs(RunTest):
    def test_of_a_server_that_runs(self):
        self.serve(fake=fake("--stderr", "listening"), quiet=fake(name="quiet"))
        self.eventually(lambda: self.home.run("logs", "fake").stdout,
                        lambda text: text == "listening\n")
        running = json.loads(self.ok("logs", "fake", "--json"))["running"][0]
        self.assertEqual((running["stderr"], running["status"]), ("listening\n", "connected"))

    def test_of_a_server_that_has_written_nothing(self):
        self.serve(fake=fake())
        self.until_running()
        outcome = self.check(self.home.run("logs", "fake"), 0, stderr="has written nothing")
        self.assertEqual(outcome.stdout, "")

    def test_of_a_start_that_failed(self):
        entry = {"command": "sh", "args": ["-c", "echo no such database >&2; exit 3"]}
        process = self.serve(tool="broken_x", broken=entry)
        outcome = self.eventually(lambda: self.home.run("logs", "broken"),
                                  lambda seen: "exited with status 3" in seen.stderr)
        self.assertEqual((outcome.status, outcome.stdout), (0, "no such database\n"))
        self.end_kindly(process)
        outcome = self.check(self.home.run("logs", "broken"), 0, "no such database\n", "ended")
        self.assertIn("exited with status 3", outcome.stderr)
        last = json.loads(self.ok("logs", "broken", "--json"))["lastRun"]
        self.assertEqual(last["stderr"], "no such database\n")

    def test_of_a_server_that_does_not_run_or_does_not_exist(self):
        self.home.configure(fake=fake())
        self.check(self.home.run("logs", "fake"), 4, stderr="is not running in any pi-mcp")
        self.check(self.home.run("logs", "fkae"), 3, stderr='did you mean "fake"?')
        self.check(self.home.run("logs"), 2, stderr="pi-mcp logs SERVER")
        self.assertEqual(json.loads(self.home.run("logs", "x", "--json").stdout)["error"],
                         "not_found")

    def test_secrets_are_masked(self):
        entry = fake("--stderr", "using correcthorse and Authorization: Bearer abc")
        self.serve(fake=entry | {"env": {"API_TOKEN": "correcthorse"}})
        text = self.eventually(lambda: self.home.run("logs", "fake").stdout, bool)
        self.assertIn("using *** and", text)
        self.assertNotIn("abc", text)
        for file in self.files():
            self.assertNotIn("correcthorse", file.read_text())

    def test_of_a_server_that_floods(self):
        self.serve(fake=fake("--stderr-flood", 1_000_000))
        text = self.eventually(lambda: self.home.run("logs", "fake").stdout,
                               lambda seen: len(seen) > 30_000)
        self.assertLessEqual(len(text), 32 * 1024 + 1)

    def test_of_a_server_that_was_started_again_begin_with_the_run_before(self):
        entry = fake("--stderr", "hello", "--exit-at", "tools/call", "--exit-status", 7)
        self.serve(fake=entry | {"lifecycle": "keep-alive"})
        server = self.until_running(lambda found: found and found[0]["restarts"] > 0
                                    and found[0]["status"] == "connected")[0]
        self.assertIn("exited with status 7", server["lastError"])
        text = self.eventually(lambda: self.ok("logs", "fake"),
                               lambda text: text.count("hello") == 2)
        self.assertIn("hello\n[pi-mcp: exited with status 7; started again]\nhello\n", text)

    def test_debug_passes_stderr_through_as_it_is(self):
        self.home.configure(fake=fake("--stderr", "token=abc") | {"debug": True})
        process = self.host()
        self.call(process, 2, "fake_echo", text="x")
        self.answer(process, 2)
        _, stderr = process.communicate(timeout=WAIT_SECONDS)
        self.assertIn("token=abc\n", stderr)

    def test_the_log_level_decides_what_is_said(self):
        self.home.configure(fake=fake("--stdout", "junk"))
        for options, said in [([], False), (["--log-level", "debug"], True)]:
            outcome = self.check(self.home.run("call", "fake_echo", "text=x", *options), 0, "x\n")
            self.assertEqual("lines that are not messages" in outcome.stderr, said, outcome)
        self.home.env["PI_MCP_LOG"] = "debug"
        self.assertIn("not messages", self.home.run("call", "fake_echo", "text=x").stderr)

    def test_completion_knows_its_servers(self):
        self.home.configure(fake=fake())
        self.assertIn("fake\t", self.ok("__complete", "logs", "f"))


class OnATerminal(RunTest, TerminalTest):
    def test_status_is_a_table(self):
        self.serve(fake=fake())
        self.until_running(lambda found: found and found[0]["client"])
        _, text = self.shown("status")
        self.assertIn("1 running", text)
        self.assertRegex(text, r"fake +\S*connected\S* +\d+ +\d+ +\d+(\.\d)? MB +\d+ s +test 1")
        self.home.env["NO_COLOR"] = "1"
        self.assertNotIn("\x1b[", self.shown("status")[1])

    def test_a_terminal_that_cannot_redraw_gets_no_line_of_progress(self):
        self.home.configure(fake=fake())
        self.assertIn("\x1b[K", self.shown("call", "fake_slow", "ms=1500")[1])
        for term in ("dumb", ""):
            self.home.env["TERM"] = term
            text = self.shown("call", "fake_slow", "ms=1500")[1]
            self.assertNotRegex(text, "[\x1b\r]", text)


class Signals(RunTest):
    def test_sigterm_ends_within_five_seconds_with_every_server_and_the_cache_written(self):
        stubborn = self.watched("--ignore-eof", "--ignore-sigterm", "--grandchild",
                                "--escaped-grandchild")
        self.home.configure(fake=stubborn.entry, late=fake("--hang", "initialize", name="late"))
        process = self.host()
        self.addCleanup(self.end, process)
        self.call(process, 2, "fake_slow")
        stubborn.wait_for("tools/call")
        self.call(process, 3, "late_x")
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=WAIT_SECONDS)
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        stubborn.wait_gone()
        self.assertRegex(self.ok("status"), r" ready +\d")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
