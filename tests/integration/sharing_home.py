"""What tests of the one process for all sessions need: its hosts, and a look at who is there."""
import os
import pathlib
import resource
import select
import subprocess

from cli_home import BINARY, WAIT_SECONDS, CliTest, fake, wait_process_gone
from serve_host import Host, text_of


class SharingTest(CliTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.expect_no_shared_process)
        del self.home.env["PI_MCP_SHARED"]
        self.pids = self.home.root / "pids"
        self.log = self.home.root / "calls"
        self.home.configure(fake=self.entry())

    def entry(self, *options):
        return fake("--pid-file", self.pids, "--log", self.log, *options)

    def serve(self, **options):
        host = Host(self.home, **options)
        self.addCleanup(self.end, host)
        return host

    def host_with(self, *words):
        """One that starts us with these words."""
        start = self.home.start
        self.home.start = lambda command, **options: start(command, *words, **options)
        try:
            return self.serve()
        finally:
            self.home.start = start

    def host_with_limit(self, resource_number, limit):
        """One that starts us with this hard limit."""
        start = self.home.start
        self.home.start = lambda *words, **options: start(*words, **options, preexec_fn=lambda: (
            resource.setrlimit(resource_number, (limit, limit))))
        try:
            return self.serve()
        finally:
            self.home.start = start

    def tearDown(self):
        subprocess.run([BINARY, "stop", "--all", "--quiet"], env=self.home.env, check=False,
                       cwd=self.home.project, timeout=WAIT_SECONDS)
        super().tearDown()

    def expect_no_shared_process(self):
        for shared in self.all_shared():
            wait_process_gone(shared)

    def end(self, host):
        if host.process.poll() is None:
            host.process.kill()
        host.process.wait(timeout=WAIT_SECONDS)
        for stream in (host.process.stdin, host.process.stdout, host.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        host.reader.join(timeout=WAIT_SECONDS)

    def servers(self):
        """Every start of the server so far."""
        return [int(pid) for pid in self.pids.read_text().split()] if self.pids.exists() else []

    def shared(self):
        """The process that sessions of this home share; None when there is none."""
        return next(iter(self.all_shared()), None)

    def all_shared(self):
        folder, found = str(self.home.agent / "run"), []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                name = (entry / "comm").read_text().strip()
                is_shared = b"__shared" in words and name != "pi-mcp-keeper"  # a copy of it
                if is_shared and folder in map(self.opened, (entry / "fd").iterdir()):
                    found.append(int(entry.name))
            except OSError:
                pass  # it is gone, or no process
        return found

    @staticmethod
    def opened(number):
        try:
            return os.readlink(number)
        except OSError:
            return ""  # closed meanwhile

    def wait_at_rest(self, pid):
        """Until the process waits for the kernel, so that it has noted what it wrote."""
        status = pathlib.Path(f"/proc/{pid}/stat")
        for _ in range(WAIT_SECONDS * 1000):
            if status.read_text().rpartition(")")[2].split()[0] == "S":
                return
            select.select([], [], [], .001)
        self.fail(f"{pid} is never at rest")

    def echo(self, host, text="hello"):
        answer = host.mcp(tool="fake_echo", args={"text": text})
        self.assertEqual(text_of(answer), text)
