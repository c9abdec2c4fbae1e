"""`pi-mcp setup` in homes with the files of several hosts: it moves, undoes byte by byte, and
leaves what others write. Usage: setup_test.py PI_MCP FAKE_SERVER"""
import json
import os
import pathlib
import pty
import shutil
import sys
import tomllib
import unittest

from cli_home import Home

HOSTS = pathlib.Path(__file__).parents[1] / "fixtures/hosts/HOME"
SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
CURSOR = ".cursor/mcp.json"
CODEX = ".codex/config.toml"
CLAUDE = ".claude.json"
OPENCODE = ".config/opencode/opencode.jsonc"
VSCODE = ".config/Code/User/mcp.json"
USER = ".pi/agent/mcp.json"

FILES = {
    CURSOR: """{
  // my servers
  "mcpServers": {
    "github": {"command": "gh-mcp", "env": {"TOKEN": "%s"}}, // with a token
    "shared": {"command": "shared-mcp", "args": ["-x"]},
  }
}
""" % SECRET,
    CODEX: """# how I like it
model = "gpt"   # the big one

[mcp_servers.docs]
command = "docs-mcp"
args = ["a", "b"]   # two

[mcp_servers.github]
command = "another-gh"

[tui]
theme = "dark"
""",
    CLAUDE: json.dumps({
        "numStartups": 7, "mcpServers": {"shared": {"type": "stdio", "command": "shared-mcp",
                                                    "args": ["-x"], "env": {}}},
        "projects": {"/code/app": {"mcpServers": {"local": {"command": "local-mcp"}}}}}, indent=2),
    OPENCODE: """{
\t// tabs here
\t"mcp": {
\t\t"tools": {"type": "local", "command": ["tools-mcp", "run"], "enabled": false}
\t},
\t"theme": "dark"
}""",
    VSCODE: '{"servers": {"web": {"type": "http", "url": "https://web.example/mcp"}}}\r\n',
}


class SetupTest(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)

    def write_all(self):
        for path, text in FILES.items():
            file = self.home.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
            file.chmod(0o600)

    def snapshot(self):
        """Each file with its bytes and mode; locks apart, which stay."""
        return {str(f.relative_to(self.home.root)): (f.read_bytes(), f.stat().st_mode)
                for f in sorted(self.home.root.rglob("*"))
                if f.is_file() and not f.name.endswith(".lock")}

    def text(self, path):
        return (self.home.root / path).read_text()

    def servers(self):
        return json.loads(self.text(USER))["mcpServers"]

    def setup(self, *options, status=0):
        outcome = self.home.run("setup", *options)
        self.assertEqual(outcome.status, status, outcome)
        self.assertNotIn(SECRET, outcome.stdout + outcome.stderr)
        return outcome

    def test_without_hosts_it_says_what_it_looked_for(self):
        said = self.setup().stdout
        self.assertIn("Looked for and not found:", said)
        self.assertIn("Codex", said)
        self.assertIn("Nothing to do.\nTo add a server: pi-mcp add NAME", said)

    def test_pi_is_no_host_because_of_our_own_files(self):
        self.home.run("add", "--no-check", "x", "--", "ls")
        self.assertIn("Pi", json.loads(self.setup("--dry-run", "--json").stdout)["notFound"])
        self.home.write(".pi/agent/settings.json", "{}")
        self.assertIn("pi install npm:pi-mcp", self.setup("--dry-run").stdout)
        self.home.write("ours/package.json", '{"name": "pi-mcp"}')
        self.home.write(".pi/agent/settings.json", '{"packages": ["../../ours"]}')
        self.assertIn("there already, as an extension", self.setup("--dry-run").stdout)

    def test_servers_move_and_every_host_gets_one_entry(self):
        self.write_all()
        said = self.setup("--yes").stdout
        self.assertIn("Restart the hosts", said)
        servers = self.servers()
        self.assertEqual(set(servers),
                         {"github", "github-codex", "shared", "docs", "tools", "web"})
        self.assertEqual(servers["github"]["env"]["TOKEN"], SECRET)
        self.assertTrue(servers["tools"]["disabled"])
        for path in FILES:
            self.assertIn("pi-mcp", self.text(path), path)
        self.assertIn("# the big one", self.text(CODEX))
        self.assertIn("local-mcp", self.text(CLAUDE))
        self.assertNotIn("gh-mcp", self.text(CURSOR))
        self.assertTrue(json.loads(self.text(CLAUDE))["mcpServers"]["pi-mcp"]["alwaysLoad"])
        for copy in (self.home.root / ".cursor").glob("mcp.json.pi-mcp-backup-*"):
            self.assertEqual(copy.read_bytes(), FILES[CURSOR].encode())
            self.assertEqual(copy.stat().st_mode & 0o777, 0o600)
        listed = json.loads(self.home.run("status", "--json").stdout)["servers"]
        self.assertIn("github-codex", [server["name"] for server in listed])

    def test_the_files_of_every_host_take_our_entry_and_are_given_back(self):
        shutil.copytree(HOSTS, self.home.root, dirs_exist_ok=True)
        before = self.snapshot()
        plan = json.loads(self.setup("--yes", "--json").stdout)
        self.assertEqual([host["name"] for host in plan["hosts"] if "problem" in host], [])
        self.assertGreaterEqual(len(plan["hosts"]), 18)
        for host in plan["hosts"]:
            takers = [f for f in host["files"] if f["piMcp"] != "nothing"]
            self.assertTrue(takers, host)
            for file in takers:
                self.assertIn("pi-mcp", pathlib.Path(file["path"]).read_text(), file["path"])
        self.assertIn("Nothing to do.", self.setup("--yes").stdout)
        self.setup("--undo")
        self.assertEqual(self.snapshot(), before)

    def test_undo_gives_every_byte_back_and_twice_is_harmless(self):
        self.write_all()
        before = self.snapshot()
        self.setup("--yes")
        self.assertNotEqual(self.snapshot(), before)
        self.setup("--undo")
        self.assertEqual(self.snapshot(), before)
        self.assertIn("Nothing to undo", self.setup("--undo").stdout)
        self.assertEqual(self.snapshot(), before)

    def test_a_second_setup_has_nothing_to_do_and_undo_takes_back_both(self):
        self.write_all()
        before = self.snapshot()
        self.setup("--yes", "--hosts", "cursor")
        self.setup("--yes")
        self.assertIn("Nothing to do.", self.setup("--yes").stdout)
        self.setup("--undo")
        self.assertEqual(self.snapshot(), before)

    def test_a_plan_changes_nothing(self):
        self.write_all()
        before = self.snapshot()
        plan = json.loads(self.setup("--dry-run", "--json").stdout)
        self.assertFalse(plan["done"])
        self.assertIn("cursor", [host["kind"] for host in plan["hosts"]])
        said = self.setup("--dry-run").stdout
        self.assertIn("moves as github-codex", said)
        self.assertIn("stay, for /code/app alone: local", said)
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        refused = self.setup(status=2)
        self.assertIn("→ github", refused.stdout)
        self.assertIn("--yes", refused.stderr)
        self.assertEqual(self.snapshot(), before)

    def test_a_host_that_is_not_known_is_named(self):
        self.assertIn("emacs", self.setup("--hosts", "emacs", status=3).stderr)

    def test_copies_leave_the_entries(self):
        self.write_all()
        before = self.snapshot()
        self.setup("--yes", "--copy")
        self.assertIn("gh-mcp", self.text(CURSOR))
        self.assertIn("github", self.servers())
        self.setup("--undo")
        self.assertEqual(self.snapshot(), before)

    def test_undo_that_is_dry_changes_nothing_and_undo_has_no_hosts(self):
        self.write_all()
        self.setup("--yes", "--hosts", "cursor")
        self.setup("--yes")
        done = self.snapshot()
        said = self.setup("--undo", "--dry-run").stdout
        self.assertIn("would be as it was before", said)
        self.assertIn(CURSOR, said)
        self.assertFalse(json.loads(self.setup("--undo", "--dry-run", "--json").stdout)["done"])
        for option in (["--hosts", "codex"], ["--copy"]):
            self.assertIn(option[0], self.setup("--undo", *option, status=2).stderr)
        self.assertEqual(self.snapshot(), done)

    def test_what_others_change_in_between_stays(self):
        self.write_all()
        self.setup("--yes")
        claude = json.loads(self.text(CLAUDE))
        claude["numStartups"] = 8
        claude["mcpServers"]["mine"] = {"command": "mine"}
        self.home.write(CLAUDE, json.dumps(claude, indent=2))
        self.home.write(CODEX, self.text(CODEX).replace("dark", "light"))
        self.setup("--undo")
        claude = json.loads(self.text(CLAUDE))
        self.assertEqual(claude["numStartups"], 8)
        self.assertEqual(set(claude["mcpServers"]), {"shared", "mine"})
        codex = tomllib.loads(self.text(CODEX))
        self.assertEqual(codex, tomllib.loads(FILES[CODEX].replace("dark", "light")))
        self.assertIn("# two", self.text(CODEX))
        self.assertEqual(self.text(CURSOR), FILES[CURSOR])

    def test_killed_anywhere_undo_has_everything_back(self):
        self.write_all()
        for watched in [USER, *FILES]:
            with self.subTest(watched):
                path = self.home.root / watched
                was = path.read_bytes() if path.exists() else None
                process = self.home.start("setup", "--yes")
                while process.poll() is None and (path.read_bytes() if path.exists()
                                                  else None) == was:
                    pass
                process.kill()
                process.communicate()
                self.setup("--undo")
                for name, text in FILES.items():
                    self.assertEqual((self.home.root / name).read_bytes(), text.encode(), name)
                self.assertFalse((self.home.root / USER).exists())

    def test_links_stay_links(self):
        real = self.home.write("dotfiles/cursor.json", FILES[CURSOR])
        (self.home.root / ".cursor").mkdir()
        link = self.home.root / CURSOR
        link.symlink_to(real)
        self.setup("--yes")
        self.assertTrue(link.is_symlink())
        self.assertIn("pi-mcp", real.read_text())
        self.setup("--undo")
        self.assertTrue(link.is_symlink())
        self.assertEqual(real.read_text(), FILES[CURSOR])

    def test_a_read_only_file_and_a_broken_one_leave_their_hosts_out(self):
        self.write_all()
        (self.home.root / CURSOR).chmod(0o400)
        self.home.write(CODEX, "model = [")
        said = self.setup("--yes").stdout
        self.assertIn("is read-only", said)
        self.assertIn("config.toml", said)
        self.assertEqual(self.text(CURSOR), FILES[CURSOR])
        self.assertEqual(self.text(CODEX), "model = [")
        self.assertEqual(set(self.servers()), {"shared", "tools", "web"})

    def test_where_every_host_is_left_out_nothing_is_done_and_that_is_said(self):
        self.home.write(CURSOR, "{oops")
        said = self.setup("--yes", status=1)
        self.assertIn("left out: ", said.stdout)
        self.assertNotIn("Nothing to do", said.stdout)
        self.assertIn("every host is left out", said.stderr)

    def test_a_file_that_is_broken_at_undo_waits_and_nothing_is_lost(self):
        self.write_all()
        self.setup("--yes")
        moved = self.text(CURSOR)
        self.home.write(CURSOR, moved + "}")
        said = self.setup("--undo", status=1)
        self.assertIn("not taken back", said.stdout)
        self.assertIn("github", self.servers())
        self.assertEqual(self.text(CODEX), FILES[CODEX])
        self.home.write(CURSOR, moved)
        self.setup("--undo")
        self.assertEqual(self.text(CURSOR), FILES[CURSOR])
        self.assertFalse((self.home.root / USER).exists())

    def on_terminal(self, answers):
        ours, theirs = pty.openpty()
        process = self.home.start("setup", stdin=theirs)
        os.close(theirs)
        os.write(ours, answers.encode())
        _, asked = process.communicate()
        os.close(ours)
        return asked

    def test_a_terminal_is_asked_once(self):
        self.write_all()
        for answer, done in (("n\n", False), ("y\n", True)):
            self.assertIn("Do this?", self.on_terminal(answer))
            self.assertEqual("pi-mcp" in self.text(CURSOR), done)

    def test_servers_of_the_folder_are_switched_off_in_claude_code_and_trusted(self):
        self.write_all()
        self.home.write("project/.mcp.json", {"mcpServers": {"web": {"command": "web-mcp"}}})
        said = self.setup("--yes")
        self.assertIn("Claude Code starts web", said.stderr)
        self.assertNotIn("disabledMcpjsonServers", self.text(CLAUDE))
        self.assertFalse((self.home.agent / "mcp-trust.json").exists())
        asked = self.on_terminal("y\n")
        self.assertIn("web-mcp", asked)
        folder = json.loads(self.text(CLAUDE))["projects"][str(self.home.project.resolve())]
        self.assertEqual(folder["disabledMcpjsonServers"], ["web"])
        self.assertIn("web", (self.home.agent / "mcp-trust.json").read_text())
        self.assertEqual(self.on_terminal("y\n"), "")
        self.setup("--undo")
        self.assertEqual(self.text(CLAUDE), FILES[CLAUDE])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
