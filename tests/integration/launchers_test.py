"""A user's own servers in a cloned repository: nothing that a launcher would read of it counts,
and the server runs in it all the same. With the real python, and programs that play the other
launchers; tests/e2e/launchers_test.py has the real ones.

Usage: launchers_test.py PI_MCP FAKE_SERVER"""
import json
import sys
import unittest

from cli_home import FAKE_SERVER, CliTest
from planted_clone import PYTHON_SERVER, Clone

# Notes where and how it was started, then does with `--package=X -- PROGRAM` what npx does: puts
# the programs of an installed package in front of PATH and becomes the program.
FAKE_NPX = """#!/bin/sh
printf '%s\\n' "$PWD" "$@" > "$HOME/seen"
while [ "$1" != -- ]; do shift; done; shift
PATH="$HOME/installed/node_modules/.bin:$PATH" exec "$@"
"""


class LaunchersTest(CliTest):
    def setUp(self):
        super().setUp()
        self.clone = Clone(self.home.project, self.home.root / "canaries")
        self.addCleanup(self.clone.close)
        self.cwd = str(self.home.project)

    def program(self, name, text):
        file = self.home.write(f"bin/{name}", text)
        file.chmod(0o755)
        if not self.home.env["PATH"].startswith(f"{file.parent}:"):
            self.home.env["PATH"] = f"{file.parent}:{self.home.env['PATH']}"
        return file

    def where(self):
        """What the server of the only entry says of itself. Nothing of the clone ran."""
        told = json.loads(self.ok("call", "s_where"))
        self.nothing_ran()
        return told

    def nothing_ran(self):
        self.assertEqual(self.clone.ran(), [])
        self.assertEqual(self.clone.sink.asked, [])

    def module(self, folder="modules"):
        self.home.write(f"{folder}/some_server.py", PYTHON_SERVER)
        return {"PYTHONPATH": str(self.home.root / folder)}

    def test_python_finds_no_module_of_the_folder(self):
        self.home.configure(s={"command": sys.executable, "args": ["-m", "some_server", "-m", "x"],
                               "env": self.module()})
        told = self.where()
        self.assertEqual(told["cwd"], self.cwd)
        self.assertEqual(told["argv"], ["-m", "x"])
        self.assertEqual(told["name"], "__main__")
        self.assertNotIn("", told["path"])
        self.assertEqual(told["safe"], "", "python processes of the server are as always")

    def test_python_code_imports_no_module_of_the_folder(self):
        code = "import some_server, sys; assert sys.argv == ['-c', 'x']; some_server.main()"
        self.home.configure(s={"command": sys.executable, "args": ["-uc", code, "x"],
                               "env": self.module()})
        self.assertEqual(self.where()["argv"], ["x"])

    def test_an_empty_entry_of_pythonpath_is_not_the_folder(self):
        self.home.env |= {"PYTHONPATH": ":" + self.module()["PYTHONPATH"] + ":."}
        self.home.configure(s={"command": sys.executable, "args": ["-m", "some_server"]})
        self.assertEqual(self.where()["cwd"], self.cwd)

    def test_a_relative_pythonpath_of_the_entry_is_the_users_wish(self):
        self.clone.write("src/wished.py", PYTHON_SERVER)
        self.home.configure(s={"command": sys.executable, "args": ["-m", "wished"],
                               "env": {"PYTHONPATH": "src"}})
        self.assertEqual(self.where()["cwd"], self.cwd)

    def test_a_module_of_the_folder_is_explained(self):
        self.home.configure(s={"command": sys.executable, "args": ["-m", "some_server"]})
        outcome = self.home.run("call", "s_where")
        self.check(outcome, 4, stderr="/some_server.py has that module")
        self.check(outcome, 4, stderr="to trust it, run: pi-mcp trust")
        self.nothing_ran()

    def test_an_entry_with_a_cwd_of_its_own_reads_that_folder(self):
        self.module("own")
        self.home.configure(s={"command": sys.executable, "args": ["-m", "some_server"],
                               "cwd": str(self.home.root / "own")})
        self.assertEqual(self.where()["cwd"], str(self.home.root / "own"))

    def test_a_script_that_the_user_names_runs_as_written(self):
        self.clone.write("tools/named.py", PYTHON_SERVER)
        self.home.configure(s={"command": sys.executable, "args": ["tools/named.py"]})
        self.assertEqual(self.where()["cwd"], self.cwd)

    def test_relative_entries_of_path_find_no_program_of_the_folder(self):
        self.program("some-server", f"#!/bin/sh\nexec {FAKE_SERVER} --tools all\n")
        self.home.env["PATH"] = f"node_modules/.bin::.:bin:{self.home.env['PATH']}:"
        self.home.configure(s={"command": "some-server"})
        self.ok("connect", "s")
        self.nothing_ran()

    def install_fake(self, programs):
        """A package some-server among others, as npm lays it out."""
        modules = self.home.root / "installed/node_modules"
        self.home.write("installed/package.json",
                        json.dumps({"dependencies": {"@corp/some-server": "1"}}, indent=2))
        (modules / ".bin").mkdir(parents=True)
        for program, target in programs.items():
            file = self.home.write(f"installed/node_modules/{target}",
                                   f"#!/bin/sh\necho $PWD {program} $* >> $HOME/ran\n"
                                   f"exec {FAKE_SERVER} --tools all\n")
            file.chmod(0o755)
            (modules / ".bin" / program).symlink_to(f"../{target}")

    def seen(self):
        return (self.home.root / "seen").read_text().splitlines()

    def ran(self):
        return (self.home.root / "ran").read_text().split()

    def test_npx_runs_elsewhere_and_its_program_in_the_folder(self):
        self.program("npx", FAKE_NPX)
        self.install_fake({"the-bin": "@corp/some-server/a", "mime": "mime/cli"})
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/some-server@1", "a b"]})
        self.ok("connect", "s")
        self.assertEqual(self.seen()[:3], ["/", "-y", "--package=@corp/some-server@1"])
        self.assertEqual(self.ran(), [self.cwd, "the-bin", "a", "b"])
        self.nothing_ran()

    def test_of_several_programs_that_of_the_packages_name_runs(self):
        self.program("npx", FAKE_NPX)
        self.install_fake({"a": "@corp/some-server/a", "some-server": "@corp/some-server/b"})
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/some-server"]})
        self.ok("connect", "s")
        self.assertEqual(self.ran()[1], "some-server")

    def test_several_programs_of_other_names_are_named(self):
        self.program("npx", FAKE_NPX)
        self.install_fake({"a": "@corp/some-server/a", "b": "@corp/some-server/b"})
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/some-server"]})
        self.check(self.home.run("connect", "s"), 4,
                   stderr="@corp/some-server has no program of its name; it has: a b")

    def test_a_package_that_is_a_path_runs_as_written(self):
        self.program("npx", f"#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$@\" > \"$HOME/seen\"\n"
                            f"exec {FAKE_SERVER} --tools all\n")
        self.home.configure(s={"command": "npx", "args": ["-y", "./tools/pkg"]})
        self.ok("connect", "s")
        self.assertEqual(self.seen(), [self.cwd, "-y", "./tools/pkg"])

    def test_a_launcher_that_is_not_there_is_named(self):
        self.home.env["PATH"] = str(self.home.root / "bin")
        for launcher in ("npx", "uvx"):
            self.home.configure(s={"command": launcher, "args": ["some-server"]})
            self.check(self.home.run("connect", "s"), 4,
                       stderr=f"command {launcher} not found in PATH: install it")

    def test_a_registry_of_the_folder_is_named_when_a_package_was_not_found(self):
        self.program("npx", "#!/bin/sh\necho 'npm error code E404' >&2\nexit 1\n")
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/private"]})
        outcome = self.home.run("connect", "s")
        self.check(outcome, 4, stderr="npm error code E404")
        self.check(outcome, 4, stderr=f"{self.cwd}/.npmrc says where packages come from")
        self.assertEqual(outcome.stderr.count(".npmrc says"), 1, outcome)

    # A shim of a version manager asks the files of its folder, then those of the home folder.
    SHIM = """#!/bin/sh
for folder in "$PWD" "$HOME"; do
  if [ -e "$folder/.tool-versions" ]; then
    grep -q 99 "$folder/.tool-versions" && echo 99 > "$HOME/version"
    . "$HOME/real-npx"
  fi
done
echo "No version is set for command npx" >&2
exit 126
"""

    def test_a_shim_with_a_default_version_works(self):
        self.program("npx", self.SHIM)
        self.home.write(".tool-versions", "nodejs 22\n")
        self.home.write("real-npx", FAKE_NPX)
        self.install_fake({"some-server": "@corp/some-server/a"})
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/some-server"]})
        self.ok("connect", "s")
        self.assertFalse((self.home.root / "version").exists())

    def test_a_shim_without_a_default_version_is_reported_with_the_remedy(self):
        self.program("npx", self.SHIM)
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/some-server"]})
        outcome = self.home.run("connect", "s")
        self.check(outcome, 4, stderr=f"{self.cwd}/.tool-versions names a version")
        self.check(outcome, 4, stderr="set a default version")

    def test_a_launcher_of_nvm_is_found_by_the_path_that_nvm_has_set(self):
        # nvm puts the folder of one version into PATH; it reads .nvmrc in the user's shell alone.
        folder = ".nvm/versions/node/v22.1.0/bin"
        npx = self.home.write(f"{folder}/npx", FAKE_NPX)
        npx.chmod(0o755)
        self.home.env["PATH"] = f"{npx.parent}:{self.home.env['PATH']}"
        self.clone.write(".nvmrc", "99")
        self.install_fake({"some-server": "@corp/some-server/a"})
        self.home.configure(s={"command": "npx", "args": ["-y", "@corp/some-server"]})
        self.ok("connect", "s")
        self.assertEqual(self.seen()[0], "/")
        self.nothing_ran()

    def test_what_direnv_has_put_into_the_environment_counts(self):
        # The user has allowed direnv for the folder; its PATH and variables are the user's then,
        # and .envrc itself is read by nobody here.
        self.clone.write("tools/bin/some-tool", f"#!/bin/sh\necho $PWD $FROM_DIRENV > $HOME/ran\n"
                         f"exec {FAKE_SERVER} --tools all\n", 0o755)
        self.clone.write(".envrc", f"touch {self.home.root}/canaries/envrc\n")
        self.home.env["PATH"] = f"{self.cwd}/tools/bin:{self.home.env['PATH']}"
        self.home.env["FROM_DIRENV"] = "yes"
        self.home.configure(s={"command": "some-tool"})
        self.ok("connect", "s")
        self.assertEqual(self.ran(), [self.cwd, "yes"])
        self.nothing_ran()

    def test_dnx_runs_only_where_it_finds_no_files(self):
        self.program("dnx", f"#!/bin/sh\necho x > $HOME/ran\nexec {FAKE_SERVER} --tools all\n")
        self.home.configure(s={"command": "dnx", "args": ["Some.Server", "--yes"]})
        self.ok("connect", "s")
        (self.home.root / "ran").unlink()
        self.clone.write("nuget.config", "<configuration/>")
        outcome = self.home.run("connect", "s")
        self.check(outcome, 4, stderr=f"dnx would read {self.cwd}/nuget.config")
        self.check(outcome, 4, stderr="to trust it, run: pi-mcp trust")
        self.assertFalse((self.home.root / "ran").exists())

    def test_what_is_in_no_table_starts_in_the_folder(self):
        self.program("launcher", f"#!/bin/sh\necho $PWD > $HOME/ran\nexec {FAKE_SERVER}\n")
        self.home.configure(s={"command": "launcher"})
        self.ok("connect", "s")
        self.assertEqual(self.ran(), [self.cwd])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
