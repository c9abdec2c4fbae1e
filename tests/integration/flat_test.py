"""Sessions that come and go, and calls in a row, leave the shared process as it was: no memory and
no descriptor is kept.
Usage: flat_test.py PI_MCP FAKE_SERVER [SESSIONS CALLS]"""
import contextlib
import os
import pathlib
import sys
import unittest

from flatness import Flatness
from raw_host import RawHost, call_of, text_in
from sharing_home import SharingTest

SESSIONS, CALLS = map(int, sys.argv[3:5]) if len(sys.argv) > 4 else (40, 6400)
IN_FLIGHT = 64


class Flat(Flatness, SharingTest):
    def setUp(self):
        super().setUp()
        self.stays = self.host()

    def host(self, kind="pipe"):
        host = RawHost(self.home, kind)
        self.addCleanup(host.end)
        host.greet()
        return host

    def test_sessions_that_come_and_go_leave_nothing(self):
        self.check("sessions", self.sessions, SESSIONS)
        self.assertEqual(len(self.servers()), 1)

    def test_calls_in_a_row_leave_nothing(self):
        self.check("calls", self.calls, CALLS)

    def sessions(self, count):
        for number in range(count):
            host = RawHost(self.home, "socket" if number % 2 else "pipe")
            try:
                host.greet()
                self.call(host, 1, str(number))
                self.assertEqual(host.close(), 0)
            finally:
                host.end()
        self.call(self.stays, "after", "all others are gone")

    def calls(self, count):
        for first in range(1, count + 1, IN_FLIGHT):
            ids = range(first, first + IN_FLIGHT)
            self.stays.say(b"".join(
                call_of(number, "fake_echo", text=str(number)) for number in ids))
            self.stays.wait(ids)
            for number in ids:
                self.assertEqual(text_in(self.stays.answers[number]), str(number))
                self.assertEqual(self.stays.count[number], 1)
            for kept in (self.stays.answers, self.stays.count, self.stays.when):
                kept.clear()

    def call(self, host, number, text):
        host.say(call_of(number, "fake_echo", text=text))
        host.wait([number])
        self.assertEqual(text_in(host.answers[number]), text)

    def check(self, what, run, count):
        self.call(self.stays, "first", "the server is there")
        shared = self.shared()
        self.wait_until("the files of that session are watched", lambda: watches(shared))
        self.compare(shared, what, run, count)
        self.assertEqual(self.shared(), shared, "it is still the same process")


def watches(pid):
    """It watches its own socket, and for the session."""
    found = 0
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):  # it was closed just now
            found += os.readlink(file) == "anon_inode:inotify"
    return found > 1


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
