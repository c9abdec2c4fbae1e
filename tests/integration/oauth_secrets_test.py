"""Nothing of a login is shown, logged or kept where it does not belong, while everything fails.
Usage: oauth_secrets_test.py PI_MCP FAKE_SERVER

Codes, tokens, assertions and client secrets are texts of their own. Authorisation servers, an
identity provider and servers fail in every way while they repeat what they were sent, and
everything that came out is searched for these texts and for those that pi-mcp made itself."""
import json
import subprocess
import sys
import unittest

import oauth_echo
from cli_home import HostTest
from oauth_echo import PLANTED

FAILURES = ("error", "name", "page", "broken", "strange", "unsendable")
UNAVAILABLE = 4
# A part of a secret is one, too; shorter parts could be in an answer by chance.
PART_BYTES = 20


class OAuthSecrets(HostTest):
    def setUp(self):
        super().setUp()
        self.server = oauth_echo.Server()
        self.addCleanup(self.server.close)
        browser = self.home.write("browser.py", "import sys, urllib.request as request\n"
                                  "request.urlopen(sys.argv[1], timeout=30).read()\n")
        self.home.env |= {"PI_MCP_LOG": "debug", "BROWSER": f"{sys.executable} {browser}",
                          "CLIENT_SECRET": PLANTED["client-secret"],
                          "PROVIDER_SECRET": PLANTED["provider-secret"]}
        self.seen = {}

    def entry(self, kind, **oauth):
        return {"url": f"{self.server.origin}/{kind}/mcp", "auth": "oauth", "oauth": oauth}

    def people(self):
        """Servers for which a browser is opened."""
        kinds = (*FAILURES, "denied", "stranger", "unregistered", "works", "refused")
        return {f"person_{kind}": self.entry(f"person-{kind}") for kind in kinds}

    def programs(self):
        """Servers that want nobody: what fails is a call."""
        key = self.home.root / "key.pem"
        subprocess.run(["openssl", "genpkey", "-quiet", "-algorithm", "EC", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-out", key], check=True)
        shown = {"clientId": "us", "clientSecret": "${CLIENT_SECRET}"}
        signed = {"clientId": "us", "privateKeyFile": str(key)}
        servers = {}
        for kind in (*FAILURES, "works", "refused"):
            servers[f"secret_{kind}"] = self.entry(
                f"secret-{kind}", grantType="client_credentials", **shown)
            servers[f"signed_{kind}"] = self.entry(
                f"signed-{kind}", grantType="client_credentials", **signed)
        for kind in (*FAILURES, "unknown", "refused"):
            token = PLANTED["identity-token"]
            servers[f"company_{kind}"] = self.entry(
                f"company-{kind}", grantType="cross_app_access", **shown, idp={
                    "tokenEndpoint": f"{self.server.origin}/company-{kind}/idp/token",
                    "clientId": "us-there", "clientSecret": "${PROVIDER_SECRET}",
                    "idToken": f"!printf %s {token[:9]}''{token[9:]}"})
        return servers

    def note(self, *words):
        for where in (words, (*words, "--json")):
            outcome = self.home.run(*where)
            self.seen[" ".join(where) + " stdout"] = outcome.stdout
            self.seen[" ".join(where) + " stderr"] = outcome.stderr
        return outcome

    def look_at_files(self):
        for file, content in self.home.files():
            # Where tokens are kept, and the key that a person made.
            if file.parent.name != "mcp-credentials" and file.suffix != ".pem":
                self.seen[str(file.relative_to(self.home.root))] = content.decode(errors="replace")

    def check_nothing_was_seen(self, *planted):
        secrets = self.server.secrets()
        received = {name for name, _ in secrets}
        for name in planted:
            self.assertIn(name, received)
        found = [f"{name} in {where}: {text[max(0, text.find(secret[:PART_BYTES]) - 200):][:400]}"
                 for where, text in self.seen.items()
                 for name, secret in secrets if secret[:PART_BYTES] in text]
        self.assertEqual(len(found), 0, "\n".join(found[:10]))

    def test_logins_that_fail_and_tokens_that_are_refused_are_shown_without_secrets(self):
        people, programs = self.people(), self.programs()
        self.home.configure(**people, **programs)
        for name in people:
            self.note("auth", name)
        for name in ("person_works", "person_refused", *programs):
            self.note("connect", name)
        for name in ("person_works", "secret_works", "signed_works"):
            self.check(self.note("call", f"{name}_fail"), UNAVAILABLE)
        self.note("status")
        self.note("config")
        self.note("list")
        self.look_at_files()
        for name in ("person_works", "secret_works", "company_error"):
            self.note("logout", name)
        self.check_nothing_was_seen("code", "code_verifier", "client_secret", "client_assertion",
                                    "assertion", "subject_token", "refresh_token", "token", "basic",
                                    "bearer")

    def test_a_host_hears_of_failing_logins_without_secrets(self):
        people, programs = self.people(), self.programs()
        self.home.configure(**people, **programs)
        process = self.host()
        self.addCleanup(process.kill)
        self.number = 10

        def ask(**arguments):
            self.number += 1
            self.send(process, {"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                                "params": {"name": "mcp", "arguments": arguments}})
            answer = self.answer(process, self.number)
            self.seen[f"host {arguments}"] = json.dumps(answer["result"])

        for name in people:
            ask(action="auth-start", server=name)
            # Of another login, as somebody would paste it by mistake.
            ask(action="auth-complete", server=name, args={
                "redirectUrl": f"http://127.0.0.1/callback?state=x&code={PLANTED['code']}"})
        for name in (*people, *programs):
            ask(connect=name)
        for name in ("secret_works", "signed_works"):
            ask(tool=f"{name}_fail", args={})
        ask()
        self.look_at_files()
        stdout, stderr = process.communicate(timeout=60)
        self.seen |= {"host stdout": stdout, "host stderr": stderr}
        self.look_at_files()
        # What we asked for contains the code itself.
        self.seen = {where.replace(PLANTED["code"], ""): text for where, text in self.seen.items()}
        self.check_nothing_was_seen("client_secret", "client_assertion", "assertion",
                                    "subject_token", "refresh_token", "basic", "bearer")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
