"""Real servers from PyPI, configured with uvx as their documentation shows it: listed, searched and
called, nothing of uv beside them, nothing left of them. Prints what they weigh, beside what they
weigh below uvx. Usage: uvx_test.py PI_MCP FAKE_SERVER

markitdown-mcp brings 300 MB of packages: only with PI_MCP_HEAVY=1, as ./dev nightly sets it."""
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "integration"))
# pylint: disable=wrong-import-position
import cli_home  # noqa: E402
from cli_home import HostTest  # noqa: E402
from planted_clone import Listener  # noqa: E402

cli_home.WAIT_SECONDS = 300  # all of them are installed first
PAGE = b"<html><body><h1>Lighthouse</h1><p>Seen from far away.</p></body></html>"


def page(path, _):
    return ("text/html", PAGE) if path == "/page" else None


class UvxTest(HostTest):
    def setUp(self):
        super().setUp()
        self.site = Listener(page)
        self.addCleanup(self.site.close)
        project = self.home.project
        for words in (["init", "-q"], ["-c", "user.name=t", "-c", "user.email=t@example.com",
                                       "commit", "-q", "--allow-empty", "-m", "a first step"]):
            subprocess.run(["git", *words], cwd=project, env=self.home.env, check=True)
        (project / "table.html").write_text("<h2>Harbour</h2>")
        # How this machine reaches PyPI.
        self.home.env |= {name: value for name, value in os.environ.items()
                          if name.lower().endswith("_proxy") or name.startswith(("SSL_", "UV_"))}
        self.home.env |= {"PATH": f"{ROOT}/build/launchers/bin:{self.home.env['PATH']}",
                          "UV_CACHE_DIR": str(ROOT / "build/uv-cache"),
                          "UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never",
                          "UV_EXCLUDE_NEWER": "2026-11-20T00:00:00Z"}
        # Arguments of uvx; what is searched for and found; a call, and a part of what it gives.
        self.servers = {
            "git": (["mcp-server-git==2026.10.19"], "commit history log", "git_log",
                    {"repo_path": str(project)}, "a first step"),
            "fetch": (["mcp-server-fetch@2026.10.24", "--allow-private-ips"],
                      "fetch a url as markdown", "fetch_fetch", {"url": f"{self.site.url}page"},
                      "Seen from far away"),
            "time": (["--from", "mcp-server-time==2026.10.19", "mcp-server-time",
                      "--local-timezone", "Europe/Berlin"], "convert time between timezones",
                     "time_convert_time",
                     {"source_timezone": "Europe/Berlin", "time": "12:00",
                      "target_timezone": "Asia/Tokyo"}, "Asia/Tokyo"),
            # It is older than version 2 of the SDK.
            "sqlite": (["--with", "mcp<2", "mcp-server-sqlite==2025.4.25", "--db-path",
                        str(self.home.root / "x.db")], "run a select query on the database",
                       "sqlite_read_query", {"query": "SELECT 6 * 7 AS answer"}, "42"),
        }
        if os.environ.get("PI_MCP_HEAVY"):
            self.servers["markitdown"] = (
                ["markitdown-mcp==0.0.1a7"], "convert a file to markdown",
                "markitdown_convert_to_markdown", {"uri": f"file://{project}/table.html"},
                "Harbour")

    def processes(self):
        """Of the home: id and command line, without pi-mcp and its keepers."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if (entry.name.isdigit() and
                        f"HOME={self.home.root}\0".encode() in (entry / "environ").read_bytes() and
                        not (entry / "comm").read_text().startswith("pi-mcp")):
                    found[int(entry.name)] = (entry / "cmdline").read_text().split("\0")
            except OSError:
                pass  # it is gone, or somebody else's
        return found

    def weight(self):
        """MiB of what processes() finds."""
        rolled = (pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
                  for pid in self.processes())
        return sum(int(re.search(r"Pss:\s+(\d+)", text)[1]) for text in rolled) / 1024

    def mcp(self, process, **arguments):
        self.send(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                            "params": {"name": "mcp", "arguments": arguments}})
        result = self.answer(process, 2)["result"]
        text = "\n".join(part.get("text", "") for part in result["content"])
        self.assertFalse(result.get("isError"), text)
        return text

    def host_of(self, entries):
        self.home.configure(**entries)
        return self.host()

    def all_gone(self):
        deadline = time.monotonic() + 10
        while left := self.processes():
            self.assertLess(time.monotonic(), deadline, left)

    def test_real_servers_through_uvx(self):
        process = self.host_of({name: {"command": "uvx", "args": row[0]}
                                for name, row in self.servers.items()})
        self.addCleanup(process.communicate)
        for name, (_, words, tool, args, part) in self.servers.items():
            self.mcp(process, connect=name)
            self.assertIn(tool, self.mcp(process, server=name))
            self.assertIn(tool, self.mcp(process, search=words))
            self.assertIn(part, self.mcp(process, tool=tool, args=args))
        programs = [pathlib.Path(line[0]).name for line in self.processes().values()]
        programs = [name for name in programs if name != "git"]  # that mcp-server-git has started
        self.assertEqual(programs, ["python"] * len(self.servers))
        process.kill()
        self.all_gone()

    def test_what_they_weigh(self):
        """A shell is in no table of launchers: below it uvx stays."""
        rows = []
        for name, (args, *_) in self.servers.items():
            for entry in ({"command": "uvx", "args": args},
                          {"command": "sh", "args": ["-c", 'exec uvx "$@"', "sh", *args]}):
                process = self.host_of({name: entry})
                began = time.monotonic()
                self.mcp(process, connect=name)
                rows.append((len(self.processes()), self.weight(), time.monotonic() - began))
                process.communicate()
                self.all_gone()
            (own, weight, seconds), (both, more, longer) = rows[-2:]
            print(f"{name:12} {own} process {weight:4.0f} MiB {seconds:5.2f} s;"
                  f" below uvx {both} processes {more:4.0f} MiB {longer:5.2f} s", flush=True)
            self.assertEqual((own, both), (1, 2), name)
            self.assertLess(weight, more - 10, name)


if __name__ == "__main__":
    if not os.environ.get("PI_MCP_HEAVY"):
        print("markitdown-mcp is left out: ./dev nightly has it")
    unittest.main(argv=sys.argv[:1])
