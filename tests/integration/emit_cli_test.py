"""`pi-mcp emit-cli`: what servers call their tools, and say of them, is data in the program that it
prints, in every shell; and its help needs no server."""
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
import unittest

from cli_home import BINARY, WAIT_SECONDS, CliTest, Outcome, fake

SHELLS = [shell for shell in ["dash", "bash", "busybox"] if shutil.which(shell)]
# Everything that means something to a shell somewhere, and what is left of control characters.
PIECES = ["'", '"', "`", "$", "$(", "${", "\\", "\\n", ";", ";;", "&", "|", "(", ")", "<", ">", "*",
          "?", "[", "]", "!", "~", "#", "=", "{", "}", "%s", "%n", "--", "-e", "EOF", "esac", "in",
          "do", "\t",
          "é", "日本", "\u202e", "\u2028", "x", "Y", "1", " ", "touch ran", "exit 7", "''", "'\\''"]


def identity(entry):
    fields = ["args", "auth", "bearerToken", "bearerTokenEnv", "command", "cwd", "env",
              "exposeResources", "headers", "url"]
    written = [json.dumps(field) + ":" + (json.dumps(entry[field], separators=(",", ":"))
                                          if field in entry else "undefined") for field in fields]
    return hashlib.sha256(("{" + ",".join(written) + "}").encode()).hexdigest()


class Programs(CliTest):
    """Of servers that never run: what is known of them stands in the cache."""

    def setUp(self):
        super().setUp()
        self.bin = self.home.root / "bin"
        self.bin.mkdir()
        recorder = self.home.write("bin/recorder", '#!/bin/sh\nprintf "%s\\0" "$@"\n')
        recorder.chmod(0o755)
        self.calls = {"PI_MCP_BIN": str(recorder)}

    def cache(self, tools, server="shop"):
        entry = {"command": "false", "args": ["never run"]}
        self.home.configure(**{server: entry})
        self.home.write(".pi/agent/mcp-cache.json", {"version": 1, "servers": {server: {
            "configHash": identity(entry), "tools": tools, "resources": [],
            "cachedAt": int(time.time() * 1000)}}})

    def program(self, *options, server="shop"):
        file = self.bin / "shop"
        self.ok("emit-cli", server, *options, "-o", str(file))
        self.assertTrue(os.access(file, os.X_OK))
        return file

    def start(self, program, *words, shell=None, **env):
        before = [shell] if shell else []
        before += ["sh"] if shell == "busybox" else []
        process = subprocess.run([*before, str(program), *words], env=self.home.env | env,
                                 cwd=self.home.project, timeout=WAIT_SECONDS,
                                 capture_output=True, check=False)
        return Outcome(process.returncode, process.stdout.decode(), process.stderr.decode())

    def test_help_says_types_defaults_and_what_is_required_and_starts_nothing(self):
        schema = {"type": "object", "required": ["repo"], "properties": {
            "repo": {"type": "string", "description": "owner/name"},
            "limit": {"type": "integer", "default": 30, "maximum": 100}}}
        self.cache([{"name": "list_issues", "description": "Lists issues.\nNewest first.",
                     "inputSchema": schema}, {"name": "ping", "inputSchema": {"type": "object"}}])
        program = self.program()
        for words in [[], ["--help"], ["-h"]]:
            outcome = self.check(self.start(program, *words), 0, "shop: 2 tools of an MCP server")
            self.assertIn("Usage: shop TOOL [key=value...]\n", outcome.stdout)
            self.assertIn("  list_issues  Lists issues. Newest first.\n", outcome.stdout)
        for words in [["list_issues", "--help"], ["list-issues", "repo=a/b", "-h"]]:
            said = self.check(self.start(program, *words), 0).stdout
            self.assertIn("Usage: shop list_issues repo=... [key=value...]\n", said)
            self.assertIn("repo (string) *required*", said)
            self.assertIn("owner/name", said)
            self.assertIn("[maximum: 100] [default: 30]", said)
        self.assertLessEqual(max(map(len, said.split("\n"))), 80)

    def test_a_call_has_the_words_as_they_are(self):
        self.cache([{"name": "list_issues"}, {"name": "it's (odd) $x"}, {"name": "--help"}])
        program = self.program()
        words = ["a=1 2", "--json", "$HOME", "'", "", "--", "--help"]
        for name, tool in [("list-issues", "list_issues"), ("it's (odd) $x", "it's (odd) $x")]:
            said = self.check(self.start(program, name, *words, **self.calls), 0).stdout
            self.assertEqual(said.split("\0")[:-1],
                             ["call", "--server", "shop", "--tool", tool, *words])
        said = self.check(self.start(program, "--", "--help", **self.calls), 0).stdout
        self.assertEqual(said.split("\0")[-2], "--help")

    def test_an_unknown_tool_and_a_missing_pi_mcp_are_said(self):
        self.cache([{"name": "a"}])
        program = self.program()
        self.check(self.start(program, "b"), 2, stderr='shop: no tool "b"; shop --help shows all')
        self.check(self.start(program, "a", PI_MCP_BIN="/no/where"), 127, stderr="PI_MCP_BIN")

    def test_a_pi_mcp_beside_it_will_do(self):
        self.cache([{"name": "a"}])
        program = self.program()
        no_path = {"PATH": "/usr/bin:/bin"}
        self.check(self.start(program, "a", **no_path), 127, stderr="beside it")
        (self.bin / "recorder").rename(self.bin / "pi-mcp")
        self.check(self.start(program, "a", "x", **no_path), 0, "--tool\0a\0x\0")

    def test_only_some_tools_and_who_has_none_of_a_name(self):
        self.cache([{"name": "get_a"}, {"name": "get_b"}, {"name": "put"}])
        program = self.program("--tool", "get_*")
        said = self.start(program).stdout
        self.assertIn("2 tools", said)
        self.assertNotIn("put", said)
        self.check(self.home.run("emit-cli", "shop", "--tool", "gone"), 3, stderr='no tool "gone"')
        self.check(self.home.run("emit-cli", "shoop"), 3, stderr="shop")
        self.check(self.home.run("emit-cli"), 2, stderr="emit-cli needs a server")
        self.check(self.home.run("emit-cli", "shop", "--url", "http://127.0.0.1:1/"), 2)

    def test_whatever_a_server_says_is_shown_and_never_run(self):
        random.seed(20261125)
        anything = lambda: "".join(random.choices(PIECES, k=random.randint(1, 12)))
        for _ in range(20):
            tools = [{"name": name, "description": anything(), "inputSchema": {
                "type": "object", "required": [anything()], "properties": {
                    anything(): {"description": anything(), "default": anything()}}}}
                for name in {anything() for _ in range(8)}]
            self.cache(tools)
            program = self.program()
            for shell in SHELLS:
                with self.subTest(shell=shell, tools=tools):
                    self.check_program(program, tools, shell)
        self.assertEqual(os.listdir(self.home.project), [])

    def check_program(self, program, tools, shell):
        listed = self.check(self.start(program, shell=shell), 0)
        self.assertEqual(listed.stderr, "")
        helps = set()
        for tool in tools:
            name = tool["name"]
            dashes = ["--"] if name.startswith("-") else []
            if not name.isprintable() or name == "--":
                continue  # left out, or nobody's to write
            words = [*dashes, name, "a=$(touch ran)"]
            outcome = self.start(program, *words, shell=shell, **self.calls)
            said = self.check(outcome, 0).stdout.split("\0")
            self.assertEqual(said[-3:-1], [name, "a=$(touch ran)"])
            outcome = self.check(self.start(program, *dashes, name, "--help", shell=shell), 0)
            self.assertEqual(outcome.stderr, "")
            self.assertTrue(outcome.stdout.startswith(f"Usage: shop {name} "), outcome)
            helps.add(outcome.stdout)
            for word in tool["description"].split():
                if word.isprintable():
                    self.assertIn(word, outcome.stdout)

    def test_names_that_nobody_can_write_are_left_out_and_said(self):
        self.cache([{"name": "a"}, {"name": "b\nc"}, {"name": "d\u0000"}, {"name": "\u001b[2J"}])
        outcome = self.check(self.home.run("emit-cli", "shop"), 0, stderr="left out")
        self.assertIn("1 tool of", outcome.stdout)
        self.assertNotIn("\u001b", outcome.stdout)

    def test_a_checker_of_scripts_finds_nothing(self):
        self.cache([{"name": piece, "description": piece * 3} for piece in PIECES])
        program = self.program()
        for shell in SHELLS:
            self.check(self.start("-n", program, shell=shell), 0)
        checked = subprocess.run(["shellcheck", "--shell=sh", program], capture_output=True,
                                 check=False, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)


class BroughtServers(CliTest):
    """Servers that run."""

    def run_program(self, *words):
        env = self.home.env | {"PI_MCP_BIN": BINARY}
        done = subprocess.run([str(self.home.root / "tool"), *words], env=env, text=True,
                              cwd=self.home.project, timeout=WAIT_SECONDS, capture_output=True,
                              check=False)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def test_calls_a_configured_server(self):
        self.home.configure(fake=fake())
        self.ok("emit-cli", "fake", "-o", str(self.home.root / "tool"))
        self.check(self.run_program("add", "a=1", "b=41"), 0, "42\n")
        self.check(self.run_program("add", "--a", "1", "--b", "41"), 0, "42\n")
        self.assertEqual(json.loads(self.run_program("add", "1", "41", "--json").stdout)
                         ["content"][0]["text"], "42")
        self.check(self.run_program("echo", "txt=x"), 2, stderr='did you mean "text"?')
        self.check(self.run_program("echo", "https://example.com/a"), 0, "https://example.com/a\n")
        self.check(self.run_program("err", "message=no"), 1)

    def test_brings_a_server_along_that_is_not_configured(self):
        entry = fake(name="own")
        command = " ".join([entry["command"], *entry["args"]])
        self.ok("emit-cli", "--stdio", command, "-e", "WORD=${GREETING}",
                "-o", str(self.home.root / "tool"))
        self.assertEqual(self.home.run("status", "--json").stdout.count('"name"'), 0)
        self.check(self.run_program("add", "1", "2"), 0, "3\n")
        text = (self.home.root / "tool").read_text()
        self.assertIn("'--env' 'WORD=${GREETING}'", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
