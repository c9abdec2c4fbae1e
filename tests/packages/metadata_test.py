"""What packages say of themselves. Usage: metadata_test.py PACKAGES BUILD

BUILD: the folder in which the program for this machine was built."""
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
# Headers of the kernel, which are in no program, and what the tools bring.
NOT_LINKED = {"linux-libc-dev", "libclang-common-19-dev", "libclang-rt-19-dev"}


def owner(files):
    """{file: the Debian package that it is from}, for those below /usr."""
    found = {}
    files = sorted({str(pathlib.Path(file).resolve()) for file in files})
    for start in range(0, len(files), 500):
        asked = subprocess.run(["dpkg-query", "--search", *files[start:start + 500]],
                               capture_output=True, text=True, check=False)
        for line in asked.stdout.splitlines():
            package, _, file = line.rpartition(": ")
            found[file] = package.split(":")[0].split(",")[0]
    return found, [file for file in files if file not in found]


def facts():
    said = subprocess.run([BUILD / "pi-mcp", "--version", "--json"], check=True,
                          capture_output=True)
    return json.loads(said.stdout)


class Libraries(unittest.TestCase):
    def test_the_list_is_what_compiler_and_linker_have_read(self):
        linked = re.findall(r"[^\s\\:]+", (BUILD / "pi-mcp.inputs").read_text())
        read = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], check=True,
                              capture_output=True, text=True).stdout
        objects = read.split("\n\n")
        headers = [line.strip() for block in objects if block.startswith("CMakeFiles/core.dir/")
                   for line in block.splitlines()[1:]]
        files = {file for file in linked + headers if file.startswith("/")}
        files = {file for file in files if not file.startswith(str(ROOT))}
        self.assertGreater(len(files), 1000, "the build has left its records")
        owners, unknown = owner(files)
        self.assertEqual(unknown, [])
        table = json.loads((ROOT / "packaging/libraries.json").read_text())["libraries"]
        self.assertEqual({library["package"] for library in table},
                         set(owners.values()) - NOT_LINKED)

    def test_the_program_tells_them_with_the_versions_that_are_installed(self):
        told = facts()
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True,
                                capture_output=True, text=True).stdout.strip()
        self.assertEqual(told["commit"].removesuffix("-changed"), commit)
        self.assertRegex(told["date"], r"^\d{4}-\d\d-\d\d$")
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libssl-dev"],
                                 check=True, capture_output=True, text=True).stdout
        self.assertIn({"name": "openssl", "version": version, "licence": "Apache-2.0"},
                      told["libraries"])


class Bill(unittest.TestCase):
    """SPDX 2.3: sections 6 (document), 7 (package), 11 (relationships)."""

    def setUp(self):
        file, = PACKAGES.glob(f"pi-mcp-*-linux-{facts()['arch']}.tar.gz")
        with tarfile.open(file) as archive:
            folder = file.name.removesuffix(".tar.gz")
            self.bill = json.load(archive.extractfile(f"{folder}/sbom.spdx.json"))
            self.notices = archive.extractfile(f"{folder}/THIRD-PARTY-LICENCES").read().decode()

    def test_it_has_what_the_specification_demands(self):
        bill = self.bill
        self.assertEqual((bill["spdxVersion"], bill["dataLicense"], bill["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(bill["documentNamespace"], r"^[a-z]+:[^#\s]+$")
        self.assertRegex(bill["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for creator in bill["creationInfo"]["creators"]:
            self.assertRegex(creator, r"^(Tool|Person|Organization): .")
        identities = [package["SPDXID"] for package in bill["packages"]]
        self.assertEqual(len(set(identities)), len(identities))
        for package in bill["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertNotEqual(package["name"], "")
            self.assertIn("downloadLocation", package)
            self.assertIs(package["filesAnalyzed"], False)
        for relation in bill["relationships"]:
            self.assertIn(relation["relationshipType"], {"DESCRIBES", "STATIC_LINK"})
            self.assertIn(relation["relatedSpdxElement"], identities)

    def test_it_lists_what_the_program_tells_and_the_licences_are_there(self):
        told = {(library["name"], library["version"], library["licence"])
                for library in facts()["libraries"]}
        listed = {(package["name"], package["versionInfo"], package["licenseDeclared"])
                  for package in self.bill["packages"]
                  if package["name"] not in ("pi-mcp", "pi-mcp-net")}
        self.assertEqual(listed, told)
        for name, version, licence in told:
            self.assertIn(f"{name} {version}: {licence}\n", self.notices)
        for words in ("GNU LESSER GENERAL PUBLIC LICENSE", "GCC RUNTIME LIBRARY EXCEPTION",
                      "Boost Software License", "Academic Free License", "OpenSSL"):
            self.assertIn(words.lower(), self.notices.lower())


class Programs(unittest.TestCase):
    """The two files of a package (docs/decisions/0010-fixed-address.md)."""

    BYTES_MAX = 16_000_000

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        file, = PACKAGES.glob(f"pi-mcp-*-linux-{facts()['arch']}.tar.gz")
        with tarfile.open(file) as archive:
            for name in ("pi-mcp", "pi-mcp-net"):
                member = archive.getmember(f"{file.name.removesuffix('.tar.gz')}/bin/{name}")
                pathlib.Path(self.folder.name, name).write_bytes(
                    archive.extractfile(member).read())

    def read(self, name):
        file = f"{self.folder.name}/{name}"
        return subprocess.run(["llvm-readelf-19", "-hldW", file], check=True, capture_output=True,
                              text=True).stdout

    def test_neither_is_larger_than_it_may_be(self):
        for file in pathlib.Path(self.folder.name).iterdir():
            self.assertLessEqual(file.stat().st_size, self.BYTES_MAX, file.name)

    def test_one_is_at_a_fixed_address(self):
        told = self.read("pi-mcp")
        self.assertIn("EXEC (", told)
        self.assertNotIn("DYNAMIC", told)

    def test_what_listens_for_others_is_anywhere_and_its_relocations_are_read_only(self):
        told = self.read("pi-mcp-net")
        self.assertIn("DYN (", told)
        for part in ("DYNAMIC", "GNU_RELRO", "NOW", "RELR"):
            self.assertIn(part, told)
        self.assertNotIn("INTERP", told, "it is static")
        self.assertNotIn("TEXTREL", told)


class ForTheRegistry(unittest.TestCase):
    """server.json: what its schema of 2025-12-11 demands of the members that we have, and how the
    registry finds out that the npm package is the same author's."""

    def test_it_is_as_the_schema_wants_it(self):
        told = json.loads((PACKAGES / "server.json").read_text())
        self.assertEqual(told["$schema"], "https://static.modelcontextprotocol.io/schemas/"
                         "2025-12-11/server.schema.json")
        self.assertLessEqual(set(told), {"$schema", "name", "title", "description", "version",
                                         "packages"})
        self.assertRegex(told["name"], r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$")
        self.assertTrue(3 <= len(told["name"]) <= 200)
        for member in ("title", "description"):
            self.assertTrue(1 <= len(told[member]) <= 100, member)
        self.assertEqual(told["version"], facts()["version"])
        package, = told["packages"]
        self.assertLessEqual(set(package), {"registryType", "identifier", "version", "runtimeHint",
                                            "transport", "packageArguments"})
        self.assertEqual(package["version"], told["version"])
        self.assertEqual(package["transport"], {"type": "stdio"})
        for argument in package["packageArguments"]:
            self.assertEqual(argument["type"], "positional")
            self.assertTrue("value" in argument or "valueHint" in argument)

    def test_it_names_the_npm_package_which_names_it(self):
        told = json.loads((PACKAGES / "server.json").read_text())
        file = PACKAGES / f"pi-mcp-{told['version']}.tgz"
        with tarfile.open(file) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        package, = told["packages"]
        self.assertEqual((package["registryType"], package["identifier"], package["version"]),
                         ("npm", manifest["name"], manifest["version"]))
        self.assertEqual(manifest["mcpName"], told["name"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
