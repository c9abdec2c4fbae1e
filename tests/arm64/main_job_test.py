"""The main job of a program that an emulator runs. Usage: main_job_test.py PI_MCP FAKE_SERVER"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "integration"))
# pylint: disable=wrong-import-position
from cli_home import CliTest, fake
from serve_host import MARK, Census, Host, text_of


class MainJob(CliTest):
    def setUp(self):
        super().setUp()
        self.census = Census()
        self.home.env[MARK] = self.census.value
        self.home.configure(fake=fake())

    def test_it_is_for_arm64_and_needs_no_library(self):
        facts = json.loads(self.ok("--version", "--json"))
        self.assertEqual((facts["arch"], facts["build"]["linking"]), ("arm64", "static"))

    def test_it_connects_finds_and_calls_from_a_shell(self):
        self.assertIn("fake", self.ok("connect", "fake"))
        self.assertIn("fake_echo", self.ok("search", "echo"))
        self.assertIn("héllo 😀", self.ok("call", "fake_echo", "text=héllo 😀"))
        self.census.wait_empty()

    def test_arguments_are_checked_against_the_schema_of_the_tool(self):
        outcome = self.home.run("call", "fake_add", "a=2", "b=x")
        self.assertNotEqual(outcome.status, 0)
        self.assertIn("42", self.ok("call", "fake_add", "a=2", "b=40"))

    def test_a_host_calls_and_nothing_is_left_when_we_are_killed(self):
        host = Host(self.home)
        self.assertEqual(text_of(host.mcp(tool="fake_echo", args={"text": "hello"})), "hello")
        self.assertGreater(len(self.census.pids()), 1, "the server runs")
        host.process.kill()
        host.wait()
        self.census.wait_empty()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
