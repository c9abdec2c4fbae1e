"""What `pi-mcp doctor` finds, and that it finds nothing in a home in order. Usage: doctor_test.py
PI_MCP FAKE_SERVER"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from cli_home import BINARY, WAIT_SECONDS, CliTest, HostTest, fake, wait_process_gone
from sharing_home import SharingTest


# A server whose JSON is as json.dumps() of Python writes it.
SPACED = """import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    results = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                              "serverInfo": {"name": "s", "version": "1"}},
               "tools/list": {"tools": [{"name": "hi", "annotations": {"readOnlyHint": True},
                                         "inputSchema": {"type": "object", "properties": {}}}]}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"],
                          "result": results.get(asked["method"], {})}), flush=True)
"""


class DoctorTest(CliTest):
    def doctor(self, *options, status=1):
        outcome = self.check(self.home.run("doctor", "--json", *options), status)
        return json.loads(outcome.stdout)

    def findings(self, *options, status=1):
        return self.doctor(*options, status=status)["findings"]

    def the(self, code, *options, status=1):
        """The finding of this code, of which there is one."""
        findings = self.findings(*options, status=status)
        found = [finding for finding in findings if finding["code"] == code]
        self.assertEqual(len(found), 1, findings)
        return found[0]

    def program(self, path, text="#!/bin/sh\n"):
        file = self.home.write(path, text)
        file.chmod(0o755)
        return file


class Offline(DoctorTest):
    def setUp(self):
        super().setUp()
        self.home.configure(fake=fake())

    def the(self, code, *options, status=1):
        return super().the(code, "--offline", *options, status=status)

    def test_a_home_in_order_has_no_finding(self):
        report = self.doctor("--offline", status=0)
        self.assertEqual((report["clean"], report["findings"]), (True, []))
        server, = report["servers"]
        self.assertEqual(server["program"]["path"], fake()["command"])
        self.assertEqual(server["path"], str(self.home.agent / "mcp.json"))
        self.assertIn("Nothing to mend.", self.ok("doctor", "--offline"))

    def test_a_home_without_a_server_is_in_order(self):
        (self.home.agent / "mcp.json").unlink()
        self.assertIn("none; pi-mcp setup", self.ok("doctor", "--offline"))

    def test_where_only_hosts_have_servers_setup_is_named_and_them(self):
        (self.home.agent / "mcp.json").unlink()
        self.home.write(".cursor/mcp.json", {"mcpServers": {"files": fake()}})
        for command in ("doctor --offline", "status", "config"):
            outcome = self.check(self.home.run(*command.split()), 0, stdout="pi-mcp setup")
            self.assertIn("Cursor has servers; to use them: pi-mcp setup", outcome.stderr, command)
        for command in ("list", "search x", "call x", "describe x"):
            outcome = self.home.run(*command.split())
            self.assertIn("pi-mcp setup takes over", outcome.stdout + outcome.stderr, command)

    def test_nothing_is_started_offline(self):
        watched = self.watched("--hang", "initialize")
        self.home.configure(watched=watched.entry)
        self.assertEqual(self.findings("--offline", status=0), [])
        self.assertFalse(watched.pid_file.exists())

    def test_a_file_that_cannot_be_read_is_named_with_its_place(self):
        path = self.home.write(".pi/agent/mcp.json", '{"mcpServers": {]}')
        finding = self.the("PM-FILE-UNREADABLE")
        self.assertEqual((finding["path"], finding["severity"]), (str(path), "error"))
        self.assertIn("line 1, column 17", finding["message"])
        self.assertEqual(finding["command"], f"${{EDITOR:-vi}} {path}")

    def test_what_of_a_file_does_not_count_is_named(self):
        self.home.configure(fake=fake() | {"lifecycle": "lasy"})
        finding = self.the("PM-FILE-WARNING")
        self.assertIn("lifecycle", finding["message"])
        self.assertEqual(finding["server"], "fake")

    def test_of_a_named_server_what_does_not_count_is_said_and_nothing_of_others(self):
        self.home.write(".pi/agent/mcp.json", {"settings": {"toolPrefix": 3}, "mcpServers": {
            "fake": fake() | {"lifecycle": "lasy"}, "other": fake() | {"lifecycle": "eagre"}}})
        messages = [finding["message"] for finding in self.findings("--offline", "fake")
                    if finding["code"] == "PM-FILE-WARNING"]
        self.assertEqual(len(messages), 2, messages)
        self.assertTrue(any("lasy" in message for message in messages), messages)
        self.assertTrue(any("toolPrefix" in message for message in messages), messages)

    def test_a_broken_file_of_a_host_in_yaml_is_named_with_its_place(self):
        path = self.home.write(".config/goose/config.yaml", "extensions: [\n")
        self.home.write(".pi/agent/mcp.json", {"imports": ["goose"]})
        finding = self.the("PM-FILE-UNREADABLE")
        self.assertEqual(finding["path"], str(path))
        self.assertIn("line", finding["message"])

    def test_a_name_that_another_file_hides_is_a_note_and_nothing_to_mend(self):
        self.home.write(".config/mcp/mcp.json", {"mcpServers": {"fake": {"command": "sh"}}})
        finding = self.the("PM-NAME-HIDDEN", status=0)
        self.assertEqual((finding["severity"], finding["server"]), ("note", "fake"))
        self.assertIn(".config/mcp/mcp.json", finding["path"])

    def test_a_server_of_the_project_waits_for_trust(self):
        self.home.write("project/.mcp.json", {"mcpServers": {"theirs": fake()}})
        self.assertEqual(self.the("PM-TRUST-NEEDED")["command"], "pi-mcp trust theirs")

    def test_a_secret_that_is_not_stored_is_named_with_its_field(self):
        self.home.configure(fake=fake() | {"env": {"GIVEN": "${keyring:WORK}"}})
        finding = self.the("PM-SECRET-MISSING")
        self.assertEqual(finding["command"], "pi-mcp secret set WORK --file")
        self.assertIn("env GIVEN, and the keyring cannot be asked", finding["message"])
        self.ok("secret", "set", "WORK", "--file", stdin="planted-value")
        self.assertEqual(self.findings("--offline", status=0), [])

    def test_a_token_in_plain_text_has_the_command_that_stores_it(self):
        file = self.home.configure(fake=fake() | {"env": {"API_KEY": "planted-value"}})
        file.chmod(0o600)
        self.assertEqual(self.findings("--offline", status=0), [], "nobody else can read it")
        file.chmod(0o644)
        finding = self.the("PM-TOKEN-PLAIN")
        self.assertEqual(finding["command"], "pi-mcp secret set fake.API_KEY --file")
        self.assertIn("which others can read", finding["message"])
        self.assertIn("write ${keyring:fake.API_KEY} there", finding["message"])
        self.assertNotIn("planted-value", json.dumps(self.doctor("--offline")))
        file.chmod(0o600)
        (self.home.root / ".pi/.git").mkdir()
        self.assertIn("which is in a repository", self.the("PM-TOKEN-PLAIN")["message"])

    def test_an_entry_that_cannot_work_is_an_error(self):
        self.home.configure(both={"command": "sh", "url": "https://example.com"})
        self.assertIn("exactly one", self.the("PM-ENTRY-INVALID")["message"])

    def test_one_mistake_is_one_finding_also_after_it_was_tried(self):
        self.home.configure(ev={"command": 5}, odd={"command": "nowhere"}, off={
            "command": 5, "disabled": True})
        for name in ("ev", "odd"):
            said = self.check(self.home.run("call", f"{name}_x"), 4).stderr
            self.assertEqual(said.count("must be a string") + said.count("not found"), 1, said)
        self.assertEqual(self.check(self.home.run("list", "ev"), 4).stderr.count("must be"), 1)
        found = [(finding["code"], finding["server"]) for finding in self.findings("--offline")]
        self.assertEqual(found, [("PM-ENTRY-INVALID", "ev"), ("PM-COMMAND-MISSING", "odd"),
                                 ("PM-FILE-WARNING", "off")])

    def test_a_command_with_its_arguments_in_it_is_told_apart(self):
        command = "npx -y @modelcontextprotocol/server-memory"
        self.home.configure(memory={"command": command})
        finding = self.the("PM-COMMAND-SPACES")
        advice = 'write "command": "npx", "args": ["-y","@modelcontextprotocol/server-memory"]'
        self.assertIn(advice, finding["message"])
        self.check(self.home.run("connect", "memory"), 4, stderr=advice)

    def test_a_program_with_a_space_in_its_path_is_one_command(self):
        path = self.program("My Servers/run it")
        self.home.configure(mine={"command": str(path)})
        self.assertEqual(self.findings("--offline", status=0), [])

    def test_a_program_that_is_not_installed_has_the_command_that_installs_it(self):
        self.home.env["PATH"] = str(self.home.root / "empty")
        self.home.configure(memory={"command": "npx", "args": ["x"]}, odd={"command": "nowhere"})
        commands = {finding["server"]: finding["command"]
                    for finding in self.findings("--offline")
                    if finding["code"] == "PM-COMMAND-MISSING"}
        self.assertEqual(commands, {"memory": "sudo apt install npm",
                                    "odd": "pi-mcp disable odd"})

    def test_a_program_in_a_folder_of_nvm_is_not_seen_by_a_desktop(self):
        folder = ".nvm/versions/node/v22.1.0/bin"
        self.program(f"{folder}/node")
        npx = self.program(f"{folder}/only-here", "#!/usr/bin/env node\n")
        self.home.configure(memory={"command": "only-here"})
        wanted = f"ln -s {npx} {npx.parent}/node ~/.local/bin/"
        self.assertEqual(self.the("PM-COMMAND-SHELL-ONLY")["command"], wanted)
        # The same in a shell that nvm has set up.
        self.home.env["PATH"] = f"{npx.parent}:{os.environ['PATH']}"
        self.assertEqual(self.the("PM-COMMAND-SHELL-ONLY")["command"], wanted)
        self.home.write(".local/bin/only-here", "#!/bin/sh\n").chmod(0o755)
        self.assertEqual(self.findings("--offline", status=0), [])

    def test_variables_that_are_not_set_are_named_with_their_field(self):
        self.home.configure(fake=fake() | {"env": {"GITHUB_TOKEN": "${MY_TOKEN}"}})
        finding = self.the("PM-VARIABLE-UNSET")
        self.assertIn("MY_TOKEN in env GITHUB_TOKEN", finding["message"])
        self.assertIn("not started without it", finding["message"])
        self.home.env["MY_TOKEN"] = "ghp_secret"
        self.assertEqual(self.findings("--offline", status=0), [])

    def test_a_working_directory_that_does_not_exist_is_an_error(self):
        self.home.configure(fake=fake() | {"cwd": "~/gone away"})
        finding = self.the("PM-FOLDER-MISSING")
        self.assertEqual(finding["command"], f"mkdir -p '{self.home.root}/gone away'")

    def test_a_login_that_is_missing_is_said_before_anybody_calls(self):
        self.home.configure(far={"url": "https://example.com/mcp", "auth": "oauth"})
        self.assertEqual(self.the("PM-LOGIN-NEEDED")["command"], "pi-mcp auth far")

    def test_a_login_that_has_ended_and_cannot_be_renewed_is_said(self):
        self.home.configure(far={"url": "https://example.com/mcp", "auth": "oauth"})
        self.home.write(".pi/agent/mcp-oauth/far/tokens.json",
                        {"access_token": "secret", "expiresAt": 1000})
        self.assertEqual(self.the("PM-LOGIN-EXPIRED")["command"], "pi-mcp auth far")

    def test_a_login_that_ends_within_a_day_is_said_with_the_command_that_renews_it(self):
        self.home.configure(far={"url": "https://example.com/mcp", "auth": "oauth"})
        self.home.write(".pi/agent/mcp-oauth/far/tokens.json",
                        {"access_token": "secret", "expiresAt": int((time.time() + 7500) * 1000)})
        finding = self.the("PM-LOGIN-ENDS")
        self.assertEqual(finding["command"], "pi-mcp auth far")
        self.assertIn("ends in 2 h", finding["message"])
        self.assertIn('its login ends in 2 h; "pi-mcp auth far" renews it', self.ok("status"))

    def test_only_the_named_servers_are_looked_at(self):
        self.home.configure(fake=fake(), odd={"command": "nowhere"})
        self.assertEqual(self.findings("--offline", "fake", status=0), [])
        self.assertEqual(len(self.findings("--offline", "odd")), 1)
        self.check(self.home.run("doctor", "fak"), 3, stderr='did you mean "fake"?')

    def test_a_disabled_server_is_not_looked_at(self):
        self.home.configure(odd={"command": "nowhere", "disabled": True})
        self.assertEqual(self.findings("--offline", status=0), [])

    def test_a_server_whose_last_run_failed_is_named_until_it_runs_again(self):
        self.home.configure(fake=fake("--exit-at", "initialize"))
        self.check(self.home.run("connect", "fake"), 4)
        finding = self.the("PM-RUN-FAILED")
        self.assertEqual((finding["server"], finding["command"]), ("fake", "pi-mcp logs fake"))
        self.assertIn("initialize", finding["message"])
        self.home.configure(fake=fake("--other"))
        self.assertEqual(self.findings("--offline", status=0), [], "that was another server")

    def test_an_import_that_has_no_server_is_a_note(self):
        self.home.write(".pi/agent/mcp.json", {"imports": ["windsurf", "cursor"]})
        self.home.write(".cursor/mcp.json", {"mcpServers": {"files": fake()}})
        finding = self.the("PM-IMPORT-STALE", status=0)
        self.assertEqual(finding["command"], "pi-mcp import --remove windsurf")
        self.home.write(".codeium/windsurf/mcp_config.json", {"mcpServers": {
            "pi-mcp": {"command": BINARY, "args": ["serve"]}}})
        self.assertEqual(self.findings("--offline", status=0), [], "its projects count")

    def test_no_secret_is_shown(self):
        self.home.configure(far={"url": "https://example.com/mcp?api_key=hidden1234567890"},
                            odd={"command": "run --token=hidden1234567890"})
        for options in ([], ["--json"]):
            outcome = self.home.run("doctor", "--offline", *options)
            self.assertNotIn("hidden", outcome.stdout + outcome.stderr)


class Online(DoctorTest):
    def test_a_server_that_works_is_started_and_ended_again(self):
        watched = self.watched()
        self.home.configure(fake=watched.entry)
        report = self.doctor(status=0)
        start = report["servers"][0]["start"]
        self.assertEqual((start["works"], report["findings"]), (True, []))
        self.assertRegex(start["protocolVersion"], r"^20\d\d-")
        self.assertGreater(start["toolCount"], 1)
        watched.wait_gone()
        self.assertRegex(self.ok("doctor"), r"started in \d+\.\d s, speaks 20")

    def test_a_server_that_does_not_start_is_shown_with_the_line_that_matters(self):
        npm = self.program("bin/npm-like", "#!/bin/sh\n"
                           "echo 'npm error code E404' >&2\n"
                           "echo 'npm error 404 Not Found - no-such-package' >&2\n"
                           "echo 'npm notice' >&2\n"
                           "for i in 1 2 3 4; do echo 'npm notice New version' >&2; done\n"
                           "echo 'npm error A complete log of this run can be found' >&2\nexit 1\n")
        self.home.configure(odd={"command": str(npm)}, fake=fake())
        finding = self.the("PM-START-FAILED")
        self.assertEqual(finding["server"], "odd")
        self.assertIn("npm error 404 Not Found - no-such-package", finding["message"])

    def test_a_server_that_hangs_and_ignores_signals_ends_with_its_time(self):
        watched = self.watched("--hang", "initialize", "--ignore-sigterm")
        self.home.configure(hung=watched.entry, fake=fake())
        finding = self.the("PM-START-FAILED", "--timeout", "1")
        self.assertEqual(finding["server"], "hung")
        watched.wait_gone()

    def test_tools_that_differ_from_the_cache_are_a_note(self):
        self.home.configure(fake=fake())
        self.ok("connect", "fake")
        cache = self.home.agent / "mcp-cache.json"
        text = cache.read_text()
        self.assertIn('"echo"', text)
        cache.write_text(text.replace('"echo"', '"gone_tool"'))
        finding = self.the("PM-TOOLS-CHANGED", status=0)
        self.assertIn("new: fake_echo; gone: fake_gone_tool", finding["message"])

    def test_tools_are_the_same_whatever_white_space_their_server_writes(self):
        spaced = self.program("bin/spaced", SPACED)
        self.home.configure(s={"command": sys.executable, "args": [str(spaced)]})
        self.ok("connect", "s")
        self.assertEqual(self.findings(status=0), [])
        self.assertEqual(self.findings(status=0), [])

    def test_ctrl_c_ends_it_and_every_server(self):
        watched = self.watched("--hang", "initialize")
        self.home.configure(hung=watched.entry)
        process = self.home.start("doctor")
        watched.wait_for("initialize")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(process.returncode, 130)
        watched.wait_gone()

    def test_a_server_that_needs_trust_or_a_login_is_not_started(self):
        watched = self.watched()
        self.home.configure(far={"url": "http://127.0.0.1:9/mcp", "auth": "oauth"})
        self.home.write("project/.mcp.json", {"mcpServers": {"theirs": watched.entry}})
        report = self.doctor()
        self.assertEqual({finding["code"] for finding in report["findings"]},
                         {"PM-TRUST-NEEDED", "PM-LOGIN-NEEDED"})
        self.assertFalse(watched.pid_file.exists())


class Others(DoctorTest):
    def test_a_server_that_a_host_starts_as_well_is_started_twice(self):
        cursor = self.home.write(".cursor/mcp.json", {"mcpServers": {
            "pi-mcp": {"command": BINARY, "args": ["serve"]}, "files": fake(), "own": fake("--x")}})
        self.home.configure(fake=fake())
        finding = self.the("PM-STARTED-TWICE", "--offline")
        self.assertEqual((finding["server"], finding["path"]), ("files", str(cursor)))
        self.assertIn("twice for cursor", finding["message"])
        self.home.write(".cursor/mcp.json", {"mcpServers": {"files": fake()}})
        self.assertEqual(self.findings("--offline", status=0), [])

    def test_every_entry_of_ours_in_a_host_is_looked_at(self):
        gone = str(self.home.root / "b1/pi-mcp")
        self.home.write(".cursor/mcp.json", {"mcpServers": {
            "a": {"command": BINARY, "args": ["serve"]},
            "b": {"command": gone, "args": ["serve"]}}})
        self.assertIn(gone, self.the("PM-HOST-BROKEN", "--offline")["message"])

    def test_a_host_whose_pi_mcp_was_moved_is_named_and_setup_mends_it(self):
        gone = str(self.home.root / "b1/pi-mcp")
        was = {"mcpServers": {"pi-mcp": {"command": gone, "args": ["serve"], "env": {"A": "1"}}}}
        cursor = self.home.write(".cursor/mcp.json", was)
        finding = self.the("PM-HOST-BROKEN", "--offline")
        self.assertEqual(finding["path"], str(cursor))
        self.assertIn(gone, finding["message"])
        self.assertEqual(finding["command"], "pi-mcp setup --hosts cursor")
        said = self.ok("setup", "--yes", "--hosts", "cursor")
        self.assertIn("gets the path of this program", said)
        entry = json.loads(cursor.read_text())["mcpServers"]["pi-mcp"]
        self.assertEqual(entry, was["mcpServers"]["pi-mcp"] | {"command": entry["command"]})
        self.assertTrue(os.path.samefile(entry["command"], BINARY))
        self.assertEqual(self.findings("--offline", status=0), [])
        self.ok("setup", "--undo")
        self.assertEqual(json.loads(cursor.read_text()), was)

    def test_another_version_of_pi_mcp_is_named(self):
        other = self.program("bin/pi-mcp", "#!/bin/sh\necho pi-mcp 0.0.1\n")
        self.home.env["PATH"] = f"{other.parent}:{os.environ['PATH']}"
        finding = self.the("PM-VERSION-OTHER")
        self.assertEqual(finding["path"], str(other))
        self.assertIn("version 0.0.1, and PATH leads to it", finding["message"])
        self.assertEqual(self.findings("--offline", status=0), [])


def parent_of(process):
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("PPid:"))


def wait_until_light(keeper):
    """Until it is no copy of the shared process, which has no HOME, any more."""
    deadline = time.monotonic() + WAIT_SECONDS
    environment = pathlib.Path(f"/proc/{keeper}/environ")
    while b"HOME=" not in environment.read_bytes():
        assert time.monotonic() < deadline, f"keeper {keeper} stays a copy"


def end(process):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


class Sessions(DoctorTest, SharingTest):
    """Of one process that they share."""

    def test_what_runs_for_them_is_named_and_nothing_is_to_mend(self):
        for host in (self.serve(), self.serve()):
            self.echo(host)
        self.ok("call", "fake_echo", "text=x")
        report = self.doctor("--offline", status=0)
        self.assertEqual((report["clean"], report["findings"]), (True, []))
        server, = self.servers()
        self.assertEqual(
            [(run["server"], run["client"], run["processId"], run["ownerProcessId"])
             for run in report["running"] if run["client"] != "pi-mcp, from a shell"],
            [("fake", "chaos 1", server, self.shared())] * 2)
        self.assertIn("Nothing to mend.", self.ok("doctor", "--offline"))

    def test_what_has_lost_its_owner_is_told_from_what_the_next_process_keeps(self):
        self.home.configure(fake=self.entry("--ignore-eof", "--ignore-sigterm"))
        host = self.serve()
        self.echo(host)
        lost, = self.servers()
        keeper = parent_of(lost)
        self.addCleanup(end, keeper)
        wait_until_light(keeper)
        shared = self.shared()
        os.kill(shared, signal.SIGKILL)
        wait_process_gone(shared)
        # Before it has killed the server, which takes it a second. Not earlier: the kernel lets
        # those go on that lose their parent while they are stopped.
        os.kill(keeper, signal.SIGSTOP)
        self.echo(host, "goes on")
        kept = self.servers()[-1]
        report = self.doctor("--offline")
        finding, = report["findings"]
        self.assertEqual(finding["code"], "PM-PROCESS-LEFT")
        self.assertIn(f"process {keeper} still keeps fake_server", finding["message"])
        run, = report["running"]
        self.assertEqual((run["processId"], run["ownerProcessId"]), (kept, self.shared()))
        self.assertEqual(len(self.doctor("--offline", "--fix", status=0)["fixed"]), 1)
        wait_process_gone(lost)
        wait_process_gone(keeper)
        self.assertEqual(self.shared(), run["ownerProcessId"], "it has not died")
        self.echo(host, "is not disturbed")
        self.assertEqual(self.servers(), [lost, kept])

    def test_what_keeps_sessions_from_sharing_is_a_note(self):
        self.echo(self.serve())
        self.assertEqual(self.doctor("--offline", status=0)["findings"], [])
        run = self.home.agent / "run"
        run.chmod(0o755)
        finding, = self.doctor("--offline", status=0)["findings"]
        run.chmod(0o700)
        self.assertEqual((finding["code"], finding["severity"], finding["command"]),
                         ("PM-RUNS-ALONE", "note", f"chmod 700 {run}"))
        confined = subprocess.run(
            ["setpriv", "--no-new-privs", BINARY, "doctor", "--offline", "--json"], check=False,
            env=self.home.env, cwd=self.home.project, capture_output=True, timeout=WAIT_SECONDS)
        finding, = json.loads(confined.stdout)["findings"]
        self.assertIn("NoNewPrivs is set", finding["message"])
        self.home.env["PI_MCP_SHARED"] = "off"
        run.chmod(0o755)
        self.assertEqual(self.doctor("--offline", status=0)["findings"], [])
        run.chmod(0o700)
        del self.home.env["PI_MCP_SHARED"]


class Fix(DoctorTest, HostTest):
    def test_a_command_with_spaces_is_divided_in_a_file_of_ours_and_nothing_else_changes(self):
        before = '{ // mine\n  "mcpServers": {"m": {"command": "%s --name x"}, "n": %s}}\n'
        other = json.dumps(fake())
        path = self.home.write(".pi/agent/mcp.json", before % (fake()["command"], other))
        self.assertEqual(self.findings("--offline")[0]["command"], "pi-mcp doctor --fix m")
        report = self.doctor("--offline", "--fix", status=0)
        self.assertEqual(len(report["fixed"]), 1, report)
        text = path.read_text()
        self.assertTrue(text.startswith("{ // mine\n"), text)
        self.assertIn(f'"n": {other}', text)
        self.assertIn("divided into command and args", report["fixed"][0])
        self.assertEqual(self.doctor("--fix", "m", status=0)["fixed"], [])

    def test_a_file_with_secrets_that_others_can_read_becomes_private(self):
        path = self.home.configure(fake=fake() | {"env": {"API_KEY": "sk-1234567890abcdef"}})
        path.chmod(0o644)
        self.assertEqual(self.the("PM-FILE-OPEN", "--offline")["command"], f"chmod 600 {path}")
        outcome = self.home.run("doctor", "--offline", "--fix")
        self.assertIn("only you can read it now", self.check(outcome, 0).stdout)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_an_import_that_has_no_server_goes_and_the_others_stay(self):
        path = self.home.write(".pi/agent/mcp.json",
                               '{"imports": ["windsurf", "cursor", "zed"]} // mine\n')
        self.home.write(".cursor/mcp.json", {"mcpServers": {"files": fake()}})
        self.home.write(".config/zed/settings.json", "{ broken")
        self.assertEqual(len(self.doctor("--offline", "--fix")["fixed"]), 1)
        self.assertEqual(path.read_text(), '{"imports": ["cursor","zed"]} // mine\n')

    def test_what_a_killed_pi_mcp_has_left_is_ended(self):
        watched = self.watched("--ignore-eof", "--ignore-sigterm")
        self.home.configure(fake=watched.entry | {"lifecycle": "eager"})
        serve = self.host()
        watched.wait_for("tools/list")
        server = watched.pids()[0]
        self.assertEqual(self.findings("--offline", status=0), [], "its pi-mcp runs")
        keeper = parent_of(server)
        self.addCleanup(end, keeper)
        serve.kill()
        serve.communicate()
        os.kill(keeper, signal.SIGSTOP)  # before it has killed the server, which takes it a second
        finding = self.the("PM-PROCESS-LEFT", "--offline")
        self.assertIn(f"process {keeper} still keeps fake_server", finding["message"])
        self.assertEqual(len(self.doctor("--offline", "--fix", status=0)["fixed"]), 1)
        watched.wait_gone()
        wait_process_gone(keeper)

    def test_files_of_hosts_are_not_mended(self):
        cursor = self.home.write(".cursor/mcp.json", {"mcpServers": {"m": {"command": "npx -y x"}}})
        self.home.write(".pi/agent/mcp.json", {"imports": ["cursor"]})
        before = cursor.read_text()
        self.assertEqual(self.doctor("--offline", "--fix")["fixed"], [])
        self.assertEqual(cursor.read_text(), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
