"""Sessions that come and go, and calls in a row, leave the shared process as it was: no memory and
no descriptor is kept.
Usage: flat_test.py PI_MCP FAKE_SERVER [SESSIONS CALLS]"""
import os
import pathlib
import select
import sys
import time
import unittest

from cli_home import BINARY, WAIT_SECONDS
from raw_host import RawHost, call_of, text_in
from sharing_home import SharingTest

SESSIONS, CALLS = map(int, sys.argv[3:5]) if len(sys.argv) > 4 else (40, 6400)
WARM_UP = 10  # the tenth part of all is done before the first look
IN_FLIGHT = 64
# Freed memory that the sanitizers hold back grows to 256 MiB, whatever the program does.
SANITIZED = b"__asan_init" in pathlib.Path(BINARY).read_bytes()
# Of the allocator, which gives pages back in its own time.
NOISE_KIB = 1024


class Flat(SharingTest):
    def setUp(self):
        super().setUp()
        self.stays = self.host()

    def host(self, kind="pipe"):
        host = RawHost(self.home, kind)
        self.addCleanup(host.end)
        host.greet()
        return host

    def test_sessions_that_come_and_go_leave_nothing(self):
        self.compare("sessions", self.sessions, SESSIONS)
        self.assertEqual(len(self.servers()), 1)

    def test_calls_in_a_row_leave_nothing(self):
        self.compare("calls", self.calls, CALLS)

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

    def compare(self, what, run, count):
        self.call(self.stays, "first", "the server is there")
        self.wait_until("there is a run record",  # from then on it is open
                        lambda: any((self.home.agent / "mcp-run").glob("*.lock")))
        shared = self.shared()
        files = self.files_of(shared)
        run(count // WARM_UP)
        warm = self.look_at(shared, files)
        run(count - count // WARM_UP)
        self.assertEqual(self.shared(), shared, "it is still the same process")
        end = self.look_at(shared, files)
        print(f"# {count} {what}: PSS {warm['pss']} KiB after a tenth, {end['pss']} at the end, "
              f"descriptors {files} with one session and at the end")
        self.assertEqual(end["children"], warm["children"])
        if not SANITIZED:
            self.assertLessEqual(end["pss"], warm["pss"] + NOISE_KIB)

    def wait_until(self, what, holds):
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"waited until {what}")
            select.select([], [], [], .005)

    def look_at(self, pid, files):
        """Once the last session has gone, which its host does not wait for."""
        self.wait_until(f"it has {files} descriptors again", lambda: self.files_of(pid) == files)
        process = pathlib.Path(f"/proc/{pid}")
        rollup = (process / "smaps_rollup").read_text()
        # That of files depends on who else runs the program.
        pss = sum(int(line.split()[1]) for line in rollup.splitlines()
                  if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
        children = (process / f"task/{pid}/children").read_text().split()
        return {"pss": pss, "children": len(children)}

    @staticmethod
    def files_of(pid):
        return len(os.listdir(f"/proc/{pid}/fd"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
