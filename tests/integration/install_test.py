"""Servers that npx or uvx have to install first. Usage: install_test.py PI_MCP FAKE_SERVER"""
import hashlib
import sys
import time
import unittest

from cli_home import FAKE_SERVER, WAIT_SECONDS, Home
from serve_host import Census, Host, text_of

SPEC = "@scope/server@1.0.0"

# Does what npx does, as long as the test wants it to: works until there is a file `go`, installs,
# and becomes what it is told to start.
INSTALLER = """#!/bin/sh
while [ ! -e "$HOME/go" ]; do :; done
modules="$HOME/{modules}" package="$HOME/{modules}/@scope/server"
mkdir -p "$package" "$modules/.bin"
echo '{{"name":"@scope/server","version":"1.0.0","bin":"cli"}}' > "$package/package.json"
printf '#!/bin/sh\\nexec {server} --tools all\\n' > "$package/cli"
chmod +x "$package/cli"
ln -s ../@scope/server/cli "$modules/.bin/server"
while [ "$1" != -- ]; do shift; done; shift
PATH="$modules/.bin:$PATH" exec "$@"
"""

# The same for uvx.
PYTHON_INSTALLER = """#!/bin/sh
while [ ! -e "$HOME/go" ]; do :; done
mkdir -p "$HOME/made"
printf '#!/bin/sh\\nexec {server} --tools all\\n' > "$HOME/made/some-server"
chmod +x "$HOME/made/some-server"
while [ "$1" != /bin/sh ]; do shift; done
PATH="$HOME/made:$PATH" exec "$@"
"""


class InstallTest(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)
        self.census = Census(self.home)
        digest = hashlib.sha512(SPEC.encode()).hexdigest()[:16]
        self.modules = f".npm/_npx/{digest}/node_modules"

    def program(self, name, text):
        file = self.home.write(f"bin/{name}", text)
        file.chmod(0o755)
        self.home.env["PATH"] = f"{file.parent}:{self.home.env['PATH']}"

    def configure(self, command, seconds, *options):
        args = list(options) if command == "uvx" else [*options, SPEC]
        self.home.configure(s={"command": command, "args": args,
                               "startupTimeoutMs": seconds * 1000})
        self.home.write(".pi/agent/mcp-cache.json", {"version": 1, "servers": {}})

    def begin(self, host, **arguments):
        return host.begin("tools/call", {"name": "mcp", "arguments": arguments,
                                         "_meta": {"progressToken": 7}})

    def wait_for_progress(self, host, text, seconds):
        """Waits for a message that names the phase and at least that many seconds."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            message = host.progress.get(timeout=WAIT_SECONDS)["message"]
            if message.startswith(text) and message.endswith(" s)"):
                if int(message.split("(")[1].split()[0]) >= seconds:
                    return
        self.fail(f"no progress with {text}")

    def end(self, host):
        status, errors = host.close()
        self.assertEqual(status, 0, errors)
        self.census.wait_empty()

    def test_an_installation_that_goes_on_is_waited_for_and_shown_as_progress(self):
        self.program("npx", INSTALLER.format(modules=self.modules, server=FAKE_SERVER))
        self.configure("npx", 3, "-y")
        host = Host(self.home)
        answer = self.begin(host, tool="s_echo", args={"text": "installed"})
        self.wait_for_progress(host, f"installing {SPEC} with npx", 4)
        self.home.write("go", "")
        self.assertEqual(text_of(answer.get(timeout=WAIT_SECONDS)), "installed")
        self.end(host)

    def test_an_installation_where_nothing_happens_fails_and_says_so(self):
        self.program("npx", "#!/bin/sh\nkill -STOP $$\n")
        self.configure("npx", 1, "-y")
        host = Host(self.home)
        answer = self.begin(host, connect="s").get(timeout=WAIT_SECONDS)
        self.assertTrue(answer["result"]["isError"])
        self.assertIn(f"installing {SPEC} with npx: nothing has happened for 1 s; check the "
                      "network", text_of(answer))
        self.end(host)

    def test_what_uvx_installs_is_named_and_waited_for(self):
        self.program("uvx", PYTHON_INSTALLER.format(server=FAKE_SERVER))
        self.configure("uvx", 3, "some-server==1")
        host = Host(self.home)
        answer = self.begin(host, tool="s_echo", args={"text": "installed"})
        self.wait_for_progress(host, "installing some-server==1 with uvx", 4)
        self.home.write("go", "")
        self.assertEqual(text_of(answer.get(timeout=WAIT_SECONDS)), "installed")
        self.end(host)

    def test_other_installers_have_more_time_while_they_work(self):
        self.program("uvx", f"#!/bin/sh\nwhile [ ! -e \"$HOME/go\" ]; do :; done\n"
                     f"exec {FAKE_SERVER} --tools all\n")
        self.configure("uvx", 3, "--option-of-tomorrow", "some-server")
        host = Host(self.home)
        answer = self.begin(host, tool="s_echo", args={"text": "installed"})
        self.wait_for_progress(host, "starting it with uvx, which may install it first", 4)
        self.home.write("go", "")
        self.assertEqual(text_of(answer.get(timeout=WAIT_SECONDS)), "installed")
        self.end(host)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
