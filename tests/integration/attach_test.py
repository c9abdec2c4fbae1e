"""How sessions get into a shared process, and how they end.
Usage: attach_test.py PI_MCP FAKE_SERVER"""
import fcntl
import os
import pathlib
import pty
import shutil
import signal
import socket
import subprocess
import sys
import unittest

from attach_home import PEER, WAIT_SECONDS, AttachTest, eventually, is_alive
from other_build import make_other_build


def status_of(process, key):
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    return next(line.split(":")[1].strip() for line in lines if line.startswith(key + ":"))


def files_of(process):
    return len(os.listdir(f"/proc/{process}/fd"))


class Attaching(AttachTest):
    def test_hosts_of_pipes_and_of_sockets_meet_in_one_process(self):
        for options in ([], ["--greeting"]):
            hosts = [self.host(*options, kind=kind) for kind in ("pipe", "socket") * 2]
            self.assertEqual(len({host.shared() for host in hosts}), 1)
            self.assertEqual(hosts[0].about()["sessions"], "4")
            for host in hosts:
                host.close()
            self.hosts.clear()
            self.no_process_is_left()  # the next is to be one of the other kind

    def test_the_session_comes_along(self):
        host = self.host("--option", "a b", cwd="/usr", umask=0o27)
        seen = host.about()
        self.assertEqual((seen["folder"], seen["umask"], seen["mark"], seen["words"]),
                         ("/usr", str(0o27), "m", "4"))
        self.assertEqual(seen["front"], str(host.process.pid))

    def test_exit_statuses_come_back(self):
        for kind in ("pipe", "socket"):
            for status in (0, 3, 130):
                host = self.host(kind=kind)
                host.shared()
                host.say(f"exit {status}")
                self.assertEqual(host.wait(), status)

    def test_the_end_of_input_ends_the_session(self):
        host = self.host()
        host.shared()
        host.end_input()
        self.assertEqual(host.wait(), 0)

    def test_the_end_of_the_front_is_seen_by_its_host_at_once(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            host = self.host()
            host.shared()
            host.process.send_signal(number)
            self.assertEqual(host.line(), "")
            # A waiter says it as `serve` does; the front may just be on its way to be one.
            ends = {-number} if number == signal.SIGKILL else {-number, 128 + number}
            self.assertIn(host.wait(), ends)
            with self.assertRaises(BrokenPipeError):
                os.write(host.input, b"x\n")

    def test_flags_of_the_hosts_descriptors_stay(self):
        for make in (os.pipe, lambda: [end.detach() for end in socket.socketpair()]):
            to, back = make(), make()
            ends = (*to, *back)
            before = [fcntl.fcntl(end, fcntl.F_GETFL) for end in ends]
            process = subprocess.Popen([PEER, str(self.folder)], stdin=to[0], stdout=back[1])
            os.write(to[1], b"about\n")
            self.assertIn(b"shared", os.read(back[0], 1000))
            self.assertEqual(before, [fcntl.fcntl(end, fcntl.F_GETFL) for end in ends])
            process.kill(), process.wait()
            for end in ends:
                os.close(end)

    def test_fronts_that_start_together_start_one_process(self):
        for _ in range(10):
            hosts = [self.host(kind="socket" if i % 2 else "pipe") for i in range(8)]
            served = [host.about() for host in hosts]
            self.assertEqual(len({one.get("shared") for one in served}), 1, served)
            for host in hosts:
                host.end_input()
                self.assertEqual(host.wait(), 0)

    def test_one_that_comes_while_the_process_leaves_is_served(self):
        for _ in range(40):
            host = self.host()
            host.shared()
            host.end_input()
            host.wait()  # it looks again and again whether it may leave now
        self.no_process_is_left()
        self.assertEqual(self.sockets(), [])

    def test_it_is_found_again_where_its_folder_or_its_name_was_removed(self):
        run = self.folder / "pi-mcp"
        removals = {"the folder": lambda: shutil.rmtree(run),
                    "the name": lambda: self.sockets()[0].unlink(),
                    "the folder, moved away": lambda: run.rename(self.folder / "old"),
                    "all of it": lambda: shutil.rmtree(self.folder)}
        for what, remove in removals.items():
            with self.subTest(what=what):
                first = self.host()
                shared = first.shared()
                remove()
                self.folder.mkdir(exist_ok=True)
                self.assertTrue(eventually(self.sockets_now))
                self.assertEqual(run.stat().st_mode & 0o777, 0o700)
                self.assertEqual(self.host().shared(), shared)
                self.assertEqual(first.about()["sessions"], "2")
                self.close_hosts()
                self.hosts.clear()
                self.no_process_is_left()
                self.assertEqual(self.sockets(), [])
                shutil.rmtree(self.folder / "old", ignore_errors=True)

    def test_one_that_another_came_before_is_found_beside_it(self):
        first = self.host()
        shared = first.shared()
        name = self.sockets()[0].name
        shutil.rmtree(self.folder / "pi-mcp")
        second = self.host()  # makes it anew, and starts one
        other = second.shared()
        self.assertNotEqual(other, shared)
        names = {path.name for path in eventually(self.sockets_now, lambda now: len(now) > 1)}
        self.assertEqual((len(names), name in names), (2, True), names)
        self.assertEqual(self.host().shared(), other)
        for host in self.hosts[1:]:
            host.close()
        del self.hosts[1:]
        self.assertFalse(eventually(lambda: is_alive(other), lambda alive: not alive))
        self.assertEqual(self.host().shared(), shared)

    def sockets_now(self):
        try:
            return self.sockets()
        except OSError:
            return []

    def test_it_ends_also_where_its_folder_was_removed(self):
        for kind in ("pipe", "socket"):
            host = self.host(kind=kind)
            shared = host.shared()
            shutil.rmtree(self.folder / "pi-mcp")
            self.assertEqual(host.shared(), shared, "its sessions go on")
            host.end_input()
            self.assertEqual(host.wait(), 0)
            self.no_process_is_left()

    def test_those_that_say_nothing_are_sent_away_and_keep_nobody_out_for_ever(self):
        self.host().shared()
        silent = []
        for _ in range(70):  # more than may greet at once
            silent.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            self.addCleanup(silent[-1].close)
            silent[-1].connect(str(self.sockets()[0]))
        self.assertIn("shared", self.host().about())
        self.assertIn(b"not done within 5 s", silent[0].recv(4096))

    def test_nothing_is_left_open(self):
        first = self.host()
        shared = first.shared()
        before = files_of(shared)
        for kind in ("pipe", "socket") * 10:
            host = self.host(kind=kind)
            self.assertEqual(host.shared(), shared)
            host.end_input()
            host.wait()
        self.assertEqual(eventually(lambda: files_of(shared), lambda now: now == before), before)

    def test_a_shell_command_goes_on_itself(self):
        self.assertEqual(self.host("--stay", kind="socket").line(), "stayed")


class Waiter(AttachTest):
    def waiter(self, host):
        """Once it is one: the shared process answers sooner."""
        front = host.front()
        comm = pathlib.Path(f"/proc/{front}/comm")
        self.assertEqual(eventually(comm.read_text, lambda name: name == "pi-mcp\n"), "pi-mcp\n")
        return front

    def test_is_small(self):
        host = self.host()
        front = self.waiter(host)
        text = pathlib.Path(f"/proc/{front}/smaps_rollup").read_text()
        size = int(next(line for line in text.splitlines() if line.startswith("Pss:")).split()[1])
        self.assertLessEqual(size, 32, "KiB")
        self.assertEqual(files_of(front), 7, "3 of the host, socket, memory, program, signals")

    def test_writes_what_only_it_can_write(self):
        host = self.host()
        host.shared()
        host.ask("errors of a server")
        self.assertEqual(os.read(host.process.stderr.fileno(), 100), b"of a server\n")

    def test_is_not_held_by_a_full_stderr(self):
        master, slave = pty.openpty()
        reader, writer = os.pipe()
        for stderr in (slave, writer):
            host = self.host(stderr=stderr)
            host.shared()
            for _ in range(4):
                self.assertEqual(host.ask("flood 1000000"), "shared written")
            host.end_input()
            self.assertEqual(host.wait(), 0)
        for number in (master, slave, reader, writer):
            os.close(number)

    def test_ends_when_nobody_reads_its_stderr(self):
        host = self.host()
        host.shared()
        host.process.stderr.close()
        host.process.stderr = None
        host.ask("errors x")
        host.say("exit 4")
        self.assertEqual(host.wait(), 4)


class Death(AttachTest):
    def test_the_next_process_gets_the_memory(self):
        for kind in ("pipe", "socket"):
            host = self.host(kind=kind)
            shared = host.shared()
            self.die(shared)
            seen = host.about()
            self.assertNotEqual(int(seen["shared"]), shared)
            self.assertTrue(seen["all"].endswith("repaired"), seen)
            self.assertEqual(seen["front"], str(host.process.pid))
            self.assertEqual((seen["mark"], seen["words"]), ("m", "2"))
            host.end_input()
            self.assertEqual(host.wait(), 0)

    def test_all_its_sessions_meet_again(self):
        hosts = [self.host(kind="socket" if i % 2 else "pipe") for i in range(6)]
        shared = {host.shared() for host in hosts}
        self.die(shared.pop())
        self.assertEqual(len({host.shared() for host in hosts}), 1)

    def test_twice_within_a_minute_the_front_runs_alone(self):
        host = self.host()
        for _ in range(2):
            self.die(host.shared())
        self.assertEqual(host.line(), "alone: the shared process has died twice within a minute "
                                      "(with a memory)")

    def test_before_it_has_touched_anything_is_no_death(self):
        host = self.host()
        shared = host.shared()
        os.kill(shared, signal.SIGSTOP)
        others = [self.host() for _ in range(3)]
        for other in others:
            eventually(lambda: files_of(other.process.pid) > 3)
        os.kill(shared, signal.SIGKILL)
        seen = [other.about() for other in others]
        self.assertEqual(len({one["shared"] for one in seen}), 1)
        self.assertFalse([one for one in seen if "repaired" in one["all"]])

    def test_the_same_build_goes_on_though_its_file_was_replaced(self):
        program = self.folder / "copy"
        shutil.copy2(PEER, program)
        host = self.host(program=str(program))
        shared = host.shared()
        program.unlink()
        program.write_text("#!/bin/false\n")
        program.chmod(0o755)
        self.die(shared)
        seen = host.about()
        self.assertTrue(seen["all"].endswith("repaired"), seen)
        self.assertNotEqual(int(seen["shared"]), shared)

    def test_a_stopped_front_repairs_when_it_goes_on(self):
        host = self.host()
        shared = host.shared()
        host.process.send_signal(signal.SIGSTOP)
        self.assertEqual(host.shared(), shared, "calls go on")
        self.die(shared)
        host.process.send_signal(signal.SIGCONT)
        self.assertTrue(host.about()["all"].endswith("repaired"))

    def test_a_copy_shares_whenever_it_was_made(self):
        program = self.folder / "other"
        shutil.copy(PEER, program)
        os.utime(program, (1, 1))
        self.assertEqual(self.host().shared(), self.host(program=str(program)).shared())

    def test_another_build_has_a_process_of_its_own(self):
        program = make_other_build(PEER, self.folder / "other")
        self.assertNotEqual(self.host().shared(), self.host(program=program).shared())


class Born(AttachTest):
    def test_keeps_nothing_of_who_started_it(self):
        def spoil():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
            os.dup2(0, 77, inheritable=True)
            os.sched_setaffinity(0, {0})
            pathlib.Path("/proc/self/oom_score_adj").write_text("500")
            os.chdir("/usr")
        host = self.host(preexec_fn=spoil, umask=0)
        shared = host.shared()
        status = {key: status_of(shared, key) for key in ("Umask", "SigIgn", "SigBlk")}
        broken_pipes = f"{1 << (signal.SIGPIPE - 1):016x}"
        self.assertEqual(status, {"Umask": "0077", "SigIgn": broken_pipes, "SigBlk": "0" * 16})
        proc = pathlib.Path(f"/proc/{shared}")
        self.assertEqual(os.readlink(proc / "cwd"), "/")
        self.assertEqual((proc / "environ").read_bytes(), b"")
        self.assertEqual((proc / "oom_score_adj").read_text(), "0\n")
        self.assertEqual(os.sched_getaffinity(shared), os.sched_getaffinity(0))
        self.assertFalse((proc / "fd/77").is_symlink())
        self.assertEqual({os.readlink(proc / f"fd/{n}") for n in range(3)}, {"/dev/null"})
        self.assertNotEqual(os.getsid(shared), os.getsid(0))
        self.assertNotEqual(int(status_of(shared, "PPid")), host.process.pid)

    def test_one_that_never_gets_ready_is_ended(self):
        command = [PEER, "start-one-that-hangs", str(self.folder)]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False,
                                 timeout=WAIT_SECONDS)
        self.assertEqual(outcome.stdout, "the shared process did not get ready\n", outcome.stderr)
        self.no_process_is_left()

    def test_not_below_a_keeper(self):
        code = ("import ctypes, subprocess, sys\n"
                "ctypes.CDLL(None).prctl(15, b'pi-mcp-keeper', 0, 0, 0)\n"
                "sys.exit(subprocess.call(sys.argv[1:]))")
        below = self.host(wrapper=[sys.executable, "-c", code])
        self.assertEqual(below.line(), "alone: a server of pi-mcp has started it")

    def as_user(self, *wrapper, name="user"):
        """Without the right to put a limit back."""
        folder = self.folder / name
        folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(folder, 1234, 1234)
        self.folder.chmod(0o711)
        user = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"]
        return self.host(folder=folder, kind="socket", wrapper=[*user, *wrapper])

    @unittest.skipUnless(os.geteuid() == 0, "users can be changed by root alone")
    def test_not_with_a_niceness_that_cannot_be_put_back(self):
        self.assertEqual(self.as_user("nice", "-n", "5").line(),
                         "alone: niceness is 5 here and cannot be put back")

    @unittest.skipUnless(os.geteuid() == 0, "users can be changed by root alone")
    def test_not_with_a_limit_that_cannot_be_put_back(self):
        self.assertEqual(self.as_user("prlimit", "--nofile=512:512").line(),
                         "alone: the hard limit of open files is lowered here and cannot be put "
                         "back")

    @unittest.skipUnless(os.geteuid() == 0, "users can be changed by root alone")
    def test_lowered_hard_limits_push_nobody_aside(self):
        for limit in ("--core=0:0", "--nofile=8192:8192", "--memlock=65536:65536"):
            with self.subTest(limit):
                lowered = self.as_user("prlimit", limit, name=limit).shared()
                free = self.as_user(name=limit).shared()
                self.assertNotEqual(free, lowered)
                self.assertEqual(self.as_user(name=limit).shared(), free)
                self.assertEqual(self.as_user("prlimit", limit, name=limit).shared(), lowered)
                # Who may start none is served by one that can give what it has.
                least = self.as_user("prlimit", "--nofile=512:512", name=limit).about()
                self.assertIn(int(least.get("shared", 0)),
                              {free} if limit.startswith("--c") or limit.startswith("--m")
                              else {free, lowered}, least)

    @unittest.skipUnless(os.geteuid() == 0, "users can be changed by root alone")
    def test_who_has_lower_limits_goes_where_higher_ones_are(self):
        free = self.as_user().shared()
        for limit in ("--core=0:0", "--nofile=8192:8192"):
            self.assertEqual(self.as_user("prlimit", limit).shared(), free)


class Alone(AttachTest):
    def why(self, **more):
        host = self.host(**more)
        return host.line()

    def run_with(self, stdin, stdout):
        process = subprocess.run([PEER, str(self.folder)], stdin=stdin, stdout=stdout,
                                 stderr=subprocess.DEVNULL, timeout=WAIT_SECONDS)
        self.assertEqual(process.returncode, 0)

    def test_with_what_cannot_be_handed_over(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        named = os.open(fifo, os.O_RDWR)
        out = self.folder / "out"
        for stdin, what in ((subprocess.DEVNULL, "stdin is neither a pipe nor a socket"),
                            (named, "stdin is a named FIFO")):
            done = subprocess.run([PEER, str(self.folder)], stdin=stdin, capture_output=True,
                                  timeout=WAIT_SECONDS)
            self.assertEqual(done.stdout.decode(), f"alone: {what}\n")
        with open(out, "w") as file:
            reader, writer = os.pipe()
            self.run_with(reader, file)
            os.close(reader), os.close(writer)
        self.assertEqual(out.read_text(), "alone: stdout is neither a pipe nor a socket\n")
        os.close(named)

    def test_with_a_folder_that_is_not_ours_alone(self):
        place = self.folder / "pi-mcp"
        place.mkdir(mode=0o700)
        place.chmod(0o755)
        self.assertEqual(self.why(), f"alone: {place} can be used by other users; close it with: "
                                     f"chmod 700 {place}")
        place.rmdir()
        (self.folder / "real").mkdir(mode=0o700)
        place.symlink_to("real")
        self.assertEqual(self.why(), f"alone: {place} is a link or no folder; remove it")
        place.unlink()
        place.write_text("")
        self.assertEqual(self.why(), f"alone: {place} is a link or no folder; remove it")

    def test_with_a_lock_that_stays_locked(self):
        place = self.folder / "pi-mcp"
        place.mkdir(mode=0o700)
        with open(place / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("lock is locked by another process", self.why())

    @unittest.skipUnless(os.geteuid() == 0, "the kernel lets root alone say so")
    @unittest.skipUnless(os.path.exists("/proc/sys/vm/memfd_noexec"), "Linux has it since 6.3")
    def test_where_files_in_memory_may_not_run_the_front_waits_itself(self):
        script = ('echo 2 > /proc/sys/vm/memfd_noexec && exec "$@"')
        host = self.host(wrapper=["unshare", "-p", "-f", "--mount-proc", "sh", "-c", script, "sh"])
        self.assertIn("shared", host.about())
        self.assertEqual(host.ask("errors x"), "shared written")
        self.assertEqual(os.read(host.process.stderr.fileno(), 100), b"x\n")
        self.die(self.shared_processes()[0])
        self.assertTrue(host.about()["all"].endswith("repaired"))
        host.say("exit 5")
        self.assertEqual(host.wait(), 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
