"""The example of packaging/replicas: three replicas behind haproxy, as a person starts it.
Usage: replica_example_test.py PI_MCP FAKE_SERVER"""
import os
import pathlib
import select
import signal
import socket
import subprocess
import unittest

from cli_home import BINARY, WAIT_SECONDS, fake
from free_ports import free_ports
from http_client import MODERN, Client
from http_home import HttpTest

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "packaging/replicas/example.sh"
CALLS = 30


class Example(HttpTest):
    def setUp(self):
        super().setUp()
        self.home.configure(fake=fake())
        self.token = self.home.run("token", "add", "agent").stdout.strip()
        self.folder = self.home.root / "replicas"
        self.port = free_ports(5)
        self.address = f"127.0.0.1:{self.port}"

    def start(self):
        env = self.home.env | {"PI_MCP": BINARY, "PORT": str(self.port)}
        self.process = subprocess.Popen(["sh", EXAMPLE, self.folder], env=env,
                                        cwd=self.home.project, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end_example)

    def end_example(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=WAIT_SECONDS)

    def kill(self, name):
        """Returns when it serves nobody any more: the example, whose child it is, may not yet have
        asked for its status."""
        os.kill(self.pid(name), signal.SIGKILL)
        status = pathlib.Path(f"/proc/{self.pid(name)}/status")
        for _ in range(WAIT_SECONDS * 100):
            try:
                if "\nState:\tZ" in status.read_text():
                    return
            except (FileNotFoundError, ProcessLookupError):
                return
            select.select([], [], [], .01)
        self.fail(f"{name} does not end")

    def pid(self, name):
        return int((self.folder / f"{name}.pid").read_text())

    def wait_for_balancer(self):
        for _ in range(WAIT_SECONDS * 20):
            with socket.socket() as connection:
                if connection.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            select.select([], [], [], .05)
        self.fail((self.folder / "balancer.log").read_text())

    def through_the_balancer(self, **options):
        client = Client(self.address, token=self.token, **options)
        self.addCleanup(client.close)
        return client

    def echo(self, client, text):
        answer = client.call("fake_echo", text=text)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.message()["result"]["content"][0]["text"], text)

    def test_what_does_not_start_is_named_at_once(self):
        with socket.create_server(("127.0.0.1", self.port + 1)):
            self.start()
            said = self.process.communicate(timeout=WAIT_SECONDS)[1].decode()
        self.assertEqual(self.process.returncode, 1, said)
        self.assertIn("a does not serve:", said)
        self.assertIn(f"127.0.0.1:{self.port + 1}", said)

    def test_sessions_go_on_whichever_replica_is_met_or_killed(self):
        self.start()
        if b"ctrl-C" not in self.process.stdout.readline():
            self.fail(self.process.communicate(timeout=WAIT_SECONDS)[1].decode())
        self.wait_for_balancer()
        client = self.through_the_balancer()
        self.assertEqual(client.initialize().status, 200)
        stateless = self.through_the_balancer(version=MODERN)
        for number in range(CALLS):
            self.echo(client, f"{number}")
        self.kill("a")
        for number in range(CALLS):
            self.echo(client, f"{number} without a")
            self.echo(stateless, f"{number} without a session")
        self.assertEqual(client.request("DELETE").status, 200)
        for _ in range(3):
            self.check(client.post("tools/list"), 404, "initialize")
        pids = [self.pid(name) for name in ("b", "c", "store", "balancer")]
        self.end_example()
        self.assertEqual(self.process.returncode, 0)
        for pid in pids:
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())


if __name__ == "__main__":
    unittest.main(argv=[__file__])
