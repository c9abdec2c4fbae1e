"""Packages in clean roots, as an ordinary user and without a network: each does the main job there.
Usage: clean_roots_test.py PACKAGES FAKE_SERVER DEBIAN_ROOT...

PACKAGES: what packaging/pack.py made. A root is a folder that debootstrap made. All programs are
for this machine. Has to be root itself: see world.py."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

import world

PACKAGES, FAKE_SERVER = map(pathlib.Path, sys.argv[1:3])
DEBIANS = sys.argv[3:]
ARCH, DEB_ARCH = {"x86_64": ("x64", "amd64"), "aarch64": ("arm64", "arm64")}[os.uname().machine]

# OpenSSL as the administrator of another machine wants it: nothing would be left to speak TLS with.
OPENSSL_CONFIGURATION = """openssl_conf = all
[all]
alg_section = algorithms
providers = modules
[algorithms]
default_properties = fips=yes
[modules]
trap = trap
[trap]
module = /no/such/module.so
activate = 1
"""


def package(pattern):
    found = list(PACKAGES.glob(pattern))
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def unpack(archive, folder):
    pathlib.Path(folder).mkdir(exist_ok=True)
    subprocess.run(["tar", "-xf", archive, "-C", folder, "--numeric-owner", "--same-owner"],
                   check=True)


class CleanRoots(unittest.TestCase):
    program = "/usr/bin/pi-mcp"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="pi-mcp-packages-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def root(self, made_of=None):
        root = world.Root(made_of)
        self.addCleanup(root.remove)
        (root.path / "opt").mkdir(exist_ok=True)
        shutil.copy(FAKE_SERVER, root.path / "opt/fake_server")
        shutil.copy(SERVERS.certificate, root.path / "opt/ca.pem")
        for place in ("usr/lib/ssl/openssl.cnf", "etc/ssl/openssl.cnf", "etc/pki/tls/openssl.cnf"):
            (root.path / place).unlink(missing_ok=True)
            root.write(place, OPENSSL_CONFIGURATION)
        return root

    def configure(self, root):
        plain, secure = SERVERS.port, SERVERS.secure_port
        root.configure(
            local={"command": "/opt/fake_server", "args": ["--name", "fake", "--tools", "all"]},
            filed={"url": f"http://{world.FILED}:{plain}/mcp"},
            named={"url": f"http://{world.NAMED}:{plain}/mcp"},
            secure={"url": f"https://{world.NAMED}:{secure}/mcp", "caFile": "/opt/ca.pem"},
            nowhere={"url": "http://no-such-host.test/mcp"},
            beside={"url": "http://printer.local/mcp"})

    def check_remote(self, root):
        for server, host in (("filed", f"{world.FILED}:{SERVERS.port}"),
                             ("named", f"{world.NAMED}:{SERVERS.port}"),
                             ("secure", f"{world.NAMED}:{SERVERS.secure_port}")):
            said = root.run(self.program, "call", f"{server}_host")
            self.assertEqual(said.strip(), f"for {host}")
        self.assertIn("no such host is known",
                      root.run(self.program, "connect", "nowhere", status=4))
        self.assertIn("no-such-host.test", SERVERS.asked)
        self.assertIn("use its address", root.run(self.program, "connect", "beside", status=4))

    def check_main_job(self, root):
        self.configure(root)
        self.assertIn("hello", root.run(self.program, "call", "local_echo", "text=hello"))
        self.assertIn("local_echo", root.run(self.program, "search", "echo"))
        self.check_remote(root)
        self.check_kill(root)
        self.check_shared(root)
        self.check_other_machines(root)

    def check_kill(self, root):
        """Nothing of a killed program is left."""
        host = root.start(self.program, "serve", stdin=subprocess.PIPE)
        for message in (
                {"id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}},
                {"method": "notifications/initialized"},
                {"id": 2, "method": "tools/call", "params": {
                    "name": "mcp", "arguments": {"tool": "local_echo", "args": {"text": "hi"}}}}):
            host.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        host.stdin.flush()
        while json.loads(line := host.stdout.readline()).get("id") != 2:
            pass
        self.assertIn("hi", line)
        self.assertGreater(len(root.processes()), 1, "the server runs")
        host.send_signal(signal.SIGKILL)
        host.communicate(timeout=world.WAIT_SECONDS)
        root.wait_empty()

    def check_shared(self, root):
        """Commands share a process, which goes with its last server."""
        shared = root.env.pop("PI_MCP_SHARED")
        for text in ("one", "two"):
            self.assertIn(text, root.run(self.program, "call", "local_echo", f"text={text}"))
        self.assertNotEqual(root.processes(), [], "the server stays a while")
        root.run(self.program, "stop", "--all")
        root.wait_empty()
        root.env["PI_MCP_SHARED"] = shared

    def check_other_machines(self, root):
        """The second file listens for them, and the program says so where it is missing."""
        token = root.run(self.program, "token", "add", "far", "--servers", "local").strip()
        served = root.start(self.program, "serve", "--http", "0.0.0.0:0", stdout=subprocess.DEVNULL)
        port = re.search(r"http://0.0.0.0:(\d+)/mcp", served.stderr.readline())[1]
        self.assertEqual(pathlib.Path(f"/proc/{served.pid}/comm").read_text(), "pi-mcp-net\n")
        address = f"http://127.0.0.1:{port}/servers/local/mcp"
        greeting = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}
        headers = {"Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}
        ask = urllib.request.Request(address, json.dumps(greeting).encode(), headers)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(ask, timeout=world.WAIT_SECONDS)
        self.assertEqual(refused.exception.status, 401)
        refused.exception.close()
        ask.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(ask, timeout=world.WAIT_SECONDS) as answer:
            self.assertIn('"serverInfo"', answer.read().decode())
        served.terminate()
        served.communicate(timeout=world.WAIT_SECONDS)
        self.assertEqual(served.returncode, 0)
        root.wait_empty()
        net = (root.path / self.program[1:]).with_name("pi-mcp-net")
        net.rename(net.with_name("aside"))
        said = root.run(self.program, "serve", "--http", "0.0.0.0:0", status=4)
        self.assertIn("pi-mcp-net is not in", said)
        net.with_name("aside").rename(net)

    def test_the_checksums_are_those_of_the_files(self):
        lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
        told = {name: digest for digest, name in (line.split("  ") for line in lines)}
        there = {file.name: hashlib.sha256(file.read_bytes()).hexdigest()
                 for file in PACKAGES.iterdir() if file.name != "SHA256SUMS"}
        self.assertEqual(told, there)

    def test_a_root_without_anything_runs_what_the_tarball_has(self):
        root = self.root()
        unpack(package(f"pi-mcp-*-linux-{ARCH}.tar.gz"), root.path / "opt")
        folder = package(f"pi-mcp-*-linux-{ARCH}.tar.gz").name.removesuffix(".tar.gz")
        self.program = f"/opt/{folder}/bin/pi-mcp"
        facts = json.loads(root.run(self.program, "--version", "--json"))
        self.assertEqual((facts["arch"], facts["build"]["linking"]), (ARCH, "static"))
        self.check_main_job(root)

    def test_debian_packages_install_work_upgrade_and_go(self):
        self.assertNotEqual(DEBIANS, [], "no root of a Debian was given")
        for made_of in DEBIANS:
            with self.subTest(made_of):
                root = self.root(made_of)
                root.install = lambda file, root=root: self.install(root, file)
                root.install(self.older_deb())
                self.assertIn("0.0.1", root.run("/usr/bin/dpkg-query", "-W", "pi-mcp"))
                self.check_main_job(root)
                before = self.files_of_user(root)
                root.install(package(f"pi-mcp_*_{DEB_ARCH}.deb"))
                self.assertEqual(root.run("/usr/bin/dpkg", "--verify", "pi-mcp"), "")
                self.assertEqual(self.files_of_user(root), before)
                self.assertIn("local_echo", root.run(self.program, "search", "echo"))
                self.check_texts(root)
                root.run("/usr/bin/dpkg", "--purge", "pi-mcp", user=0)
                self.assertEqual(self.files_of_user(root), before)
                left = [path for path in (root.path / "usr").rglob("*pi-mcp*")]
                self.assertEqual(left, [])

    def install(self, root, file):
        shutil.copy(file, root.path / "opt/pi-mcp.deb")
        root.run("/usr/bin/dpkg", "--install", "/opt/pi-mcp.deb", user=0)

    def older_deb(self):
        """The same as an earlier version."""
        folder, made = f"{self.folder}/older", f"{self.folder}/older.deb"
        if not pathlib.Path(made).exists():
            file = package(f"pi-mcp_*_{DEB_ARCH}.deb")
            subprocess.run(["dpkg-deb", "--raw-extract", file, folder], check=True)
            control = pathlib.Path(folder, "DEBIAN/control")
            lines = ["Version: 0.0.1" if line.startswith("Version:") else line
                     for line in control.read_text().splitlines()]
            control.write_text("\n".join(lines) + "\n")
            subprocess.run(["dpkg-deb", "-Zgzip", "--build", folder, made], check=True,
                           stdout=subprocess.DEVNULL)
        return made

    @staticmethod
    def files_of_user(root):
        """All but records of runs, which any command writes."""
        agent = root.path / "home/user/.pi/agent"
        return {str(path.relative_to(agent)): path.read_bytes()
                for path in agent.glob("*") if path.is_file()}

    def check_texts(self, root):
        completion = "/usr/share/bash-completion/completions/pi-mcp"
        root.run("/bin/bash", "-n", completion)
        for place in ("usr/share/zsh/vendor-completions/_pi-mcp",
                      "usr/share/fish/vendor_completions.d/pi-mcp.fish",
                      "usr/share/man/man1/pi-mcp.1.gz", "usr/share/pi-mcp/extension/index.ts"):
            self.assertTrue((root.path / place).exists(), place)
        notices = (root.path / "usr/share/doc/pi-mcp/copyright").read_text()
        for library in json.loads(root.run(self.program, "--version", "--json"))["libraries"]:
            self.assertIn(f"{library['name']} {library['version']}", notices)

    def test_the_image_reaches_remote_servers_as_its_own_user(self):
        place = f"{self.folder}/image"
        unpack(package(f"pi-mcp-*-image-{ARCH}.tar"), place)
        config, layer = self.image_parts(pathlib.Path(place))
        content = f"{place}/root"
        unpack(layer, content)
        root = self.root(content)
        user, _ = map(int, config["User"].split(":"))
        root.home = config["WorkingDir"]
        root.env |= dict(pair.split("=", 1) for pair in config["Env"])
        home = root.path / root.home[1:]
        self.assertEqual(home.stat().st_uid, user)
        self.program, = config["Entrypoint"]
        self.configure(root)
        shutil.copytree(root.path / "home/user/.pi", home / ".pi")
        run = root.run
        # As it is, and with the user's own files and number (docker run --user).
        for number in (user, world.USER):
            subprocess.run(["chown", "-R", f"{number}:{number}", home / ".pi"], check=True)
            root.run = lambda *words, number=number, **options: run(*words, user=number, **options)
            self.check_remote(root)
            self.assertIn("protocolVersion", self.greet(root, number, config["Cmd"]))
        certificates = (root.path / "etc/ssl/certs/ca-certificates.crt").read_text()
        self.assertIn("BEGIN CERTIFICATE", certificates)

    def greet(self, root, user, words):
        """What it answers to a host that connects and leaves."""
        process = root.start(self.program, *words, user=user, stdin=subprocess.PIPE)
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}
        stdout, stderr = process.communicate(json.dumps(hello) + "\n", timeout=world.WAIT_SECONDS)
        self.assertEqual(process.returncode, 0, stderr)
        return stdout

    def image_parts(self, place):
        """Its configuration and its layer, found as a registry and as `docker load` find them."""
        def blob(digest):
            file = place / "blobs" / digest.replace(":", "/")
            self.assertEqual(hashlib.sha256(file.read_bytes()).hexdigest(), digest.split(":")[1])
            return file
        described, = json.loads((place / "index.json").read_text())["manifests"]
        manifest = json.loads(blob(described["digest"]).read_text())
        docker, = json.loads((place / "manifest.json").read_text())
        layer = blob(manifest["layers"][0]["digest"])
        self.assertEqual(docker["Layers"], [str(layer.relative_to(place))])
        self.assertEqual(place / docker["Config"], blob(manifest["config"]["digest"]))
        return json.loads((place / docker["Config"]).read_text())["config"], layer


if __name__ == "__main__":
    world.leave_the_network()
    with tempfile.TemporaryDirectory() as for_keys:
        SERVERS = world.Servers(for_keys)
        unittest.main(argv=sys.argv[:1], verbosity=2)
