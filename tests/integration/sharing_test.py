"""One process for all sessions: who shares what, and what becomes of everybody when it dies.
Usage: sharing_test.py PI_MCP FAKE_SERVER"""
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

from cli_home import BINARY, WAIT_SECONDS, TerminalTest, fake, wait_process_gone
from serve_host import text_of
from other_build import make_other_build
from sharing_home import SharingTest

# A death is repaired within this time, with sanitizers on a busy machine.
REPAIR_SECONDS = 20
TERMINAL_COLUMNS = 80  # of one that does not say


class Sessions(SharingTest):
    def test_two_hosts_share_one_server(self):
        one, other = self.serve(), self.serve()
        self.echo(one)
        self.echo(other)
        self.assertEqual(len(self.servers()), 1)
        self.assertEqual(one.close()[0], 0)
        self.echo(other, "still there")
        shared = self.shared()
        self.assertEqual(other.close()[0], 0)
        wait_process_gone(self.servers()[0])
        wait_process_gone(shared)

    def test_another_folder_has_another_server(self):
        other_folder = self.home.root / "other"
        other_folder.mkdir()
        one = self.serve()
        self.echo(one)
        self.home.project = other_folder
        other = self.serve()
        self.echo(other)
        self.assertEqual(len(self.servers()), 2)

    def test_who_wants_no_sharing_has_none(self):
        for want in ({"env": "off"}, {"option": "--alone"}, {"setting": False}):
            with self.subTest(**want):
                self.pids.unlink(missing_ok=True)
                env = dict(self.home.env)
                self.home.write(".pi/agent/mcp.json", {
                    "mcpServers": {"fake": self.entry()},
                    "settings": {"shared": want.get("setting", True)}})
                if "env" in want:
                    self.home.env["PI_MCP_SHARED"] = want["env"]
                words = [want["option"]] if "option" in want else []
                one = self.host_with(*words)
                other = self.host_with(*words)
                self.echo(one)
                self.echo(other)
                self.assertEqual(len(self.servers()), 2)
                self.home.env = env

    def test_a_front_that_is_killed_takes_its_session_along(self):
        host = self.serve()
        self.echo(host)
        shared = self.shared()
        host.process.kill()
        host.process.wait(timeout=WAIT_SECONDS)
        wait_process_gone(self.servers()[0])
        wait_process_gone(shared)

    def test_a_host_that_does_not_read_delays_nobody(self):
        stopped = self.home.start("serve", stdin=subprocess.PIPE)
        self.addCleanup(stopped.communicate)
        self.addCleanup(stopped.kill)
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "deaf", "version": "1"}}}
        stopped.stdin.write(json.dumps(hello) + "\n")
        for number in range(2, 400):
            call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
                "name": "mcp", "arguments": {"tool": "fake_big", "args": {"bytes": 100000}}}}
            stopped.stdin.write(json.dumps(call) + "\n")
        stopped.stdin.flush()
        host = self.serve()
        for number in range(50):
            self.echo(host, str(number))

    def test_the_front_is_small(self):
        host = self.serve()
        self.echo(host)
        rollup = pathlib.Path(f"/proc/{host.process.pid}/smaps_rollup").read_text()
        pss = int(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")))
        self.assertLessEqual(pss, 32)


class Deaths(SharingTest):
    HOSTS, CALLS = 4, 32

    def test_every_call_gets_one_answer(self):
        hosts = [self.serve() for _ in range(self.HOSTS)]
        for host in hosts:
            self.echo(host)
        for sign in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(sign=sign.name):
                slow = {"name": "mcp", "arguments": {"tool": "fake_slow", "args": {}}}
                waiting = [(host, host.begin("tools/call", slow))
                           for host in hosts for _ in range(self.CALLS)]
                for host in hosts:  # all of those before it have been begun
                    self.echo(host, "begun")
                shared = self.shared()
                self.wait_at_rest(shared)  # else nobody may know of the last answer that it left
                os.kill(shared, sign)
                began = time.monotonic()
                for host, answer in waiting:
                    message = answer.get(timeout=REPAIR_SECONDS)
                    self.assertIn("ended while this call was under way", json.dumps(message))
                print(f"# {sign.name}: {len(waiting)} calls were answered within "
                      f"{time.monotonic() - began:.2f} s")
                for host in hosts:
                    self.echo(host, "next")
        for host in hosts:
            self.assertEqual(set(host.answers.values()), {1}, "answered once each")
            self.assertEqual(host.close()[0], 0)

    def test_a_command_says_of_its_call_that_it_may_have_run(self):
        server = self.watched()
        self.home.configure(fake=server.entry)
        command = self.home.start("call", "fake_slow", "--json")
        server.wait_for('"slow"')
        os.kill(self.shared(), signal.SIGKILL)
        out, _ = command.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(command.returncode, 4)
        self.assertIn("ended while this call was under way; whether the tool has run is not known. "
                      "Check, and call it again if it has not", out)
        self.assertNotIn("try again", out)

    def test_the_next_process_knows_what_the_host_said(self):
        host = self.serve()
        self.echo(host)
        os.kill(self.shared(), signal.SIGKILL)
        again = host.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                            "clientInfo": {"name": "again", "version": "1"}})
        self.assertIn("initialized already", again["error"]["message"])
        self.echo(host, "goes on")

    def test_who_was_there_and_who_comes_after_a_death_share_a_server(self):
        host = self.serve()
        self.echo(host)
        os.kill(self.shared(), signal.SIGKILL)
        self.echo(host, "goes on")
        self.echo(self.serve(), "is new")
        self.assertEqual(len(self.servers()), 2, "one before the death, one after it")

    def test_answers_that_are_long_are_not_cut(self):
        host = self.serve()
        self.echo(host)
        size = 5_000_000
        waiting = [host.begin("tools/call", {"name": "mcp", "arguments": {
            "tool": "fake_big", "args": {"bytes": size}}}) for _ in range(8)]
        waiting[0].get(timeout=WAIT_SECONDS)
        os.kill(self.shared(), signal.SIGKILL)
        for answer in waiting[1:]:
            message = answer.get(timeout=REPAIR_SECONDS)
            self.assertTrue("error" in message or len(json.dumps(message)) > 1000)
        self.echo(host, "next")

    def test_two_deaths_in_a_minute_are_enough(self):
        host = self.serve()
        for _ in range(2):
            self.echo(host)
            os.kill(self.shared(), signal.SIGKILL)
        self.echo(host, "alone")
        self.assertIsNone(self.shared())
        depth = host.mcp(tool="fake_env", args={"name": "PI_MCP_DEPTH"})
        self.assertEqual(text_of(depth), "1", "a death takes nobody deeper: from 3 on none serves")
        self.assertEqual(host.close()[0], 0)


class Seen(SharingTest, TerminalTest):
    def expect_shown(self, *phrases):
        """By `status` on a terminal, in lines that fit it."""
        status, text = self.shown("status")
        self.assertEqual(status, 0, text)
        told = " ".join(text.split())
        for phrase in phrases:
            self.assertIn(phrase, told)
        self.assertEqual([line for line in text.splitlines() if len(line) > TERMINAL_COLUMNS], [])

    def test_status_shows_who_shares(self):
        host = self.serve()
        self.echo(host)
        status, text = self.shown("status")
        self.assertEqual(status, 0, text)
        self.assertIn(f"Shared process {self.shared()}: 1 session\n", text)
        self.assertRegex(text, r"chaos 1 in .*project, for less than a minute: fake")
        self.assertNotIn("share no process", text)
        self.home.run("stop", "--all")
        host.close()
        run = self.home.agent / "run"
        run.chmod(0o755)
        self.expect_shown("Sessions that are started like this command share no process: "
                          f"{run} can be used by other users")
        not_shared = json.loads(self.ok("status", "--json"))["notShared"]
        run.chmod(0o700)
        self.assertIn(f"{run} can be used by other users", not_shared)
        self.assertNotIn("notShared", json.loads(self.ok("status", "--json")))

    def test_status_counts_the_tools_that_sessions_show(self):
        self.home.configure(fake=self.entry("--resources", "a,b,c") | {"excludeTools": ["add"]})
        self.ok("connect", "fake")
        status = json.loads(self.ok("status", "--json"))
        tools = json.loads(self.ok("list", "fake", "--json"))["tools"]
        self.assertEqual([each["toolCount"] for each in status["running"] + status["servers"]],
                         [len(tools)] * 2)

    def test_status_says_what_parts_two_copies(self):
        self.home.env["WHOSE_TOKEN"] = "not-to-be-seen"
        one = self.serve()
        self.echo(one)
        other_folder = self.home.root / "other"
        other_folder.mkdir()
        self.home.project = other_folder
        self.home.env["WHOSE_TOKEN"] = "not-to-be-seen-either"
        other = self.serve()
        self.echo(other)
        status, text = self.shown("status")
        self.assertEqual(status, 0, text)
        self.assertIn("2 copies run, parted by the variable WHOSE_TOKEN and the folder", text)
        self.assertIn('"share": "user" in its entry makes them one', text)
        raw = self.ok("--json", "status")
        self.assertNotIn("not-to-be-seen", text + raw)
        shared = json.loads(raw)["shared"]
        process = self.shared()
        self.assertEqual(shared["process"], process)
        self.assertEqual(shared["copies"], [{
            "server": "fake", "count": 2,
            "partedBy": [{"by": "variable", "name": "WHOSE_TOKEN"}, {"by": "folder"}],
            "join": '"share": "user"'}])
        self.assertEqual({session["folder"]: session["servers"] for session in shared["sessions"]},
                         {str(self.home.root / "project"): ["fake"], str(other_folder): ["fake"]})
        self.assertTrue(all(session["ageMs"] >= 0 and session["client"]
                            for session in shared["sessions"]), shared)
        self.assertEqual((one.close()[0], other.close()[0]), (0, 0))
        wait_process_gone(process)

    def copies_with(self, name, value, **keys):
        """How many servers two hosts have whose environments differ so, and what joins them."""
        self.pids.unlink(missing_ok=True)
        self.home.configure(fake=self.entry() | keys)
        hosts = [self.serve()]
        before, self.home.env = self.home.env, self.home.env | {name: value}
        hosts.append(self.serve())
        self.home.env = before
        for host in hosts:
            self.echo(host)
        count = len(self.servers())
        copies = json.loads(self.ok("status", "--json"))["shared"]["copies"]
        for host in hosts:
            self.assertEqual(host.close()[0], 0)
        for shared in self.all_shared():
            wait_process_gone(shared)
        return count, copies[0].get("join") if copies else None

    def test_what_status_advises_does_join(self):
        self.home.env["FULL"] = "no short list"
        no_inheritance = {"inheritEnv": False}, '"inheritEnv": false'
        user = {"share": "user"}, '"share": "user"'
        for name, (keys, advice) in {"WHOSE_TOKEN": no_inheritance, "HTTPS_PROXY": no_inheritance,
                                     "LANG": user}.items():
            with self.subTest(name):
                value = "http://127.0.0.1:1"
                self.assertEqual(self.copies_with(name, value), (2, advice))
                self.assertEqual(self.copies_with(name, value, **keys), (1, None))
        # What nothing joins.
        for name, keys in (("TMPDIR", {}), ("PI_MCP_DEPTH", {}), ("HTTPS_PROXY", user[0]),
                           ("TMPDIR", user[0]), ("TMPDIR", no_inheritance[0])):
            with self.subTest(name, **keys):
                value = "1" if name == "PI_MCP_DEPTH" else str(self.home.root)
                self.assertEqual(self.copies_with(name, value, **keys), (2, None))

    def test_what_sessions_run_is_asked_for_and_stands_in_no_file(self):
        entry = self.entry("--stderr", "listening with correcthorse") | {
            "env": {"API_TOKEN": "correcthorse"}}
        self.home.configure(fake=entry).chmod(0o600)
        host = self.serve()
        self.echo(host)
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.home.run("logs", "fake").stdout:  # it comes by a pipe of its own
            self.assertLess(time.monotonic(), deadline, "its stderr has not come")
        self.expect_seen()
        # Also by who has servers of its own, or wants a log of its own.
        for name, value in ("CI", "true"), ("PI_MCP_SHARED", "off"), ("PI_MCP_LOG", "info"):
            with self.subTest(name):
                self.home.env[name] = value
                self.expect_seen()
                del self.home.env[name]
        self.home.write(".pi/agent/mcp.json", {"mcpServers": {"fake": entry},
                                               "settings": {"shared": False}})
        self.expect_seen()
        self.assertFalse((self.home.agent / "mcp-run").exists())
        shared = self.shared()
        self.assertEqual(host.close()[0], 0)
        wait_process_gone(shared)
        self.check(self.home.run("logs", "fake"), 0, "listening with ***\n", "last run")

    def expect_seen(self):
        """One session and its server, by each command that shows what runs."""
        status = json.loads(self.ok("status", "--json"))["running"]
        logs = json.loads(self.ok("logs", "fake", "--json"))["running"]
        doctor = json.loads(self.ok("doctor", "--offline", "--json"))["running"]
        for seen in (status, logs, doctor):
            self.assertEqual(
                [(run["client"], run["cwd"], run["ownerProcessId"], run["status"])
                 for run in seen],
                [("chaos 1", str(self.home.project), self.shared(), "connected")])
        server, = self.servers()
        self.assertEqual((status[0]["processId"], doctor[0]["processId"]), (server, server))
        self.assertGreater(status[0]["memoryBytes"], 100_000)
        self.assertEqual(logs[0]["stderr"], "listening with ***\n")

    def test_a_failure_outlives_the_process_that_has_seen_it(self):
        self.home.configure(fake={"command": "sh", "args": [
            "-c", "echo no such database >&2; exit 3"]})
        host = self.serve()
        host.mcp(connect="fake")
        deadline = time.monotonic() + WAIT_SECONDS
        while self.state_of_last_run() != "failed":
            self.assertLess(time.monotonic(), deadline, "it is kept nowhere")
        os.kill(self.shared(), signal.SIGKILL)
        self.assertEqual(host.mcp(search="x")["result"].get("isError", False), False)
        self.check(self.home.run("logs", "fake"), 0, "no such database", "exited with status 3")
        self.assertEqual(self.state_of_last_run(), "failed")

    def state_of_last_run(self):
        server, = json.loads(self.ok("status", "--json"))["servers"]
        return server["status"]

    def test_no_host_is_told_what_others_run(self):
        host = self.serve()
        self.echo(host)
        pi = self.host_with("--host", "pi")
        for action in ("runs", "shared"):
            answer = pi.request("tools/call", {"name": "mcp_manage", "arguments": {
                "action": action}})
            self.assertEqual("only a command of the user" in json.dumps(answer),
                             action == "runs", answer)

    def test_the_progress_line_names_the_tool_once_its_server_has_started(self):
        self.home.configure(fake=self.entry("--delay", "600"), other=self.entry())
        self.ok("connect", "--all")  # both have a tool of this name
        for tool in (["fake_slow"], ["slow", "--server", "fake"]):
            self.ok("stop", "--all")
            text = self.shown("call", *tool, "ms=1500")[1]
            self.assertIn("starting fake", text)
            shown = text[text.index("calling fake_slow"):]
            self.assertNotIn("starting", shown)
            self.assertRegex(shown, r"calling fake_slow \(\d+ s\)\x1b")
            self.assertNotIn("(0", text)
            warm = self.shown("call", *tool, "ms=600")[1]
            self.assertIn("calling fake_slow", warm)
            self.assertNotIn("starting", warm)
            self.assertNotIn("(0", warm)

    def test_sessions_of_several_limits_are_seen_and_stopped_together(self):
        lowered = self.host_with_limit(resource.RLIMIT_CORE, 0)
        self.echo(lowered)
        low, = self.all_shared()
        free = self.serve()
        self.echo(free)
        high, = set(self.all_shared()) - {low}
        status = json.loads(self.ok("status", "--json"))
        self.assertEqual(status["shared"]["process"], high, "that of the limits of who asks")
        self.assertEqual([view["process"] for view in status["alsoShared"]], [low])
        self.assertEqual({run["ownerProcessId"] for run in status["running"]}, {low, high})
        copies = {"server": "fake", "count": 2, "partedBy": [{"by": "limits"}]}
        self.assertEqual(status["copies"], [copies])
        text = self.shown("status")[1]
        for process in (low, high):
            self.assertIn(f"Shared process {process}: 1 session\n", text)
        self.assertIn("2 copies run, parted by the limits of the process", text)
        logs = json.loads(self.ok("logs", "fake", "--json"))["running"]
        self.assertEqual({run["ownerProcessId"] for run in logs}, {low, high})
        self.assertEqual(json.loads(self.ok("stop", "--all", "--json")),
                         {"mode": "stop", "stopped": ["fake"], "count": 2})
        for server in self.servers():
            wait_process_gone(server)
        self.check(self.home.run("stop", "fake"), 0, stderr="fake does not run")
        for words, said in ((["--all"], "2 servers have been stopped"),
                            (["fake"], "fake has been stopped")):
            self.echo(lowered)
            self.echo(free)
            told = self.check(self.home.run("stop", *words), 0).stderr
            self.assertEqual(told, f"pi-mcp: {said}\n")

    def test_the_log_says_why_a_session_runs_alone(self):
        def why(wrapper=()):
            process = subprocess.run(
                [*wrapper, BINARY, "serve", "--log-level", "info"], env=self.home.env, input="",
                cwd=self.home.project, text=True, capture_output=True, timeout=WAIT_SECONDS,
                check=False)
            line, = [line for line in process.stderr.splitlines() if "process of its own" in line]
            return line.split("a process of its own: ")[1]

        self.assertIn("is wanted; nothing else is in the way", why(["sh", "-c", 'cat | "$@" | cat',
                                                                    "sh"]))
        self.assertEqual(why(["setpriv", "--no-new-privs"]), "NoNewPrivs is set")
        self.assertIn("stdin", why(["sh", "-c", '"$@" </dev/null', "sh"]))
        run = self.home.agent / "run"
        run.chmod(0o755)
        self.assertIn(f"chmod 700 {run}", why())
        run.chmod(0o700)
        (run / "lock").unlink(missing_ok=True)
        (run / "lock").symlink_to("nothing")
        locked_out = f"{run}: cannot open lock: "
        piped = ["sh", "-c", 'cat | "$@" | cat', "sh"]
        self.assertIn(locked_out, why(piped))
        doctor = self.home.run("doctor", "--offline").stdout
        self.assertIn("cannot open lock: ", doctor)
        self.assertIn(f"rm {run / 'lock'}", doctor)
        (run / "lock").unlink()
        self.home.write(".pi/agent/mcp.json", {"mcpServers": {}, "settings": {"shared": False}})
        self.assertEqual(why(), "settings.shared is false")
        self.assertEqual(why(["env", "PI_MCP_SHARED=off"]), "PI_MCP_SHARED=off")

    def test_a_process_whose_folder_was_removed_is_seen_and_stopped(self):
        host = self.serve()
        self.echo(host)
        shared, server = self.shared(), self.servers()[0]
        shutil.rmtree(self.home.agent / "run")
        for _ in range(WAIT_SECONDS * 10):
            seen = json.loads(self.ok("status", "--json")).get("shared")
            if seen:
                break
        self.assertEqual(seen["process"], shared)
        self.check(self.home.run("stop", "--all"), 0, stderr="1 server has been stopped")
        wait_process_gone(server)

    def test_a_process_of_another_build_is_named_and_left_alone(self):
        other = make_other_build(BINARY, self.home.root / "before the update")
        before = self.serve(executable=other)
        self.echo(before)
        old = self.shared()
        told = f"process {old} is of another build of pi-mcp"
        self.expect_shown(told)
        self.assertEqual(json.loads(self.ok("status", "--json"))["otherBuilds"], [old])
        outcome = self.check(self.home.run("stop", "--all"), 0, stderr=told)
        self.assertNotIn("no server runs", outcome.stderr)
        self.check(self.home.run("logs", "fake"), 4, stderr=told)
        self.check(self.home.run("logs", "fake"), 4, stderr="whether fake runs in that process")
        self.check(self.home.run("stop", "unknown"), 0, stderr=told)
        stopped = json.loads(self.ok("stop", "--all", "--json"))
        self.assertEqual((stopped["count"], stopped["otherBuilds"]), (0, [old]))
        self.echo(before, "goes on")
        self.assertEqual(len(self.servers()), 1)
        self.check(self.home.run("doctor"), 0, stderr=told)
        os.kill(old, signal.SIGTERM)  # as it says
        wait_process_gone(self.servers()[0])
        self.echo(before, "goes on with the next one")
        self.end(before)
        self.expect_no_shared_process()
        self.assertNotIn("otherBuilds", json.loads(self.ok("status", "--json")))

    def hung(self):
        """A host whose shared process hangs, that process, and how it is named."""
        host = self.serve()
        self.echo(host)
        shared = self.shared()
        os.kill(shared, signal.SIGSTOP)
        self.addCleanup(os.kill, shared, signal.SIGCONT)
        self.addCleanup(host.process.kill)
        return host, shared, f"process {shared}, which sessions share, is there and does not answer"

    def expect_it_goes_on(self, host, shared):
        """Others by servers of their own meanwhile."""
        self.assertEqual(self.ok("call", "fake_echo", "text=x"), "x\n")
        os.kill(shared, signal.SIGCONT)
        self.echo(host, "goes on")
        self.ok("stop", "--all")

    def test_a_process_that_hangs_is_named(self):
        host, shared, hangs = self.hung()
        self.check(self.home.run("stop", "--all"), 6, stderr=hangs)
        stopped = self.check(self.home.run("stop", "fake", "--json"), 6).stdout
        self.assertEqual(json.loads(stopped)["error"], "timed_out")
        self.expect_shown(hangs, f"kill -9 {shared}")
        self.assertEqual(json.loads(self.ok("status", "--json"))["silent"], [shared])
        outcome = self.check(self.home.run("logs", "fake"), 6, stderr=hangs)
        self.assertNotIn("not running", outcome.stderr)
        self.expect_it_goes_on(host, shared)

    def test_a_process_that_hangs_with_a_full_queue_is_named_as_well(self):
        host, shared, hangs = self.hung()
        self.fill_queue()
        self.check(self.home.run("stop", "--all"), 6, stderr=hangs)
        self.assertEqual(json.loads(self.ok("status", "--json"))["silent"], [shared])
        self.expect_it_goes_on(host, shared)

    @unittest.skipUnless(os.geteuid() == 0, "users can be changed by root alone")
    def test_what_another_user_has_put_there_is_not_named_as_ours(self):
        host = self.serve()
        self.echo(host)
        run, shared = self.home.agent / "run", self.shared()
        name = next(path.name for path in run.iterdir() if path.is_socket())
        host.close()
        wait_process_gone(shared)
        listens = ("import os, socket, sys; os.chdir(sys.argv[1]); os.setgid(1234);"
                   "os.setuid(1234); s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET);"
                   "s.bind(sys.argv[2]); s.listen(9); print('up', flush=True); sys.stdin.read()")
        run.chmod(0o777)
        stranger = subprocess.Popen([sys.executable, "-c", listens, run, name],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.stdin.close)
        self.addCleanup(stranger.stdout.close)
        self.assertEqual(stranger.stdout.readline(), b"up\n")
        run.chmod(0o700)
        self.check(self.home.run("stop", "--all"), 0, stderr="no server runs")
        self.assertNotIn("silent", json.loads(self.ok("status", "--json")))
        self.assertEqual(self.ok("call", "fake_echo", "text=x"), "x\n", "by a server of its own")

    def fill_queue(self):
        """Fronts that came and have gone while nobody took them in."""
        path = next(path for path in (self.home.agent / "run").iterdir() if path.is_socket())
        for _ in range(100_000):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as front:
                front.setblocking(False)
                try:
                    front.connect(str(path))
                except BlockingIOError:
                    return
        self.fail("the queue is never full")

    def test_what_a_command_has_left_is_shown(self):
        self.ok("call", "fake_echo", "text=x")
        self.assertIn("kept for the next command: fake", self.shown("status")[1])


class Shell(SharingTest, TerminalTest):
    def call(self, *words):
        return self.ok("call", *words)

    def test_a_yes_to_a_projects_server_counts_for_the_command_that_asked(self):
        for typed in (b"o\n", b"y\n"):
            with self.subTest(typed):
                self.home.write("project/.mcp.json", {"mcpServers": {"theirs": fake()}})
                status, shown = self.answer(typed, "call", "theirs_echo", "text=hello")
                self.assertEqual((status, "hello" in shown), (0, True), shown)
        self.assertEqual(self.call("theirs_echo", "text=x"), "x\n")

    def test_errors_and_statuses_are_as_without_sharing(self):
        self.check(self.home.run("call", "fake_err", "message=bad"), 1,
                   stderr="reported an error: bad")
        self.check(self.home.run("call", "fake_nothing"), 3, stderr="fake_nothing")
        self.assertEqual(self.call("fake_echo", "text=x"), "x\n")
        self.assertEqual(json.loads(self.ok("--json", "call", "fake_echo", "text=x")),
                         {"content": [{"type": "text", "text": "x"}]})
        self.assertIn("fake_echo", self.ok("connect", "fake"))

    def test_tools_are_counted_also_where_no_cache_can_be_written(self):
        self.home.write(".pi/agent/mcp-cache.json", {"version": 2, "servers": {}})  # a newer one's
        self.assertRegex(self.ok("connect", "--all", "--brief"), r"^✓ fake \([1-9]\d* tools\)\n$")
        status, shown = self.shown("connect", "fake")
        self.assertEqual((status, "fake_echo" in shown), (0, True), shown)

    def test_arguments_are_typed_also_where_no_cache_can_be_written(self):
        self.home.write(".pi/agent/mcp-cache.json", {"version": 2, "servers": {}})  # a newer one's
        for words in (["fake_add"], ["fake.add"], ["add"], ["add", "--server", "fake"]):
            with self.subTest(words=words):
                name, *options = words
                self.assertEqual(self.call(name, "a=2", "b=3", *options), "5\n")

    def test_the_next_command_finds_the_server_as_it_was_left(self):
        self.call("fake_echo", "text=x")
        self.call("fake_echo", "text=y")
        self.assertEqual(len(self.servers()), 1)
        shared = self.shared()
        self.ok("stop", "--all")
        wait_process_gone(self.servers()[0])
        wait_process_gone(shared)

    def test_what_is_kept_for_the_next_command_is_seen(self):
        self.home.configure(fake=self.entry("--stderr", "listening"))
        self.call("fake_echo", "text=x")
        server, = self.servers()
        run, = json.loads(self.ok("--json", "status"))["running"]
        self.assertEqual((run["name"], run["status"], run["processId"], run["ownerProcessId"]),
                         ("fake", "connected", server, self.shared()))
        self.assertEqual((run["client"], run["cwd"]), ("the next command", str(self.home.project)))
        self.assertGreater(run["toolCount"], 2)
        log, = json.loads(self.ok("--json", "logs", "fake"))["running"]
        self.assertEqual((log["status"], log["stderr"]), ("connected", "listening\n"))
        self.assertNotIn("ended", self.home.run("logs", "fake").stderr)

    def test_a_failure_stands_until_the_server_works(self):
        works = self.home.root / "works"
        script = f'[ -e {works} ] && exec "$0" "$@"; echo no licence >&2; exit 3'
        entry = self.entry()
        self.home.configure(fake={
            "command": "sh", "args": ["-c", script, entry["command"], *entry["args"]]})
        self.check(self.home.run("connect", "fake"), 4, stderr="status 3")
        for _ in range(2):  # refused, since it has just failed
            self.check(self.home.run("call", "fake_echo", "text=x"), 4, stderr="status 3")
            self.assertIn("exited with status 3", self.ok("status"))
            self.assertIn("exited with status 3", self.home.run("logs", "fake").stderr)
            self.assertIn("no licence", self.ok("logs", "fake"))
        self.assertEqual(self.servers(), [])
        works.touch()
        self.ok("connect", "fake")
        self.assertNotIn("status 3", self.ok("status"))

    def test_commands_and_hosts_of_a_folder_share_a_server(self):
        host = self.serve()
        self.echo(host)
        self.call("fake_echo", "text=x")
        self.assertEqual(len(self.servers()), 1)
        self.assertEqual(host.close()[0], 0)
        again = self.serve()  # what the command has left
        self.echo(again)
        self.assertEqual(len(self.servers()), 1)

    def test_a_folder_that_was_made_again_has_a_server_of_its_own(self):
        for words in ({}, {"cwd": str(self.home.root / "made")}):
            with self.subTest(**words):
                self.pids.unlink(missing_ok=True)
                made = self.home.root / "made"
                made.mkdir()
                self.home.configure(fake=self.entry() | words)
                folder = self.home.project
                if not words:
                    self.home.project = made
                self.call("fake_echo", "text=x")
                made.rmdir()
                made.mkdir()
                self.call("fake_echo", "text=x")
                one, other = self.servers()
                self.assertIn("(deleted)", os.readlink(f"/proc/{one}/cwd"))
                self.assertEqual(os.readlink(f"/proc/{other}/cwd"), str(made))
                self.call("fake_echo", "text=x")
                self.assertEqual(len(self.servers()), 2)
                self.ok("stop", "--all")
                made.rmdir()
                self.home.project = folder

    def test_stop_ends_servers(self):
        host = self.serve()
        self.echo(host)
        self.check(self.home.run("stop", "fake"), 0, stderr="fake has been stopped")
        wait_process_gone(self.servers()[0])
        self.echo(host, "started again")
        self.assertEqual(len(self.servers()), 2)
        self.check(self.home.run("stop", "--all"), 0, stderr="1 server has been stopped")
        self.check(self.home.run("stop", "--all"), 0, stderr="no server runs")
        self.check(self.home.run("stop", "nobody"), 3, stderr="nobody")
        self.check(self.home.run("stop"), 2, stderr="--all")

    def test_stop_is_over_though_somebody_goes_on_calling(self):
        host, calls_on = self.serve(), threading.Event()
        self.echo(host)

        def call():
            while calls_on.is_set():
                host.mcp(tool="fake_echo", args={"text": "again"})

        for words in (["fake"], ["--all"], ["fake", "--json"], ["--all", "--json"]):
            with self.subTest(words=words):
                calls_on.set()
                caller = threading.Thread(target=call)
                caller.start()
                try:
                    self.ok("stop", *words)
                finally:
                    calls_on.clear()
                    caller.join()
        self.assertGreater(len(self.servers()), 1)

    def test_a_call_that_stop_has_ended_says_so(self):
        server = self.watched("--stderr", "listening")
        self.home.configure(fake=server.entry)
        host = self.serve()
        answer = host.begin("tools/call", {"name": "mcp", "arguments": {"tool": "fake_slow"}})
        server.wait_for('"slow"')
        server.text = ""
        command = self.home.start("call", "fake_slow", "--json")
        server.wait_for('"slow"')
        self.ok("stop", "fake")
        out, _ = command.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(command.returncode, 4)
        for told in (out, json.dumps(answer.get(timeout=WAIT_SECONDS))):
            self.assertIn("it was stopped with pi-mcp stop before it answered tools/call; whether "
                          "the tool has run is not known. Check, and call it again", told)
            self.assertNotIn("listening", told)

    def test_stop_says_in_json_what_it_has_ended(self):
        def stopped(*words):
            outcome = self.check(self.home.run("stop", "--json", *words), 0)
            self.assertEqual(outcome.stderr, "")
            return json.loads(outcome.stdout)

        nothing = {"mode": "stop", "stopped": [], "count": 0}
        self.home.configure(fake=self.entry(), other=self.entry() | {"env": {"OTHER": "1"}})
        self.assertEqual(stopped("fake"), nothing)
        self.assertEqual(stopped("--all"), nothing)
        self.call("fake_echo", "text=x")
        self.assertEqual(stopped("other"), nothing)
        self.assertEqual(stopped("other", "fake"),
                         {"mode": "stop", "stopped": ["fake"], "count": 1})
        self.call("fake_echo", "text=x")
        self.call("other_echo", "text=x")
        self.assertEqual(stopped("--all"),
                         {"mode": "stop", "stopped": ["fake", "other"], "count": 2})
        self.assertEqual(stopped("--all"), nothing)

    def test_what_was_removed_ends_and_can_be_stopped(self):
        other = self.home.root / "pids of other"
        self.home.configure(fake=self.entry(), other=fake("--pid-file", other, name="other"))
        self.call("fake_echo", "text=x")
        self.ok("disable", "fake")
        wait_process_gone(self.servers()[0])
        self.call("other_echo", "text=x")
        self.home.configure(fake=self.entry())
        self.ok("stop", "other")
        wait_process_gone(int(other.read_text()))
        self.check(self.home.run("stop", "other"), 3, stderr="other")

    def test_a_server_that_is_not_trusted_any_more_is_not_kept(self):
        others = self.home.root / "pids of others"
        self.home.configure(fake=fake("--pid-file", others))
        place, self.home.project = self.home.project, self.home.root / "other"
        self.home.project.mkdir()
        host = self.serve()  # a server of that name that a session uses is not in its way
        self.echo(host)
        self.home.project = place
        self.home.write("project/.mcp.json", {"mcpServers": {"fake": self.entry()}})
        for words in (["--revoke"], ["--revoke", "fake"]):
            self.ok("trust", "--yes")
            self.call("fake_echo", "text=x")
            server = self.servers()[-1]
            self.ok("trust", *words)
            wait_process_gone(server)
        self.assertEqual(len(self.servers()), 2)
        self.echo(host)
        self.assertEqual(len(others.read_text().split()), 1)

    def test_a_server_of_an_entry_that_has_changed_or_gone_is_not_kept(self):
        self.home.configure()
        for newer in ({}, {"fake": self.entry("--name", "other")}):
            self.home.write("project/.mcp.json", {"mcpServers": {"fake": self.entry()}})
            self.ok("trust", "--yes")
            self.call("fake_echo", "text=x")
            self.home.write("project/.mcp.json", {"mcpServers": newer})
            self.ok("--json", "status")
            wait_process_gone(self.servers()[-1])

    def test_in_ci_commands_run_alone(self):
        self.home.env["CI"] = "true"
        host = self.serve()
        self.echo(host)
        self.call("fake_echo", "text=x")
        self.assertEqual(len(self.servers()), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
