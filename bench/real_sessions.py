"""What sessions cost together that use the same ten real servers: bench/servers, from npm."""
import contextlib
import json
import os
import pathlib
import shutil
import time

from figures import Table
from peers import NODE
from place import (PRODUCT, ROOT, Failed, Held, Home, Shared, Subject, gateway_call, kept_memory,
                   memory)

FOLDER = ROOT / "bench/servers"
SETTLE_SECONDS = 3  # after the last answer, until memory is read
WARM_CALLS = 100  # of each server before the first look, since the heap of Node grows with them

# Name: (package, arguments after its program, tool, arguments of the call). HOME is the folder of
# the run, where the sessions are too. No call needs an account or a network.
SERVERS = {
    "everything": ("@modelcontextprotocol/server-everything", [], "echo", {"message": "x"}),
    "files": ("@modelcontextprotocol/server-filesystem", ["HOME"], "list_directory",
              {"path": "HOME"}),
    "memory": ("@modelcontextprotocol/server-memory", [], "read_graph", {}),
    "monitor": ("@modelcontextprotocol/server-system-monitor", ["--stdio"], "get-system-info", {}),
    "budget": ("@modelcontextprotocol/server-budget-allocator", ["--stdio"], "get-budget-data", {}),
    "scenario": ("@modelcontextprotocol/server-scenario-modeler", ["--stdio"],
                 "get-scenario-data", {}),
    "eslint": ("@eslint/mcp", [], "lint-files", {"filePaths": ["HOME/a.js"]}),
    "tailwind": ("tailwindcss-mcp-server", [], "get_tailwind_colors", {}),
    "notes": ("mcp-obsidian", ["HOME"], "search_notes", {"query": "x"}),
    "cohorts": ("@modelcontextprotocol/server-cohort-heatmap", ["--stdio"], "get-cohort-data", {}),
}


def node():
    found = NODE if os.access(NODE, os.X_OK) else shutil.which("node")
    if not found:
        raise Failed("there is no Node.js")
    return found


def program_of(package):
    folder = FOLDER / "node_modules" / package
    try:
        programs = json.loads((folder / "package.json").read_text())["bin"]
    except OSError:
        raise Failed("not installed; ./dev bench full does that") from None
    return str(folder / (programs if isinstance(programs, str) else [*programs.values()][0]))


def at(home, value):
    """With the folder of the run in place of HOME."""
    return json.loads(json.dumps(value).replace("HOME", str(home.path)))


class Real(Subject):
    """pi-mcp with these servers, of which none has been started."""

    def __init__(self, shares):
        home = Home()
        name = "pi-mcp, shared" if shares else "pi-mcp"
        super().__init__(name, [PRODUCT, "serve"], home, gateway_call)
        if shares:
            del home.env["PI_MCP_SHARED"]
        (home.path / "a.js").write_text("export const x = 1;\n")
        (home.path / "eslint.config.mjs").write_text("export default [];\n")
        home.write(".pi/agent/mcp-cache.json", {"version": 1, "servers": {}})
        self.entries, self.failed_servers = {}, {}
        for server, (package, words, _, _) in SERVERS.items():
            try:
                self.entries[server] = {"command": node(),
                                        "args": [program_of(package), *at(home, words)]}
            except Failed as error:
                self.failed_servers[server] = error
        home.write(".pi/agent/mcp.json", {"mcpServers": self.entries})

    def use(self, held, server):
        _, _, tool, arguments = SERVERS[server]
        held.ask("tools/call", self.call(tool, server=server, **at(self.home, arguments)))

    def begin(self, held):
        """Which servers work: the first session starts each, and calls it until it is warm."""
        for server in list(self.entries):
            try:
                held.ask("tools/call", {"name": "mcp", "arguments": {"connect": server}})
                for _ in range(WARM_CALLS):
                    self.use(held, server)
            except Failed as error:
                self.failed_servers[server] = error
                del self.entries[server]

    def use_all(self, held):
        for server in self.entries:
            self.use(held, server)

    def weigh(self):
        """(MiB, MiB without pages of files, processes) of everything."""
        time.sleep(SETTLE_SECONDS)
        there = [pid for pid in {*self.home.processes(), *Shared.pids(self)}
                 if pathlib.Path(f"/proc/{pid}").exists()]
        return (sum(memory(pid)[0] for pid in there), sum(kept_memory(pid) for pid in there),
                len(there))

    def is_shared(self, entry):
        return Shared.is_shared(self, entry)


def growing(subject, counts):
    """[(sessions, *weigh())] of one run to which sessions are added."""
    with contextlib.closing(subject), contextlib.ExitStack() as all_held:
        found = []
        for count in range(1, counts[-1] + 1):
            held = all_held.enter_context(contextlib.closing(Held(subject)))
            if count == 1:
                subject.begin(held)
                if not subject.entries:
                    break
            subject.use_all(held)
            if count in counts:
                found.append((count, *subject.weigh()))
    return found


def as_busy(subject, count):
    """weigh() of one session that calls as often as `count` together, since the heap of Node grows
    with the calls, whoever makes them."""
    with contextlib.closing(subject), contextlib.closing(Held(subject)) as held:
        subject.begin(held)
        for _ in range(count):
            subject.use_all(held)
        return subject.weigh()


def work_of(count, servers, calls_of=0):
    busy = f", the calls of {calls_of}" if calls_of else ""
    return f"{count} session{'s' if count > 1 else ''} × {servers} servers{busy}"


def real_sessions(bench):
    sizes = Table("Sessions that use the same real servers, every process included (PSS)", "MiB",
                  "size", base=None)
    kept = Table("Of it what is no page of a file, which the kernel may take back at any time",
                 "MiB", "size", base=None)
    processes = Table("Their processes", "", "size", base=None)
    failed = {}
    for shares, counts in ((False, (1, 4)), (True, (1, 4, 20))):  # 20 alone need 10 GiB
        samples = {}
        for _ in range(3 if bench.full else 1):
            subject = Real(shares)
            for count, *seen in growing(subject, counts):
                samples.setdefault(work_of(count, len(subject.entries)), []).append(seen)
            failed |= subject.failed_servers
            if shares:
                busy = Real(shares)
                seen = as_busy(busy, counts[-1])
                work = work_of(1, len(busy.entries), counts[-1])
                samples.setdefault(work, []).append(seen)
        for work, seen in samples.items():
            for table, figures in zip((sizes, kept, processes), zip(*seen)):
                table.add(work, subject.name, list(figures))
    for server, error in failed.items():
        sizes.fail(SERVERS[server][0], server, str(error))
    sizes.head["note"] = (
        f"{', '.join(package for package, *_ in SERVERS.values())}; each called {WARM_CALLS} times "
        "by the first session and once by every other. Servers with a state for each client, as "
        "Playwright, are not among them: those are not shared.")
    return [sizes, kept, processes]
