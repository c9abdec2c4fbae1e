"""How a user trusts a project's files, and what makes it a question again: questions of hosts,
changes of the files, also while it runs, and answers that hosts have. Usage: trust_given_test.py
PI_MCP FAKE_SERVER"""
import json
import os
import signal
import sys
import unittest

from cli_home import WAIT_SECONDS, fake, wait_process_gone
from serve_host import text_of
from trust_home import GivenTest


class Asked(GivenTest):
    def test_an_answer_for_good_is_for_all_of_the_question_and_survives_a_restart(self):
        self.write_two()
        host = self.serve(answers=["trust"])
        self.assertTrue(host.works("one"))
        self.assertTrue(host.works("two"))
        host.end()
        self.assertEqual(len(host.asked), 1)
        self.assertEqual(self.home.trusts(), ["one", "two"])
        self.assert_kept_answer()
        self.assert_works("two")

    def test_once_holds_for_the_session_and_is_kept_nowhere(self):
        self.write_two()
        host = self.serve(answers=["once"])
        self.assertTrue(host.works("one"))
        self.assertTrue(host.works("two"))
        host.end()
        self.assertEqual(len(host.asked), 1)
        self.assertEqual(self.home.kept(), {})
        self.assert_waits("one")

    def test_every_answer_but_a_clear_yes_is_a_no_for_the_session(self):
        self.write_two()
        for answer in ("no", {"action": "decline"}, {"action": "cancel"}, {"action": "accept"},
                       {"action": "accept", "content": {"decision": "yes"}},
                       {"action": "accept", "content": {"decision": ["trust"]}},
                       {"content": {"decision": "trust"}},
                       {"action": "decline", "content": {"decision": "trust"}},
                       {"action": "Accept", "content": {"decision": "trust"}}, {}, [], "x"):
            with self.subTest(answer):
                host = self.serve(answers=[answer])
                for server in ("one", "one", "two"):
                    self.assertFalse(host.works(server))
                self.assertTrue(host.mcp(connect="two")["result"]["isError"])
                self.assertTrue(host.works("mine"))
                host.end()
                self.assertEqual(len(host.asked), 1)
                self.assertEqual((self.home.started(), self.home.kept()), ([], {}))

    def test_an_error_in_place_of_an_answer_starts_nothing(self):
        self.write_two()
        host = self.serve(answers=[])
        call = host.begin("tools/call", {"name": "mcp", "arguments": {"connect": "one"}})
        number = host.questions.get(timeout=WAIT_SECONDS)
        host.send({"id": number, "error": {"code": -32603, "message": "trust"}})
        self.assertIs(call.get(timeout=WAIT_SECONDS)["result"]["isError"], True)
        host.end()
        self.assertEqual((self.home.started(), self.home.kept()), ([], {}))

    def test_a_host_that_leaves_while_it_is_asked_has_not_answered(self):
        self.write_two()
        host = self.serve(answers=[])
        host.begin("tools/call", {"name": "mcp", "arguments": {"connect": "one"}})
        host.questions.get(timeout=WAIT_SECONDS)
        self.assertEqual(host.end()[0], 0)
        self.assertEqual((self.home.started(), self.home.kept()), ([], {}))

    def test_calls_at_the_same_time_ask_once(self):
        self.write_two()
        host = self.serve(answers=[])
        calls = [host.begin("tools/call", {"name": "mcp", "arguments": {
            "tool": f"{server}_echo", "args": {"text": "hello"}}})
            for server in ("one", "two", "one", "two")]
        number = host.questions.get(timeout=WAIT_SECONDS)
        host.request("ping", {})
        self.assertEqual(self.home.started(), [])
        host.decide(number, "trust")
        for call in calls:
            answer = call.get(timeout=WAIT_SECONDS)["result"]
            self.assertEqual(answer["content"][0]["text"], "hello", answer)
        host.end()
        self.assertEqual(len(host.asked), 1)

    def test_connect_and_describe_ask_and_status_list_and_search_do_not(self):
        self.write_two()
        host = self.serve(answers=[])
        for arguments in ({}, {"search": "echo"}, {"server": "one"}, {"instructions": "one"}):
            text = text_of(host.mcp(**arguments))
            self.assertIn('mcp({ connect: "one" }) asks the user', text, arguments)
        self.assertEqual(host.asked, [])
        for arguments in ({"connect": "one"}, {"describe": "one_echo"}):
            host.decisions.append("once")
            host.mcp(**arguments)
        host.end()
        self.assertEqual(len(host.asked), 1, "the second one is allowed by the first answer")

    def test_the_question_names_what_runs_what_is_reached_and_what_is_taken(self):
        self.home.user_file({"mine": fake(name="mine")})
        self.home.project_file(
            mine={"command": "./plant.sh", "args": ["mine", "--x y"],
                  "env": {"NODE_OPTIONS": "--require ./evil.js", "T": "${PLANTED_TOKEN}"}},
            far={"url": f"{self.home.url}/x?${{PLANTED_TOKEN}}", "bearerTokenEnv": "OTHER_TOKEN",
                 "headers": {"A": "!cat ~/id_rsa"}})
        host = self.serve(answers=["no"])
        host.mcp(connect="far")
        host.end()
        message = host.asked[0]["message"]
        for part in (str(self.home.project.resolve()), "far (.mcp.json)", 'runs: ./plant.sh mine',
                     "runs code of this folder", "sets for it: T=\"${PLANTED_TOKEN}\"",
                     "sets for it: NODE_OPTIONS=\"--require ./evil.js\", which decides what code "
                     "Node.js loads", "replaces your own server of this name",
                     "reaches: " + self.home.url, "runs for a value: cat ~/id_rsa",
                     "reads from your environment: OTHER_TOKEN, PLANTED_TOKEN"):
            self.assertIn(part, message)
        choices = host.asked[0]["requestedSchema"]["properties"]["decision"]["enum"]
        self.assertEqual(choices, ["trust", "once", "no"])
        self.assert_nothing_happened()

    def test_what_a_question_had_no_room_for_is_asked_about_later(self):
        names = [f"s{number}" for number in range(12)]
        self.home.project_file(**{name: self.home.planted(name) for name in names})
        host = self.serve(answers=["trust", "no"])
        self.assertTrue(host.works("s0"))
        self.assertNotIn("s11", host.asked[0]["message"])
        self.assertFalse(host.works("s11"))
        host.end()
        self.assertIn("s11", host.asked[1]["message"])
        self.assertEqual(self.home.started(), ["s0"])

    def test_what_changed_while_it_was_asked_about_is_not_allowed(self):
        self.write_two()
        host = self.serve(answers=[])
        call = host.begin("tools/call", {"name": "mcp", "arguments": {"connect": "one"}})
        number = host.questions.get(timeout=WAIT_SECONDS)
        self.home.project_file(one=self.home.planted("evil"), two=self.home.planted("two"))
        host.decisions.append("no")
        host.decide(number, "trust")
        call.get(timeout=WAIT_SECONDS)
        self.assertFalse(host.works("one"))
        host.end()
        self.assertNotIn("evil", self.home.started())
        self.assert_waits("one")


class Changes(GivenTest):
    def test_one_changed_entry_is_asked_about_again_and_the_others_stay(self):
        self.write_two()
        self.trust()
        self.home.project_file(one=self.home.planted("one"),
                               two=self.home.planted("two", env={"A": "1"}))
        self.assert_works("one")
        self.assert_waits("two")
        host = self.serve(answers=["trust"])
        self.assertTrue(host.works("two"))
        host.end()
        self.assertNotIn("one (.mcp.json)", host.asked[0]["message"])

    def test_every_key_of_an_entry_is_part_of_what_was_allowed(self):
        entry = self.home.planted("one")
        self.home.project_file(one=entry)
        self.trust()
        for key, value in {"args": ["one", "--version", "2"], "env": {"LD_PRELOAD": "./x.so"},
                           "cwd": "..", "lifecycle": "eager", "inheritEnv": False, "unknown": 1,
                           "envFile": ".env", "command": "./plant.sh", "disabled": False}.items():
            with self.subTest(key):
                self.home.project_file(one=entry | {key: value})
                self.assert_waits("one")
        self.home.project_file(other=entry)
        self.assert_waits("other")
        self.home.project_file(one=entry)
        self.assert_works("one")

    def test_a_file_of_variables_that_an_entry_names_is_part_of_what_was_allowed(self):
        self.home.write(".pi/agent/mcp.json", {"imports": ["cursor"]})
        self.home.project_file(".cursor/mcp.json", one=self.home.planted("one", envFile=".env"))
        variables = self.home.write("project/.env", "A=1\n")
        self.trust()
        self.assert_works("one")
        variables.write_text("LD_PRELOAD=./evil.so\n")
        self.assert_waits("one")
        variables.write_text("A=1\n")
        self.assert_works("one")

    def test_defaults_of_inputs_that_an_entry_names_are_part_of_what_was_allowed(self):
        self.home.write(".pi/agent/mcp.json", {"imports": ["vscode"]})

        def write(default):
            self.home.write("project/.vscode/mcp.json", {
                "inputs": [{"id": "what", "default": default}],
                "servers": {"one": self.home.planted("${input:what}"),
                            "two": self.home.planted("two")}})
        write("one")
        self.trust()
        self.assert_works("one")
        write("evil")
        self.assert_waits("one")
        self.assert_works("two")

    def test_back_on_an_old_branch_nobody_is_asked(self):
        old = self.home.planted("one")
        new = self.home.planted("one", env={"BRANCH": "new"})
        for entry in (old, new):
            self.home.project_file(one=entry)
            self.trust()
        self.home.project_file(one=old)
        self.assert_kept_answer()

    def test_spaces_comments_and_order_do_not_count(self):
        self.home.project_file(one={"command": str(self.home.plant), "args": ["one"]})
        self.trust()
        self.home.write("project/.mcp.json", f"""{{ // a comment
            "mcpServers": {{
                "one": {{ "args" : [ "one" ], "command": "{self.home.plant}", }} }} }}""")
        self.assert_kept_answer()

    def test_a_second_entry_of_the_same_name_in_one_file_is_what_is_asked_about(self):
        entry = json.dumps(self.home.planted("one"))
        evil = json.dumps(self.home.planted("evil"))
        self.home.write("project/.mcp.json", f'{{"mcpServers": {{"one": {entry}}}}}')
        self.trust()
        for text in (f'"one": {entry}, "one": {evil}', f'"one": {evil}, "o\\u006ee": {evil}'):
            self.home.write("project/.mcp.json", f'{{"mcpServers": {{{text}}}}}')
            self.assert_waits("one")

    def test_settings_and_imports_of_a_project_are_asked_about_too(self):
        self.home.write("project/.mcp.json", {"settings": {"elicitation": False}})
        self.assertEqual(json.loads(self.ok("config", "--json"))["settings"], {})
        self.trust()
        self.assertEqual(self.home.trusts(), [""])
        self.assertIs(json.loads(self.ok("config", "--json"))["settings"]["elicitation"]["value"],
                      False)
        self.home.write("project/.mcp.json", {"settings": {"elicitation": False},
                                              "imports": ["cursor"]})
        self.assertEqual(json.loads(self.ok("config", "--json"))["settings"], {})


class Live(GivenTest):
    """While `serve` runs; the watch has seen a file once the status says so."""

    def waiting(self, *names):
        return lambda servers: all(servers.get(name) == "needs trust" for name in names)

    def test_a_file_that_appears_starts_nothing(self):
        host = self.serve()
        eager = {name: self.home.planted(name, lifecycle=name) for name in ("eager", "keep-alive")}
        for number, path in enumerate((".mcp.json", ".pi/mcp.json")):
            self.home.project_file(path, **{f"{name}{number}": entry
                                            for name, entry in eager.items()})
            host.until(self.waiting(f"eager{number}", f"keep-alive{number}"))
        self.assertTrue(host.works("mine"))
        host.end()
        self.assert_nothing_happened()

    def test_a_hosts_file_that_appears_starts_nothing(self):
        self.home.write(".pi/agent/mcp.json", {"imports": ["cursor"]})
        host = self.serve()
        self.home.project_file(".cursor/mcp.json", theirs=self.home.planted("t", lifecycle="eager"))
        host.until(self.waiting("theirs"))
        host.end()
        self.assert_nothing_happened()

    def test_a_changed_file_is_replaced_a_link_is_switched_and_nothing_starts(self):
        self.write_two()
        self.trust()
        host = self.serve()
        host.until(lambda servers: servers.get("one") == "not connected")

        def evil(number):
            return {"mcpServers": {"one": self.home.planted("evil", lifecycle="eager"),
                                   f"new{number}": self.home.planted("evil")}}

        def replaced(number):
            os.rename(self.home.write("new.json", evil(number)), self.home.project / ".mcp.json")

        def linked(number):
            self.home.write("hidden/a.json", evil(number))
            os.symlink(self.home.root / "hidden/a.json", self.home.root / "link")
            os.rename(self.home.root / "link", self.home.project / ".mcp.json")

        def behind(number):
            self.home.write("hidden/a.json", evil(number))

        def switched(number):
            self.home.write("hidden/b.json", evil(number))
            os.symlink(self.home.root / "hidden/b.json", self.home.root / "link")
            os.rename(self.home.root / "link", self.home.project / ".mcp.json")

        def signalled(number):
            self.home.write("hidden/b.json", evil(number))
            host.process.send_signal(signal.SIGHUP)

        for number, change in enumerate((replaced, linked, behind, switched, signalled)):
            with self.subTest(change.__name__):
                change(number)
                host.until(self.waiting("one", f"new{number}"))
                self.assertFalse(host.works("one"))
        host.end()
        self.assert_nothing_happened()

    def test_a_running_server_whose_entry_changes_is_not_used_any_more(self):
        self.home.project_file(one=self.home.planted("one", lifecycle="keep-alive"))
        self.trust()
        host = self.serve()
        self.assertTrue(host.works("one"))
        process = host.details()["servers"][1]["processId"]
        self.home.project_file(one=self.home.planted("evil", lifecycle="keep-alive"))
        host.until(self.waiting("one"))
        wait_process_gone(process)
        self.assertFalse(host.works("one"))
        host.end()
        self.assertEqual(self.home.started(), ["one"])

    def test_trust_that_is_taken_back_ends_the_server(self):
        self.home.project_file(one=self.home.planted("one", lifecycle="keep-alive"))
        self.trust()
        host = self.serve()
        self.assertTrue(host.works("one"))
        process = host.details()["servers"][1]["processId"]
        self.ok("trust", "--revoke")
        host.until(self.waiting("one"))
        wait_process_gone(process)
        self.assertFalse(host.works("one"))
        host.end()

    def test_trust_that_is_given_elsewhere_counts_without_a_restart(self):
        self.write_two()
        host = self.serve()
        self.assertFalse(host.works("one"))
        self.trust("one")
        host.until(lambda servers: servers["one"] != "needs trust")
        self.assertTrue(host.works("one"))
        self.assertFalse(host.works("two"))
        host.end()

    def test_a_no_is_not_lifted_by_a_change_of_the_file(self):
        self.write_two()
        host = self.serve(answers=["no"])
        self.assertFalse(host.works("one"))
        self.home.project_file(one=self.home.planted("other"), three=self.home.planted("three"))
        host.until(self.waiting("three"))
        self.assertFalse(host.works("three"))
        host.end()
        self.assertEqual(len(host.asked), 1)
        self.assert_nothing_happened()


class Hosts(GivenTest):
    """Answers that the user has given to a host, where the host keeps them."""

    def setUp(self):
        super().setUp()
        self.write_two()

    def claude(self, settings=None, **of_project):
        self.home.write(".claude.json", {"projects": {str(self.home.project): of_project}})
        self.home.write(".claude/settings.json", settings or {})

    def assert_nobody_has_answered(self):
        self.assert_waits("one")
        self.assertEqual(self.home.kept(), {})

    def test_servers_that_claude_code_may_start_need_no_second_question(self):
        self.claude(enabledMcpjsonServers=["one"])
        self.assert_works("one")
        self.assert_waits("two")
        entry = next(iter(self.home.kept()["folders"].values()))["entries"]
        self.assertEqual([one["by"] for one in entry.values()], ["claude-code"])

    def test_all_servers_of_a_project_that_claude_code_may_start_need_none(self):
        self.claude(enableAllProjectMcpServers=True)
        self.assert_works("one")
        self.assertEqual(self.home.trusts(), ["one", "two"])

    def test_a_word_for_all_projects_counts_where_the_folder_was_accepted(self):
        for settings in ({"enableAllProjectMcpServers": True}, {"enabledMcpjsonServers": ["one"]}):
            self.claude(settings, hasTrustDialogAccepted=False)
            self.assert_nobody_has_answered()
        self.claude({"enabledMcpjsonServers": ["one"]}, hasTrustDialogAccepted=True)
        self.assert_works("one")

    def test_accepting_the_folder_alone_says_nothing_about_its_servers(self):
        self.claude(hasTrustDialogAccepted=True)
        self.assert_nobody_has_answered()

    def test_a_server_that_claude_code_was_told_to_leave_out_is_not_answered(self):
        self.claude(enableAllProjectMcpServers=True, disabledMcpjsonServers=["one"])
        self.assert_waits("one")
        self.assert_works("two")
        self.assertEqual(self.home.trusts(), ["two"])

    def test_what_the_project_says_of_itself_counts_for_nothing(self):
        for name in ("settings.json", "settings.local.json"):
            self.home.write(f"project/.claude/{name}", {
                "enableAllProjectMcpServers": True, "enabledMcpjsonServers": ["one", "two"],
                "hasTrustDialogAccepted": True})
        self.home.write("project/.claude.json", {"projects": {str(self.home.project): {
            "enabledMcpjsonServers": ["one"]}}})
        self.assert_nobody_has_answered()

    def test_an_answer_for_another_folder_or_file_counts_for_nothing(self):
        self.home.write(".claude.json", {"projects": {
            str(self.home.root / "other"): {"enabledMcpjsonServers": ["one"]}}})
        self.assert_nobody_has_answered()
        self.claude(enableAllProjectMcpServers=True)
        (self.home.project / ".mcp.json").unlink()
        self.home.project_file(".pi/mcp.json", one=self.home.planted("one"))
        self.assert_nobody_has_answered()

    def test_what_changes_after_a_hosts_answer_is_asked_about(self):
        self.claude(enabledMcpjsonServers=["one"])
        self.assert_works("one")
        self.home.project_file(one=self.home.planted("evil"))
        self.assert_waits("one")
        self.write_two()
        self.assert_works("one")

    def test_what_was_taken_back_stays_taken_back(self):
        self.claude(enabledMcpjsonServers=["one"])
        self.assert_works("one")
        self.ok("trust", "--revoke", "one")
        self.assert_waits("one")

    def codex(self, level):
        (self.home.project / ".mcp.json").unlink(missing_ok=True)
        self.home.write(".pi/agent/mcp.json", {"imports": ["codex"]})
        self.home.write(".codex/config.toml",
                        f'[projects."{self.home.project}"]\ntrust_level = "{level}"\n')
        self.home.write("project/.codex/config.toml",
                        f'[mcp_servers.one]\ncommand = "{self.home.plant}"\nargs = ["one"]\n')

    def test_codexs_trust_counts_for_its_own_file(self):
        self.codex("trusted")
        self.assert_works("one")
        self.write_two()
        self.assert_waits("two")

    def test_codexs_no_is_a_no(self):
        self.codex("untrusted")
        self.assertNotIn("one (project)", self.ok("status"))
        self.check(self.home.run("call", "one_echo", "text=a"), 3)

    def test_a_folder_that_codex_was_not_asked_about_waits(self):
        self.codex("other")
        self.assert_nobody_has_answered()


class Pi(GivenTest):
    def serve_pi(self, *options, **more):
        return self.serve("--host", "pi", *options, **more)

    def say(self, host, trusted):
        answer = host.request("tools/call", {"name": "mcp_manage", "arguments": {
            "action": "trust", "trusted": trusted}})
        self.assertNotIn("isError", answer["result"])

    def setUp(self):
        super().setUp()
        self.home.project_file(one=self.home.planted("one"))
        self.home.project_file(".pi/mcp.json", pis=self.home.planted("pis"))

    def test_pis_yes_counts_for_its_own_file_only(self):
        host = self.serve_pi("--host-trusts", "yes", answers=["no"])
        self.assertTrue(host.works("pis"))
        self.assertEqual(host.asked, [])
        self.assertFalse(host.works("one"))
        host.end()
        self.assertEqual(len(host.asked), 1)
        self.assertEqual(self.home.trusts(), [])
        self.check(self.home.run("call", "pis_echo", "text=a"), 5)
        next_one = self.serve_pi(answers=["no"])
        self.assertFalse(next_one.works("pis"))
        next_one.end()

    def test_a_yes_that_pi_keeps_is_kept_here_too(self):
        self.home.write(".pi/agent/trust.json", {str(self.home.project.resolve()): True})
        host = self.serve_pi("--host-trusts", "yes", answers=[])
        self.assertTrue(host.works("pis"))
        host.end()
        self.assertEqual(self.home.trusts(), ["pis"])
        self.ok("call", "pis_echo", "text=a")

    def test_a_yes_for_one_run_stays_when_the_configuration_changes(self):
        host = self.serve_pi("--host-trusts", "yes", answers=[])
        self.say(host, True)
        self.home.user_file({"other": self.home.planted("other")})
        host.until(lambda servers: "other" in servers)
        self.assertTrue(host.works("pis"))
        host.end()
        self.assertEqual((host.asked, self.home.trusts()), ([], []))

    def test_pis_no_forbids_all_of_the_project_and_nobody_is_asked(self):
        self.trust()
        host = self.serve_pi("--host-trusts", "no", answers=["trust"])
        for server in ("pis", "one"):
            self.assertFalse(host.works(server))
        self.assertTrue(host.works("mine"))
        self.assertIn("the host does not trust this folder",
                      text_of(host.mcp(connect="one")))
        host.end()
        self.assertEqual((host.asked, self.home.started()), ([], []))

    def test_pis_word_counts_without_a_restart(self):
        host = self.serve_pi("--host-trusts", "no", answers=[])
        self.assertFalse(host.works("pis"))
        self.say(host, True)
        self.assertTrue(host.works("pis"))
        self.say(host, False)
        self.assertFalse(host.works("pis"))
        host.end()
        self.assertEqual(host.asked, [])

    def test_other_hosts_have_no_such_word(self):
        host = self.serve(answers=[])
        answer = host.request("tools/call", {"name": "mcp_manage", "arguments": {
            "action": "trust", "trusted": True}})
        self.assertTrue("error" in answer or answer["result"]["isError"], answer)
        self.assertEqual(host.servers()["pis"], "needs trust")
        host.end()
        self.check(self.home.run("serve", "--host", "pi", "--host-trusts", "maybe"), 2)
        self.assert_nothing_happened()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
