"""Nobody gets out of a jail by attaching, and nobody inside gets a session.
Usage: attach_confined_test.py PI_MCP FAKE_SERVER"""
import os
import pathlib
import subprocess
import sys
import unittest

from attach_home import HERE, PEER, WAIT_SECONDS, AttachTest, eventually

JAIL = [sys.executable, str(HERE / "attach_jail.py")]
STRANGER = [sys.executable, str(HERE / "attach_stranger.py")]
IS_ROOT = os.geteuid() == 0

# How somebody is confined -> (the command in front, options of the stranger, what tells)
USER_JAILS = {
    "no new privileges": (["setpriv", "--no-new-privs"], "NoNewPrivs is set"),
    "a user namespace": (["unshare", "-U", "-r"], ""),
    "a seccomp filter": ([*JAIL, "seccomp"], "NoNewPrivs is set"),
    "Landlock": ([*JAIL, "landlock"], "NoNewPrivs is set"),
}
ROOT_JAILS = {
    "a mount namespace": (["unshare", "-m"], "the mnt namespace differs"),
    "a network namespace": (["unshare", "-n"], "the net namespace differs"),
    "a process namespace": (["unshare", "-p", "-f"], ""),
    "a cgroup namespace": (["unshare", "-C"], "the cgroup namespace differs"),
    "an IPC namespace": (["unshare", "-i"], "the ipc namespace differs"),
    "a host name of its own": (["unshare", "-u"], "the uts namespace differs"),
    "a time namespace": (["unshare", "-T"], "namespace differs"),
    "a seccomp filter set by root": ([*JAIL, "seccomp-root"], "Seccomp differs"),
    "Landlock set by root": ([*JAIL, "landlock-root"], "may not look into"),
    "a smaller bounding set": (["setpriv", "--bounding-set=-sys_admin"], "differs"),
    "other groups": (["setpriv", "--groups=4"], "Groups differs"),
    "another group": (["setpriv", "--regid=1234", "--clear-groups"], "Gid differs"),
    "another root": ([], "the root folder differs"),
}
# The user of a jail can still enter the folder of the socket, or there would be nothing to show.
OTHER_USER = ["setpriv", "--reuid=1234"]


def jails():
    return {**USER_JAILS, **(ROOT_JAILS if IS_ROOT else {})}


class Confined(AttachTest):
    def setUp(self):
        super().setUp()
        self.free = self.host()
        self.shared = self.free.shared()
        self.name = self.sockets()[0].name
        self.place = str(self.folder / "pi-mcp")

    def stranger(self, what, jail, wrapper):
        chroot = ["--chroot", str(self.folder)] if jail == "another root" else []
        return subprocess.Popen([*wrapper, *STRANGER, what, self.place, self.name, *chroot],
                                stdout=subprocess.PIPE, text=True)

    def end_the_shared_process(self):
        """Or it would take its place again, and a host would find it before a stranger."""
        self.close_hosts()
        self.hosts.clear()
        self.no_process_is_left()

    def attack(self, jail, wrapper):
        process = self.stranger("attack", jail, wrapper)
        return process.communicate(timeout=WAIT_SECONDS)[0].strip()

    def test_who_is_free_is_served(self):
        self.assertEqual(self.host().shared(), self.shared)
        self.assertEqual(self.attack("none", []), "attached", "the stranger knows how to speak")

    def test_a_front_that_is_confined_is_not_served_by_one_that_is_free(self):
        for jail, (wrapper, _) in jails().items():
            if jail == "another root":
                continue  # our own program would have to be there
            with self.subTest(jail):
                host = self.host(wrapper=wrapper)
                self.assertNotEqual(host.about().get("shared"), str(self.shared))

    def test_with_no_new_privileges_a_front_starts_nothing(self):
        before = set(self.shared_processes())
        for jail in ("no new privileges", "a seccomp filter", "Landlock"):
            self.assertEqual(self.host(wrapper=USER_JAILS[jail][0]).line(),
                             "alone: NoNewPrivs is set")
        self.assertEqual(set(self.shared_processes()), before)

    def test_a_stranger_that_is_confined_is_refused(self):
        for jail, (wrapper, why) in jails().items():
            with self.subTest(jail):
                answer = self.attack(jail, wrapper)
                self.assertTrue(answer.startswith("refused: "), answer)
                self.assertIn(why, answer)
        self.assertEqual(self.free.shared(), self.shared)

    @unittest.skipUnless(IS_ROOT, "users can be changed by root alone")
    def test_another_user_is_refused(self):
        for folder in (self.folder, self.folder / "pi-mcp"):
            folder.chmod(0o711)
        (self.folder / "pi-mcp" / self.name).chmod(0o777)
        answer = self.attack("another user", OTHER_USER)
        self.assertTrue(answer.startswith("refused: "), answer)
        self.assertIn("differs", answer)
        (self.folder / "pi-mcp").chmod(0o700)

    def test_who_is_confined_and_listens_gets_nothing(self):
        self.end_the_shared_process()
        for jail, (wrapper, why) in jails().items():
            with self.subTest(jail):
                process = self.stranger("listen", jail, wrapper)
                self.addCleanup(process.kill)
                self.assertEqual(process.stdout.readline(), "ready\n")
                answer = self.host().line()
                self.assertTrue(answer.startswith("alone: "), answer)
                self.assertIn(why, answer)
                self.assertEqual(process.communicate(timeout=WAIT_SECONDS)[0], "given nothing\n")

    def test_who_is_free_and_listens_is_believed(self):
        self.end_the_shared_process()
        process = self.stranger("listen", "none", [])
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        host = self.host()
        self.assertEqual(process.communicate(timeout=WAIT_SECONDS)[0], "given 2\n",
                         "the tests above would see it")
        self.assertIn("shared", host.about(), "and what it does not answer is asked again")

    @unittest.skipUnless(IS_ROOT, "which id comes next is said by root alone")
    def test_an_id_that_is_used_again_proves_nothing(self):
        for options in ([], ["--greeting"]):
            folder = self.folder / f"reuse{len(options)}"
            folder.mkdir(mode=0o700)
            done = subprocess.run(
                ["unshare", "-p", "-f", "--mount-proc", sys.executable,
                 str(HERE / "attach_reuse.py"), PEER, str(folder), *options],
                capture_output=True, text=True, timeout=WAIT_SECONDS)
            self.assertEqual(done.stdout, "refused sessions 1 alive True\n", done.stderr)

    def group(self, controller, suffix):
        """A new control group beside or in our own."""
        mounts = pathlib.Path("/sys/fs/cgroup")
        lines = [line.split(":", 2) for line in
                 pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
        own = next((line[2] for line in lines if controller in line[1].split(",")), None)
        base = mounts / controller if own else mounts
        own = own or next(line[2] for line in lines if not line[1])
        group = base / own.lstrip("/") / f"pi-mcp-attach-{os.getpid()}-{suffix}"
        group.mkdir()
        self.addCleanup(lambda: eventually(lambda: self.removed(group)))
        return group

    @staticmethod
    def removed(group):
        try:
            group.rmdir()
        except OSError:
            return not group.exists()
        return True

    @unittest.skipUnless(IS_ROOT, "control groups are made by root alone")
    def test_limits_of_a_control_group_count(self):
        free, limited = self.group("pids", "free"), self.group("pids", "limited")
        (limited / "pids.max").write_text("100")
        self.assertEqual(self.host(wrapper=[*JAIL, "cgroup", str(free)]).shared(), self.shared)
        answer = self.attack("a control group", [*JAIL, "cgroup", str(limited)])
        self.assertIn("limits only one of both: pids.max = 100", answer)
        honest = self.host(wrapper=[*JAIL, "cgroup", str(limited)]).line()
        self.assertIn("limits only one of both: pids.max = 100", honest)
        self.end_the_shared_process()  # or the groups could not be removed


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
