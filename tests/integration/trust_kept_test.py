"""What is kept of trust, for which folder, and how the user changes it: mcp-trust.json, copies and
worktrees, `pi-mcp trust` and its question on a terminal, and what is written into a project. Usage:
trust_kept_test.py PI_MCP FAKE_SERVER"""
import json
import os
import shutil
import signal
import sys
import unittest

from cli_home import WAIT_SECONDS, TerminalTest, fake
from trust_home import GivenTest


class Places(GivenTest):
    def setUp(self):
        super().setUp()
        self.write_two()

    def test_a_copy_of_the_folder_is_another_folder(self):
        self.trust()
        shutil.copytree(self.home.project, self.home.root / "copy")
        self.assert_waits("one", "--cwd", str(self.home.root / "copy"))
        self.assert_works("one", "--cwd", ".")

    def test_a_link_to_the_folder_is_the_same_folder(self):
        self.trust()
        os.symlink(self.home.project, self.home.root / "link")
        self.assert_works("one", "--cwd", str(self.home.root / "link"))

    def test_a_worktree_that_the_repository_knows_shares_its_answers(self):
        self.trust()
        self.home.git("init", "-q")
        self.home.git("add", "-A")
        self.home.git("commit", "-qm", "x")
        self.home.git("worktree", "add", "-q", str(self.home.root / "second"))
        self.assert_works("one", "--cwd", str(self.home.root / "second"))
        self.ok("trust", "--revoke", "--cwd", str(self.home.root / "second"))
        self.assert_waits("one")

    def test_a_folder_cannot_claim_to_be_a_worktree(self):
        self.trust()
        self.home.git("init", "-q")
        self.home.git("add", "-A")
        self.home.git("commit", "-qm", "x")
        self.home.git("worktree", "add", "-q", str(self.home.root / "second"))
        admin = self.home.project / ".git/worktrees/second"
        evil = self.home.root / "evil"
        shutil.copytree(self.home.root / "second", evil)  # its .git file says what second's says
        forged = self.home.root / "forged"
        claims = {"a copied .git file": evil}
        for number, target in enumerate((admin, self.home.project / ".git",
                                         f"{admin}/../second", "fake/.git/worktrees/x")):
            folder = self.home.root / f"forged{number}"
            shutil.copytree(self.home.project, folder, ignore=shutil.ignore_patterns(".git"))
            (folder / ".git").write_text(f"gitdir: {target}\n")
            claims[str(target)] = folder
        made = claims["fake/.git/worktrees/x"] / "fake/.git/worktrees/x"
        made.mkdir(parents=True)
        (made / "gitdir").write_text(str(made.parents[3] / ".git"))
        linked = self.home.root / "linked"
        shutil.copytree(self.home.project, linked, ignore=shutil.ignore_patterns(".git"))
        os.symlink(self.home.root / "second/.git", linked / ".git")
        claims["a linked .git file"] = linked
        for claim, folder in claims.items():
            with self.subTest(claim):
                self.assert_waits("one", "--cwd", str(folder))
        self.assertFalse(forged.exists())

    def test_folders_that_the_user_trusts_as_a_whole_need_no_question(self):
        self.home.user_file(trustedFolders=["~/project"])
        self.assert_works("one")
        self.assertEqual(self.home.kept(), {}, "the setting is all there is")

    def test_a_name_that_begins_like_a_trusted_folder_is_not_below_it(self):
        self.home.user_file(trustedFolders=["~/proj", "~/project/below", "", "~/none", "relative"])
        self.assert_waits("one")

    def test_a_link_below_a_trusted_folder_is_not_below_it(self):
        (self.home.root / "trusted").mkdir()
        os.symlink(self.home.project, self.home.root / "trusted/link")
        self.home.user_file(trustedFolders=["~/trusted"])
        self.assert_waits("one", "--cwd", str(self.home.root / "trusted/link"))

    def test_a_project_cannot_trust_itself(self):
        self.home.write("project/.pi/mcp.json", {"settings": {"trustedFolders": ["/", "~"]}})
        self.home.write("project/.env", "PI_MCP_TRUST_PROJECT=1\n")
        self.assert_waits("one")
        self.trust()
        self.home.project_file(one=self.home.planted("one", env={"A": "1"}))
        self.assert_waits("one")

    def test_a_file_above_is_trusted_for_its_folder_and_not_for_all_below(self):
        self.home.user_file(ancestorConfigRoots=["~/work"])
        self.home.write("work/.mcp.json", {"mcpServers": {"above": self.home.planted("above")}})
        for name in ("a", "b"):
            self.home.write(f"work/{name}/.mcp.json",
                            {"mcpServers": {"one": self.home.planted("one")}})
        self.home.project = self.home.root / "work/a"
        host = self.serve(answers=["trust"])
        self.assertTrue(host.works("above"))
        host.end()
        self.assertEqual(self.home.trusts(self.home.root / "work"), ["above"])
        folder = self.home.kept()["folders"][str((self.home.root / "work").resolve())]
        self.assertNotIn("trusted", folder, "a question about one file is not about all below")
        self.assert_works("above", "--cwd", str(self.home.root / "work/b"))
        self.assert_waits("one", "--cwd", str(self.home.root / "work/b"))


class Book(GivenTest):
    """mcp-trust.json and the command that keeps it."""

    def setUp(self):
        super().setUp()
        self.file = self.home.agent / "mcp-trust.json"
        self.write_two()

    def test_it_is_for_the_user_alone(self):
        self.trust()
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)

    def test_what_cannot_be_understood_trusts_nobody_and_stays_as_it_is(self):
        self.trust()
        good = self.file.read_text()
        for what, text in {"damaged": good[:-20], "newer": good.replace('"version": 1',
                                                                        '"version": 2'),
                           "another kind": "[]", "binary": "\x00\x01"}.items():
            with self.subTest(what):
                self.file.write_text(text)
                self.assert_waits("one")
                self.assertIn("mcp-trust.json", self.home.run("status").stderr)
                for words in (["trust", "--yes"], ["trust", "--revoke"], ["trust", "--list"],
                              ["disable", "mine", "--project"]):
                    outcome = self.home.run(*words)
                    self.assertNotEqual(outcome.status, 0, outcome)
                    self.assertIn("mcp-trust.json", outcome.stderr)
                    self.assertEqual(self.file.read_text(), text)
                host = self.serve(answers=["trust"])
                self.assertFalse(host.works("one"))
                host.end()
                self.assertEqual(self.file.read_text(), text)

    def test_what_cannot_be_read_trusts_nobody(self):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.mkdir()
        self.assert_waits("one")
        self.assertNotEqual(self.home.run("trust", "--yes").status, 0)

    def test_without_a_terminal_it_wants_yes(self):
        outcome = self.home.run("trust", stdin="y\n")
        self.check(outcome, 2, stderr="--yes")
        self.assertIn("runs: ", outcome.stderr)
        self.assertEqual(self.home.kept(), {})

    def test_one_server_can_be_trusted_and_taken_back_alone(self):
        self.assertIn("trusted: one", self.trust("one"))
        self.assertEqual(self.home.trusts(), ["one"])
        self.assert_works("one")
        self.assert_waits("two")
        self.trust()
        self.assertIn("withdrawn: one", self.ok("trust", "--revoke", "one"))
        self.assert_waits("one")
        self.assert_works("two")
        self.check(self.home.run("trust", "nobody", "--yes"), 3, stderr="nobody")
        self.check(self.home.run("trust", "--revoke", "nobody"), 3, stderr="nobody")

    def test_what_a_file_above_may_do_is_taken_back_from_a_subfolder(self):
        self.home.write("project/.git/HEAD", "ref: refs/heads/main\n")
        (self.home.root / "project/sub").mkdir()
        below = ["--cwd", str(self.home.root / "project/sub")]
        self.trust("one")
        self.assertIn("withdrawn: one", self.ok("trust", "--revoke", "one", *below))
        self.assert_waits("one")
        self.trust()
        self.assertIn("withdrawn: everything in ~/project\n", self.ok("trust", "--revoke", *below))
        self.assert_waits("two")

    def test_what_is_trusted_is_listed(self):
        self.trust()
        text = self.ok("trust", "--list")
        for part in ("~/project", "one", "two", "by user"):
            self.assertIn(part, text)
        entry = json.loads(self.ok("trust", "--list", "--json"))["folders"][0]
        self.assertEqual((entry["trusted"], [one["server"] for one in entry["entries"]]),
                         (True, ["one", "two"]))
        self.check(self.home.run("trust", "--list", "one"), 2)
        self.assertEqual(json.loads(self.ok("trust", "--yes", "--json"))["trusted"], [])
        self.ok("trust", "--revoke")
        self.assertIn("nothing is trusted", self.ok("trust", "--list"))

    def test_for_one_run_everything_can_be_trusted_and_nothing_is_kept(self):
        self.assert_works("one", "--trust-project")
        self.home.env["PI_MCP_TRUST_PROJECT"] = "1"
        self.assert_works("one")
        host = self.serve(answers=[])
        self.assertTrue(host.works("two"))
        host.end()
        self.assertEqual((host.asked, self.home.kept()), ([], {}))
        for value in ("0", "", "no", "false", "2"):
            self.home.env["PI_MCP_TRUST_PROJECT"] = value
            self.assert_waits("one")

    def test_a_folder_without_files_can_be_trusted_and_asks_for_new_ones(self):
        (self.home.project / ".mcp.json").unlink()
        self.assertIn("trusted", self.trust())
        self.write_two()
        self.assert_waits("one")

    def test_entries_that_the_user_adds_are_trusted_and_no_others(self):
        self.ok("add", "--no-check", "--project", "added", "--", str(self.home.plant), "added")
        self.assert_works("added")
        self.assert_waits("one")
        file = self.home.project / ".pi/mcp.json"
        changed = json.loads(file.read_text())
        changed["mcpServers"]["added"]["args"] = ["evil"]
        file.write_text(json.dumps(changed))
        self.assert_waits("added")

    def test_disable_of_a_projects_server_is_kept_by_path_and_keeps_its_trust(self):
        self.trust()
        before = (self.home.project / ".mcp.json").read_text()
        for words in (["disable", "one", "--project"], ["disable", "two"]):
            self.ok(*words)
            status = json.loads(self.ok("status", "--json"))["servers"]
            state = {server["name"]: server["status"] for server in status}
            self.assertEqual(state[words[1]], "disabled")
            self.assertEqual((self.home.project / ".mcp.json").read_text(), before)
        self.ok("enable", "one", "--project")
        self.ok("enable", "two")
        self.assert_kept_answer()
        self.assertEqual((self.home.project / ".mcp.json").read_text(), before)
        self.ok("disable", "mine", "--project")
        self.assertEqual(self.home.run("call", "mine_echo", "text=a").status, 4)
        self.ok("call", "mine_echo", "text=a", "--cwd", str(self.home.root))


class Links(GivenTest):
    """What is written for a project stays in it."""

    def assert_nothing_is_written(self, outside, *words):
        before = outside.read_text() if outside.is_file() else sorted(outside.iterdir())
        outcome = self.home.run(*words)
        self.assertEqual(outcome.status, 2, outcome)
        self.assertIn("leads out of the project", outcome.stderr)
        self.assertEqual(
            outside.read_text() if outside.is_file() else sorted(outside.iterdir()), before)

    def test_a_linked_file_is_not_written(self):
        outside = self.home.write("settings.json", {"mcpServers": {"there": fake()}})
        (self.home.project / ".pi").mkdir()
        os.symlink(outside, self.home.project / ".pi/mcp.json")
        self.assert_nothing_is_written(outside, "add", "--project", "x", "--", "true")
        self.assert_nothing_is_written(outside, "remove", "there", "--project")

    def test_a_link_to_nothing_is_not_written_through(self):
        (self.home.project / ".pi").mkdir()
        os.symlink(self.home.root / "new.json", self.home.project / ".pi/mcp.json")
        self.assertEqual(self.home.run("add", "--project", "x", "--", "true").status, 2)
        self.assertFalse((self.home.root / "new.json").exists())

    def test_a_linked_folder_is_not_written(self):
        outside = self.home.root / "outside"
        outside.mkdir()
        os.symlink(outside, self.home.project / ".pi")
        self.assert_nothing_is_written(outside, "add", "--project", "x", "--", "true")

    def test_remove_does_not_follow_a_link_out_either(self):
        outside = self.home.write("settings.json", {"mcpServers": {"there": fake()}})
        os.symlink(outside, self.home.project / ".mcp.json")
        self.trust()
        self.assert_nothing_is_written(outside, "remove", "there")

    def test_a_link_inside_of_the_project_is_followed(self):
        self.home.write("project/shared/mcp.json", {"mcpServers": {}})
        (self.home.project / ".pi").mkdir()
        os.symlink("../shared/mcp.json", self.home.project / ".pi/mcp.json")
        self.ok("add", "--no-check", "--project", "x", "--", "true")
        self.assertIn('"x"', (self.home.project / "shared/mcp.json").read_text())


class Terminal(GivenTest, TerminalTest):
    def answer(self, typed, *words):
        status, shown = super().answer(typed, *words)
        self.home.printed.append(shown)
        return status, shown

    def setUp(self):
        super().setUp()
        self.write_two()
        self.call = ("call", "one_echo", "text=hello")

    def test_yes_is_kept(self):
        status, shown = self.answer(b"y\n", *self.call)
        self.assertEqual(status, 0, shown)
        self.assertIn("runs: " + str(self.home.plant), shown)
        self.assertIn("hello", shown)
        self.assertEqual(self.home.trusts(), ["one", "two"])
        self.assert_works("two")

    def test_once_is_not_kept(self):
        status, shown = self.answer(b"o\n", *self.call)
        self.assertEqual((status, self.home.kept()), (0, {}), shown)
        self.assert_waits("one")

    def test_no_another_word_and_the_end_of_input_start_nothing(self):
        for typed in (b"n\n", b"\n", b"yess\n", b"\x04", b"no\n", b" \n"):
            with self.subTest(typed):
                status, shown = self.answer(typed, *self.call)
                self.assertEqual((status, self.home.kept()), (5, {}), shown)
                self.assertEqual(self.home.started(), [])

    def test_an_interrupt_ends_the_program(self):
        status, shown = self.answer(b"\x03", *self.call)
        self.assertIn(status, (130, -signal.SIGINT), shown)
        self.assertEqual((self.home.started(), self.home.kept()), ([], {}))

    def test_the_command_asks_in_the_same_way(self):
        status, shown = self.answer(b"n\n", "trust")
        self.assertEqual((status, self.home.kept()), (0, {}), shown)
        status, shown = self.answer(b"\x03", "trust")
        self.assertIn(status, (130, -signal.SIGINT), shown)
        self.assertEqual(self.home.kept(), {})
        status, shown = self.answer(b"y\n", "trust")
        self.assertEqual((status, self.home.trusts()), (0, ["one", "two"]), shown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
