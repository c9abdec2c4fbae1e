#!/usr/bin/env python3
"""Packs built programs: pack.py OUT PROGRAM..., one for each platform, of one commit. Beside each
lies pi-mcp-net, the same for what listens for other machines.

Into the folder OUT: npm packages (the extension, which asks for the program of the platform; one
with each program), a Debian package, a tarball that runs where it is unpacked and a container image
for each, and SHA256SUMS. The same programs give the same bytes. Nothing is downloaded."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import archives
import papers

ROOT = pathlib.Path(__file__).resolve().parent.parent
EMULATORS = {"x64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}
PLATFORMS = ["x64", "arm64"]
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
CERTIFICATE_NOTICES = pathlib.Path("/usr/share/doc/ca-certificates/copyright")
COMPLETIONS = {"bash": "pi-mcp", "zsh": "_pi-mcp", "fish": "pi-mcp.fish"}
UNIT = ((ROOT / "packaging/systemd/pi-mcp.service").read_bytes(), 0o644)
# How several processes serve together, and how they are watched.
REPLICAS = ROOT / "packaging/replicas"
USER = 65532  # of the image; nobody's on most machines


def arch_of(program):
    """As Node.js calls it, of an ELF file (its e_machine)."""
    machine = int.from_bytes(program.read_bytes()[18:20], "little")
    known = {62: "x64", 183: "arm64"}
    if machine not in known:
        sys.exit(f"{program} is for no machine that is packed for (e_machine {machine})")
    return known[machine]


class Program:
    """One platform's two files, and what it says itself."""

    def __init__(self, path):
        self.arch = arch_of(path)
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for file in (path, path.with_name("pi-mcp-net")):
                stripped = pathlib.Path(folder, file.name)
                subprocess.run(["llvm-strip-19", "-o", stripped, file], check=True)
                stripped.chmod(0o755)
                files[file.name] = stripped.read_bytes()
            self.files = files
            stripped = pathlib.Path(folder, path.name)
            emulator = [] if self.arch == own_arch() else [EMULATORS[self.arch]]
            self.command = [*emulator, stripped]
            self.facts = json.loads(self.run("--version", "--json"))
            self.man = self.run("help", "man")
            self.completions = {COMPLETIONS[shell]: self.run("completion", shell)
                                for shell in COMPLETIONS}

    def below(self, folder):
        return {f"{folder}/{name}": (content, 0o755) for name, content in self.files.items()}

    def run(self, *words):
        return subprocess.run([*self.command, *words], check=True, stdout=subprocess.PIPE).stdout


def own_arch():
    return {"x86_64": "x64", "aarch64": "arm64"}[os.uname().machine]


class Pack:
    def __init__(self, out, programs):
        self.out, self.programs = out, programs
        self.version = programs[0].facts["version"]
        commits = {program.facts["commit"] for program in programs}
        if len(commits) > 1:
            sys.exit(f"the programs are of different commits: {', '.join(sorted(commits))}; "
                     "build them anew")
        table = json.loads((ROOT / "packaging/libraries.json").read_text())["libraries"]
        self.table = {library["name"]: library for library in table}
        day = programs[0].facts["date"] or "1980-01-01"
        self.created = f"{day}T00:00:00Z"
        self.when = int(time.mktime(time.strptime(day + " UTC", "%Y-%m-%d %Z"))) - time.timezone
        # For those who put us onto the same commands in other ways, the same text for all.
        self.completions, self.man = programs[0].completions, programs[0].man

    def write(self, name, content):
        (self.out / name).write_bytes(content)
        print(name)

    def read(self, *names):
        found = {}
        for name in names:
            found |= archives.read(ROOT / name, name)
        return found

    def extension(self):
        names = sorted(f"extension/{file.name}" for file in (ROOT / "extension").glob("*.ts"))
        return self.read("package.json", *names)

    def papers(self, program):
        bill = papers.sbom(program.facts, program.files, self.table, self.created)
        licences = papers.licences(program.facts["libraries"], self.table)
        return self.read("LICENSE") | {
            "THIRD-PARTY-LICENCES": (licences, 0o644),
            "sbom.spdx.json": (json.dumps(bill, indent=1).encode() + b"\n", 0o644)}

    @staticmethod
    def replicas():
        found = {}
        for file in sorted(REPLICAS.iterdir()):
            found |= archives.read(file, f"replicas/{file.name}")
        return found

    def for_shells(self):
        files = {f"completions/{name}": (text, 0o644) for name, text in self.completions.items()}
        return files | {"man/pi-mcp.1": (self.man, 0o644)}

    def npm(self, name, files):
        packed = archives.tar(archives.below("package", files), self.when)
        self.write(f"{name}-{self.version}.tgz", archives.zipped(packed))

    def main_npm(self):
        """The extension and the command; its package.json gains what a checkout does not need."""
        manifest = json.loads((ROOT / "package.json").read_text())
        manifest["man"] = ["man/pi-mcp.1"]  # npm links lists alone
        manifest["mcpName"] = json.loads((ROOT / "packaging/server.json").read_text())["name"]
        manifest["files"] += ["completions", "man"]
        manifest["optionalDependencies"] = {f"pi-mcp-linux-{arch}": self.version
                                            for arch in PLATFORMS}
        files = self.extension() | self.for_shells()
        files |= self.read("README.md", "CHANGELOG.md", "LICENSE", "bin/pi-mcp.mjs")
        files["package.json"] = (json.dumps(manifest, indent=2).encode() + b"\n", 0o644)
        self.npm("pi-mcp", files)

    def platform_npm(self, program):
        """The program alone, the way npm chooses by platform."""
        name = f"pi-mcp-linux-{program.arch}"
        manifest = {"name": name, "version": self.version,
                    "description": f"The program pi-mcp for Linux on {program.arch}",
                    "license": "MIT", "os": ["linux"], "cpu": [program.arch],
                    "files": ["bin", "THIRD-PARTY-LICENCES", "sbom.spdx.json"]}
        files = self.papers(program) | program.below("bin") | {
            "package.json": (json.dumps(manifest, indent=2).encode() + b"\n", 0o644)}
        self.npm(name, files)

    def tarball(self, program):
        """Runs where it is unpacked, and Pi can load it as a folder."""
        name = f"pi-mcp-{self.version}-linux-{program.arch}"
        files = self.extension() | self.for_shells() | self.papers(program) | program.below("bin")
        files |= self.read("README.md", "CHANGELOG.md", "SECURITY.md")
        files |= self.replicas()
        files["systemd/pi-mcp.service"] = UNIT
        packed = archives.tar(archives.below(name, files), self.when)
        self.write(f"{name}.tar.gz", archives.zipped(packed))

    def deb(self, program):
        arch = papers.DEBIAN[program.arch]
        documents = "usr/share/doc/pi-mcp"
        texts = self.papers(program)
        changes = archives.zipped((ROOT / "CHANGELOG.md").read_bytes())
        files = archives.below("usr/share/pi-mcp", self.extension()) | program.below("usr/bin")
        files |= archives.below(documents, self.replicas()) | {
            "usr/lib/systemd/user/pi-mcp.service": UNIT,
            f"{documents}/copyright": (texts["LICENSE"][0] + b"\n" +
                                       texts["THIRD-PARTY-LICENCES"][0], 0o644),
            f"{documents}/sbom.spdx.json": texts["sbom.spdx.json"],
            f"{documents}/changelog.gz": (changes, 0o644),
            "usr/share/man/man1/pi-mcp.1.gz": (archives.zipped(self.man), 0o644)}
        places = {"pi-mcp": "usr/share/bash-completion/completions",
                  "_pi-mcp": "usr/share/zsh/vendor-completions",
                  "pi-mcp.fish": "usr/share/fish/vendor_completions.d"}
        files |= {f"{places[name]}/{name}": (text, 0o644)
                  for name, text in self.completions.items()}
        size = sum(len(content) for content, _ in files.values()) // 1024
        files["DEBIAN/control"] = (CONTROL.format(
            version=self.version, arch=arch, size=size).encode(), 0o644)
        with tempfile.TemporaryDirectory() as folder:
            lay_out(files, pathlib.Path(folder))
            name = f"pi-mcp_{self.version}_{arch}.deb"
            subprocess.run(
                ["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", folder, self.out / name],
                env=os.environ | {"SOURCE_DATE_EPOCH": str(self.when)}, check=True,
                stdout=subprocess.DEVNULL)
        print(name)

    def image(self, program):
        """From nothing: the program, certificates, a user. It has no servers that it could start,
        so it is for remote ones."""
        home = "home/pi-mcp/"
        documents = archives.below("usr/share/doc/pi-mcp", self.papers(program))
        files = documents | program.below("usr/bin") | {
            "etc/ssl/certs/ca-certificates.crt": (CERTIFICATES.read_bytes(), 0o644),
            "usr/share/doc/ca-certificates/copyright": (CERTIFICATE_NOTICES.read_bytes(), 0o644),
            "etc/passwd": (f"root:x:0:0::/:/\npi-mcp:x:{USER}:{USER}::/{home[:-1]}:/\n".encode(),
                           0o644),
            "etc/group": (f"root:x:0:\npi-mcp:x:{USER}:\n".encode(), 0o644),
            "tmp/": (b"", 0o1777),
            home: (b"", 0o755)}
        layer = archives.tar(files, self.when, {home: (USER, USER)})
        config = {
            "created": self.created, "os": "linux", "architecture": papers.DEBIAN[program.arch],
            "config": {
                "User": f"{USER}:{USER}", "WorkingDir": f"/{home[:-1]}",
                "Env": [f"HOME=/{home[:-1]}", "PATH=/usr/bin"],
                "Entrypoint": ["/usr/bin/pi-mcp"], "Cmd": ["serve"],
                "Labels": {f"org.opencontainers.image.{name}": text for name, text in (
                    ("title", "pi-mcp"),
                    ("description", "for remote MCP servers: nothing is inside that a local server "
                     "could be started with"),
                    ("version", self.version), ("revision", program.facts["commit"]),
                    ("licenses", "MIT"))}}}
        made = archives.image(layer, config, f"pi-mcp:{self.version}", self.when)
        self.write(f"pi-mcp-{self.version}-image-{program.arch}.tar", made)

    def server_json(self):
        """What the MCP registry is told; only the version is not in the file already."""
        told = json.loads((ROOT / "packaging/server.json").read_text())
        told["version"] = self.version
        for package in told["packages"]:
            package["version"] = self.version
        self.write("server.json", json.dumps(told, indent=2).encode() + b"\n")

    def sums(self):
        names = sorted(file.name for file in self.out.iterdir())
        lines = [f"{hashlib.sha256((self.out / name).read_bytes()).hexdigest()}  {name}\n"
                 for name in names]
        self.write("SHA256SUMS", "".join(lines).encode())


CONTROL = """\
Package: pi-mcp
Version: {version}
Architecture: {arch}
Maintainer: the pi-mcp authors <pi-mcp@localhost>
Installed-Size: {size}
Recommends: ca-certificates
Suggests: gnome-keyring
Section: utils
Priority: optional
Description: all your MCP servers behind one small tool
 A gateway in front of Model Context Protocol servers for coding agents and shells. The program
 needs no library. The Pi extension is in /usr/share/pi-mcp.
"""


def lay_out(files, folder):
    folder.chmod(0o755)
    for name, (content, mode) in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)
    for inner in folder.rglob("*/"):
        if inner.is_dir():
            inner.chmod(0o755)


def main(out, *paths):
    out = pathlib.Path(out).resolve()
    programs = [Program(pathlib.Path(path)) for path in paths]
    # Nobody's files but those of an earlier run are in the way.
    if out.exists() and any(out.iterdir()) and not (out / "SHA256SUMS").exists():
        sys.exit(f"{out} has other files in it; name a folder that is empty or not there")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    pack = Pack(out, programs)
    pack.main_npm()
    for program in programs:
        pack.platform_npm(program)
        pack.tarball(program)
        pack.deb(program)
        pack.image(program)
    pack.server_json()
    pack.sums()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
