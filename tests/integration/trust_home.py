"""What the tests of trust share: a project of a stranger, programs in it that leave a trace when
they run, a listener that keeps every byte, and secrets that must turn up nowhere."""
import concurrent.futures
import contextlib
import json

import queue
import socketserver
import subprocess
import threading

from cli_home import FAKE_SERVER, WAIT_SECONDS, CliTest, Home, fake
from serve_host import Host

ENVIRONMENT_SECRET = "planted-in-the-environment-4711"
USER_SECRET = "planted-in-the-users-entry-4712"
FILE_SECRET = "planted-in-a-file-of-the-user-4713"
SECRETS = (ENVIRONMENT_SECRET, USER_SECRET, FILE_SECRET)
# In descriptions of the project's entries: no text for a model may have it.
STRANGER = "zqxstranger"
POOL_THREADS = 3  # enough to keep two processors busy


class Keeper(socketserver.StreamRequestHandler):
    """Keeps what arrives on one connection, and answers HTTP with "not found"."""

    def handle(self):
        self.server.arrived.append(b"(connected)")
        body = 0
        while line := self.rfile.readline(65536):
            self.server.arrived.append(line)
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                body = int(value)
            if line.startswith(b"{"):
                return  # a message of MCP: who speaks it here learns at once that nobody answers
            if line in (b"\r\n", b"\n"):
                self.server.arrived.append(self.rfile.read(body))
                break
        with contextlib.suppress(OSError):  # it did not wait for an answer
            self.wfile.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
                             b"Connection: close\r\n\r\n")


class Listener:
    """A server of its own thread, until it is closed."""

    def __init__(self, kind, address):
        self.server = kind(address, Keeper)
        self.server.daemon_threads = True
        self.server.arrived = []
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={"poll_interval": 0.05})
        self.thread.start()

    def bytes(self):
        return b"".join(self.server.arrived)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(timeout=WAIT_SECONDS)


class Project(Home):
    """A home with a project in it, and everything that ever was printed."""

    def __init__(self):
        super().__init__()
        self.sink = Listener(socketserver.ThreadingTCPServer, ("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.sink.server.server_address[1]}"
        self.socket = self.root / "sink.sock"
        self.socket_sink = Listener(socketserver.ThreadingUnixStreamServer, str(self.socket))
        self.canaries = self.root / "canaries"
        self.canaries.mkdir()
        # A server that works, and says with a file of its name that it was started.
        self.plant = self.script("project/plant.sh", 'name=$1; shift\n'
                                 f'env > "{self.canaries}/$name"\n'
                                 f'exec "{FAKE_SERVER}" --tools all --name "$name" "$@"\n')
        self.env |= {"PLANTED_TOKEN": ENVIRONMENT_SECRET}
        self.secret_file = self.write("id_rsa", FILE_SECRET)
        self.printed = []

    def remove(self):
        self.sink.close()
        self.socket_sink.close()
        super().remove()

    def script(self, path, text):
        file = self.write(path, "#!/bin/sh\n" + text)
        file.chmod(0o755)
        return file

    def planted(self, name, *args, **more):
        """An entry for that server; `name` is what it leaves behind."""
        return {"command": str(self.plant), "args": [name, *args], **more}

    def project_file(self, path=".mcp.json", **servers):
        return self.write(f"project/{path}", {"mcpServers": servers})

    def user_file(self, servers=None, **settings):
        return self.write(".pi/agent/mcp.json",
                          {"mcpServers": servers or {}, "settings": settings})

    def run(self, *args, **options):
        outcome = super().run(*args, **options)
        self.printed.append(outcome.stdout + outcome.stderr)
        return outcome

    def run_all(self, commands):
        """Each command, a few at a time; outcomes in the order of the commands."""
        with concurrent.futures.ThreadPoolExecutor(POOL_THREADS) as pool:
            return list(pool.map(lambda words: self.run(*words), commands))

    def started(self):
        return sorted(file.name for file in self.canaries.iterdir())

    def forget_started(self):
        for file in self.canaries.iterdir():
            file.unlink()

    def arrived(self):
        return self.sink.bytes() + self.socket_sink.bytes()

    def kept(self):
        """What mcp-trust.json says; {} without one."""
        file = self.agent / "mcp-trust.json"
        return json.loads(file.read_text()) if file.exists() else {}

    def trusts(self, folder=None):
        """Names of the servers that are kept as trusted, of one folder; "" is for settings."""
        folders = self.kept().get("folders", {})
        entry = folders.get(str((folder or self.project).resolve()), {})
        return sorted(one["server"] for one in entry.get("entries", {}).values())

    def git(self, *args, cwd=None):
        environment = self.env | {
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
        subprocess.run(["git", *args], cwd=cwd or self.project, env=environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Asking(Host):
    """A host of `pi-mcp serve` that answers questions as the test says: `answers` are decisions, or
    whole results, one per question."""

    def __init__(self, project, *options, answers=None, capabilities=None, **process_options):
        self.project = project
        self.asked = []
        self.questions = queue.Queue()  # ids of those that the test answers itself
        self.decisions = list(answers or [])
        self.notes = []
        self.said = []
        can_ask = answers is not None if capabilities is None else capabilities
        self.capabilities = {"experimental": {"pi-mcp/details": {}}}
        if can_ask:
            self.capabilities["elicitation"] = {}
        self.options = options
        super().__init__(_Start(project, options), **process_options)

    def begin(self, method, params):
        if method == "initialize":
            params = params | {"capabilities": self.capabilities}
        return super().begin(method, params)

    def request(self, method, params):
        answer = super().request(method, params)
        self.said.append(json.dumps(answer))
        if method == "initialize":
            self.hello = answer
        return answer

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            self.project.printed.append(line)
            if message.get("method") == "elicitation/create":
                self.asked.append(message["params"])
                self.reply(message["id"])
            elif "method" in message:
                self.notes.append(message)
            else:
                self.answers[message["id"]] += 1
                self.waiting[message["id"]].put(message)
        with self.lock:
            for answer in self.waiting.values():
                answer.put(None)

    def reply(self, number):
        if not self.decisions:
            self.questions.put(number)
            return
        self.decide(number, self.decisions.pop(0))

    def decide(self, number, decision):
        if isinstance(decision, str):
            decision = {"action": "accept", "content": {"decision": decision}}
        self.send({"id": number, "result": decision})

    def tools(self):
        return self.request("tools/list", {})["result"]["tools"]

    def details(self, **arguments):
        return self.mcp(**arguments)["result"]["_meta"]["pi-mcp/details"]

    def servers(self):
        return {server["name"]: server["status"] for server in self.details()["servers"]}

    def until(self, holds):
        """Asks for the status until it is so."""
        for _ in range(3000):
            if holds(seen := self.servers()):
                return seen
        raise AssertionError(seen)

    def works(self, name):
        answer = self.mcp(tool=f"{name}_echo", args={"text": "hello"})["result"]
        return not answer.get("isError") and answer["content"][0]["text"] == "hello"

    def end(self):
        status, errors = self.close()
        self.project.printed.append(errors)
        return status, errors


class _Start:
    """The home as Host wants it, with options of `serve`."""

    def __init__(self, project, options):
        self.project, self.words = project, options

    def start(self, command, **options):
        return self.project.start(command, *self.words, **options)


class TrustTest(CliTest):
    def setUp(self):
        self.home = Project()
        self.addCleanup(self.home.remove)
        self.addCleanup(self.look_for_secrets)
        self.hosts = contextlib.ExitStack()
        self.addCleanup(self.hosts.close)

    def look_for_secrets(self):
        for text in self.home.printed:
            for secret in SECRETS:
                self.assertNotIn(secret, text, "a secret was printed")
        for secret in SECRETS:
            self.assertNotIn(secret.encode(), self.home.arrived(), "a secret has left")
        for file in self.home.canaries.iterdir():
            self.assertNotIn(USER_SECRET, file.read_text(), f"{file.name} was given a secret")

    def serve(self, *options, **more):
        host = Asking(self.home, *options, **more)
        self.hosts.callback(self.end_host, host)
        return host

    @staticmethod
    def end_host(host):
        if host.process.returncode is None:
            host.end()

    def assert_nothing_happened(self):
        self.assertEqual(self.home.started(), [])
        self.assertEqual(self.home.arrived(), b"")

    def assert_works(self, name, *options):
        outcome = self.home.run("call", f"{name}_echo", "text=hello", *options)
        self.assertEqual((outcome.status, outcome.stdout), (0, "hello\n"), outcome)

    def assert_waits(self, name, *options):
        """The project's server is asked about, and was not started."""
        self.home.forget_started()
        outcome = self.home.run("call", f"{name}_echo", "text=hello", *options)
        self.assertEqual(outcome.status, 5, outcome)
        self.assertIn("pi-mcp trust", outcome.stderr, outcome)
        self.assertEqual(self.home.started(), [])

    def trust(self, *words):
        return self.ok("trust", *words, "--yes")


class GivenTest(TrustTest):
    """A server of the user's own, and a project of which some is trusted."""

    def setUp(self):
        super().setUp()
        self.home.user_file({"mine": fake(name="mine")})

    def write_two(self):
        return self.home.project_file(one=self.home.planted("one"), two=self.home.planted("two"))

    def assert_kept_answer(self):
        """Nobody is asked again for the same content."""
        host = self.serve(answers=[])
        self.assertTrue(host.works("one"))
        host.end()
        self.assertEqual(host.asked, [])
