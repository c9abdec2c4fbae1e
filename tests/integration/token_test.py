"""Tokens of those who may come over HTTP. Usage: token_test.py PI_MCP FAKE_SERVER"""
import json
import os
import re
import stat
import sys
import unittest

from cli_home import CliTest, TerminalTest, fake

USAGE, NOT_FOUND, FAILED, DAMAGED = 2, 3, 1, 7


class Tokens(CliTest):
    def file(self):
        return self.home.agent / "mcp-http-tokens.json"

    def add(self, *words):
        return self.check(self.home.run("token", "add", *words), 0)

    def listed(self):
        tokens = json.loads(self.ok("token", "list", "--json"))["tokens"]
        return {token["name"]: token for token in tokens}

    def refused(self, *words, status=USAGE, stderr=""):
        outcome = self.check(self.home.run("token", *words), status, stderr=stderr)
        self.assertEqual(outcome.stdout, "")
        return outcome

    def test_a_token_is_alone_on_stdout_and_is_kept_nowhere(self):
        self.home.configure(github=fake(name="github"), jira=fake(name="jira"))
        made = self.add("ci", "--servers", "jira,github", "--tools", "get_*, list_*",
                        "--expires", "2099-01-31")
        self.assertRegex(made.stdout, r"^pimcp_[\w-]{43}\n$")
        for part in ("jira, github", "get_*, list_*", "2099-01-31 23:59 UTC",
                     "Authorization: Bearer", "pi-mcp token remove ci", "serve --http"):
            self.assertIn(part, made.stderr)
        token = made.stdout.strip()
        self.assertNotIn(token, made.stderr)
        self.assertNotIn(token[6:30], self.file().read_text())
        self.assertEqual(stat.S_IMODE(self.file().stat().st_mode), 0o600)
        row = self.listed()["ci"]
        self.assertEqual((row["servers"], row["tools"]), (["jira", "github"], ["get_*", "list_*"]))
        self.assertEqual((row["ending"], row["expired"]), (token[-4:], False))

    def test_without_limits_it_is_for_everything_and_for_ninety_days(self):
        made = self.add("ci")
        self.assertIn("servers: all\n  tools: all\n", made.stderr)
        row = self.listed()["ci"]
        self.assertEqual((row["servers"], row["tools"]), (None, None))
        self.assertEqual(row["expires"] - row["created"], 90 * 24 * 3600 * 1000)
        self.assertIn("until: removed", self.add("ever", "--expires", "never").stderr)
        self.assertIsNone(self.listed()["ever"]["expires"])
        self.assertEqual(self.add("still", "--quiet").stderr, "")

    def test_json_has_all_of_it(self):
        made = json.loads(self.add("ci", "--json", "--expires", "12h").stdout)
        self.assertRegex(made["token"], r"^pimcp_[\w-]{43}$")
        self.assertEqual((made["name"], made["servers"], made["tools"]), ("ci", None, None))
        self.assertEqual(made["expires"], self.listed()["ci"]["expires"])
        self.assertEqual(json.loads(self.ok("token", "remove", "ci", "--json")),
                         {"mode": "token", "name": "ci", "removed": True})

    def test_what_a_project_brings_is_no_server_here(self):
        self.home.configure(own=fake(name="own"))
        self.home.write("project/.mcp.json", {"mcpServers": {"theirs": fake(name="theirs")}})
        said = self.check(self.home.run("token", "add", "ci", "--servers", "own,theirs,gone",
                                        "--trust-project"), 3).stderr
        self.assertIn("there is no server theirs, gone of your own; configured are own", said)
        self.assertFalse(self.file().exists())
        self.add("ci", "--servers", "own")

    def test_mistakes_are_named(self):
        self.add("ci")
        before = self.file().read_text()
        self.refused("add", "ci", stderr='there is a token "ci" already')
        self.refused("add", "a b", stderr='"a b" is no name for a token')
        self.refused("add", stderr="add wants the name of a token")
        self.refused("add", "x", "--expires", "30", stderr="--expires: \"30\" is no time to expire")
        self.refused("add", "x", "--expires", "2020-01-01", stderr="is over already")
        self.refused("add", "x", "--servers", ",", stderr="--servers wants names")
        self.refused("add", "x", "--servers", "none", status=NOT_FOUND, stderr="none is configured")
        self.refused("add", "x", "--tools", "a,,b", stderr="--tools wants names or patterns")
        self.refused("list", "ci", stderr="list takes no name")
        self.refused("remove", "ci", "--tools", "a", stderr="remove takes a name alone")
        self.refused("remove", stderr="remove wants the name")
        self.refused("frobnicate", stderr="token wants add, list or remove")
        self.refused("remove", "bob", status=NOT_FOUND, stderr='no token "bob"; pi-mcp token list')
        self.assertEqual(self.file().read_text(), before)

    def test_what_is_removed_is_gone_and_the_rest_stays(self):
        self.home.write(".pi/agent/mcp-http-tokens.json", "{\n  // mine\n  \"note\": 1\n}\n")
        self.file().chmod(0o600)
        self.assertIn("there is no token", self.ok("token", "list"))
        self.add("ci")
        self.add("bob", "--expires", "never")
        self.assertIn("good for nothing", self.ok("token", "remove", "ci"))
        self.assertEqual(list(self.listed()), ["bob"])
        self.assertIn("// mine", self.file().read_text())
        self.add("ci")

    def test_a_file_that_is_damaged_or_open_to_others_is_left_alone(self):
        self.add("ci")
        self.file().chmod(0o644)
        for words in (["list"], ["add", "bob"], ["remove", "ci"]):
            self.refused(*words, status=FAILED, stderr="chmod 600")
        self.file().chmod(0o600)
        self.file().write_text("{ broken")
        for words in (["list"], ["add", "bob"], ["remove", "ci"]):
            self.refused(*words, status=DAMAGED, stderr="mcp-http-tokens.json: line 1")
        self.assertEqual(self.file().read_text(), "{ broken")

    def test_in_a_pipe_a_token_is_a_line(self):
        self.add("ci", "--tools", "get_*")
        text = self.ok("token", "list")
        self.assertRegex(
            text, r"^ci  …[\w-]{4}  servers: all  tools: get_\*  until \d{4}-.* UTC\n$")


class InATerminal(TerminalTest):
    def test_the_list_is_a_table_that_marks_what_has_expired(self):
        ends = {"continuous": 5, "bob": 9_000_000_000_000}
        tokens = {name: {"sha256": "ab" * 32, "ending": "abcd", "created": 1, "expires": end}
                  for name, end in ends.items()}
        file = self.home.write(".pi/agent/mcp-http-tokens.json", {"version": 1, "tokens": tokens})
        file.chmod(0o600)
        status, text = self.shown("token", "list")
        self.assertEqual(status, 0)
        lines = [re.sub(r"\x1b\[\d*m", "", line) for line in text.splitlines()]
        self.assertEqual(lines[0].split(), ["NAME", "TOKEN", "SERVERS", "TOOLS", "GOOD"])
        self.assertIn("expired 1970-01-01 00:00 UTC", lines[1])
        self.assertIn("until 2255-", lines[2])
        self.assertEqual({line.index("…") for line in lines[1:]}, {lines[0].index("TOKEN")})
        self.assertIn("\x1b[31mexpired", text)


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main(argv=sys.argv[:1])
