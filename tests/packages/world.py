"""A machine without a network, for tests of what is installed: a network namespace that has only
its loopback, with an MCP server over HTTP, one over HTTPS and a name server in it; and clean roots.

Has to be root, for namespaces, mounts and chroot."""
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "integration"))
import mcp_over_http  # pylint: disable=wrong-import-position

WAIT_SECONDS = 60
USER = 1000
NAMED, FILED = "by-dns.test", "in-hosts.test"  # only the name server, only /etc/hosts knows it


def leave_the_network():
    """This process, its threads to come and its children have a loopback of their own."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_mounts, new_network = 0x00020000, 0x40000000  # sched.h
    if libc.unshare(new_mounts | new_network) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    private = 1 << 18 | 1 << 14  # MS_PRIVATE | MS_REC: what is mounted stays here
    if libc.mount(None, b"/", None, private, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        up, set_flags = 1, 0x8914  # IFF_UP, SIOCSIFFLAGS
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", up))


class Servers:
    """What listens in the namespace: HTTP at `port`, HTTPS at `secure_port`, DNS."""

    def __init__(self, folder):
        self.certificate = pathlib.Path(folder, "ca.pem")
        key = pathlib.Path(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
             f"subjectAltName=DNS:{NAMED},DNS:{FILED}", "-keyout", key, "-out", self.certificate],
            check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.port = mcp_over_http.serve().server_port
        self.secure_port = mcp_over_http.serve(context=context).server_port
        self.asked = set()
        names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind(("127.0.0.1", 53))
        threading.Thread(target=self.answer_names, args=(names,), daemon=True).start()

    def answer_names(self, names):
        """RFC 1035: NAMED is 127.0.0.1; there are no other names, and no other records."""
        while True:
            question, whence = names.recvfrom(512)
            labels, at = [], 12
            while length := question[at]:
                labels.append(question[at + 1:at + 1 + length].decode())
                at += 1 + length
            kind, name = struct.unpack("!H", question[at + 1:at + 3])[0], ".".join(labels)
            self.asked.add(name)
            known = name.lower() == NAMED
            answer = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + bytes([127, 0, 0, 1])
            has_answer = known and kind == 1
            flags = 0x8580 if known else 0x8583
            head = question[:2] + struct.pack("!HHHHH", flags, 1, int(has_answer), 0, 0)
            names.sendto(head + question[12:at + 5] + (answer if has_answer else b""), whence)


class Root:
    """A root to change into, with a user who has a home. `made_of`: a folder to copy, if any."""

    def __init__(self, made_of=None):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="pi-mcp-root-"))
        self.path.chmod(0o755)
        self.home = "/home/user"
        # A process of its own each time, but where sharing is what is tested.
        self.env = {"HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                    "PI_MCP_SHARED": "off"}
        self.emulator = []
        if made_of:
            subprocess.run(["cp", "-a", f"{made_of}/.", self.path], check=True)
        for folder in ("proc", "dev", "etc", "tmp", "home/user/.pi/agent"):
            (self.path / folder).mkdir(parents=True, exist_ok=True)
        subprocess.run(["chown", "-R", f"{USER}:{USER}", self.path / "home/user"], check=True)
        (self.path / "tmp").chmod(0o1777)
        subprocess.run(["mount", "-t", "proc", "proc", self.path / "proc"], check=True)
        for name in ("null", "urandom"):
            device = self.path / "dev" / name
            device.touch()
            subprocess.run(["mount", "--bind", f"/dev/{name}", device], check=True)
        # A machine whose administrator looks names up in ways of their own.
        self.write("etc/nsswitch.conf", "passwd: trap\ngroup: trap\nhosts: trap\n")
        self.write("etc/hosts", f"127.0.0.1 localhost\n127.0.0.1 {FILED}\n")
        self.write("etc/resolv.conf", "nameserver 127.0.0.1\n")

    def write(self, path, text):
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o644)
        return "/" + path

    def configure(self, **servers):
        self.write("home/user/.pi/agent/mcp.json", json.dumps({"mcpServers": servers}))

    def start(self, *command, user=USER, **options):
        def enter():
            os.chroot(self.path)
            os.chdir(self.home if user else "/")
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        usual = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                 "text": True}
        return subprocess.Popen([*self.emulator, *command], env=self.env, preexec_fn=enter,
                                **(usual | options))

    def run(self, *command, status=0, **options):
        """What it said; of one that has to fail, also to stderr."""
        process = self.start(*command, **options)
        stdout, stderr = process.communicate(timeout=WAIT_SECONDS)
        if process.returncode != status:
            raise AssertionError(f"{command}: status {process.returncode}\n{stdout}\n{stderr}")
        return stdout + (stderr if status else "")

    def processes(self):
        """Pids that have this root, whoever started them."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "root") == str(self.path):
                    found.append(int(entry.name))
            except OSError:
                pass  # it has ended, or it is the kernel's
        return found

    def wait_empty(self):
        deadline = time.monotonic() + WAIT_SECONDS
        while left := self.processes():
            if time.monotonic() > deadline:
                raise AssertionError(f"processes {left} are still there")

    def remove(self):
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        for place in ("dev/urandom", "dev/null", "proc"):
            subprocess.run(["umount", "--lazy", self.path / place], check=True)
        shutil.rmtree(self.path)
