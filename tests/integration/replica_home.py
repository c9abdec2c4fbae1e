"""Replicas of `pi-mcp serve --http` and a real redis-server, for the tests of both."""
import os
import select
import signal
import subprocess
import threading

from cli_home import WAIT_SECONDS, fake
from free_ports import free_ports
from http_client import Client
from http_home import HttpTest


class Store:
    """A redis-server without files."""

    def __init__(self, port, password=None):
        words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
                 "--appendonly", "no"]
        words += ["--requirepass", password] if password else []
        self.port, self.password = port, password
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        while b"Ready to accept connections" not in (line := self.process.stdout.readline()):
            assert line, "redis-server has ended"

    def tell(self, *words):
        login = ["-a", self.password, "--no-auth-warning"] if self.password else []
        said = subprocess.run(["redis-cli", "-p", str(self.port), *login, *words],
                              capture_output=True, check=True, text=True)
        return said.stdout.strip()

    def keys(self, kind="session"):
        return self.tell("--raw", "KEYS", f"pi-mcp:1:{kind}:*").split()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=WAIT_SECONDS)


class Replica:
    def __init__(self, test, store_url, options=(), home=None, key=None):
        self.test, self.home = test, home or test.home
        self.address = f"127.0.0.1:{free_ports(1)}"
        self.url = f"http://{self.address}"
        self.words = ["serve", "--http", self.address, "--session-key", str(key or test.key),
                      "--advertise", self.url, *options]
        self.words += ["--store", store_url] if store_url else []
        self.start()
        test.addCleanup(self.end)

    def start(self):
        self.process = self.home.start(*self.words)
        self.said = ""
        while "ctrl-C" not in self.said:
            ready, _, _ = select.select([self.process.stderr], [], [], WAIT_SECONDS)
            got = os.read(self.process.stderr.fileno(), 65536).decode() if ready else ""
            self.test.assertTrue(got, self.said)
            self.said += got
        self.reader = threading.Thread(target=self.process.stderr.read)  # so that it never is full
        self.reader.start()

    def end(self, how=signal.SIGKILL):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(WAIT_SECONDS)
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return status


class ReplicasTest(HttpTest):
    def setUp(self):
        super().setUp()
        self.key = self.home.write("keys", "ab" * 32 + "\n")
        self.key.chmod(0o600)
        self.home.configure(fake=fake())

    def store(self, **options):
        store = Store(free_ports(1), **options)
        self.addCleanup(store.end)
        return store

    def replicas(self, count, store_url, options=()):
        return [Replica(self, store_url, options) for _ in range(count)]

    def at(self, replica, **options):
        client = Client(replica.address, **options)
        self.addCleanup(client.close)
        return client

    def session_at(self, replica, **options):
        client = self.at(replica, **options)
        self.assertEqual(client.initialize().status, 200)
        return client

    def echo(self, client, replica, text):
        client.address = replica.address
        answer = client.call("fake_echo", text=text)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.message()["result"]["content"][0]["text"], text)

    def wait_until(self, holds):
        for _ in range(600):
            if found := holds():
                return found
            select.select([], [], [], .05)
        self.fail("what was waited for has not happened")
