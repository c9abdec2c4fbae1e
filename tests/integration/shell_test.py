"""The shell takes every spelling: of a call, of a server that is not configured, of a new entry."""
import json
import pathlib
import signal
import subprocess
import sys
import unittest

from cli_home import BINARY, CliTest, FAKE_SERVER, fake, WAIT_SECONDS
from json_server import JsonHandler, JsonServer
from sharing_home import SharingTest


class Refuser(JsonHandler):
    """Says the status that its path names, 401 to any other."""
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = self.path.split("/")[1]
        self.answer(int(status) if status.isdigit() else 401, "no", "text/plain")

    do_GET = do_DELETE = do_POST


class Calls(CliTest):
    def setUp(self):
        super().setUp()
        self.home.configure(fake=fake())

    def test_a_broken_answer_is_the_servers_failure_not_the_tools(self):
        self.check(self.home.run("call", "fake.bad_json"), 4,
                   stderr="fake sent a broken answer: not JSON")

    def test_every_spelling_of_a_call_is_the_same_call(self):
        for words in [
            ["call", "fake_add", "a=1", "b=41"],
            ["call", "fake.add", "a:1", "b:41"],
            ["call", "fake/add", "--a", "1", "--b=41"],
            ["call", "fake", "add", "a=1", "b=41"],
            ["call", "fake.add(a: 1, b: 41)"],
            ["call", "fake", "add(a:", "1,", "b:", "41)"],
            ["call", "fake_add", "1", "41"],
            ["fake.add", "a=1", "b=41"],
            ["fake", "add", "--a", "1", "b=41"],
            ["fake_add", "a=1", "b=41"],
            ["fake.add(a: 1, b: 41)", "--quiet"],
            ["call", "fake.add", "--args", '{"a": 1, "b": 41}'],
        ]:
            self.assertEqual(self.ok(*words), "42\n", words)

    def test_one_argument_comes_from_a_file_or_from_stdin(self):
        self.home.write("project/note.txt", "two\nlines\n")
        self.assertEqual(self.ok("fake.echo", "text=@note.txt"), "two\nlines\n")
        self.assertEqual(self.ok("fake.echo", "text=-", stdin="piped"), "piped\n")
        self.assertEqual(self.ok("fake.echo", "text=@@note.txt"), "@note.txt\n")
        self.home.write("project/all.json", {"a": 2, "b": 3})
        self.assertEqual(self.ok("fake.add", "@all.json"), "5\n")
        self.check(self.home.run("fake.echo", "text=@gone"), 2, stderr="there is no file gone")

    def test_a_misspelt_argument_is_refused_with_the_name_that_was_meant(self):
        for word in ["txt=x", "txt:x", "--txt=x"]:
            self.check(self.home.run("fake.echo", word), 2, stderr='did you mean "text"?')
        self.check(self.home.run("fake.echo", "--tiemout", "3", "text=x"), 2,
                   stderr="did you mean --timeout?")

    def test_a_word_that_is_neither_a_command_nor_a_tool_is_a_mistake(self):
        self.ok("connect", "fake")
        self.check(self.home.run("stauts"), 2, stderr='did you mean "status"?')
        self.check(self.home.run("nothing", "--a", "1"), 2, stderr='unknown command "nothing"')
        self.check(self.home.run("fake"), 2, stderr="pi-mcp list fake")
        self.check(self.home.run("fake.nothing"), 3)
        for words in (["call", "faek", "echo", "text=x"], ["describe", "faek", "fake_echo"]):
            self.check(self.home.run(*words), 3,
                       stderr='there is no server "faek"; did you mean "fake"?')
        self.check(self.home.run("fake.add(a: 1", "b"), 2, stderr="is not closed")

    def test_one_tool_of_two_servers_is_refused(self):
        self.home.configure(fake=fake(), other=fake(name="other"))
        for known in ([], ["fake"], ["other"]):
            for server in known:
                self.ok("connect", server)
            for words in [["call", "fake.echo", "text=x"], ["fake.echo", "text=x"],
                          ["call", "fake/echo", "text=x"], ["call", "fake", "echo", "text=x"],
                          ["call", "fake.echo(text: x)"], ["describe", "fake.echo"]]:
                outcome = self.check(self.home.run(words[0], "--server", "other", *words[1:]), 3)
                self.assertEqual(outcome.stdout, "", words)
                self.assertIn('names the server "fake", but --server says "other"', outcome.stderr)
                self.assertIn('leave --server out, or write "other.echo"', outcome.stderr)
        outcome = self.check(self.home.run("call", "fake.echo", "--server", "gone"), 3)
        self.assertIn('"gone" not found', outcome.stderr)
        self.assertEqual(self.ok("call", "fake.echo", "--server", "fake", "text=x"), "x\n")
        self.assertEqual(self.ok("call", "echo", "--server", "other", "text=x"), "x\n")

    def test_who_asks_about_one_server_waits_for_it(self):
        """Beyond the 8 s after which a model gets an answer without it."""
        self.home.configure(fake=fake("--delay", 4200))  # at initialize, and at its list
        self.assertIn("fake_echo", self.ok("list", "fake"))

    def test_describe_takes_the_spellings_of_a_tool(self):
        self.ok("connect", "fake")
        for words in [["fake_echo"], ["fake.echo"], ["fake/echo"], ["fake", "echo"]]:
            self.assertIn("text", self.ok("describe", *words))
        self.check(self.home.run("describe", "fake_echo", "more"), 2, stderr="takes one tool")

    def test_json_of_lists_and_searches_has_descriptions_and_schemas(self):
        self.ok("connect", "fake")
        listed = json.loads(self.ok("list", "fake", "--json"))
        echo = next(tool for tool in listed["definitions"] if tool["name"] == "fake_echo")
        self.assertEqual(echo["inputSchema"]["required"], ["text"])
        self.assertTrue(echo["description"])
        match = json.loads(self.ok("search", "echo", "--json"))["matches"][0]
        self.assertEqual(match["inputSchema"], echo["inputSchema"])

    def test_resources_and_prompts_are_listed_and_used(self):
        listed = json.loads(self.ok("resources", "fake", "--json"))
        uri = listed["resources"][0]["uri"]
        self.assertIn(uri, self.ok("resources"))
        self.assertTrue(self.ok("read", uri))
        self.assertIn("fake.greet", self.ok("prompts"))
        for words in [["fake.greet", "who=you"], ["greet", "you"], ["fake", "greet", "who:you"]]:
            self.assertEqual(self.ok("prompt", *words), "Hello you\n")
        self.check(self.home.run("prompt", "greet"), 2, stderr="who is missing")
        self.check(self.home.run("prompt", "greet", "wrong=1"), 2, stderr='no argument "wrong"')
        self.check(self.home.run("prompt", "nothing"), 3, stderr="pi-mcp prompts")
        self.check(self.home.run("resources", "nobody"), 3)

    def test_aliases_are_commands(self):
        self.ok("connect", "fake")
        self.assertEqual(self.ok("ls", "fake"), self.ok("list", "fake"))
        self.assertEqual(self.ok("tools", "fake"), self.ok("list", "fake"))
        self.assertIn("Also written: rm", self.ok("remove", "--help"))
        self.ok("rm", "fake")


class Refused(SharingTest):
    """Servers behind a url that take nobody."""
    def setUp(self):
        super().setUp()
        self.server = JsonServer(Refuser).start()
        self.addCleanup(self.server.close)

    def test_a_missing_login_is_said_again_as_it_was_said_first(self):
        self.home.configure(need={"url": self.server.origin + "/"})
        said = set()
        for _ in range(2):
            outcome = self.check(self.home.run("call", "need.x"), 5)
            self.assertIn("requires authorization: ", outcome.stderr)
            self.assertIn("to log in, run: pi-mcp auth need", outcome.stderr)
            said.add(outcome.stderr)
            outcome = self.check(self.home.run("call", "--json", "need.x"), 5)
            said.add(json.loads(outcome.stdout)["error"])
            outcome = self.check(self.home.run("list", "need"), 5)
            self.assertIn("pi-mcp auth need starts a login.", outcome.stderr)
            outcome = self.check(self.home.run("list", "need", "--json"), 5)
            said.add(json.loads(outcome.stdout)["error"])
        self.assertEqual(len(said), 2, said)

    def test_doctor_says_what_a_server_refuses_that_has_no_login(self):
        self.home.configure(rej={"url": self.server.origin + "/",
                                 "headers": {"Authorization": "Bearer wrong"}})
        self.check(self.home.run("connect", "rej"), 5)
        outcome = self.check(self.home.run("doctor", "rej", "--json"), 1)
        finding, = json.loads(outcome.stdout)["findings"]
        self.assertEqual(finding["code"], "PM-START-FAILED")
        self.assertIn("it refuses the credentials in its configuration", finding["message"])
        self.assertIn('correct "bearerToken" or "headers" there', finding["message"])
        self.assertIn(str(self.home.agent / "mcp.json"), finding["command"])

    def test_a_url_that_wants_a_login_has_to_be_added_first(self):
        url = self.server.origin + "/"
        for command in (("list", url), ("connect", url), ("call", url, "x")):
            outcome = self.check(self.home.run(*command), 5)
            self.assertIn(f"pi-mcp add local-mcp {url}, then: pi-mcp auth local-mcp",
                          outcome.stderr)

    def test_a_url_without_an_endpoint_is_named_with_its_path(self):
        url = self.server.origin + "/404/mcp"
        outcome = self.check(self.home.run("list", url + "?key=secret"), 4)
        self.assertIn(f"{url}: there is no MCP endpoint at this url (status 404)", outcome.stderr)
        self.assertNotIn("often ends in", outcome.stderr)
        self.assertNotIn("secret", outcome.stderr)
        outcome = self.check(self.home.run("list", self.server.origin + "/404/"), 4)
        self.assertIn("it often ends in /mcp or /sse", outcome.stderr)
        self.home.configure(gone={"url": url})
        outcome = self.check(self.home.run("auth", "gone"), 4)
        self.assertIn("there is no MCP endpoint at its url (status 404)", outcome.stderr)


class NamedServers(CliTest):
    """What names a server that is known is answered from what is known; what names one that is not
    starts that one alone."""

    def setUp(self):
        super().setUp()
        self.silent = {}
        for name in ("hang", "hang2"):
            mark = self.home.root / name
            self.silent[name] = {"command": "sh",
                                 "args": ["-c", f"touch {mark}; while read line; do :; done"]}
        self.bad = {"command": "no-such-program"}
        self.home.configure(fake=fake(), **self.silent)
        self.ok("connect", "fake")

    def assert_not_started(self, *names):
        for name in names:
            self.assertFalse((self.home.root / name).exists(), name)

    def test_a_prompt_of_a_known_server_that_it_has_not_starts_nothing(self):
        for words in (["fake.nope"], ["fake/nope"], ["fake__nope"], ["fake", "nope"]):
            self.check(self.home.run("prompt", *words), 3,
                       stderr='"fake" has no prompt "nope"; pi-mcp prompts fake lists them')
        self.assertEqual(self.ok("prompt", "fake.greet", "who=you"), "Hello you\n")
        self.assert_not_started("hang", "hang2")

    def test_a_prompt_of_a_server_that_does_not_work_ends_as_the_server_does(self):
        self.home.configure(bad=self.bad, **self.silent)
        for words in (["bad.x"], ["bad", "x"]):
            outcome = self.check(self.home.run("prompt", *words), 4, stderr="no-such-program")
            self.assertNotIn("no prompt", outcome.stderr)
        self.check(self.home.run("prompt", "bad.x", "--json"), 4, stdout='"error":')
        self.check(self.home.run("prompt", "hang.x", "--timeout", "0.3"), 6, stderr="hang")
        self.assert_not_started("hang2")

    def test_a_prompt_that_names_no_server_is_looked_for_in_those_that_are_not_known(self):
        self.assertEqual(self.ok("prompt", "greet", "you"), "Hello you\n")
        self.assert_not_started("hang", "hang2")
        outcome = self.check(self.home.run("prompt", "nope", "--timeout", "0.5"), 6,
                             stderr='none of the servers that answered has a prompt "nope"')
        self.assertIn("hang: no answer", outcome.stderr)
        self.assertIn("hang2: no answer", outcome.stderr)
        self.home.configure(fake=fake(), bad=self.bad)
        self.check(self.home.run("prompt", "nope"), 4, stderr="no-such-program")
        self.home.configure(fake=fake())
        self.check(self.home.run("prompt", "nope"), 3, stderr='no server has a prompt "nope"')

    def test_a_prompt_is_there_as_soon_as_one_server_has_it(self):
        other = fake(name="late")
        self.home.configure(late=other, **self.silent)
        self.assertEqual(self.ok("prompt", "greet", "you"), "Hello you\n")

    def test_looking_for_a_prompt_ends_at_a_signal(self):
        server = self.watched("--hang", "initialize", name="mute")
        self.home.configure(mute=server.entry, **self.silent)
        for sent, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            process = self.home.start("prompt", "nope")
            server.wait_for("initialize")
            server.text = ""
            process.send_signal(sent)
            stderr = process.communicate(timeout=WAIT_SECONDS)[1]
            self.assertEqual(process.returncode, status, stderr)
            self.assertEqual(stderr.count("interrupted"), 1, stderr)

    def test_a_description_of_a_known_server_starts_nothing(self):
        for words in (["fake_nope"], ["fake.nope"], ["nope", "--server", "fake"]):
            self.check(self.home.run("describe", *words), 3, stderr="nope")
        self.assert_not_started("hang", "hang2")


class OneUse(CliTest):
    def setUp(self):
        super().setUp()
        self.command = " ".join([FAKE_SERVER, "--name", "fake", "--tools", "all"])

    def test_a_server_that_is_not_configured_can_be_listed_searched_and_called(self):
        self.assertIn("echo", self.ok("list", "--stdio", self.command))
        self.assertIn("echo", self.ok("search", "--stdio", self.command, "echo"))
        self.assertEqual(self.ok("call", "--stdio", self.command, "add", "a=1", "b=2"), "3\n")
        self.assertIn("text", self.ok("describe", "--stdio", self.command, "echo"))
        self.check(self.home.run("list", "--stdio", "no-such-program-anywhere"), 4,
                   stderr="no-such-program-anywhere")
        self.check(self.home.run("list", "http://127.0.0.1:1/mcp"), 4, stderr="127.0.0.1:1")
        self.assertFalse((self.home.agent / "mcp.json").exists())

    def test_what_is_given_as_a_url_is_never_run_or_written(self):
        mark = self.home.root / "mark"
        script = self.home.write("run.sh", f"#!/bin/sh\ntouch {mark}\n")
        script.chmod(0o755)
        for words in [["list"], ["search", "x"], ["describe", "x"], ["resources"],
                      ["prompts"], ["emit-cli"], ["add", "uu", "--no-check"],
                      ["record", str(self.home.root / "recording")]]:
            outcome = self.check(self.home.run(*words, "--url", str(script)), 2,
                                 stderr=f'http://, unlike "{script}". See')
            self.assertIn("a URL starts with https:// or http://", outcome.stderr)
        self.check(self.home.run("call", "--url", str(script), "x"), 2, stderr=f'"{script}"')
        self.check(self.home.run("list", "--url", "foo.com/mcp"), 2,
                   stderr='unlike "foo.com/mcp"; write https://foo.com/mcp. See pi-mcp list --help')
        self.assertFalse(mark.exists())
        self.assertFalse((self.home.agent / "mcp.json").exists())

    def test_two_servers_of_one_command_are_refused(self):
        url = "http://127.0.0.1:1/mcp"
        for words in (["list"], ["add", "two", "--no-check"]):
            outcome = self.home.run(*words, "--stdio", self.command, "--url", url)
            self.check(outcome, 2, stderr=f'--stdio "{self.command}" and --url "{url}"')
        self.assertFalse((self.home.agent / "mcp.json").exists())

    def test_a_command_line_is_one_value_and_the_only_server(self):
        server = self.home.write("project/a b/server", f'#!/bin/sh\nexec {FAKE_SERVER} "$@"\n')
        server.chmod(0o755)
        command = "'./a b/server' --name fake --tools \"all\""
        for words in (["list"], ["search", "echo"], ["prompts"], ["emit-cli"]):
            self.ok(words[0], "--stdio", command, *words[1:])
        self.assertIn("a b/server", self.ok("emit-cli", "--stdio", command))
        self.assertIn("✓ fake (", self.ok("add", "fake", "--stdio", command))
        for command in ("list", "resources", "prompts", "emit-cli"):
            self.check(self.home.run(command, "--stdio", "python3", "a b/s.py"), 2,
                       stderr=f"{command} takes one server")
        for words in (["list"], ["add", "x", "--no-check"], ["record", "x.jsonl"]):
            for wrong, why in (("sh 'x", "a ' that is not closed"), ("a | b", "a | that only")):
                self.check(self.home.run(*words, "--stdio", wrong), 2,
                           stderr=f"the command has {why}")
        for words in (["--stdio", "a 'b"], ["-e", "x", "--", "a"], ["--stdio", "a", "b"]):
            self.check(self.home.run("record", "x.jsonl", *words), 2,
                       stderr="See pi-mcp record --help")
        self.assertFalse((self.home.project / "x.jsonl").exists())

    def test_what_was_tried_can_be_kept(self):
        self.ok("list", "--stdio", self.command, "--save", "kept")
        self.assertEqual(self.ok("call", "kept.add", "a=1", "b=2"), "3\n")


class Statuses(CliTest):
    def test_a_server_that_cannot_start_is_status_4_to_record_too(self):
        for words in (["--", "no-such-program"], ["--stdio", "no-such-program"]):
            self.check(self.home.run("record", "x.jsonl", *words), 4)
        self.check(self.home.run("record", "x.jsonl", "nobody"), 3, stderr="nobody")

    def test_options_of_http_are_refused_without_it(self):
        for option, value in (("--tls-cert", "x"), ("--tls-key", "x"), ("--drain", "5"),
                              ("--allow-host", "a"), ("--allow-origin", "https://a"),
                              ("--session-key", "x"), ("--store", "redis://a"),
                              ("--advertise", "http://a"), ("--access-log", "x")):
            self.check(self.home.run("serve", option, value), 2,
                       stderr=f"{option} means nothing without --http ADDRESS. See pi-mcp serve")


class Wrapped(CliTest):
    def test_a_server_that_is_pi_mcp_behind_a_wrapper_does_not_start_itself_for_ever(self):
        marks = self.home.root / "marks"
        script = self.home.write("again.sh", f"echo x >> {marks}\nexec {BINARY} serve\n")
        self.home.configure(again={"command": "sh", "args": [str(script)], "lifecycle": "eager"})
        self.home.run("connect", "again", "--timeout", "20")
        self.assertLessEqual(len(marks.read_text().split()), 4)


class Recorded(CliTest):
    def record(self):
        return self.home.start(
            "record", "calls.jsonl", "--", FAKE_SERVER, stdin=subprocess.PIPE)

    def test_no_recording_is_overwritten(self):
        first = self.record()
        first.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        first.stdin.flush()
        self.assertIn('"id":1', first.stdout.readline())
        for number in (2, 3):
            _, said = self.record().communicate(timeout=WAIT_SECONDS)
            self.assertIn("calls.jsonl has a recording already; this one is in "
                          f"calls-{number}.jsonl", said)
        self.assertEqual(first.communicate(timeout=WAIT_SECONDS), ("", ""))
        lines = (self.home.project / "calls.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line).get("messages") for line in lines],
                         [None, None, None, 2])
        self.check(self.home.run("replay", "calls.jsonl"), 0)

    def test_a_file_that_is_empty_is_the_one_that_was_meant(self):
        for path in (self.home.write("project/calls.jsonl", ""), pathlib.Path("/dev/null")):
            words = ("record", str(path), "--", FAKE_SERVER)
            self.assertEqual(self.check(self.home.run(*words), 0).stderr, "")
        self.assertGreater((self.home.project / "calls.jsonl").stat().st_size, 0)


class Added(CliTest):
    def test_a_server_is_tried_when_it_is_added(self):
        self.assertIn("✓ fake (", self.ok("add", "fake", "--", FAKE_SERVER, "--tools", "all"))
        outcome = self.check(self.home.run("add", "gone", "--", "no-such-program"), 0, "added gone")
        self.assertIn("no-such-program", outcome.stderr)
        self.assertIn("Next: pi-mcp connect x", self.ok("add", "--no-check", "x", "--", "sh"))

    def test_a_trial_that_is_given_up_says_so_and_the_server_stays(self):
        hanging = ["--", FAKE_SERVER, "--hang", "initialize"]
        outcome = self.check(self.home.run("add", "z", "--timeout", "0.5", *hanging), 6, "added z")
        self.assertIn("no answer within 0.5 s", outcome.stderr)
        self.assertIn('"z" stays added', outcome.stderr)
        server = self.watched("--hang", "initialize", name="y")
        adding = self.home.start("add", "y", json.dumps(server.entry))
        server.wait_for("initialize")
        adding.send_signal(signal.SIGINT)
        said = adding.communicate(timeout=WAIT_SECONDS)[1]
        self.assertEqual((adding.returncode, '"y" stays added' in said), (130, True), said)

    def test_pi_mcp_is_no_server_of_its_own(self):
        self.check(self.home.run("add", "gw", "--", "pi-mcp", "serve"), 2, stderr="pi-mcp itself")
        self.assertFalse((self.home.agent / "mcp.json").exists())
        self.home.configure(gw={"command": "pi-mcp", "args": ["serve"]})
        self.assertIn("removed gw", self.ok("remove", "gw"))
        self.check(self.home.run("remove", "gw"), 3, stderr='no server "gw"')

    def test_json_of_a_readme_is_pasted(self):
        entry = {"mcpServers": {"one": {"command": FAKE_SERVER}, "two": {"url": "http://h/mcp"}}}
        self.ok("add", "--no-check", json.dumps(entry))
        self.ok("add", "--no-check", "three", "-", stdin=json.dumps(entry["mcpServers"]["one"]))
        written = json.loads((self.home.agent / "mcp.json").read_text())["mcpServers"]
        self.assertEqual(written, entry["mcpServers"] | {"three": {"command": FAKE_SERVER}})

    def test_relative_arguments_are_absolute_in_the_user_file(self):
        self.ok("add", "--no-check", "files", "--", "server", ".")
        written = json.loads((self.home.agent / "mcp.json").read_text())["mcpServers"]["files"]
        self.assertEqual(written["args"], [str(self.home.project)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
