"""The shared process dies with hundreds of calls under way, some in the middle of a long answer and
of a request: every call is answered soon, runs at most once, and nobody is left.
Usage: torture_test.py PI_MCP FAKE_SERVER [ROUNDS]"""
import collections
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time
import unittest

from cli_home import BINARY, wait_process_gone
from raw_host import RawHost, call_of, text_in
from serve_host import Census
from sharing_home import SharingTest

ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
# A session whose process has died twice within a minute is served alone, so hosts live two rounds.
ROUNDS_OF_A_HOST = 2
HOSTS, CALLS = 8, 64
HANGING = 24  # of the calls: under way for certain, as they are never answered
LONG_BYTES, HELD_BYTES = 5_000_000, 200_000
SANITIZED = b"__asan_init" in pathlib.Path(BINARY).read_bytes()
# From the death of the process to the answer, without the time in which the repair waited for a
# processor.
ANSWERED_WITHIN = 5 if SANITIZED else 2
DIED = "ended while this call was under way"


class Round:
    """What one host has under way: `HANGING` calls that wait, then others, one of 5 MB perhaps, and
    half of a request perhaps."""

    def __init__(self, host, first_id, name, has_long, has_half):
        self.host = host
        ids = range(first_id, first_id + CALLS)
        self.tokens = {number: f"{name}-{number}" for number in ids}
        self.hanging, self.short = list(ids[:HANGING]), list(ids[HANGING:])
        self.long = self.short.pop() if has_long else None
        self.half = self.short.pop() if has_half else None
        self.rest = b""

    def call(self, number, tool, **args):
        return call_of(number, tool, token=self.tokens[number], **args)

    def begin_hanging(self):
        self.host.say(b"".join(self.call(number, "fake_slow") for number in self.hanging))

    def begin_others(self, choice):
        calls = []
        for number in self.short:
            text = self.tokens[number]
            calls.append(self.call(number, "fake_slow", ms=choice.randrange(40))
                         if choice.random() < .5 else self.call(number, "fake_echo", text=text))
        if self.long is not None:
            calls.insert(choice.randrange(len(calls)),
                         self.call(self.long, "fake_big", bytes=LONG_BYTES))
        text = b"".join(calls)
        if self.half is not None:
            line = self.call(self.half, "fake_echo", text=self.tokens[self.half])
            cut = choice.randrange(1, len(line))
            text, self.rest = text + line[:cut], line[cut:]
        self.host.say(text)

    @property
    def whole(self):
        """Those that the host has sent completely before the death."""
        return [number for number in self.tokens if number != self.half]

    def is_held(self):
        """It is in the middle of the long answer."""
        return self.long is None or self.host.partial >= HELD_BYTES

    def wait_in_the_middle(self):
        if not self.host.wait_for(self.is_held):
            raise AssertionError("the long answer did not begin")
        self.host.all_is_read()


class Torture(SharingTest):
    def setUp(self):
        super().setUp()
        self.home.write(".pi/agent/mcp.json", {
            "mcpServers": {"fake": self.entry("--open-schemas")},
            "settings": {"outputGuard": False}})
        self.census = Census(self.home)
        self.choice = random.Random(23)
        self.hosts, self.next_id = [], 1
        self.slowest, self.twice, self.failed = 0, 0, 0

    def test_every_call_is_answered_whenever_the_shared_process_dies(self):
        for number in range(ROUNDS):
            if number % ROUNDS_OF_A_HOST == 0:
                self.end_hosts()
                self.hosts = [self.host("socket" if index % 2 else "pipe")
                              for index in range(HOSTS)]
                self.expect_next_call()
            self.one_round(number)
        self.end_hosts()
        print(f"# {ROUNDS} deaths, {ROUNDS * HOSTS * CALLS} calls: the slowest answer came after "
              f"{self.slowest:.2f} s; {self.failed} calls ended with the process, {self.twice} "
              "were answered twice")

    def host(self, kind):
        host = RawHost(self.home, kind)
        self.addCleanup(host.end)
        host.greet()
        return host

    def end_hosts(self):
        """The answers of their whole life are looked at, and nobody of theirs is left."""
        if not self.hosts:
            return
        shared = self.shared()
        for host in self.hosts:
            self.assertEqual(host.close(), 0)
            self.assertEqual(host.strange, [], "no broken line, no question, no new handshake")
            self.assertEqual(host.partial, 0, "no half line at the end")
        if shared:
            wait_process_gone(shared)
        self.census.wait_empty()
        self.assertEqual([token for token, runs in self.runs().items() if runs > 1], [])

    def runs(self):
        """How often each call has reached a server."""
        seen = collections.Counter()
        for line in self.log.read_text().splitlines():
            message = json.loads(line)
            if message.get("method") == "tools/call":
                seen[message["params"]["arguments"].get("token")] += 1
        del seen[None]
        return seen

    def one_round(self, number):
        in_the_middle = number // ROUNDS_OF_A_HOST % 2 == 0
        rounds = []
        for index, host in enumerate(self.hosts):
            rounds.append(Round(host, self.next_id, f"{number}-{index}",
                                has_long=index // 2 == number % 4,
                                has_half=index // 2 != (number + 1) % 4))
            self.next_id += CALLS
        servers = self.servers()
        shared = self.shared()
        self.assertIsNotNone(shared)
        for each in rounds:
            each.begin_hanging()
        self.wait_until_these_run(rounds)
        for each in rounds:
            if in_the_middle and each.long is not None:
                each.host.hold(HELD_BYTES)
        # What a process that is held up does not read holds up who writes it.
        writers = [threading.Thread(target=each.begin_others, args=(self.choice,))
                   for each in rounds]
        for writer in writers:
            writer.start()
        if in_the_middle:
            for writer, each in zip(writers, rounds):
                writer.join()
                each.wait_in_the_middle()
        else:
            some = self.choice.choice(rounds)
            enough = self.choice.randrange(1, len(some.short))
            self.assertTrue(some.host.wait_for(
                lambda: sum(some.host.count[each] for each in some.short) >= enough))
        died = time.monotonic()
        os.kill(shared, signal.SIGTERM if number % 2 else signal.SIGKILL)
        for writer, each in zip(writers, rounds):
            writer.join()
            each.host.hold(None)
        self.expect_answers(number, rounds, died)
        wait_process_gone(shared)
        for server in servers:
            wait_process_gone(server)
        self.expect_next_call()

    def wait_until_these_run(self, rounds):
        """Until they have reached the server, which then says so by its log."""
        wanted = {each.tokens[number] for each in rounds for number in each.hanging}
        for each in rounds:
            each.host.say(call_of(f"ready-{each.hanging[0]}", "fake_echo", text="ready"))
        for each in rounds:
            each.host.wait([f"ready-{each.hanging[0]}"])
        self.assertLessEqual(wanted, set(self.runs()))

    def expect_answers(self, number, rounds, died):
        """Of what was whole before the host says another byte, then of the rest."""
        slowest = 0
        for each in rounds:
            each.host.wait(each.whole)
            slowest = max([slowest, *(each.host.when[one] - died for one in each.whole)])
        waited = self.starved() if slowest > ANSWERED_WITHIN else 0
        self.assertLess(slowest - waited, ANSWERED_WITHIN)
        self.slowest = max(self.slowest, slowest)
        for each in rounds:
            if each.half is not None:
                each.host.say(each.rest)
        for each in rounds:
            if each.half is not None:
                each.host.wait([each.half])
        runs = self.runs()
        for each in rounds:
            self.look_at(each, runs)

    def look_at(self, each, runs):
        for number, token in each.tokens.items():
            answer = each.host.answers[number]
            text = text_in(answer)
            if "error" in answer:
                self.assertIn(DIED, text)
                self.failed += 1
            else:
                self.assertEqual(runs[token], 1, answer)
                self.assertEqual(len(text) if number == each.long else text,
                                 self.expected(each, number, text))
        for number in each.hanging:
            self.assertIn("error", each.host.answers[number])
        if each.half is not None:
            self.assertEqual(text_in(each.host.answers[each.half]), each.tokens[each.half])
        self.twice += self.answered_twice(each)

    @staticmethod
    def expected(each, number, text):
        if number == each.long:
            return LONG_BYTES
        return text if text == "done" else each.tokens[number]

    def answered_twice(self, each):
        """Only where nobody can know whether an answer has left, which is one short write into a
        pipe (docs/decisions/0070-memory-of-a-session.md). The test makes that likely: it kills as
        soon as an answer has come."""
        twice = [number for number in each.tokens if each.host.count[number] > 1]
        if each.host.kind == "socket":
            self.assertEqual(twice, [])
        else:
            for number in twice:
                self.assertEqual(each.host.count[number], 2)
                self.assertNotIn(number, each.hanging)
                self.assertNotEqual(number, each.long)
        return len(twice)

    def starved(self):
        """How long the slowest of those that repair has waited for a processor, all its life."""
        def waited(pid):
            return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
        fronts = max(waited(host.process.pid) for host in self.hosts)
        shared = self.shared()
        return fronts + (waited(shared) if shared else 0)

    def expect_next_call(self):
        for host in self.hosts:
            host.say(call_of(f"next-{self.next_id}", "fake_echo", text="next"))
        for host in self.hosts:
            host.wait([f"next-{self.next_id}"])
            self.assertEqual(text_in(host.answers[f"next-{self.next_id}"]), "next")
        self.next_id += 1


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
