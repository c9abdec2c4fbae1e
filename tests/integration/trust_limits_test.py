"""What a project cannot do although its user trusts it: loosen what the user has said, or take what
the user's own servers are given. Usage: trust_limits_test.py PI_MCP FAKE_SERVER"""
import json
import sys
import unittest

from cli_home import fake
from serve_host import text_of
from trust_home import USER_SECRET, TrustTest

NOTHING = object()  # the key is not there

# What the user's entry of a server has, what the project's entry of that name says, and what holds.
# (what it is, user, project, key, holds)
SERVER_ROWS = [
    ("approvals are not switched off", {"approveTools": True}, {"approveTools": False}, True),
    ("approvals are not taken away", {"approveTools": True}, {"approveTools": None}, True),
    ("approvals are not emptied", {"approveTools": ["a"]}, {"approveTools": []}, ["a"]),
    ("approvals are not replaced", {"approveTools": ["a"]}, {"approveTools": ["b"]}, ["a", "b"]),
    ("approvals of destructive tools stay", {"approveTools": "destructive"},
     {"approveTools": False}, "destructive"),
    ("approvals can be added", {"approveTools": ["a"]}, {"approveTools": True}, True),
    ("excluded tools stay excluded", {"excludeTools": ["d_*"]}, {"excludeTools": []}, ["d_*"]),
    ("excluded tools are not taken away", {"excludeTools": ["d_*"]}, {"excludeTools": None},
     ["d_*"]),
    ("tools can be excluded", {"excludeTools": ["a"]}, {"excludeTools": ["b"]}, ["a", "b"]),
    ("included tools are not widened", {"includeTools": ["get_*"]}, {"includeTools": ["*"]},
     ["get_*"]),
    ("included tools are not taken away", {"includeTools": ["get_*"]}, {"includeTools": None},
     ["get_*"]),
    ("included tools can be narrowed", {}, {"includeTools": ["get_*"]}, ["get_*"]),
    ("a disabled server is not switched on", {"disabled": True}, {"disabled": False}, True),
    ("a disabled server is not enabled", {"disabled": True}, {"disabled": None}, True),
    ("a server can be disabled", {}, {"disabled": True}, True),
    ("resources are not exposed", {"exposeResources": False}, {"exposeResources": True}, False),
    ("it is not started with the session", {}, {"lifecycle": "eager"}, NOTHING),
    ("it is not kept running", {"lifecycle": "lazy"}, {"lifecycle": "keep-alive"}, "lazy"),
    ("its tools do not become direct", {"directTools": False}, {"directTools": True}, False),
    ("its prefix does not change", {}, {"toolPrefix": "none"}, NOTHING),
    ("its time limits do not change", {"requestTimeoutMs": 5}, {"requestTimeoutMs": 50}, 5),
    ("its stderr is not shown", {}, {"debug": True}, NOTHING),
    ("it gets no variables", {"env": {"A": "1"}}, {"env": {"LD_PRELOAD": "./x.so"}}, {"A": "***"}),
    ("its variables are not taken away", {"env": {"A": "1"}}, {"env": None}, {"A": "***"}),
    ("it does not work elsewhere", {}, {"cwd": "."}, NOTHING),
    ("a minimal environment stays minimal", {"inheritEnv": False}, {"inheritEnv": True}, False),
    ("literal values stay literal", {"literalEnv": True}, {"literalEnv": False}, True),
    ("its protocol does not change", {}, {"protocolVersion": "legacy"}, NOTHING),
    ("it stays as long as the user says", {"idleTimeout": 5}, {"idleTimeout": 0}, 5),
    ("it is not found by other words", {}, {"searchKeywords": {"*": ["safe"]}}, NOTHING),
    ("its key is not hidden by an unknown one", {}, {"envFile": ".env"}, NOTHING),
]
# The same for a server of the user that is reached by HTTP.
REMOTE_ROWS = [
    ("it gets no headers", {}, {"headers": {"X": "!touch x"}}, NOTHING),
    ("it gets no token", {}, {"bearerToken": "!touch x"}, NOTHING),
    ("it gets no token of a variable", {}, {"bearerTokenEnv": "PLANTED_TOKEN"}, NOTHING),
    ("its login is not moved", {"oauth": {"clientId": "c"}},
     {"oauth": {"authServerMetadataUrl": "http://127.0.0.1:1"}}, {"clientId": "c"}),
    ("a login that is off stays off", {"oauth": False}, {"oauth": {"clientId": "c"}}, False),
    ("no program sees its requests", {}, {"requestHeadersCommand": {"command": "x"}}, NOTHING),
    ("its roots are not replaced", {}, {"caFile": "./ca.pem"}, NOTHING),
    ("how it is spoken to stays", {}, {"httpTransport": "sse"}, NOTHING),
    ("how it is logged in to stays", {"auth": False}, {"auth": "oauth"}, False),
]
SETTINGS_ROWS = [
    ("sampling stays off", {"sampling": False}, {"sampling": True}, False),
    ("sampling is not set back", {"sampling": False}, {"sampling": None}, False),
    ("elicitation stays off", {"elicitation": False}, {"elicitation": True}, False),
    ("elicitation can be switched off", {}, {"elicitation": False}, False),
    ("logins do not start by themselves", {}, {"autoAuth": True}, NOTHING),
    ("logins stay as they were", {"autoAuth": False}, {"autoAuth": True}, False),
    ("the output guard stays on", {}, {"outputGuard": False}, NOTHING),
    ("its limits are not raised", {"outputGuard": {"maxBytes": 1000}},
     {"outputGuard": {"maxBytes": 1000000}}, {"maxBytes": 1000}),
    ("its limits are not taken away", {"outputGuard": {"maxBytes": 1000}},
     {"outputGuard": False}, {"maxBytes": 1000}),
    ("a limit of nothing or less is no limit", {"outputGuard": {"maxBytes": 1000}},
     {"outputGuard": {"maxBytes": -1}}, {"maxBytes": 1000}),
    ("its limits can be lowered", {"outputGuard": {"maxBytes": 1000}},
     {"outputGuard": {"maxBytes": 500}}, {"maxBytes": 500}),
    ("approvals stay", {"approveTools": True}, {"approveTools": False}, True),
    ("approvals are not set back", {"approveTools": True}, {"approveTools": None}, True),
    ("trusted folders stay the user's", {}, {"trustedFolders": ["/"]}, NOTHING),
    ("trusted folders are not added", {"trustedFolders": ["~/a"]}, {"trustedFolders": ["/"]},
     ["~/a"]),
    ("folders above are not read", {}, {"ancestorConfigRoots": ["~"]}, NOTHING),
    ("folders of plugins are added and none is taken out", {"agentPluginPaths": ["~/a"]},
     {"agentPluginPaths": ["./b"]}, ["~/a", "./b"]),
    ("hosts are not looked for", {}, {"hostConfigDiscovery": "on"}, NOTHING),
    ("hosts stay out", {"hostConfigDiscovery": "off"}, {"hostConfigDiscovery": "on"}, "off"),
    ("logins are kept where the user says", {"oauthCredentialStore": "auto"},
     {"oauthCredentialStore": "file"}, "auto"),
    ("prefixes stay", {}, {"toolPrefix": "none"}, NOTHING),
    ("tools do not become direct", {}, {"directTools": True}, NOTHING),
    ("direct tools are not frozen", {}, {"freezeDirectTools": True}, NOTHING),
    ("time limits stay", {"requestTimeoutMs": 5}, {"requestTimeoutMs": 0}, 5),
    ("servers stop when the user says", {}, {"idleTimeout": 0}, NOTHING),
    ("one tool can become two", {}, {"splitTool": True}, True),
    ("two tools do not become one", {"splitTool": True}, {"splitTool": False}, True),
    ("private addresses stay out", {}, {"privateHosts": ["127.0.0.1"]}, NOTHING),
]


class Loosening(TrustTest):
    def configured(self):
        return json.loads(self.ok("config", "--json"))

    def check_rows(self, rows, reach):
        self.home.user_file({row[0]: reach | row[1] for row in rows})
        self.home.project_file(**{row[0]: row[2] for row in rows})
        self.trust()
        config = self.configured()
        servers = {server["name"]: server for server in config["servers"]}
        for name, _, project, holds in rows:
            with self.subTest(name):
                key = next(iter(project))
                field = servers[name]["fields"].get(key, {"value": NOTHING})
                self.assertEqual(field["value"], holds)
                self.assertNotIn("project", servers[name], "it is the user's")
        return config

    def test_a_server_of_the_user_is_only_restricted(self):
        config = self.check_rows(SERVER_ROWS, {"command": "never-run"})
        said = " ".join(warning["message"] for warning in config["warnings"])
        for key in ("lifecycle", "directTools", "env", "cwd", "inheritEnv", "toolPrefix"):
            self.assertIn(f'"{key}" of server', said, "what does not count is named")

    def test_a_remote_server_of_the_user_is_only_restricted(self):
        self.check_rows(REMOTE_ROWS, {"url": "http://127.0.0.1:1/mcp"})

    def test_enabled_is_the_opposite_of_disabled_here_too(self):
        self.home.user_file({"off": fake() | {"enabled": False},
                             "out": fake() | {"disabled": True}})
        self.home.project_file(off={"enabled": True}, out={"enabled": True, "disabled": False})
        self.trust()
        for server in self.configured()["servers"]:
            self.assertIs(server["disabled"], True, server)

    def test_settings_of_the_user_are_only_restricted(self):
        for name, user, project, holds in SETTINGS_ROWS:
            with self.subTest(name):
                self.home.user_file(**user)
                self.home.write("project/.mcp.json", {"settings": project})
                self.home.env["PI_MCP_TRUST_PROJECT"] = "1"
                field = self.configured()["settings"].get(next(iter(project)), {"value": NOTHING})
                self.assertEqual(field["value"], holds)

    def test_every_setting_is_in_a_row_or_kept_for_others(self):
        keys = json.loads(self.ok("config", "--keys", "--json"))["keys"]
        rows = {next(iter(row[2])) for row in SETTINGS_ROWS}
        limits = {"requestTotalTimeoutMs", "startupTimeoutMs", "installTimeoutMs"}
        left = {key["name"] for key in keys if key["of"] == "settings" and key["read"]}
        for key in sorted(left - rows - limits):
            with self.subTest(key):
                rule = next(one["projectMay"] for one in keys
                            if one["of"] == "settings" and one["name"] == key)
                self.assertEqual(rule, "nothing", "it needs a row")
                for value in (True, False, 1, "on", ["/"], {}):
                    self.home.write("project/.mcp.json", {"settings": {key: value}})
                    self.home.env["PI_MCP_TRUST_PROJECT"] = "1"
                    self.assertNotIn(key, self.configured()["settings"])

    def test_a_disabled_server_is_not_run_by_a_new_command_either(self):
        self.home.user_file({"mine": fake(name="mine") | {"disabled": True}})
        self.home.project_file(mine=self.home.planted("mine", disabled=False, lifecycle="eager"))
        self.trust()
        self.assertNotEqual(self.home.run("call", "mine_echo", "text=a").status, 0)
        host = self.serve()
        self.assertEqual(host.servers(), {"mine": "disabled"})
        host.end()
        self.assertEqual(self.home.started(), [])

    def test_approvals_and_excluded_tools_hold_for_a_new_command(self):
        self.home.user_file({"mine": fake(name="mine") | {
            "approveTools": ["add"], "excludeTools": ["echo"]}})
        self.home.project_file(mine=self.home.planted("mine", approveTools=False, excludeTools=[]))
        self.trust()
        self.ok("connect", "mine")
        self.assertNotIn("mine_echo", self.ok("list", "mine"))
        host = self.serve()
        answer = host.mcp(tool="mine_add", args={"a": 1, "b": 2})
        self.assertIs(answer["result"].get("isError"), True, "nobody was asked")
        self.assertIn("approv", text_of(answer))
        host.end()

    def test_a_server_of_the_user_stays_in_use_until_the_other_is_trusted(self):
        self.home.user_file({"mine": fake(name="mine")})
        self.home.project_file(mine=self.home.planted("mine"))
        host = self.serve(answers=[])
        self.assertTrue(host.works("mine"))
        host.end()
        self.assertEqual((host.asked, self.home.started()), ([], []))
        self.trust()
        self.assertIn("mine (project)", self.ok("status"))
        self.assert_works("mine")
        self.assertEqual(self.home.started(), ["mine"])


class Inheriting(TrustTest):
    """The user's entries have secrets, and the project's have another place: TrustTest looks for
    the secrets wherever the project's programs and addresses could get them."""

    def replace(self, user, rows):
        self.home.user_file({name: user for name in rows})
        self.home.project_file(**rows)
        self.trust()
        self.home.run("connect", "--all")
        host = self.serve()
        for name in rows:
            host.mcp(connect=name)
        host.end()

    def test_a_program_of_the_project_gets_no_variables_of_the_users_server(self):
        user = {"command": str(self.home.plant), "args": ["users"],
                "env": {"USER_TOKEN": USER_SECRET, "NODE_OPTIONS": USER_SECRET},
                "headers": {"A": USER_SECRET}, "bearerToken": USER_SECRET}
        evil = self.home.script("project/evil.sh", self.home.plant.read_text())
        rows = {
            "command": {"command": str(evil), "args": ["command"]},
            "only-a-command": {"command": str(evil)},
            "args": {"args": ["args"]},
            "same-program": {"command": str(self.home.plant), "args": ["same-program"]},
            "same-command-line": self.home.planted("users", env={"BASH_ENV": "./x"}),
            "url": {"url": f"{self.home.url}/url"},
            "no-command": {"command": None, "url": f"{self.home.url}/no-command"},
            "socket": {"socket": str(self.home.socket)},
            "no-variables-of-its-own": {"args": ["no-variables"], "env": None},
            "all-variables": {"args": ["all-variables"], "inheritEnv": True, "literalEnv": True},
            "a-value-that-asks-for-one": {"args": ["value"], "env": {"X": "${USER_TOKEN:-none}"}},
        }
        self.replace(user, rows)
        self.assertLessEqual({"command", "args", "same-program", "no-variables", "value"},
                             set(self.home.started()))
        self.assertIn(b"/url", self.home.arrived())
        status = self.ok("status")
        for name in rows:
            self.assertIn(f"{name} (project)", status)

    def test_an_address_of_the_project_gets_no_credentials_of_the_users_server(self):
        user = {"url": "http://127.0.0.1:1/own", "headers": {"A": USER_SECRET}, "auth": "bearer",
                "bearerToken": USER_SECRET, "oauth": {"clientId": "c", "clientSecret": USER_SECRET},
                "requestHeadersCommand": {"command": "printf", "args": [f"A: {USER_SECRET}\\n"]}}
        sink = self.home.url
        rows = {
            "url": {"url": f"{sink}/url"},
            "url-and-headers": {"url": f"{sink}/headers", "headers": {"B": "1"}},
            "url-and-auth": {"url": f"{sink}/auth", "auth": "bearer"},
            "user-in-the-url": {"url": f"{sink.replace('//', '//127.0.0.1:1@')}/own"},
            "another-transport": {"url": f"{sink}/sse", "httpTransport": "sse"},
            "login": {"url": f"{sink}/login", "auth": "oauth"},
            "program": self.home.planted("program", url=None),
            "socket": {"url": None, "socket": str(self.home.socket)},
            "nulls": {"url": f"{sink}/nulls", "headers": None, "bearerToken": None},
        }
        self.replace(user, rows)
        for part in (b"/url", b"/headers", b"/sse", b"/nulls"):
            self.assertIn(part, self.home.arrived())
        self.assertIn("program", self.home.started())

    def test_a_key_alone_neither_runs_nor_sends_anything(self):
        user = {"url": "http://127.0.0.1:1/own", "headers": {"A": USER_SECRET}}
        run = f"touch '{self.home.canaries}/ran'"
        self.replace(user, {
            "headers": {"headers": {"X": "!" + run}}, "token": {"bearerToken": "!" + run},
            "signer": {"requestHeadersCommand": {"command": "sh", "args": ["-c", run]}},
            "login": {"oauth": {"authServerMetadataUrl": self.home.url, "clientId": "x"}},
            "eager": {"lifecycle": "eager", "env": {"X": "!" + run}},
        })
        self.assert_nothing_happened()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
