"""Servers that crash, hang, flood and stay, behind one `pi-mcp serve`: every call gets one answer,
runs at most once, and no process is left, however pi-mcp ends.
Usage: chaos_test.py PI_MCP FAKE_SERVER [CALLS]"""
import os
import random
import signal
import sys
import threading
import unittest

from chaos_farm import Farm, random_call
from cli_home import Home
from serve_host import Census, Host, text_of

CALLERS = 8
CALLS = int(sys.argv[3]) if len(sys.argv) > 3 else 2000  # a multiple of the callers


class ChaosTest(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)
        self.farm = Farm(self.home)
        self.census = Census(self.home)
        self.addCleanup(self.end_all)

    def end_all(self):
        for pid in self.census.pids():  # only after a failure
            os.kill(pid, signal.SIGKILL)

    def expect_nobody(self):
        self.census.wait_empty()
        self.assertEqual(self.census.pids(), [])


class Callers:
    """Threads that call tools at random, always the same for one seed."""

    def __init__(self, host, count):
        self.host = host
        self.results = {}
        self.threads = [threading.Thread(target=self.run, args=(seed, count // CALLERS))
                        for seed in range(CALLERS)]
        for thread in self.threads:
            thread.start()

    def run(self, seed, count):
        choice = random.Random(seed)
        for number in range(count):
            token = f"{seed}-{number}"
            server, tool, arguments = random_call(choice, token)
            answer = self.begin(server, tool, arguments)
            if answer is None:
                return  # pi-mcp is gone
            self.results[token] = (server, tool, answer)

    def begin(self, server, tool, arguments):
        try:
            return self.host.mcp(server=server, tool=tool, args=arguments)
        except (BrokenPipeError, ValueError):
            return None

    def join(self):
        for thread in self.threads:
            thread.join()


class Chaos(ChaosTest):
    def test_calls_get_one_answer_each_run_at_most_once_and_leave_nobody(self):
        self.farm.configure_all()
        host = Host(self.home)
        callers = Callers(host, CALLS)
        callers.join()
        self.assertEqual(len(callers.results), CALLS)
        self.assertEqual(set(host.answers.values()), {1}, "every request has exactly one answer")
        status, errors = host.close()
        self.assertEqual(status, 0, errors)
        self.expect_nobody()
        executions = self.farm.executions()
        self.assertEqual([token for token, count in executions.items() if count > 1], [])
        good = 0
        for token, (server, tool, answer) in callers.results.items():
            self.assertIn("result", answer, (server, tool, answer))
            if tool == "echo" and not answer["result"].get("isError"):
                self.assertEqual(text_of(answer), token, (server, tool, answer))
                self.assertEqual(executions[token], 1, (server, tool))
                good += 1
        # Servers that can answer at all do, though their neighbours misbehave.
        self.assertGreater(good, CALLS // 10)

    def test_nobody_is_left_when_sigterm_comes_in_the_middle(self):
        self.end_in_the_middle(signal.SIGTERM)

    def test_nobody_is_left_when_pi_mcp_is_killed_in_the_middle(self):
        self.end_in_the_middle(signal.SIGKILL)

    def end_in_the_middle(self, number):
        self.farm.configure_all()
        host = Host(self.home)
        callers = Callers(host, CALLS)
        # By then most servers have been started, and some are starting.
        while len(callers.results) < 100:
            callers.threads[0].join(timeout=0.01)
        self.assertGreater(len(self.census.pids()), 10)
        host.process.send_signal(number)
        callers.join()
        host.wait()
        self.expect_nobody()
        self.assertEqual([n for n, count in host.answers.items() if count > 1], [])
        self.assertEqual([t for t, count in self.farm.executions().items() if count > 1], [])


class KillNine(ChaosTest):
    """kill -9 of pi-mcp leaves nothing, whatever stands between it and the server."""

    def kill_nine(self, entry, family):
        """`family`: how many processes there are below the keeper."""
        self.home.configure(s=entry)
        host = Host(self.home)
        text = text_of(host.mcp(tool="s_echo", args={"text": "here"}))
        self.assertEqual(text, "here")
        self.census.wait_for(2 + family)  # pi-mcp, its keeper, and the rest
        host.process.kill()
        host.wait()
        self.expect_nobody()

    def wrapper(self, name, text):
        file = self.home.write(f"bin/{name}", text)
        file.chmod(0o755)
        self.home.env["PATH"] = f"{file.parent}:{self.home.env['PATH']}"
        return name

    STUBBORN = ["--ignore-eof", "--ignore-sigterm", "--grandchild", "--escaped-grandchild"]

    def test_a_server_that_ignores_the_end_of_its_input_and_sigterm_and_its_grandchildren(self):
        self.kill_nine(self.farm.entry("s", self.STUBBORN), 3)

    def test_a_server_behind_a_shell_that_waits_for_it(self):
        entry = self.farm.entry("s", self.STUBBORN)
        script = 'trap "" TERM HUP INT; "$0" "$@"; true'
        words = ["-c", script, entry["command"], *entry["args"]]
        self.kill_nine({"command": "sh", "args": words}, 4)

    def test_a_server_behind_npx_which_starts_it_through_a_shell(self):
        npx = self.wrapper("npx", '#!/bin/sh\nshift\nsh -c \'"$0" "$@"; exit $?\' "$@"\nexit $?\n')
        entry = self.farm.entry("s", self.STUBBORN)
        # With a cwd of its own it is started as written (docs/launchers.md).
        args = ["-y", entry["command"], *entry["args"]]
        self.kill_nine({"command": npx, "args": args, "cwd": "/"}, 5)

    def test_a_server_behind_uvx_which_waits_in_a_session_of_its_own(self):
        uvx = self.wrapper("uvx", "#!/usr/bin/env python3\nimport signal, subprocess, sys\n"
                           "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                           "sys.exit(subprocess.call(sys.argv[1:], start_new_session=True))\n")
        entry = self.farm.entry("s", self.STUBBORN)
        self.kill_nine({"command": uvx, "args": [entry["command"], *entry["args"]]}, 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
