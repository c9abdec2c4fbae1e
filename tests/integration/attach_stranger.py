"""A program that is not our front and not our shared process, and speaks as they do.

attach_stranger.py attack FOLDER NAME [--chroot FOLDER]: hands a session over without a look at
who listens; prints "attached" or why not. attach_stranger.py listen FOLDER NAME [--chroot FOLDER]:
listens there in place of the shared process; prints "ready", and then what it was given.
"""
import array
import ctypes
import fcntl
import os
import socket
import struct
import sys

GREETING, SESSION, ATTACHED, REFUSED = 1, 2, 3, 4
PROOF = 63


def proof_of(process):
    """Of who is at the other end; "" where we may not look, or do not see it at all."""
    try:
        return os.readlink(f"{process}/fd/{PROOF}", dir_fd=PROC).removeprefix("/memfd:proof-")[:32]
    except OSError:
        return ""


def peer_of(connection):
    """The id of who is at the other end."""
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def session_file():
    """What src/attach/session_facts.cc writes."""
    limits = "".join("0 0 " for _ in range(16))
    file = os.memfd_create("session", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(file, f"1 /1 4 evil1 4 MARK1 x18 2 99{limits}".encode())
    fcntl.fcntl(file, 1033, 1 | 2 | 4 | 8)  # F_ADD_SEALS: all
    return file


def greet(connection):
    """The number that the other side has made up, or None, and what it said."""
    connection.send(bytes([GREETING]) + b"0123456789abcdef")
    answer = connection.recv(4096)
    good = answer and answer[0] == GREETING
    return answer[1:].split(b" ")[2] if good else None, answer


def hand_over(connection, nonce, pipes):
    files = array.array("i", [*pipes, 2, session_file()])
    proof = proof_of(peer_of(connection)).encode()
    connection.sendmsg([bytes([SESSION]) + nonce + b" " + proof],
                       [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])


def attack(connection):
    """What came back."""
    nonce, answer = greet(connection)
    if nonce is None:
        return answer
    to, back = os.pipe(), os.pipe()
    hand_over(connection, nonce, (to[0], back[1]))
    return connection.recv(4096)


def listen(listener):
    print("ready", flush=True)
    connection, _ = listener.accept()
    peer = peer_of(connection)
    try:
        while packet := connection.recvmsg(4096, 4096)[0]:
            if packet[0] != GREETING:
                print("given", packet[0], flush=True)
                return
            nonce = packet[1:]
            connection.send(bytes([GREETING]) + nonce + b" " + proof_of(peer).encode() + b" 99")
    except (BrokenPipeError, ConnectionResetError):
        pass  # it has seen enough
    print("given nothing", flush=True)


def main():
    what, folder, name = sys.argv[1:4]
    os.chdir(folder)
    if "--chroot" in sys.argv:
        os.chroot(sys.argv[sys.argv.index("--chroot") + 1])  # the folder outside stays ours
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if what == "attack":
        line.connect(name)
        answer = attack(line)
        kind = answer[0] if answer else 0
        print("attached" if kind == ATTACHED else
              "refused: " + answer[1:].decode() if kind == REFUSED else "dropped")
    else:
        secret = os.memfd_create("proof-" + "5" * 32)
        os.dup2(secret, PROOF)
        os.path.lexists(name) and os.unlink(name)
        line.bind(name)
        line.listen()
        listen(line)


PROC = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
if __name__ == "__main__":
    main()
