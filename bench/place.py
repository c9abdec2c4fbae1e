"""Where a benchmark runs: the programs, home directories, and what a process holds."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("PI_MCP_BENCH_BUILD", "build/release")
PRODUCT = str(BUILD / "pi-mcp")
DRIVER, RELAY, SERVER = (str(BUILD / "bench" / f"bench_{name}")
                         for name in ("driver", "relay", "fast_server"))
ONE_CORE = ["taskset", "-c", "1"] if shutil.which("taskset") and os.cpu_count() > 1 else []
OTHER_CORE = ["taskset", "-c", "0"] if ONE_CORE else []
SECONDS = 120  # the longest that one run of one program may take


def said_by(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def commit():
    """What is measured; pages and records that an earlier measure has written do not count."""
    parts = ("src", "bench", "tools", "CMakeLists.txt", "CMakePresets.json")
    changed = said_by("git", "status", "--porcelain", "--untracked-files=no", "--", *parts)
    return f"{said_by('git', 'rev-parse', '--short=9', 'HEAD')}{'-dirty' if changed else ''}"


class Failed(Exception):
    """A program did not do what was asked; the message is short enough for a table."""


def short(text):
    """What a program said, as far as it tells something, without what would break a table."""
    message = re.search(r'"(?:message|text)": ?"((?:[^"\\]|\\.)*)', text)
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["it said nothing"]
    plain = re.sub(r"\x1b\[[0-9;]*m|<[^>]*>|[|`]", "", message[1] if message else lines[0])
    return re.split(r"\\n", plain)[0].strip()[:120]


def execute(command, env, cwd, seconds=None):
    """What a command prints, which has to succeed; one that takes too long is ended."""
    seconds = seconds or SECONDS
    with subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True) as process:
        try:
            out, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Failed(f"not done within {seconds} s") from None
    if process.returncode:
        text = said.decode(errors="replace") + out.decode(errors="replace")
        raise Failed(f"status {process.returncode}: {short(text)}")
    return out


class Home:
    """A home directory of its own; the processes started with it can be found again."""

    def __init__(self):
        # As short as people's own: strings of 15 characters are kept in another way.
        self.folder = tempfile.TemporaryDirectory(prefix="pi", ignore_cleanup_errors=True)
        self.path = pathlib.Path(self.folder.name)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.path), "TMPDIR": str(self.path),
                    "PI_MCP_SHARED": "off"}

    def write(self, name, content):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))

    def run(self, *command, seconds=None):
        return execute(list(command), self.env, self.path, seconds)

    def processes(self):
        marker = f"HOME={self.path}\0".encode()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and marker in (entry / "environ").read_bytes():
                    yield int(entry.name)
            except OSError:
                pass  # it is gone, or somebody else's

    def close(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.folder.cleanup()


class Subject:
    """A program that speaks MCP on stdio, and how one calls a tool through it."""

    def __init__(self, name, command, home, call):
        self.name, self.command, self.home, self.call = name, command, home, call
        self.failed = None  # why it cannot be started, a Failed

    def check(self):
        if self.failed:
            raise self.failed

    def drive(self, params=None, pin=ONE_CORE, **options):
        """What the driver has seen of one process; options are the driver's."""
        self.check()
        words = [word for key, value in options.items()
                 for word in (f"--{key.replace('_', '-')}", str(value))]
        if params:
            words += ["--params", json.dumps(params)]
        return json.loads(self.home.run(*pin, DRIVER, *words, "--", *self.command))

    def close(self):
        self.home.close()


def direct_call(tool, **arguments):
    return {"name": tool, "arguments": arguments}


def gateway_call(tool, server="s0", **arguments):
    return {"name": "mcp", "arguments": {"tool": f"{server}_{tool}", "args": arguments}}


def server_entries(count, tools):
    return {f"s{i}": {"command": SERVER, "args": ["--name", f"s{i}", "--tools", str(tools)]}
            for i in range(count)}


def direct():
    return Subject("direct", [SERVER], Home(), direct_call)


def relay():
    return Subject("relay", [RELAY, SERVER], Home(), direct_call)


def ours(count, tools=3, settings=None, program=PRODUCT, name="pi-mcp"):
    """pi-mcp, or another build of it, with `count` configured servers whose tools are in the
    metadata cache."""
    home = Home()
    home.write(".pi/agent/mcp.json", {"mcpServers": server_entries(count, tools),
                                      "settings": settings or {}})
    home.write(".pi/agent/mcp-cache.json", {"version": 1, "servers": {}})
    if count:
        home.run(program, "connect", "--all", "--quiet", seconds=300)
    return Subject(name, [program, "serve"], home, gateway_call)


class Shared(Subject):
    """The same with one process for all sessions, which another session keeps there."""

    def __init__(self, count, tools=3, settings=None, on_one_core=False):
        own = ours(count, tools, settings)
        del own.home.env["PI_MCP_SHARED"]
        super().__init__("pi-mcp, shared", own.command, own.home, own.call)
        self.other = Held(self)
        if count:
            self.other.ask("tools/call", self.call("echo", text="x"))
        if on_one_core and ONE_CORE:  # it is born free of what its starter is bound to
            for pid in self.pids():
                os.sched_setaffinity(pid, {1})

    def pids(self):
        """The shared process, its keepers and servers."""
        found, more = [], [int(entry.name) for entry in pathlib.Path("/proc").iterdir()
                           if entry.name.isdigit() and self.is_shared(entry)]
        while more:
            found += more
            more = [child for pid in more for child in children(pid) if child not in found]
        return found

    def is_shared(self, entry):
        try:
            return (b"__shared" in (entry / "cmdline").read_bytes().split(b"\0")
                    and any(os.readlink(file).startswith(str(self.home.path))
                            for file in (entry / "fd").iterdir()))
        except OSError:
            return False  # it is gone

    def close(self):
        self.other.close()
        super().close()


def children(pid):
    """Those that a process has now."""
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []  # it is gone
    return [int(child) for child in text.split()]


class Held:
    """A subject that stays open, so that its memory can be read."""

    def __init__(self, subject):
        subject.check()
        self.subject, self.last = subject, 0
        self.process = subprocess.Popen(
            subject.command, env=subject.home.env, cwd=subject.home.path, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"method": "notifications/initialized"})
        self.ask("tools/list", {})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self.last and "method" not in message:
                if "error" in message or message["result"].get("isError"):
                    raise Failed(short(json.dumps(message)))
                return message["result"]
        raise Failed("the process ended before it answered")

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def memory(pid):
    """(PSS, RSS) in MiB."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return tuple(int(re.search(rf"^{name}:\s+(\d+)", text, re.M)[1]) / 1024
                 for name in ("Pss", "Rss"))


def kept_memory(pid):
    """MiB of it that the kernel cannot take back and read again from a file."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(re.search(rf"^Pss_{kind}:\s+(\d+)", text, re.M)[1])
               for kind in ("Anon", "Shmem")) / 1024


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def command_name(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
