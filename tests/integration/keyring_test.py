"""Logins in the keyring of a desktop. Usage: keyring_test.py PI_MCP FAKE_SERVER

A message bus and GNOME's keyring of their own run for each test: we ask a real Secret Service, and
what libsecret files is filed by it (secret-tool). Other buses are sockets of the test that never
answer."""
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import oauth_echo
from cli_home import WAIT_SECONDS, HostTest, fake
from oauth_echo import PLANTED

NOT_FOUND, UNAVAILABLE = 3, 4

BUS_CONFIGURATION = """<busconfig>
  <type>session</type>
  <listen>unix:path={}</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class Desktop:
    """A message bus with an unlocked keyring on it; nothing of the machine's own is used."""

    @classmethod
    def of(cls, test):
        """One that the programs of the test find, until it ends."""
        desktop = cls(test.home)
        test.addCleanup(desktop.close)
        test.home.env["DBUS_SESSION_BUS_ADDRESS"] = desktop.address
        deadline = time.monotonic() + WAIT_SECONDS
        while (outcome := test.home.run("__keyring", "keep", "probe", stdin="x")).status != 0:
            test.assertLess(time.monotonic(), deadline, outcome)
        return desktop

    def __init__(self, home):
        self.runtime = home.root / "run"
        self.runtime.mkdir(mode=0o700)
        self.env = home.env | {"XDG_RUNTIME_DIR": str(self.runtime)}
        # Without the machine's services: it would start a keyring itself, a locked one.
        config = home.write("bus.conf", BUS_CONFIGURATION.format(self.runtime / "session"))
        self.bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile",
             "--print-address=1"],
            env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.bus.stdout.readline().strip()
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self.address
        self.keyring = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock"],
            env=self.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.keyring.stdin.write(b"password of the keyring")
        self.keyring.stdin.close()

    def close(self):
        for process in (self.keyring, self.bus):
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait(timeout=WAIT_SECONDS)
        self.bus.stdout.close()


class Deaf:
    """A message bus that takes connections and never says a word."""

    def __init__(self, home):
        path = home.root / "deaf"
        self.connections = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen()
        self.address = f"unix:path={path}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                self.connections.append(self.socket.accept()[0])
            except OSError:
                return

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.connections:
            connection.close()


class KeyringTest(HostTest):
    @classmethod
    def setUpClass(cls):
        for program in ("dbus-daemon", "gnome-keyring-daemon"):
            if shutil.which(program) is None:
                raise AssertionError(f"{program} is missing; ./dev setup installs it")

    def setUp(self):
        super().setUp()
        self.server = oauth_echo.Server()
        self.addCleanup(self.server.close)
        browser = self.home.write("browser.py", "import sys, urllib.request as request\n"
                                  "request.urlopen(sys.argv[1], timeout=30).read()\n")
        self.home.env["BROWSER"] = f"{sys.executable} {browser}"
        self.home.configure(remote={"url": f"{self.server.origin}/a-renews/mcp", "auth": "oauth"})

    def use_deaf_bus(self):
        bus = Deaf(self.home)
        self.addCleanup(bus.close)
        self.home.env["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        return bus

    def record_file(self):
        files = list((self.home.agent / "mcp-credentials").glob("*.json"))
        return files[0] if files else None

    def record(self):
        return json.loads(self.record_file().read_text())

    def in_keyring(self, file):
        name = hashlib.sha256(str(file).encode()).hexdigest()
        return self.home.run("__keyring", "find", name)

    def change(self, **members):
        record = self.record()
        for name, value in members.items():
            record["tokens"][name] = value
        self.record_file().write_text(json.dumps(record))

    def test_a_login_is_kept_in_the_keyring_renewed_there_and_removed_from_there(self):
        Desktop.of(self)
        self.ok("auth", "remote")
        file, record = self.record_file(), self.record()
        self.assertEqual(record["store"], "keyring")
        for secret in PLANTED.values():
            self.assertNotIn(secret, file.read_text())
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        kept = json.loads(self.check(self.in_keyring(file), 0).stdout)
        self.assertIn(PLANTED["access"], kept["access"])
        self.ok("connect", "remote")

        self.change(staleAt=1)
        self.ok("connect", "remote")
        self.assertIn(kept["refresh"], self.server.received["refresh_token"])
        renewed = json.loads(self.check(self.in_keyring(file), 0).stdout)
        self.assertNotEqual(renewed["refresh"], kept["refresh"])
        self.assertEqual(self.record()["store"], "keyring")

        self.ok("logout", "remote")
        self.assertIn(renewed["refresh"], self.server.received["token"])
        self.assertIsNone(self.record_file())
        self.check(self.in_keyring(file), NOT_FOUND)

    def test_what_libsecret_has_filed_is_found_replaced_and_dropped(self):
        desktop = Desktop.of(self)
        attributes = ["xdg:schema", "pi-mcp.login", "record", "of-an-earlier-version"]
        ask = ("__keyring", "find", "of-an-earlier-version")
        subprocess.run(["secret-tool", "store", "--label", "any", *attributes], input="old",
                       text=True, env=desktop.env, check=True)
        self.assertEqual(self.ok(*ask), "old")
        self.check(self.home.run("__keyring", "keep", ask[2], stdin="new \u00e9\0\n"), 0)
        found = subprocess.run(["secret-tool", "search", "--all", *attributes], env=desktop.env,
                               check=True, capture_output=True, text=True)
        self.assertEqual(found.stdout.count("secret = "), 1, found.stdout)
        self.assertEqual(self.ok(*ask), "new \u00e9\0\n")
        self.check(self.home.run("__keyring", "drop", ask[2]), 0)
        self.check(self.home.run(*ask), NOT_FOUND)
        self.check(self.home.run("__keyring", "drop", ask[2]), NOT_FOUND)

    def test_named_secrets_are_listed_and_names_that_are_not_text_are_refused(self):
        Desktop.of(self)
        for name in ("one", "two"):
            self.check(self.home.run("__keyring", "keep-named", name, stdin=name), 0)
        self.assertEqual(sorted(self.ok("__keyring", "names").split()), ["one", "two"])
        outcome = self.check(self.home.run("__keyring", "find-named", b"\xff"), UNAVAILABLE)
        self.assertIn("UTF-8", outcome.stdout)

    def test_a_bus_without_a_keyring_says_so(self):
        desktop = Desktop.of(self)
        desktop.keyring.kill()
        desktop.keyring.wait()
        outcome = self.check(self.home.run("__keyring", "find", "x"), UNAVAILABLE)
        self.assertIn("the Secret Service says: ", outcome.stdout)

    def test_many_processes_renew_a_login_of_the_keyring_once(self):
        Desktop.of(self)
        self.ok("auth", "remote")
        before = self.server.renewals
        self.change(staleAt=1)
        processes = [self.home.start("connect", "remote") for _ in range(8)]
        for process in processes:
            stdout, stderr = process.communicate(timeout=WAIT_SECONDS)
            self.assertEqual(process.returncode, 0, stdout + stderr)
        self.assertEqual(self.server.renewals, before + 1)

    def test_settings_and_environment_keep_new_logins_in_files(self):
        Desktop.of(self)
        self.home.env["PI_MCP_CREDENTIAL_STORE"] = "file"
        self.ok("auth", "remote")
        self.assertIn(PLANTED["access"], self.record()["tokens"]["access"])
        del self.home.env["PI_MCP_CREDENTIAL_STORE"]
        self.ok("auth", "remote")
        self.assertEqual(self.record()["store"], "keyring")
        self.home.configure(remote={"url": f"{self.server.origin}/a-renews/mcp", "auth": "oauth"})
        settings = json.loads((self.home.agent / "mcp.json").read_text())
        settings["settings"] = {"oauthCredentialStore": "file"}
        self.home.write(".pi/agent/mcp.json", settings)
        self.ok("auth", "remote")
        self.assertEqual(self.record()["store"], "file")
        self.check(self.in_keyring(self.record_file()), NOT_FOUND)

    def test_a_file_of_an_earlier_version_goes_on_working(self):
        self.ok("auth", "remote")
        record = self.record()
        del record["store"]
        self.record_file().write_text(json.dumps(record))
        Desktop.of(self)
        self.ok("connect", "remote")
        self.change(staleAt=1)
        self.ok("connect", "remote")
        self.assertIn(PLANTED["access"], self.record()["tokens"]["access"])

    def test_a_bus_that_never_answers_costs_its_deadline_and_the_file_is_used(self):
        bus = self.use_deaf_bus()
        began = time.monotonic()
        outcome = self.check(self.home.run("auth", "remote"), 0)
        self.assertLess(time.monotonic() - began, WAIT_SECONDS / 2)
        self.assertIn("did not answer within 2000 ms", outcome.stderr)
        self.assertNotEqual(len(bus.connections), 0)
        self.assertIn(PLANTED["access"], self.record()["tokens"]["access"])
        began = len(bus.connections)
        self.ok("connect", "remote")
        self.assertEqual(len(bus.connections), began, "a login in a file needs no keyring")
        # It may have kept them all the same: it is told, and the logout is done.
        self.check(self.home.run("logout", "remote"), 0, stderr="may be left in the keyring")
        self.assertIsNone(self.record_file())

    def test_a_login_whose_keyring_is_gone_says_what_to_do_and_is_not_lost(self):
        desktop = Desktop.of(self)
        self.ok("auth", "remote")
        for address in (self.use_deaf_bus().address, ""):
            self.home.env["DBUS_SESSION_BUS_ADDRESS"] = address
            outcome = self.check(self.home.run("connect", "remote"), UNAVAILABLE)
            self.assertIn("pi-mcp auth remote", outcome.stdout + outcome.stderr)
            self.check(self.home.run("logout", "remote"), UNAVAILABLE)
        self.assertEqual(self.record()["store"], "keyring")
        self.home.env["DBUS_SESSION_BUS_ADDRESS"] = desktop.address
        self.ok("connect", "remote")
        # A keyring that is stopped is the same as one that shows a dialog.
        desktop.keyring.send_signal(signal.SIGSTOP)
        self.check(self.home.run("connect", "remote"), UNAVAILABLE)
        self.ok("auth", "remote")
        self.assertEqual(self.record()["store"], "file-after-keyring")
        desktop.keyring.send_signal(signal.SIGCONT)
        self.ok("connect", "remote")
        file = self.record_file()
        self.ok("logout", "remote")
        self.check(self.in_keyring(file), NOT_FOUND)

    def test_a_locked_keyring_is_not_waited_for(self):
        desktop = Desktop.of(self)
        self.ok("auth", "remote")
        subprocess.run(
            ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets",
             "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock",
             "array:objpath:/org/freedesktop/secrets/collection/login"],
            env=desktop.env, check=True, stdout=subprocess.DEVNULL)
        outcome = self.check(self.home.run("connect", "remote"), UNAVAILABLE)
        self.assertIn("locked", outcome.stdout + outcome.stderr)
        self.ok("auth", "remote")
        self.assertIn(PLANTED["access"], self.record()["tokens"]["access"])

    def keep_as_the_adapter(self, desktop, service, entry, server="remote", piece=""):
        """As the library that it uses files its entries."""
        account = "sha256-" + hashlib.sha256(server.encode()).hexdigest() + piece
        subprocess.run(["secret-tool", "store", "--label", f"keyring:{account}@{service}",
                        "application", "rust-keyring", "service", service, "target", "default",
                        "username", account],
                       input=entry if isinstance(entry, str) else json.dumps(entry), text=True,
                       env=desktop.env, check=True)

    def test_a_bearer_token_of_the_adapter_is_read_from_its_entry(self):
        desktop = Desktop.of(self)
        url = f"{self.server.origin}/a-renews/mcp"
        self.home.configure(remote={"url": url, "auth": "bearer", "bearerTokenStore": True})
        outcome = self.check(self.home.run("connect", "remote"), 4)
        self.assertIn("bearerTokenStore", outcome.stdout + outcome.stderr)
        entry = json.dumps({"token": PLANTED["access"], "serverUrl": url})
        self.keep_as_the_adapter(desktop, "pi-mcp-adapter.bearer", entry)
        self.ok("connect", "remote")
        self.assertEqual(self.server.received["bearer"], {PLANTED["access"]})
        # Long ones are in pieces.
        digest = hashlib.sha256(entry.encode()).hexdigest()[:16]
        for index, text in enumerate((entry[:20], entry[20:])):
            self.keep_as_the_adapter(desktop, "pi-mcp-adapter.bearer", text,
                                     piece=f".chunk.{digest}.{index}")
        self.keep_as_the_adapter(desktop, "pi-mcp-adapter.bearer", {
            "__piMcpAdapterBearerChunked": 1, "chunkCount": 2, "chunkDigest": digest})
        self.ok("connect", "remote")
        # It is for one url and no other.
        self.home.configure(remote={"url": url + "/other", "auth": "bearer",
                                    "bearerTokenStore": True})
        self.check(self.home.run("connect", "remote"), 4)

    def test_a_login_of_the_adapter_is_used_and_renewed_as_one_of_our_own(self):
        desktop = Desktop.of(self)
        url = f"{self.server.origin}/a-renews/mcp"
        login = {"tokens": {"accessToken": PLANTED["access"], "refreshToken": PLANTED["refresh"],
                            "expiresAt": time.time() + 600,
                            "issuer": f"{self.server.origin}/a-renews"},
                 "clientInfo": {"clientId": "of-the-adapter"}, "serverUrl": url}
        self.keep_as_the_adapter(desktop, "pi-mcp-adapter.oauth", login)
        self.ok("connect", "remote")
        self.assertIsNone(self.record_file(), "nothing had to be renewed")
        login["tokens"]["expiresAt"] = 1
        self.keep_as_the_adapter(desktop, "pi-mcp-adapter.oauth", login)
        self.ok("connect", "remote")
        self.assertEqual(self.server.received["refresh_token"], {PLANTED["refresh"]})
        self.assertEqual(self.record()["client"]["id"], "of-the-adapter")
        self.assertEqual(self.record()["store"], "keyring")
        self.ok("connect", "remote")

    def test_a_login_of_the_adapter_for_another_url_is_not_used(self):
        desktop = Desktop.of(self)
        self.keep_as_the_adapter(desktop, "pi-mcp-adapter.oauth", {
            "tokens": {"accessToken": PLANTED["access"]}, "serverUrl": "https://other.example/mcp"})
        self.check(self.home.run("connect", "remote"), 5)
        self.assertNotIn("bearer", self.server.received)

    def test_encrypted_files_get_their_key_from_the_keyring(self):
        Desktop.of(self)
        self.home.env["PI_MCP_CREDENTIAL_STORE"] = "encrypted-file"
        self.ok("auth", "remote")
        self.assertEqual(self.record()["store"], "encrypted-file")
        self.assertNotIn(PLANTED["access"], self.record_file().read_text())
        self.ok("connect", "remote")
        self.change(staleAt=1)
        self.ok("connect", "remote")
        self.assertEqual(self.record()["store"], "encrypted-file")
        self.home.env["DBUS_SESSION_BUS_ADDRESS"] = ""
        outcome = self.check(self.home.run("connect", "remote"), UNAVAILABLE)
        self.assertIn("cannot be decrypted", outcome.stdout + outcome.stderr)

    def test_servers_without_a_login_never_ask_the_keyring(self):
        bus = self.use_deaf_bus()
        self.home.configure(local=fake(), remote={"url": f"{self.server.origin}/a-renews/mcp",
                                                  "bearerToken": PLANTED["access"]})
        self.ok("connect", "local")
        self.ok("connect", "remote")
        process = self.host()
        self.addCleanup(process.kill)
        self.call(process, 7, "local_echo", text="x")
        self.answer(process, 7)
        process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(bus.connections, [])


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main(argv=sys.argv[:1])
