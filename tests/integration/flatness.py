"""Whether a process that has done much is as large as it was when it had done a tenth of it."""
import os
import pathlib
import select
import time

from cli_home import BINARY, WAIT_SECONDS

WARM_UP = 10  # the tenth part of all is done before the first look
# Freed memory that the sanitizers hold back grows to 256 MiB, whatever the program does.
SANITIZED = b"__asan_init" in pathlib.Path(BINARY).read_bytes()
# Of the allocator, which gives pages back in its own time.
NOISE_KIB = 1024


class Flatness:
    """For a TestCase."""

    def compare(self, pid, what, run, count):
        """`run(n)` does it n times."""
        files = files_of(pid)
        run(count // WARM_UP)
        warm = self.look_at(pid, files)
        run(count - count // WARM_UP)
        end = self.look_at(pid, files)
        print(f"# {count} {what}: PSS {warm['pss']} KiB after a tenth, {end['pss']} at the end, "
              f"descriptors {files} before and at the end")
        self.assertEqual(end["children"], warm["children"])
        if not SANITIZED:
            self.assertLessEqual(end["pss"], warm["pss"] + NOISE_KIB + end["kept"] - warm["kept"])

    def kept(self):
        """KiB of what it is meant to hold now."""
        return 0

    def wait_until(self, what, holds):
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"waited until {what}")
            select.select([], [], [], .005)

    def look_at(self, pid, files):
        """Once what came has gone, which nobody waits for."""
        self.wait_until(f"it has {files} descriptors again", lambda: files_of(pid) == files)
        process = pathlib.Path(f"/proc/{pid}")
        rollup = (process / "smaps_rollup").read_text()
        # That of files depends on who else runs the program.
        pss = sum(int(line.split()[1]) for line in rollup.splitlines()
                  if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
        children = (process / f"task/{pid}/children").read_text().split()
        return {"pss": pss, "children": len(children), "kept": self.kept()}


def files_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
