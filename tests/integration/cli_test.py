"""The built program as a person or a script uses it. Usage: cli_test.py PI_MCP FAKE_SERVER"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

from cli_home import BINARY, WAIT_SECONDS, CliTest, HostTest, TerminalTest, fake


class FirstMinutes(CliTest):
    def test_without_arguments_and_for_every_command_there_is_help(self):
        text = self.ok()
        self.assertEqual(text, self.ok("--help"))
        for command in ["status", "call", "serve", "add", "completion"]:
            self.assertIn(f"  {command} ", text)
            self.assertIn(f"pi-mcp {command}", self.ok(command, "--help"))
            self.assertEqual(self.ok("help", command), self.ok(command, "-h"))
        self.assertFalse((self.home.root / ".pi").exists(), "help wrote files")

    def test_without_configuration_status_says_how_to_get_servers(self):
        text = self.ok("status")
        self.assertTrue(text.startswith("No servers are configured.\n"), text)
        self.assertIn("pi-mcp add NAME -- COMMAND", text)
        self.check(self.home.run("list"), 0, stderr="No server is configured")

    def test_a_configuration_that_cannot_be_read_is_said_once_and_is_no_empty_one(self):
        self.home.write(".pi/agent/mcp.json", '{"mcpServers": {"a": {"command": "x",}}}}')
        for words in (["status"], ["list"], ["search", "x"], ["call", "y"], ["describe", "z"]):
            outcome = self.home.run(*words)
            said = outcome.stdout + outcome.stderr
            self.assertEqual(said.count("mcp.json: line 1, column 41"), 1, said)
            self.assertNotRegex(said, "No server(s are|.is) configured")
        self.check(self.home.run("status"), 7, "No server is known")

    def test_mistakes_are_named_with_the_next_step(self):
        for args, part in [
            (["lst"], 'unknown command "lst"; did you mean "list"? See pi-mcp --help'),
            (["status", "--jsn"], "did you mean --json?"),
            (["search"], "search needs more: pi-mcp search WORDS..."),
            (["status", "--timeout", "soon"], "--timeout wants seconds"),
            (["status", "--log-level", "loud"], "--log-level wants"),
            (["status", "--cwd", "nowhere"], "there is no folder nowhere"),
            (["status", "--config", "no.json"], "there is no file"),
            (["serve", "--host", "x"], "--host wants mcp or pi"),
            (["help", "calll"], 'did you mean "call"?'),
            (["completion", "tcsh"], "bash, zsh or fish"),
            (["connect"], "or --all"),
            (["list", "--instructions"], "needs a server"),
            (["search", "x", "--limit", "0"], "at least 1"),
            (["keywords", "--write", "-", "--read", "-"], "use one of them"),
            (["keywords", "--read", "no/such/answer"], "there is no file no/such/answer"),
            (["keywords", "--read", "-"], "it should hold what a model answered"),
        ]:
            outcome = self.check(self.home.run(*args), 2, stderr=part)
            self.assertTrue(outcome.stderr.startswith("pi-mcp: "), outcome)
            self.assertEqual(outcome.stdout, "", outcome)

    def test_a_mistake_is_json_when_json_is_asked_for(self):
        outcome = self.home.run("lst", "--json")
        self.assertEqual(json.loads(outcome.stdout)["error"], "invalid_usage")
        self.assertIn("lst", json.loads(outcome.stdout)["message"])

    def test_a_broken_file_is_named_and_the_rest_works(self):
        self.home.write(".pi/agent/mcp.json", '{\n  "mcpServers": {\n    "a": {,}\n  }\n}')
        self.home.write(".config/mcp/mcp.json", {"mcpServers": {"b": fake()}})
        outcome = self.check(self.home.run("status"), 7, "○  b ", "line 3")
        self.assertEqual(outcome.stderr.count("warning"), 1, outcome)
        outcome = self.check(self.home.run("search", "x"), 0, stderr="line 3")
        self.assertEqual(outcome.stderr.count("warning"), 1, outcome)
        self.assertEqual(self.home.run("search", "x", "-q").stderr, "")

    def test_cwd_decides_which_project_counts(self):
        self.home.write("other/.mcp.json", {"mcpServers": {"theirs": fake()}})
        self.assertNotIn("theirs", self.ok("status"))
        self.assertIn("theirs", self.ok("status", "--cwd", "../other"))


class Servers(CliTest):
    def setUp(self):
        super().setUp()
        self.home.configure(fake=fake(), broken={"command": "no-such-program-anywhere"})

    def test_connect_list_search_describe_and_call_work_one_after_the_other(self):
        self.assertRegex(self.ok("status"), "○  fake +never used")
        self.check(self.home.run("list", "broken"), 4, stderr="no-such-program-anywhere")
        self.assertIn("- fake_echo - ", self.ok("list", "fake"))
        self.assertIn("- fake_echo - ", self.ok("connect", "fake"))
        self.assertRegex(self.ok("status"), r"○  fake +ready +\d")
        self.assertIn("- fake_echo - ", self.ok("list"))
        self.assertIn("fake_echo", self.ok("search", "echo"))
        self.assertIn("text (string) *required* - What to say", self.ok("describe", "fake_echo"))
        self.assertEqual(self.ok("call", "fake_echo", "text=hello  world"), "hello  world\n")

    def test_a_list_is_whole_or_comes_in_pages(self):
        self.ok("connect", "fake")
        everything = json.loads(self.ok("list", "fake", "--json"))
        self.assertEqual(len(everything["tools"]), everything["count"])
        self.assertIs(everything["hasMore"], False)
        page = self.ok("list", "fake", "--limit", "2", "--offset", "1")
        self.assertEqual(page.count("\n- "), 2)
        self.assertIn(" — --offset 3 for more", page)
        for command in (["list", "fake"], ["search", "fake"]):
            behind = self.ok(*command, "--offset", "100")
            self.assertRegex(behind, r"past the end: there are \d+ .*--offset 0 for the first")
            self.assertNotIn(":\n", behind)

    def test_what_list_and_search_start_is_what_they_say(self):
        for command in (["list", "seen"], ["list"], ["search", "echo"]):
            with self.subTest(command):
                server = self.watched(name="-".join(command))
                self.home.configure(seen=server.entry)
                self.assertIn("seen_echo", self.ok(*command))
                self.assertEqual(len(server.pids()), 1)
                self.assertIn("seen_echo", self.ok(*command))
                self.assertEqual(len(server.pids()), 1)
        for command in ("list", "search"):
            said = " ".join(self.ok(command, "--help").split())
            self.assertNotIn("Starts nothing", said)
            self.assertIn("of which nothing is known", said)

    def test_what_a_search_was_not_told_is_asked_for(self):
        self.ok("connect", "fake")
        self.assertIn('in "fake":', self.ok("search", "--server", "fake"))
        self.check(
            self.home.run("search", "x", "--server", "FAKE"), 3, stderr="Did you mean: fake"
        )
        matches = json.loads(self.ok("search", "echo", "--json", "--explain"))["matches"]
        self.assertIn("echo (name", matches[0]["explanation"][0])

    def test_a_model_writes_words_and_search_finds_by_them(self):
        self.assertIn("fake: no tools known", self.ok("keywords"))
        self.ok("connect", "fake")
        answer = self.home.root / "answer.txt"
        request = self.home.root / "request.txt"
        outcome = self.check(self.home.run("keywords", "--write", str(request)), 0)
        self.assertIn("1 request for", outcome.stderr)
        self.assertIn('{"tool":"fake/echo",', request.read_text())
        line = self.ok("keywords", "fake", "--write", "-", "--json", "-q")
        self.assertEqual(json.loads(line)["request"], request.read_text())
        answer.write_text('Sure:\n{"fake/echo": ["parrot", "<b>"], "fake/nothing": ["x"]}')
        self.assertNotIn("fake_echo", self.ok("search", "parrot"))
        self.assertIn("Kept 1 word for 1 tool. Left out: 1 name",
                      self.ok("keywords", "--read", str(answer)))
        self.assertIn("parrot (keyword by a model)", self.ok("search", "parrot", "--explain"))
        facts = json.loads(self.ok("keywords", "--json"))
        known = next(row for row in facts["servers"] if row["server"] == "fake")
        self.assertEqual((known["withKeywords"], facts["waiting"]), (1, known["fewWords"] - 1))
        self.assertNotIn("fake/echo", self.ok("keywords", "--write", "-"))
        self.check(self.home.run("keywords", "--read", "-", stdin="I would rather not."), 2,
                   stderr="No words were kept")
        self.check(self.home.run("keywords", "nope"), 3, stderr="nope")

    def test_arguments_are_typed_also_when_nobody_knows_the_tool_yet(self):
        self.assertEqual(self.ok("call", "fake_add", "a=1", "b=41"), "42\n")
        raw = json.loads(self.ok("call", "fake_raw", "n:=[1, 2]", "s=1"))
        self.assertEqual(raw["arguments"], {"n": [1, 2], "s": "1"})
        self.assertEqual(self.ok("call", "fake_add", '{"a": 1, "b": 2}'), "3\n")
        self.assertEqual(self.ok("call", "fake_add", "-", stdin='{"a": 2, "b": 2}'), "4\n")
        self.check(self.home.run("call", "fake_add", "-", stdin="2"), 2, stderr="stdin must be")
        self.check(self.home.run("call", "fake_add", "a=x"), 2, stderr='"a" must be a number')

    def test_exit_statuses_tell_what_went_wrong(self):
        error = self.check(self.home.run("call", "fake_err"), 1, stderr="it went wrong")
        self.assertEqual(error.stdout, "", "an error is no result")
        self.check(self.home.run("call", "fake_rpc_error"), 1)
        self.check(self.home.run("call", "fake_echo"), 2, stderr="text (string) *required*")
        self.check(self.home.run("call", "nothing"), 3, stderr="pi-mcp search WORDS")
        self.check(self.home.run("describe", "fake_nothing"), 3)
        said = self.check(self.home.run("list", "fkae"), 3, stderr="Did you mean: fake")
        self.assertEqual(said.stderr.lower().count("did you mean"), 1, said)
        self.check(self.home.run("connect", "broken"), 4, stderr="no-such-program-anywhere")
        self.check(self.home.run("call", "broken_x", "a=1"), 4, stderr="no-such-program-anywhere")
        self.check(self.home.run("call", "fake_exit"), 4, stderr="status 1")
        self.check(self.home.run("call", "fake_slow", "--timeout", "0.5"), 6, stderr="--timeout")

    def test_one_server_that_fails_does_not_stop_the_others(self):
        self.check(self.home.run("connect", "--all"), 4, "✓ fake (", "broken")
        self.check(self.home.run("connect", "fake", "broken"), 4, "✓ fake (", "broken")

    def test_each_server_is_said_as_soon_as_it_is_connected(self):
        self.home.configure(slow=fake("--hang", "initialize"), fake=fake())
        connecting = self.home.start("connect", "--all")
        self.assertIn("✓ fake (", connecting.stdout.readline())
        self.assertIsNone(connecting.poll(), "it waits for the other one")
        connecting.terminate()
        self.assertIn("interrupted", connecting.communicate(timeout=WAIT_SECONDS)[1])

    def test_json_is_the_result_of_the_server_or_the_details(self):
        result = json.loads(self.ok("call", "--json", "fake_echo", "text=x"))
        self.assertEqual(result["content"], [{"type": "text", "text": "x"}])
        self.assertEqual(json.loads(self.ok("status", "--json"))["mode"], "status")
        self.assertEqual(json.loads(self.ok("list", "--json"))["mode"], "list")
        failure = json.loads(self.home.run("call", "nothing", "--json").stdout)
        self.assertEqual(failure["error"], "tool_not_found")
        self.assertIn("pi-mcp search", failure["message"])
        tool_error = self.check(self.home.run("call", "fake_err", "--json"), 1)
        self.assertIs(json.loads(tool_error.stdout)["isError"], True)

    def test_what_is_no_text_is_named_and_can_be_kept(self):
        self.assertIn("[image image/png, ", self.ok("call", "fake_image"))
        target = self.home.project / "x.png"
        self.check(self.home.run("call", "fake_image", "-o", str(target)), 0, stderr="wrote")
        self.assertEqual(target.read_bytes()[:4], b"\x89PNG")
        process = self.home.start("call", "fake_image", "-o", "-", text=False)
        self.assertEqual(process.communicate(timeout=WAIT_SECONDS)[0], target.read_bytes())
        self.check(self.home.run("call", "fake_image", "-o", "no/such/x"), 1, stderr="no/such")

    def test_output_that_cannot_be_written_is_a_failure(self):
        self.ok("connect", "fake")
        with open("/dev/full", "w", encoding="utf8") as full:
            outcome = self.home.run("list", stdout=full)
        self.assertEqual(outcome.status, 1, outcome)
        self.assertIn("writing the result", outcome.stderr)

    def test_a_reader_that_has_enough_gets_no_message(self):
        self.ok("connect", "fake")
        reader, writer = os.pipe()
        os.close(reader)
        outcome = self.home.run("list", "fake", stdout=writer)
        os.close(writer)
        self.assertEqual((outcome.status, outcome.stderr), (141, ""))

    def test_a_closed_descriptor_is_nobody_elses(self):
        def closing(what, *args):
            line = f'exec "$0" "$@" {what}'
            return subprocess.run(["sh", "-c", line, BINARY, *args], env=self.home.env, text=True,
                                  cwd=self.home.project, capture_output=True,
                                  timeout=WAIT_SECONDS, check=False)

        lost = closing(">&-", "status")
        self.assertEqual(lost.returncode, 1, "output that nobody got is no success")
        self.assertIn("writing the result: Bad file descriptor", lost.stderr)
        self.assertEqual(closing("2>&-", "call", "fake_echo", "text=x").stdout, "x\n")
        closing("<&- >&- 2>&-", "add", "--no-check", "new", "--", "sh")
        file = json.loads((self.home.agent / "mcp.json").read_text())
        self.assertEqual(file["mcpServers"]["new"], {"command": "sh"})

    def test_too_few_open_files_are_named_and_no_crash(self):
        for limit in range(3, 31):
            def shrink(most=limit):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            for command in ("status", "serve", "list"):
                outcome = self.home.run(command, preexec_fn=shrink)
                self.assertIn(outcome.status, (1, 4, 127), f"{command} with {limit}: {outcome}")
                if limit > 4:  # below, not even the loader finds a place
                    self.assertIn("ulimit -n", outcome.stderr, f"{command} with {limit}")

    def test_a_umask_that_forbids_everything_does_not_lock_us_out(self):
        self.home.configure(fake=fake())
        def forbid():
            os.umask(0o777)
        for _ in range(2):
            self.check(self.home.run("connect", "fake", preexec_fn=forbid), 0)
        for file in self.home.agent.rglob("*"):
            mode = file.stat().st_mode & 0o777
            self.assertEqual(mode & 0o600, 0o600, f"{file} has {mode:o}")

    def test_a_result_without_content_is_a_note_and_no_output(self):
        outcome = self.check(self.home.run("call", "fake_echo", "text="), 0, stderr="is empty")
        self.assertEqual(outcome.stdout, "")
        self.assertEqual(self.home.run("-q", "call", "fake_echo", "text=").stderr, "")

    def test_completion_knows_servers_tools_and_their_arguments(self):
        self.ok("connect", "fake")
        script = f"""
            source <(pi-mcp completion bash)
            compopt() {{ :; }}
            COMP_CWORD=0
            try() {{
              COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
              _pi_mcp && echo "${{COMPREPLY[@]}}"
            }}
            try pi-mcp sta
            try pi-mcp connect ""
            try pi-mcp call fake_ech
            try pi-mcp call fake_add a = 1 ""
        """
        path = os.path.dirname(os.path.abspath(BINARY)) + ":" + self.home.env["PATH"]
        env = self.home.env | {"PATH": path}
        run = subprocess.run(["bash", "-c", script], env=env, cwd=self.home.project, text=True,
                             capture_output=True, timeout=WAIT_SECONDS, check=True)
        self.assertEqual(run.stdout.splitlines(), ["status", "fake broken", "fake_echo", "b="], run)
        for shell in ["zsh", "fish"]:
            self.assertIn("__complete", self.ok("completion", shell))


class Stopping(CliTest):
    def interrupted(self, server, number):
        self.home.configure(fake=server.entry)
        call = self.home.start("call", "fake_slow")
        server.wait_for("tools/call")
        call.send_signal(number)
        call.communicate(timeout=WAIT_SECONDS)
        return call.returncode

    def test_ctrl_c_cancels_at_the_server_and_leaves_nothing(self):
        server = self.watched()
        self.assertEqual(self.interrupted(server, signal.SIGINT), 130)
        server.wait_for("notifications/cancelled")
        server.wait_gone()

    def test_sigterm_ends_a_call_the_same_way(self):
        server = self.watched()
        self.assertEqual(self.interrupted(server, signal.SIGTERM), 143)
        server.wait_gone()

    def test_a_stubborn_server_delays_nothing_and_ends_too(self):
        server = self.watched("--ignore-eof", "--ignore-sigterm", "--grandchild")
        began = time.monotonic()
        self.assertEqual(self.interrupted(server, signal.SIGINT), 130)
        self.assertLess(time.monotonic() - began, WAIT_SECONDS / 2)
        server.wait_gone()

    def test_ctrl_c_waits_for_no_server_that_does_not_hear_its_end(self):
        for number, words in enumerate([["list"], ["describe", "fake_echo"], ["search", "echo"],
                                        ["doctor"], ["connect", "fake"], ["call", "fake_echo"]]):
            server = self.watched("--hang", "initialize", "--ignore-eof", "--ignore-sigterm",
                                  name=f"fake{number}")
            self.home.configure(fake=server.entry)
            process = self.home.start(*words)
            server.wait_for("initialize")
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=WAIT_SECONDS)
            with self.subTest(words=words):
                self.assertEqual(process.returncode, 130)
                self.assertLess(time.monotonic() - began, 1.5)
            server.wait_gone()

    def test_a_second_ctrl_c_ends_at_once(self):
        server = self.watched("--ignore-eof", "--ignore-sigterm")
        self.home.configure(fake=server.entry)
        call = self.home.start("call", "fake_slow")
        server.wait_for("tools/call")
        call.send_signal(signal.SIGINT)
        server.wait_for("notifications/cancelled")
        call.send_signal(signal.SIGINT)
        call.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(call.returncode, 130)
        server.wait_gone()

    def test_a_timeout_cancels_at_the_server_and_leaves_nothing(self):
        server = self.watched()
        self.home.configure(fake=server.entry)
        self.check(self.home.run("call", "fake_slow", "--timeout", "1"), 6)
        server.wait_for("notifications/cancelled")
        server.wait_gone()

    def test_nothing_is_left_after_a_call(self):
        server = self.watched("--grandchild")
        self.home.configure(fake=server.entry)
        self.ok("call", "fake_echo", "text=x")
        server.wait_gone()


class Serving(HostTest):
    def test_some_servers_are_all_there_are(self):
        self.home.configure(a=fake(name="a"), b=fake(name="b") | {"description": "What b does"})
        process = self.home.start("serve", "--servers", "b", stdin=subprocess.PIPE)
        self.send(process, self.HELLO)
        said = self.answer(process, 1)["result"]["instructions"]
        self.assertTrue(said.startswith("MCP servers behind the tool mcp:\n- b: What b does\n"))
        self.send(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        tool = self.answer(process, 2)["result"]["tools"][0]
        self.assertIn("MCP servers (b):", tool["description"])
        self.call(process, 3, "a_echo", text="x")
        self.assertTrue(self.answer(process, 3)["result"]["isError"])
        self.call(process, 4, "b_echo", text="x")
        self.assertNotIn("isError", self.answer(process, 4)["result"])
        process.communicate(timeout=WAIT_SECONDS)

    def test_a_server_that_is_not_configured_cannot_be_chosen(self):
        self.home.configure(a=fake(name="a"), b=fake(name="b"))
        self.check(self.home.run("serve", "--servers", "b,c"), 3,
                   stderr='--servers: there is no server "c"; configured are a, b')
        self.check(self.home.run("serve", "--servers", " ,"), 2, stderr="--servers wants names")

    def test_a_batch_of_2025_03_26_is_answered_by_an_array(self):
        self.home.configure(fake=fake())
        process = self.home.start("serve", stdin=subprocess.PIPE)
        hello = json.loads(json.dumps(self.HELLO))
        hello["params"]["protocolVersion"] = "2025-03-26"
        self.send(process, hello)
        self.answer(process, 1)
        call = {"name": "mcp", "arguments": {"tool": "fake_echo", "args": {"text": "x"}}}
        self.send(process, [
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}])
        answers = []
        while not isinstance(answers, list) or not answers:
            line = json.loads(process.stdout.readline())
            answers = line if isinstance(line, list) else []
        self.assertEqual(sorted(answer["id"] for answer in answers), [2, 3])
        process.communicate(timeout=WAIT_SECONDS)

    def test_without_stderr_no_other_file_is_taken_for_it(self):
        self.home.configure(fake=fake())
        process = self.host(preexec_fn=lambda: os.close(2))
        self.call(process, 2, "fake_echo", text="hi")
        self.assertEqual(self.answer(process, 2)["result"]["content"][0]["text"], "hi")
        self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/2"), "/dev/null")
        process.communicate(timeout=WAIT_SECONDS)

    def test_stdout_is_nothing_but_protocol(self):
        noisy = fake("--stdout", "junk", "--stderr", "noise") | {"debug": True}
        self.home.configure(fake=noisy)
        process = self.host("--log-level", "debug")
        self.call(process, 2, "fake_echo", text="hi")
        self.assertEqual(self.answer(process, 2)["result"]["content"][0]["text"], "hi")
        rest, _ = process.communicate(timeout=WAIT_SECONDS)
        for line in rest.splitlines():
            self.assertEqual(json.loads(line)["jsonrpc"], "2.0")
        self.assertEqual(process.returncode, 0)

    def test_the_end_of_stdin_ends_every_server(self):
        server = self.watched("--ignore-eof", "--ignore-sigterm", "--grandchild")
        self.home.configure(fake=server.entry)
        process = self.host()
        self.call(process, 2, "fake_slow")
        server.wait_for("tools/call")
        began = time.monotonic()
        process.communicate(timeout=WAIT_SECONDS)
        self.assertLess(time.monotonic() - began, WAIT_SECONDS / 2)
        self.assertEqual(process.returncode, 0)
        server.wait_gone()

    def test_signals_end_it_with_every_server(self):
        for number in [signal.SIGTERM, signal.SIGINT]:
            server = self.watched(name=f"fake{number}")
            self.home.configure(fake=server.entry)
            process = self.host()
            self.call(process, 2, "fake_slow")
            server.wait_for("tools/call")
            process.send_signal(number)
            process.wait(timeout=WAIT_SECONDS)
            self.assertEqual(process.returncode, 128 + number)
            server.wait_gone()
            process.communicate()

    def test_a_host_that_is_gone_ends_it(self):
        server = self.watched()
        self.home.configure(fake=server.entry)
        process = self.host()
        self.call(process, 2, "fake_echo", text="x")
        self.answer(process, 2)
        process.stdout.close()
        self.call(process, 3, "fake_echo", text="y")
        process.wait(timeout=WAIT_SECONDS)
        server.wait_gone()
        process.stdin.close()
        process.stderr.close()


class Terminal(TerminalTest):
    """What a person sees: one pseudo-terminal for stdout and stderr."""

    def test_words_are_not_broken_at_the_edge(self):
        description = "words that take more than the eighty columns which there are, and then " * 3
        self.home.write(".cursor/mcp.json", {"mcpServers": {"files": fake() | {"envFile": ".env"}}})
        self.home.write(".pi/agent/mcp.json", {"imports": ["cursor"], "mcpServers": {
            "fake": fake() | {"description": description, "lifecycel": "lazy"}}})
        self.ok("connect", "fake")
        for command in ("config", "describe fake_echo", "search text", "import --verbose",
                        "doctor --offline", "setup --dry-run", "--help", "serve --help"):
            _, text = self.shown(*command.split())
            plain = re.sub("\x1b\\[[0-9;]*m", "", text)
            for line in plain.splitlines():
                if line.startswith("pi-mcp: "):
                    continue  # stderr
                self.assertTrue(len(line) <= 80 or " " not in line.strip(), f"{command}: {line}")

    def test_a_typed_ctrl_c_is_for_us_and_not_for_the_server(self):
        server = self.watched()
        self.home.configure(fake=server.entry)
        process, ours = self.start_in_terminal("call", "fake_slow")
        server.wait_for("tools/call")
        os.write(ours, b"\x03")
        self.assertEqual(process.wait(timeout=WAIT_SECONDS), 130)
        server.wait_for("notifications/cancelled")
        server.wait_gone()
        os.close(ours)

    def test_a_server_cannot_ask_questions_in_our_terminal(self):
        script = "(: < /dev/tty) 2> /dev/null && touch has_terminal; exec \"$0\" \"$@\""
        entry = fake()
        self.home.configure(fake={"command": "sh", "args": ["-c", script, entry["command"],
                                                            *entry["args"]]})
        status, text = self.shown("call", "fake_echo", "text=x")
        self.assertEqual(status, 0, text)
        self.assertFalse((self.home.project / "has_terminal").exists())

    def test_status_and_lists_are_aligned_and_coloured(self):
        self.home.configure(fake=fake(), a={"command": "x", "disabled": True})
        self.ok("connect", "fake")
        _, status = self.shown("status")
        self.assertIn("\x1b[32m○\x1b[0m  fake  ", status)
        self.assertIn("\x1b[2mdisabled\x1b[0m\n", status)
        _, listed = self.shown("list", "fake")
        self.assertIn("  fake_add  ", listed)
        tools = json.loads(self.ok("list", "fake", "--json"))["tools"]
        self.assertIn("past the end", self.shown("list", "fake", "--offset", "100")[1])
        _, page = self.shown("list", "fake", "--limit", "2", "--offset", "1")
        self.assertIn(" — --offset 3 for more", page)
        self.assertIn(tools[1] + " ", page)
        self.assertNotIn(tools[0] + " ", page)
        self.home.env["NO_COLOR"] = "1"
        self.assertNotIn("\x1b[", self.shown("status")[1])

    def test_control_sequences_of_a_server_reach_a_pipe_but_no_terminal(self):
        self.home.configure(fake=fake())
        self.assertEqual(self.ok("call", "fake_echo", "text=\x1b[31mred"), "\x1b[31mred\n")
        _, text = self.shown("call", "fake_echo", "text=\x1b[31mred")
        self.assertTrue(text.endswith("red\n"), text)
        self.assertNotIn("\x1b[31m", text)

    def test_a_slow_start_shows_one_line_that_goes_away(self):
        self.home.configure(fake=fake("--delay", "500"))
        _, text = self.shown("call", "fake_echo", "text=done")
        self.assertIn("connecting to fake", text)
        self.assertTrue(text.endswith("\r\x1b[Kdone\n"), repr(text))
        self.assertNotIn("connecting", self.shown("-q", "call", "fake_echo", "text=done")[1])
        self.assertEqual(self.home.run("call", "fake_echo", "text=done").stderr, "")


class Configuration(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.home.agent / "mcp.json"

    def test_add_config_and_remove_change_only_what_they_say(self):
        text = '{\n  // mine\n  "mcpServers": {\n    "a": {"command": "sh"} // keep\n  }\n}\n'
        self.home.write(".pi/agent/mcp.json", text)
        self.ok("add", "--no-check", "b", "-e", "TOKEN=hunter2", "--", "sh", "-c", "x")
        self.assertIn("// keep", self.file.read_text())
        shown = self.ok("config", "b")
        self.assertIn('["-c","x"]', shown)
        self.assertNotIn("hunter2", shown)
        self.check(self.home.run("add", "b", "--", "sh"), 2, stderr="there already")
        self.ok("remove", "b")
        self.assertEqual(self.file.read_text(), text)
        self.check(self.home.run("remove", "b"), 3, stderr='no server "b"')

    def test_a_project_has_its_own_file(self):
        self.ok("add", "p", "--no-check", "--project", "--", "sh")
        self.assertEqual(sorted(os.listdir(self.home.project / ".pi")), ["mcp.json"])
        self.assertFalse(self.file.exists())
        self.assertIn("~/project/.pi/mcp.json", self.ok("config", "p"))
        self.ok("remove", "p")
        self.assertNotIn(" p ", self.ok("status"))

    def test_disable_and_enable(self):
        self.home.configure(fake=fake())
        self.ok("disable", "fake")
        self.assertRegex(self.ok("status"), "⊘  fake +disabled")
        outcome = self.check(self.home.run("call", "fake_echo", "text=x"), 4)
        self.assertIn("pi-mcp enable fake", outcome.stderr)
        self.ok("enable", "fake")
        self.assertEqual(self.ok("call", "fake_echo", "text=x"), "x\n")
        self.assertIn("already enabled", self.ok("enable", "fake"))

    def test_import_finds_and_adds_the_servers_of_other_programs(self):
        self.home.write(".cursor/mcp.json", {"mcpServers": {"theirs": fake(name="theirs")}})
        self.assertIn("1 server", self.ok("import"))
        self.assertNotIn("theirs", self.ok("status"))
        self.assertIn("added", self.ok("import", "--all"))
        self.assertEqual(json.loads(self.file.read_text())["imports"], ["cursor"])
        self.assertIn("theirs", self.ok("status"))
        self.assertIn("in use", self.ok("import", "cursor"))
        self.check(self.home.run("import", "netscape"), 2, stderr="there are cursor")
        self.check(self.home.run("remove", "theirs"), 2, stderr="pi-mcp disable theirs")
        self.ok("disable", "theirs")
        self.assertRegex(self.ok("status"), "⊘  theirs +disabled")

    def import_facts(self, *args):
        facts = json.loads(self.ok("import", "--json", *args))
        return {found["kind"]: found for found in facts["imports"]}

    def test_import_says_what_it_looked_for_and_what_counts(self):
        own = {"command": BINARY, "args": ["serve"]}
        self.home.write(".cursor/mcp.json", {"mcpServers": {"git": fake(name="git"), "pi": own}})
        self.home.write(".gemini/settings.json", {"mcpServers": {"git": {"command": "g"},
                                                                 "off": {"command": "o"}},
                                                  "mcp": {"excluded": ["off"]}})
        self.home.write(".factory/mcp.json", "{")
        self.ok("import", "cursor", "gemini-cli")
        text = self.ok("import")
        self.assertIn("✓ cursor: 1 server, in use", text)
        self.assertIn('"pi" is pi-mcp itself and is left out', text)
        self.assertIn("✓ gemini-cli: 1 server, in use", text)
        self.assertIn('"git" is hidden by that of ~/.cursor/mcp.json', text)
        self.assertIn('"off" is disabled', text)
        self.assertIn("- factory: cannot be read", text)
        self.assertRegex(text, "No files of .*zed.*pi-mcp import --verbose")
        self.assertNotIn("is not there", text)
        self.assertIn("~/.config/zed/settings.json is not there", self.ok("import", "--verbose"))
        added = self.ok("import", "zed")
        self.assertIn("✓ zed: not found, added", added)
        self.assertIn("~/.config/zed/settings.json is not there", added)
        facts = self.import_facts()
        uses = {entry["name"]: entry["use"] for entry in facts["gemini-cli"]["entries"]}
        self.assertEqual(uses, {"git": "hidden", "off": "disabled"})
        self.assertTrue(facts["gemini-cli"]["entries"][0]["hiddenBy"].endswith(".cursor/mcp.json"))
        self.assertIn("line 1", facts["factory"]["files"][0]["problem"])
        self.assertFalse(facts["factory"]["inUse"])
        self.assertFalse(facts["zed"]["files"][0]["found"])

    def test_import_can_be_tried_and_taken_back(self):
        self.home.write(".cursor/mcp.json", {"mcpServers": {"theirs": fake(name="theirs")}})
        self.assertIn("would be added", self.ok("import", "--all", "--dry-run"))
        self.assertFalse(self.file.exists())
        self.ok("import", "cursor", "zed")
        self.assertTrue(self.import_facts("--remove", "zed", "--dry-run")["zed"]["removed"])
        self.assertIn("removed", self.ok("import", "--remove", "zed"))
        self.assertEqual(json.loads(self.file.read_text())["imports"], ["cursor"])
        self.check(self.home.run("import", "--remove", "zed"), 3,
                   stderr='"zed" is not among the imports of ~/.pi/agent/mcp.json')
        self.check(self.home.run("import", "--remove"), 2, stderr="--remove wants the kinds")
        self.ok("import", "--remove", "--all")
        self.assertEqual(json.loads(self.file.read_text()), {})

    def test_where_nothing_is_configured_programs_with_servers_are_named(self):
        self.assertNotIn("to use them", self.check(self.home.run("status"), 0).stderr)
        self.home.write(".cursor/mcp.json", {"mcpServers": {"theirs": fake(name="theirs")}})
        for command in ["status", "config"]:
            self.check(self.home.run(command), 0,
                       stderr="Cursor has servers; to use them: pi-mcp setup")
        self.ok("import", "cursor")
        self.assertNotIn("to use them", self.check(self.home.run("status"), 0).stderr)

    def test_a_malformed_file_is_never_overwritten(self):
        self.home.write(".pi/agent/mcp.json", "{ not json")
        self.check(self.home.run("add", "a", "--", "sh"), 7, stderr="mcp.json: ")
        self.assertEqual(self.file.read_text(), "{ not json")

    def test_a_server_of_a_malformed_file_is_not_said_to_be_unknown(self):
        self.home.write(".pi/agent/mcp.json", '{"mcpServers": {"mine": {"command": "sh"},}, }}')
        for command in ("disable", "enable", "remove"):
            self.check(self.home.run(command, "mine"), 7)
        self.check(self.home.run("disable", "mine"), 7, stderr="mcp.json: line 1")
        self.home.write(".cursor/mcp.json", {"mcpServers": {"files": fake()}})
        self.check(self.home.run("import", "cursor"), 7, stderr="mcp.json: ")
        self.check(self.home.run("add", "x"), 2)

    def test_twenty_adds_at_once_lose_nothing(self):
        adds = [self.home.start("add", "--no-check", f"s{i}", "--", "sh") for i in range(20)]
        for process in adds:
            _, stderr = process.communicate(timeout=WAIT_SECONDS)
            self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual(len(json.loads(self.file.read_text())["mcpServers"]), 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
