"""Secrets that the user has stored for ${keyring:NAME}. Usage: stored_secrets_test.py PI_MCP
FAKE_SERVER"""
import json
import os
import subprocess
import sys
import termios
import time
import unittest

from cli_home import WAIT_SECONDS, HostTest, TerminalTest, fake
from hasty_bus import HastyBus
from keyring_test import Deaf, Desktop

USAGE, NOT_FOUND, UNAVAILABLE, INTERRUPTED = 2, 3, 4, 130
VALUE = "planted-stored-value"


class SecretTest(HostTest):
    def listed(self):
        found = json.loads(self.ok("secret", "list", "--json"))
        return {row["name"]: (row["stored"], row["servers"]) for row in found["secrets"]}

    def use(self, name="TOKEN"):
        self.home.configure(fake=fake() | {"env": {"GIVEN": "${keyring:%s}" % name}})

    def file(self):
        return self.home.agent / "mcp-secrets.json"


class InTheKeyring(SecretTest):
    def test_a_secret_is_stored_used_listed_and_removed(self):
        desktop = Desktop.of(self)
        self.use()
        missing = self.check(self.home.run("call", "fake_env", "name=GIVEN"), UNAVAILABLE)
        self.assertIn("pi-mcp secret set TOKEN", missing.stderr + missing.stdout)
        self.assertEqual(self.listed(), {"TOKEN": (None, ["fake"])})
        self.assertIn("missing, used by fake", self.ok("secret", "list"))

        said = self.ok("secret", "set", "TOKEN", stdin=VALUE + "\n")
        self.assertNotIn(VALUE, said)
        self.assertFalse(self.file().exists())
        self.assertIn(VALUE, self.ok("call", "fake_env", "name=GIVEN"))
        self.assertEqual(self.listed(), {"TOKEN": ("keyring", ["fake"])})
        self.assertNotIn(VALUE, self.ok("secret", "list") + self.ok("config"))
        self.assertIn("${keyring:TOKEN}", self.ok("config", "fake"))
        # As other programs of the desktop see it.
        seen = subprocess.run(["secret-tool", "search", "service", "pi-mcp", "username", "TOKEN"],
                              env=desktop.env, check=True, capture_output=True, text=True)
        self.assertIn("label = pi-mcp secret TOKEN", seen.stdout)
        self.assertIn(f"secret = {VALUE}", seen.stdout)

        self.ok("secret", "set", "TOKEN", stdin="another-planted-value\r\n")
        self.assertIn("another-planted-value\n", self.ok("call", "fake_env", "name=GIVEN") + "\n")
        self.ok("secret", "rm", "TOKEN")
        self.check(self.home.run("secret", "rm", "TOKEN"), NOT_FOUND)
        self.check(self.home.run("call", "fake_env", "name=GIVEN"), UNAVAILABLE)

    def test_long_and_many_lines_arrive_as_they_are(self):
        Desktop.of(self)
        self.use()
        value = "-----BEGIN KEY-----\n" + "x" * 65000 + "\n-----END KEY-----"
        self.ok("secret", "set", "TOKEN", stdin=value + "\n")
        result = json.loads(self.ok("call", "fake_env", "name=GIVEN", "--json"))
        self.assertEqual(result["content"][0]["text"], value)

    def test_it_moves_between_the_keyring_and_the_file_when_the_user_says_so(self):
        Desktop.of(self)
        self.ok("secret", "set", "TOKEN", "--file", stdin=VALUE)
        self.assertEqual(self.listed(), {"TOKEN": ("file", [])})
        self.ok("secret", "set", "TOKEN", stdin=VALUE)
        self.assertEqual(self.listed(), {"TOKEN": ("keyring", [])})
        self.assertNotIn(VALUE, self.file().read_text())

    def test_a_keyring_that_has_not_filed_its_caller_yet_is_asked_again(self):
        bus = HastyBus(self.home.root / "hasty", Desktop.of(self).address)
        self.addCleanup(bus.close)
        self.home.env["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        self.ok("secret", "set", "TOKEN", stdin=VALUE)
        self.assertEqual(self.listed(), {"TOKEN": ("keyring", [])})
        self.ok("secret", "rm", "TOKEN")
        self.check(self.home.run("secret", "rm", "TOKEN"), NOT_FOUND)
        self.assertGreaterEqual(bus.refused, 3)

    def test_a_locked_keyring_is_named_with_the_way_out(self):
        desktop = Desktop.of(self)
        self.use()
        self.ok("secret", "set", "TOKEN", stdin=VALUE)
        subprocess.run(
            ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets",
             "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock",
             "array:objpath:/org/freedesktop/secrets/collection/login"],
            env=desktop.env, check=True, stdout=subprocess.DEVNULL)
        for words in (("call", "fake_env", "name=GIVEN"), ("secret", "set", "TOKEN")):
            outcome = self.check(self.home.run(*words, stdin="x"), UNAVAILABLE)
            self.assertIn("the keyring is locked", outcome.stdout + outcome.stderr)
            self.assertIn("pi-mcp secret set TOKEN --file", outcome.stdout + outcome.stderr)
        self.assertEqual(self.listed(), {"TOKEN": ("keyring", ["fake"])})

    def test_servers_without_a_secret_never_ask_and_a_deaf_keyring_delays_nobody_else(self):
        bus = Deaf(self.home)
        self.addCleanup(bus.close)
        self.home.env["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        self.home.configure(fake=fake(), asks=fake(name="asks") | {
            "env": {"GIVEN": "${keyring:TOKEN}"}})
        self.ok("connect", "fake")
        self.assertEqual(bus.connections, [])
        process = self.host()
        self.addCleanup(process.kill)
        self.call(process, 7, "asks_echo", text="x")
        self.call(process, 8, "fake_echo", text="meanwhile")
        self.assertIn("meanwhile", json.dumps(self.answer(process, 8)))
        self.assertIn("did not answer within", json.dumps(self.answer(process, 7)))
        process.communicate(timeout=WAIT_SECONDS)


class WithoutAKeyring(SecretTest):
    def test_nothing_is_stored_in_silence_and_the_file_is_for_the_user_alone(self):
        self.use()
        outcome = self.check(self.home.run("secret", "set", "TOKEN", stdin=VALUE), UNAVAILABLE)
        self.assertIn("there is no desktop session here", outcome.stderr)
        self.assertIn("pi-mcp secret set TOKEN --file", outcome.stderr)
        self.assertFalse(self.file().exists())
        self.assertIn("pi-mcp secret set TOKEN --file\n", self.ok("secret", "list"))
        self.ok("secret", "set", "TOKEN", "--file", stdin=VALUE)
        self.assertEqual(self.file().stat().st_mode & 0o777, 0o600)
        self.assertIn(VALUE, self.ok("call", "fake_env", "name=GIVEN"))
        self.assertEqual(self.listed(), {"TOKEN": ("file", ["fake"])})
        self.check(self.home.run("secret", "list"), 0, stderr="in the keyring are not shown")
        self.ok("secret", "rm", "TOKEN")
        self.assertNotIn(VALUE, self.file().read_text())
        self.assertIn("not in the file, used by fake", self.ok("secret", "list"))

    def test_a_damaged_file_is_said_by_the_list(self):
        self.home.write(".pi/agent/mcp-secrets.json", "{ broken").chmod(0o600)
        self.check(self.home.run("secret", "list"), 7, stderr="is damaged")

    def test_an_argument_is_refused_and_not_repeated(self):
        for words in (("TOKEN", VALUE), (f"TOKEN={VALUE}",), ("TOKEN", "a", VALUE, "--json")):
            outcome = self.check(self.home.run("secret", "set", "--file", *words), USAGE)
            self.assertIn("never an argument", outcome.stdout + outcome.stderr)
            self.assertNotIn(VALUE, outcome.stdout + outcome.stderr)
        for words in (("set", "a b"), ("set", ""), ("set",), ("rm", "x" * 65), ("list", "x"),
                      ("x",)):
            self.check(self.home.run("secret", *words), USAGE)
        self.assertFalse(self.file().exists())

    def test_values_that_no_server_could_get_are_refused(self):
        for value, why in (("", "empty"), ("\n", "empty"), ("a\0b", "zero byte"),
                           ("x" * 65537, "64 KiB")):
            outcome = self.home.run("secret", "set", "TOKEN", "--file", stdin=value)
            self.check(outcome, USAGE, stderr=why)
        self.assertFalse(self.file().exists())

    def test_it_is_in_nothing_that_is_said_or_kept_where_the_server_fails(self):
        script = "echo saw $GIVEN >&2; exit 1"
        self.home.configure(broken={"command": "sh", "args": ["-c", script, "${keyring:TOKEN}"],
                                    "env": {"GIVEN": "${keyring:TOKEN}"}})
        self.ok("secret", "set", "TOKEN", "--file", stdin=VALUE)
        said = ""
        for words in (("connect", "broken"), ("status",), ("status", "--json"), ("config",),
                      ("logs", "broken"), ("config", "--json"), ("secret", "list", "--json")):
            outcome = self.home.run(*words)
            said += outcome.stdout + outcome.stderr
        self.assertIn("saw ***", said)
        self.assertNotIn(VALUE, said)
        for file, content in self.home.files():
            if file != self.file():
                self.assertNotIn(VALUE.encode(), content, file)

    def test_a_project_asks_with_the_names_and_gets_them_once_trusted(self):
        self.ok("secret", "set", "TOKEN", "--file", stdin=VALUE)
        self.home.write("project/.mcp.json", {"mcpServers": {
            "fake": fake() | {"env": {"GIVEN": "${keyring:TOKEN}"}}}})
        outcome = self.home.run("call", "fake_env", "name=GIVEN")
        self.assertNotEqual(outcome.status, 0)
        self.assertNotIn(VALUE, outcome.stdout + outcome.stderr)
        asked = self.check(self.home.run("trust"), USAGE)
        self.assertIn("gets your stored secrets: TOKEN", asked.stderr)
        self.ok("trust", "--yes")
        self.assertIn(VALUE, self.ok("call", "fake_env", "name=GIVEN"))

    def test_the_file_of_another_host_gets_none(self):
        self.ok("secret", "set", "TOKEN", "--file", stdin=VALUE)
        self.home.write(".cursor/mcp.json", {"mcpServers": {
            "fake": fake() | {"env": {"GIVEN": "${keyring:TOKEN}"}}}})
        self.home.write(".pi/agent/mcp.json", {"imports": ["cursor"]})
        outcome = self.check(self.home.run("connect", "fake"), UNAVAILABLE)
        self.assertIn("counts in files of pi-mcp only", outcome.stdout + outcome.stderr)


class Typed(TerminalTest):
    def prompted(self, *options):
        process, ours = self.start_in_terminal("secret", "set", "TOKEN", "--file", *options)
        text = b""
        while b"(it is not shown): " not in text:
            text += os.read(ours, 65536)
        self.addCleanup(os.close, ours)
        return process, ours

    def echoes(self, terminal):
        return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)

    def rest(self, terminal):
        text = b""
        try:
            while block := os.read(terminal, 65536):
                text += block
        except OSError:
            pass  # how Linux says that the other side is closed
        return text.decode()

    def test_what_is_typed_is_stored_and_not_shown(self):
        process, ours = self.prompted()
        self.assertFalse(self.echoes(ours))
        os.write(ours, VALUE.encode() + b"\n")
        self.assertNotIn(VALUE, self.rest(ours))
        self.assertEqual(process.wait(timeout=WAIT_SECONDS), 0)
        stored = json.loads((self.home.agent / "mcp-secrets.json").read_text())
        self.assertEqual(stored["secrets"]["TOKEN"]["value"], VALUE)

    def test_the_terminal_shows_what_is_typed_again_however_it_ends(self):
        for key, status in ((b"\x03", INTERRUPTED), (b"\n", USAGE)):
            process, ours = self.prompted()
            os.write(ours, key)
            self.assertEqual(process.wait(timeout=WAIT_SECONDS), status)
            self.assertTrue(self.echoes(ours))
        self.assertFalse((self.home.agent / "mcp-secrets.json").exists())

    def test_a_text_of_many_lines_is_refused_and_does_not_reach_the_shell(self):
        process, ours = self.prompted()
        os.write(ours, b"-----BEGIN KEY-----\nrm -rf x\n")
        self.assertIn("pi-mcp secret set TOKEN < FILE", self.rest(ours))
        self.assertEqual(process.wait(timeout=WAIT_SECONDS), USAGE)


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main(argv=sys.argv[:1])
