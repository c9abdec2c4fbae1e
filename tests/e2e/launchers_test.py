"""A user's own servers in a cloned repository, through the real launchers and a registry of this
machine: they install what the user's registry has, nothing of the clone runs or is asked, and the
server runs in the clone. Usage: launchers_test.py PI_MCP FAKE_SERVER"""
import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))
# pylint: disable=wrong-import-position
import cli_home  # noqa: E402
from cli_home import HostTest  # noqa: E402
from planted_clone import NODE_SERVER, PYTHON_SERVER, Clone, Listener  # noqa: E402

cli_home.WAIT_SECONDS = 120  # package managers start, and bun and deno are 100 MB each
TOOLS = HERE / "node_modules/.bin"
PYTHON_TOOLS = HERE.parent.parent / "build/launchers/bin"


def npm_package(name):
    """A package with one program, as npm publishes it: the same bytes each time."""
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w") as archive:
        manifest = json.dumps({"name": name, "version": "1.0.0", "bin": {"the-bin": "cli.cjs"}})
        for path, content in (("package.json", manifest), ("cli.cjs", NODE_SERVER)):
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size, entry.mode = len(content.encode()), 0o755
            archive.addfile(entry, io.BytesIO(content.encode()))
    return gzip.compress(text.getvalue(), mtime=0)


def wheel(version):
    text = io.BytesIO()
    info = f"some_server-{version}.dist-info"
    files = {"some_server.py": PYTHON_SERVER,
             f"{info}/METADATA":
                 f"Metadata-Version: 2.1\nName: some-server\nVersion: {version}\n"
                 "Provides-Extra: http\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
             f"{info}/entry_points.txt":
                 "[console_scripts]\nsome-server = some_server:main\nthe-bin = some_server:main\n"}
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(text, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return text.getvalue()


PACKAGES = {name: npm_package(name) for name in ("some-server", "@corp/some-server")}
WHEELS = {f"some_server-{version}-py3-none-any.whl": wheel(version)
          for version in ("1.0.0", "1.1.0")}


UNPUBLISHED = set()  # what the index does not list yet


def npm_answer(name, base):
    package = PACKAGES[name]
    digest = base64.b64encode(hashlib.sha512(package).digest()).decode()
    version = {"name": name, "version": "1.0.0", "bin": {"the-bin": "cli.cjs"},
               "dist": {"tarball": f"{base}/{name}/-/x-1.0.0.tgz", "integrity": f"sha512-{digest}",
                        "shasum": hashlib.sha1(package).hexdigest()}}
    published = "2020-01-01T00:00:00Z"
    return json.dumps({"name": name, "dist-tags": {"latest": "1.0.0"},
                       "versions": {"1.0.0": version},
                       "time": {"modified": published, "1.0.0": published}}).encode()


def registry_answer(path, base):
    """A registry of npm and an index of Python packages in one."""
    path = path.replace("%2f", "/").replace("%2F", "/").lstrip("/")
    if path in PACKAGES:
        return "application/json", npm_answer(path, base)
    if path.endswith(".tgz"):
        return "application/octet-stream", PACKAGES[path.split("/-/")[0]]
    if path.endswith(".whl"):
        return "application/octet-stream", WHEELS[path]
    if path.startswith("simple/some-server"):
        return "text/html", "".join(f'<a href="{base}/{name}">{name}</a>' for name in WHEELS
                                    if name not in UNPUBLISHED).encode()
    return None


def belongs_to(process, home):
    try:
        return f"HOME={home}\0".encode() in (process / "environ").read_bytes()
    except OSError:
        return False  # it is gone, or somebody else's


class LaunchersTest(HostTest):
    def setUp(self):
        super().setUp()
        self.clone = Clone(self.home.project, self.home.root / "canaries")
        self.addCleanup(self.clone.close)
        self.packages = Listener(registry_answer)
        self.addCleanup(self.packages.close)
        self.home.env["PATH"] = f"{TOOLS}:{PYTHON_TOOLS}:{self.home.env['PATH']}"
        self.add_bun()
        self.settings_of_the_user()

    def add_bun(self):
        """What the package's install script, which is not run, would put into its place."""
        machine = "x64" if platform.machine() == "x86_64" else "aarch64"
        program = HERE / f"node_modules/@oven/bun-linux-{machine}/bin/bun"
        folder = self.home.root / "bin"
        folder.mkdir()
        for name in ("bun", "bunx"):
            (folder / name).symlink_to(program)
        self.home.env["PATH"] = f"{folder}:{self.home.env['PATH']}"

    def settings_of_the_user(self):
        """What each launcher reads of the home folder names the registry that has the package."""
        url = self.packages.url
        self.home.write(".npmrc", f"registry = {url}\nupdate-notifier=false\n")
        self.home.write(".yarnrc.yml", f'npmRegistryServer: "{url}"\nenableTelemetry: false\n'
                                       'unsafeHttpWhitelist: ["127.0.0.1"]\n')
        self.home.write(".config/uv/uv.toml", f'[[index]]\nurl = "{url}simple"\ndefault = true\n')
        # Which python is not what these tests are about: a version manager's shim looks elsewhere.
        self.home.env |= {"UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never",
                          "PIPX_DEFAULT_PYTHON": sys.executable}

    def where(self, command, *args, env=None, cwd=None):
        entry = {"command": command, "args": list(args), "env": env or {}}
        self.home.configure(s=entry | ({"cwd": cwd} if cwd else {}))
        told = json.loads(self.ok("call", "s_where"))
        if not cwd:
            self.assertEqual(told["cwd"], str(self.home.project))
            self.assertEqual(self.clone.ran(), [])
            self.assertEqual(self.clone.sink.asked, [])
        self.assertEqual(told["session"], "")
        return told

    def runs_in_the_clone(self, command, *args):
        """Twice: when it has to be installed, and when it is."""
        for _ in range(2):
            told = self.where(command, *args, "a b", "$x")
            self.assertEqual(told["argv"], ["a b", "$x"])
        return told

    def test_npx(self):
        told = self.runs_in_the_clone("npx", "-y", "some-server")
        self.assertIn("/.npm/_npx/", told["program"])

    def test_npx_with_a_scope_and_options(self):
        self.runs_in_the_clone("npx", "-y", "--loglevel", "error", "@corp/some-server@1")
        self.runs_in_the_clone("npx", "-y", "-p", "@corp/some-server", "the-bin")

    def test_npm_exec(self):
        self.runs_in_the_clone("npm", "exec", "-y", "some-server", "--")
        self.runs_in_the_clone("npm", "exec", "-y", "--package=some-server", "--", "the-bin")

    def test_npx_call(self):
        told = self.where("npx", "-y", "-p", "some-server", "-c", "the-bin a $PWD")
        self.assertEqual(told["argv"], ["a", str(self.home.project)])

    def test_pnpm_dlx(self):
        self.runs_in_the_clone("pnpm", "dlx", "some-server")
        self.runs_in_the_clone("pnpx", "@corp/some-server")

    def test_pnpm_dlx_with_a_package_option(self):
        self.runs_in_the_clone("pnpm", "--package=some-server", "dlx", "the-bin")

    def test_yarn_dlx(self):
        told = self.runs_in_the_clone("yarn", "dlx", "-q", "some-server")
        self.assertNotIn("yarn_dlx.cjs", told["options"])

    def test_bunx(self):
        self.runs_in_the_clone("bunx", "@corp/some-server")
        self.runs_in_the_clone("bun", "x", "--bun", "-p", "some-server", "the-bin")

    def test_bun_of_a_file(self):
        file = self.home.write("tools/server.cjs", NODE_SERVER)
        self.runs_in_the_clone("bun", str(file))

    def test_deno(self):
        self.runs_in_the_clone("deno", "run", "-A", "npm:some-server")
        self.runs_in_the_clone("deno", "x", "-A", "-y", "npm:some-server/the-bin")

    def test_uvx(self):
        self.runs_in_the_clone("uvx", "some-server")
        self.runs_in_the_clone("uv", "tool", "run", "--from", "some-server==1.0.0", "the-bin")
        self.runs_in_the_clone("uvx", "--from", "some-server", "python", "-m", "some_server")

    def python_server(self, *args, **options):
        """Its version, and what it tells, started by uvx."""
        told = self.where("uvx", *args, **options)
        info, = pathlib.Path(told["program"]).parent.glob("some_server-*.dist-info")
        return info.name.split("-")[1].removesuffix(".dist"), told

    def servers_of_the_home(self):
        """Command lines of all processes but pi-mcp and its keepers."""
        return [(entry / "cmdline").read_text().split("\0")
                for entry in pathlib.Path("/proc").iterdir()
                if entry.name.isdigit() and belongs_to(entry, self.home.root) and
                not (entry / "comm").read_text().startswith("pi-mcp")]

    def test_uvx_leaves_no_uv_in_the_first_start_nor_later(self):
        self.home.configure(s={"command": "uvx", "args": ["some-server"]})
        for _ in range(2):
            process = self.host()
            self.call(process, 2, "s_where")
            self.answer(process, 2)
            lines = self.servers_of_the_home()
            self.assertEqual([pathlib.Path(line[1]).name for line in lines], ["some-server"])
            process.communicate(timeout=cli_home.WAIT_SECONDS)

    def test_npx_leaves_no_npm_in_the_first_start(self):
        self.home.configure(s={"command": "npx", "args": ["-y", "some-server"]},
                            own={"command": "npx", "args": ["-y", "@corp/some-server"],
                                 "cwd": str(self.home.root)})
        process = self.host()
        for number, tool in enumerate(("s_where", "own_where"), 2):
            self.call(process, number, tool)
            self.answer(process, number)
        lines = self.servers_of_the_home()
        self.assertEqual([line[0] for line in lines], ["node", "node"], lines)
        for line in lines:
            self.assertIn("/.npm/_npx/", line[1])
        process.communicate(timeout=cli_home.WAIT_SECONDS)

    def test_the_environment_is_what_uvx_gives(self):
        given = subprocess.run(
            ["uvx", "--from", "some-server", "python", "-c",
             "import json, os; print(json.dumps(dict(os.environ)))"],
            cwd="/", env=self.home.env, capture_output=True, text=True, timeout=60, check=True)
        shells = ("_", "PWD", "OLDPWD")
        wanted = {k: v for k, v in json.loads(given.stdout).items() if k not in shells}
        for _ in range(2):
            seen = self.where("uvx", "some-server")["env"]
            self.assertEqual({k: v for k, v in seen.items() if k not in shells}, wanted)

    def test_versions_extras_and_more_packages_mean_what_they_mean_for_uv(self):
        for _ in range(2):
            self.assertEqual(self.python_server("some-server==1.0.0")[0], "1.0.0")
            self.assertEqual(self.python_server("some-server@1.0.0")[0], "1.0.0")
            self.assertEqual(self.python_server("some-server[http]")[0], "1.1.0")
            self.assertEqual(self.python_server("--from", "some-server<1.1", "the-bin")[0], "1.0.0")
            self.assertEqual(self.python_server("--with", "some-server<1.1", "--python",
                                                sys.executable, "some-server")[0], "1.0.0")

    def test_a_newer_version_is_taken_by_those_who_ask_for_it(self):
        UNPUBLISHED.add("some_server-1.1.0-py3-none-any.whl")
        self.addCleanup(UNPUBLISHED.clear)
        self.assertEqual(self.python_server("some-server")[0], "1.0.0")
        self.assertEqual(self.python_server("some-server@latest")[0], "1.0.0")
        UNPUBLISHED.clear()
        self.assertEqual(self.python_server("some-server")[0], "1.0.0")
        self.assertEqual(self.python_server("some-server@latest")[0], "1.1.0")

    def test_what_was_there_starts_without_the_index(self):
        for args in (["some-server"], ["some-server@latest"]):
            self.python_server(*args)
        self.packages.close()
        for args in (["some-server"], ["some-server@latest"]):
            self.assertEqual(self.python_server(*args)[0], "1.1.0")

    def test_an_environment_that_was_cleaned_away_is_made_anew(self):
        self.python_server("some-server")
        shutil.rmtree(self.home.root / ".cache/uv")
        self.assertEqual(self.python_server("some-server")[0], "1.1.0")

    def test_an_installed_tool_is_preferred_as_uvx_does(self):
        self.assertEqual(self.python_server("some-server")[0], "1.1.0")
        uv = ["uv", "tool", "install", "--quiet", "some-server==1.0.0"]
        subprocess.run(uv, cwd="/", env=self.home.env, timeout=60, check=True)
        for _ in range(2):
            version, told = self.python_server("some-server")
            self.assertEqual(version, "1.0.0")
            self.assertIn("/uv/tools/some-server/", told["program"])
        self.assertEqual(self.python_server("--isolated", "some-server")[0], "1.1.0")
        uv = ["uv", "tool", "uninstall", "--quiet", "some-server"]
        subprocess.run(uv, cwd="/", env=self.home.env, timeout=60, check=True)
        self.assertEqual(self.python_server("some-server")[0], "1.1.0")

    def test_words_of_uv_about_a_package_are_shown(self):
        self.home.configure(s={"command": "uvx", "args": ["no-such-server"]},
                            t={"command": "uvx", "args": ["--from", "some-server", "no-bin"]})
        self.check(self.home.run("connect", "s"), 4, stderr="no-such-server was not found")
        self.check(self.home.run("connect", "t"), 4,
                   stderr="no-bin is not a program of the package; it has: some-server the-bin")

    def test_uv_run(self):
        self.runs_in_the_clone("uv", "run", "--with", "some-server", "some-server")
        self.runs_in_the_clone("uv", "run", "--with", "some-server", "-m", "some_server")
        file = self.home.write("tools/server.py", PYTHON_SERVER)
        self.runs_in_the_clone("uv", "run", str(file))

    def test_pipx_run(self):
        self.runs_in_the_clone("pipx", "run", "--backend", "uv", "some-server")

    def test_an_entry_with_a_cwd_of_its_own_reads_that_folder(self):
        own = self.home.root / "own"
        self.home.write("own/.npmrc", f"registry = {self.packages.url}\n")
        self.home.write(".npmrc", f"registry = {self.clone.sink.url}\n")
        self.assertEqual(self.where("npx", "-y", "some-server", cwd=str(own))["cwd"], str(own))

    def test_a_package_that_is_a_path_runs_as_written(self):
        self.clone.write("tools/pkg/package.json", json.dumps(
            {"name": "pkg", "version": "1.0.0", "bin": {"pkg": "cli.cjs"}}))
        self.clone.write("tools/pkg/cli.cjs", NODE_SERVER, 0o755)
        (self.home.project / ".npmrc").unlink()
        shutil.rmtree(self.home.project / "node_modules")
        program = self.where("npx", "-y", "./tools/pkg")["program"]
        self.assertIn("tools/pkg", os.path.realpath(program))

    def test_a_scope_that_only_the_clone_can_resolve_is_explained(self):
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/private"]})
        outcome = self.home.run("connect", "s")
        self.check(outcome, 4, stderr=f"{self.home.project}/.npmrc says where packages come from")
        self.assertEqual(self.clone.sink.asked, [])

    def test_the_launchers_do_read_the_clone_by_themselves(self):
        """Without pi-mcp the planted files work, so that the tests above mean something."""
        # Only programs of the machine itself are called; what runs of the clone leaves a canary.
        subprocess.run(["npx", "-y", "some-server"], cwd=self.home.project, env=self.home.env,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        self.assertNotEqual(self.clone.ran(), [])
        subprocess.run(["uv", "run", "--no-project", "--with", "some-server", "some-server"],
                       cwd=self.home.project, env=self.home.env, stdin=subprocess.DEVNULL,
                       capture_output=True, timeout=60, check=False)
        self.assertNotEqual(self.clone.sink.asked, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
