"""What `status`, `logs`, exit statuses and warnings say is true. Usage: status_test.py PI_MCP
FAKE_SERVER"""
import http.server
import json
import os
import signal
import sys
import threading
import unittest

from cli_home import FAKE_SERVER, HostTest, TerminalTest, WAIT_SECONDS, fake, wait_process_gone


class TruthTest(HostTest):
    def status(self, *options):
        said = json.loads(self.home.run("status", "--json", *options).stdout)
        return {server["name"]: server for server in said["servers"]}


class LastRuns(TruthTest):
    def use(self, process, number):
        self.call(process, number, "fake_echo", text="x")
        self.assertIn("x", json.dumps(self.answer(process, number)["result"]))

    def crash(self, server, process):
        self.use(process, 2)
        os.kill(server.pids()[-1], signal.SIGKILL)
        wait_process_gone(server.pids()[-1])
        self.use(process, 3)

    def test_a_run_that_came_back_and_ended_well_has_not_failed(self):
        server = self.watched("--stderr", "hello")
        self.home.configure(fake=server.entry)
        process = self.host()
        self.crash(server, process)
        process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(self.status()["fake"]["status"], "cached")
        self.assertIn("○  fake", self.ok("status"))
        logs = self.check(self.home.run("logs", "fake"), 0, "hello\n", "ended")
        self.assertNotIn("killed", logs.stderr)

    def test_nor_has_one_whose_host_was_killed_after_that(self):
        server = self.watched("--stderr", "hello")
        self.home.configure(fake=server.entry)
        process = self.host()
        self.crash(server, process)
        while self.status_of_record() != (1, "connected"):
            pass
        process.kill()
        process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(self.status()["fake"]["status"], "cached")
        self.assertNotIn("killed", self.home.run("logs", "fake").stderr)

    def status_of_record(self):
        running = json.loads(self.ok("status", "--json"))["running"]
        return running and (running[0]["restarts"], running[0]["status"])

    def test_a_failure_is_not_that_of_another_server_of_the_same_name(self):
        ours = self.home.write("ours.json", {"mcpServers": {"github": fake(name="github")}})
        theirs = self.home.write("theirs.json", {"mcpServers": {
            "github": {"command": "sh", "args": ["-c", "echo theirs >&2; exit 3"]}}})
        self.check(self.home.run("connect", "github", "--config", theirs), 4)
        self.assertEqual(self.status("--config", theirs)["github"]["status"], "failed")
        self.assertEqual(self.status("--config", ours)["github"]["status"], "not connected")
        self.check(self.home.run("logs", "github", "--config", ours), 4)
        self.check(self.home.run("logs", "github", "--config", theirs), 0, "theirs")
        self.ok("connect", "github", "--config", ours)
        self.assertEqual(self.status("--config", theirs)["github"]["status"], "failed")

    def test_a_start_that_was_given_up_leaves_a_trace(self):
        self.home.configure(hang=fake("--hang", "initialize", "--stderr", "waiting"))
        self.check(self.home.run("connect", "hang", "--timeout", "1"), 6)
        self.assertRegex(self.ok("status"),
                         r"✗  hang +failed\n.* ago: did not start within 1 s")
        self.check(self.home.run("logs", "hang"), 0, stderr="did not start within 1 s")


class OtherProject(TerminalTest):
    def test_what_runs_in_another_project_is_not_the_server_of_this_one(self):
        theirs = self.home.write("theirs.json", {"mcpServers": {
            "github": {"command": "sh", "args": ["-c", "exit 3"]}}})
        self.home.configure(github=fake(name="github"))
        host = HostTest()
        host.home = self.home
        process = host.host("--config", str(theirs))
        host.call(process, 2, "github_x")
        host.answer(process, 2)
        while not json.loads(self.ok("status", "--json"))["running"]:
            pass
        _, text = self.shown("status")
        self.assertRegex(text, r"github +\S*never used")
        self.assertRegex(text, r"github +\S*failed.* in /")
        process.communicate(timeout=WAIT_SECONDS)


class Readiness(TruthTest):
    def test_a_server_whose_program_is_gone_is_not_ready(self):
        program = self.home.root / "gone"
        program.symlink_to(FAKE_SERVER)
        self.home.configure(gone={"command": str(program)}, missing={"command": "no-such-program"})
        self.ok("connect", "gone")
        self.assertEqual(self.status()["gone"]["status"], "cached")
        program.unlink()
        gone = self.status()["gone"]
        self.assertEqual(gone["status"], "not connected")
        self.assertEqual(gone["reason"], f"cannot run {program}: no such file")
        self.assertIn("not found in PATH", self.status()["missing"]["reason"])
        self.assertRegex(self.ok("status"), r"○  gone +wrong.*\n +cannot run")

    def test_a_direct_tool_that_does_not_exist_is_named(self):
        self.home.configure(fake=fake() | {"directTools": ["echo", "fake_add", "nosuch"]})
        self.assertNotIn("nosuch", self.ok("status"), "its tools are not known")
        self.ok("connect", "fake")
        self.assertEqual(self.ok("status").count("no tool is called"), 1)
        self.assertIn('no tool is called "nosuch"', self.ok("status"))

    def test_a_server_that_wants_a_login_says_so(self):
        class Refuses(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.send_response(401)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_DELETE = do_POST

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}/mcp"
        self.home.configure(remote={"url": url},
                            wrong={"url": url, "headers": {"Authorization": "Bearer old"}})
        self.check(self.home.run("connect", "remote"), 5)
        self.assertEqual(self.status()["remote"]["status"], "needs auth")
        self.assertRegex(self.ok("status"), "⚠  remote +needs auth")
        refused = self.check(self.home.run("connect", "wrong"), 5, stderr="refuses the credentials")
        self.assertIn("headers", refused.stderr)


class BrokenConfiguration(TruthTest):
    def test_a_file_that_cannot_be_read_is_an_exit_status_of_its_own(self):
        file = self.home.write(".pi/agent/mcp.json", '{\n  "mcpServers": {,}\n}')
        self.home.write(".config/mcp/mcp.json", {"mcpServers": {"fake": fake()}})
        for command in ["status", "config", "list"]:
            outcome = self.check(self.home.run(command, "--json"), 7)
            self.assertEqual(outcome.stderr, "")
            said = json.loads(outcome.stdout)["warnings"]
            self.assertEqual([(one["path"], one["line"], one["column"], one["unreadable"])
                              for one in said], [(str(file), 2, 18, True)])
            text = self.check(self.home.run(command), 7)
            self.assertEqual((text.stdout + text.stderr).count("line 2, column 18"), 1, text)
        self.check(self.home.run("call", "mine_tool"), 7, stderr="line 2")
        self.ok("call", "fake_echo", "text=x")
        self.assertEqual(json.loads(self.home.run("list", "fake", "--json").stdout)["warnings"][0]
                         ["line"], 2)

    def test_every_command_says_that_what_it_does_not_find_may_stand_in_that_file(self):
        file = self.home.write(".pi/agent/mcp.json", "{ bad")
        for line in ("auth ev", "call ev_x", "connect ev", "config ev", "describe ev_x",
                     "disable ev", "emit-cli ev", "emit-ts ev", "enable ev",
                     "keywords ev", "list ev", "logout ev", "logs ev", "prompt foo", "prompts ev",
                     "record out.jsonl ev", "remove ev", "resources ev", "search x --server ev",
                     "serve --servers ev", "setup --dry-run", "setup --yes", "stop ev",
                     "trust ev"):
            with self.subTest(line):
                said = self.check(self.home.run(*line.split()), 7)
                self.assertEqual((said.stdout + said.stderr).count(f"{file}: line 1"), 1, said)
        for line in ("token remove nobody", "config --keys nothing", "setup --hosts nowhere"):
            with self.subTest(line):
                self.check(self.home.run(*line.split()), 3)
        self.check(self.home.run("remove", "ev", "--json"), 7, '"error":"not_found"')

    def test_config_and_doctor_show_that_file_as_broken(self):
        file = self.home.write(".pi/agent/mcp.json", "{ bad")
        shown = self.check(self.home.run("config"), 7).stdout
        self.assertRegex(shown, "✗ +~/.pi/agent/mcp.json")
        files = {one["path"]: one for one in json.loads(self.home.run("config", "--json").stdout)
                 ["files"]}
        self.assertTrue(files[str(file)]["unreadable"])
        said = self.check(self.home.run("doctor", "ev"), 7, stderr='there is no server "ev"')
        self.assertRegex(said.stdout, "✗ +~/.pi/agent/mcp.json")
        found = json.loads(self.home.run("doctor", "ev", "--json").stdout)["findings"]
        self.assertEqual([one["code"] for one in found], ["PM-FILE-UNREADABLE"])

    def test_a_server_that_is_nearly_called_so_is_still_named(self):
        self.home.write(".pi/agent/mcp.json", "{ bad")
        self.home.write(".config/mcp/mcp.json", {"mcpServers": {"fake": fake()}})
        self.check(self.home.run("remove", "fakee"), 7, stderr='did you mean "fake"?')
        self.check(self.home.run("remove", "fakee"), 7, stderr="mcp.json: line 1")

    def test_an_entry_that_cannot_work_is_not_a_wrong_command_line(self):
        self.home.configure(
            unset=fake() | {"env": {"API_TOKEN": "${NOT_SET_ANYWHERE}"}},
            nowhere=fake() | {"cwd": str(self.home.root / "gone")},
            nothing={"args": ["x"]})
        for name, why in [("unset", "NOT_SET_ANYWHERE"), ("nowhere", "gone"),
                          ("nothing", "command")]:
            self.check(self.home.run("connect", name), 4, stderr=why)
            self.check(self.home.run("call", f"{name}_echo", "text=x"), 4, stderr=why)


class Warnings(TruthTest):
    def setUp(self):
        super().setUp()
        self.home.configure(fake=fake(), other=fake(name="other") | {"lifecycle": 5})

    def test_concern_only_the_servers_that_a_command_uses(self):
        self.assertEqual(self.home.run("call", "fake_echo", "text=x").stderr, "")
        self.assertEqual(self.home.run("describe", "fake_echo").stderr, "")
        self.assertEqual(self.home.run("search", "echo").stderr, "")
        self.assertEqual(self.home.run("list", "fake").stderr, "")
        self.assertEqual(self.home.run("config", "fake").stdout.count("lifecycle"), 0)
        for args in [("call", "other_echo", "text=x"), ("list",), ("connect", "--all")]:
            self.check(self.home.run(*args), 0, stderr='server "other": "lifecycle"')

    def test_are_said_once(self):
        outcome = self.check(self.home.run("status"), 0, stderr='server "other": "lifecycle"')
        self.assertNotIn("lifecycle", outcome.stdout)
        self.assertEqual(outcome.stderr.count("must be one of"), 1, outcome)
        for args in [("config",), ("status", "--json"), ("list", "--json")]:
            outcome = self.check(self.home.run(*args), 0, "lifecycle")
            self.assertEqual(outcome.stderr, "", outcome)
            self.assertEqual(outcome.stdout.count("must be one of"), 1, outcome)
        said = json.loads(self.ok("config", "--json"))["warnings"][0]
        self.assertEqual(said["server"], "other")


class Subfolders(TruthTest):
    def test_files_of_the_project_are_found_from_below(self):
        (self.home.project / ".git").mkdir()
        inner = self.home.project / "a/b"
        inner.mkdir(parents=True)
        self.home.write("project/.mcp.json", {"mcpServers": {"fake": fake()}})
        self.assertEqual(self.status("--cwd", inner)["fake"]["status"], "needs trust")
        self.assertIn("✓  ~/project/.mcp.json", self.ok("config", "--cwd", inner))
        self.ok("trust", "fake", "--yes", "--cwd", inner)
        self.ok("call", "fake_echo", "text=x", "--cwd", inner)
        self.assertEqual(self.status()["fake"]["status"], "cached", "trust is for its folder")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
