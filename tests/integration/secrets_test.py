"""No secret is shown, logged or kept where everything fails. Usage: secrets_test.py PI_MCP
FAKE_SERVER

Every kind of secret is planted as a text of its own. Servers then fail in every way while they
repeat what they were sent, and everything that came out is searched for the planted texts."""
import contextlib
import http.server
import json
import os
import socket
import sys
import threading
import time
import unittest

from cli_home import WAIT_SECONDS, HostTest

# Long enough to be a secret, and nothing that could be in an answer by chance. None looks like a
# key by itself: hiding those would prove nothing.
NAMES = ("bearer", "env-bearer", "command-bearer", "header", "command", "failing-command", "env",
         "env-password", "plain-command", "plain-variable", "signature", "user", "password",
         "query")
PLANTED = {name: f"planted {name} text".replace(" ", "-") for name in NAMES}


class Echo(http.server.BaseHTTPRequestHandler):
    """Repeats everything that it was sent, in the way that the first part of its path names."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        said = f"you sent {self.path} {dict(self.headers)} {body}"
        kind = self.path.split("/")[1].split("?")[0]
        getattr(self, kind.replace("-", "_"))(said, body)

    do_GET = do_DELETE = do_POST

    def answer(self, status, kind, text, **headers):
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def unauthorized(self, said, _):
        challenge = f'Bearer error="invalid_token", error_description="{said[:300]}"'
        self.answer(401, "application/json", json.dumps({"error": {"message": said}}),
                    WWW_Authenticate=challenge.replace("\n", " "))

    def forbidden(self, said, _):
        self.answer(403, "application/json", json.dumps({"message": said}))

    def broken(self, said, _):
        self.answer(500, "application/json", json.dumps({"error": {"message": said}}))

    def long(self, said, _):
        # Where a message is cut, half a secret must not be left.
        message = "x" * 285 + said[said.find("planted"):]
        self.answer(500, "application/json", json.dumps({"error": {"message": message}}))

    def page(self, said, _):
        self.answer(200, "text/html", f"<html>{said}</html>")

    def strange(self, said, _):
        self.answer(200, said[:200].replace("\n", " "), said)

    def no_json(self, said, _):
        self.answer(200, "application/json", "{" + said)

    def no_message(self, said, _):
        self.answer(200, "application/json", json.dumps({"jsonrpc": said, "id": said}))

    def no_event(self, said, _):
        self.answer(200, "text/event-stream", f"data: {{{said}\n\nevent: {said}\n\n")

    def away(self, said, _):
        self.answer(307, "text/plain", said, Location="http://127.0.0.2:1/?" + self.path)

    def refused(self, said, body):
        with contextlib.suppress(ValueError):
            message = json.loads(body)
            self.answer(200, "application/json", json.dumps(
                {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -1, "message": said}}))
            return
        self.answer(405, "text/plain", said)

    def works_until_called(self, said, body):
        message = json.loads(body) if body else {}
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "echo", "version": "1"}},
            "tools/list": {"tools": [{"name": name, "inputSchema": {"type": "object"}}
                                     for name in ("rpc_error", "status")]}}
        if message.get("method") in results:
            self.answer(200, "application/json", json.dumps(
                {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}))
        elif message.get("method") != "tools/call":
            self.answer(202 if body else 405, "text/plain", "")
        elif message["params"]["name"] == "status":
            self.broken(said, body)
        else:
            self.refused(said, body)

    def log_message(self, *_):
        pass


class Secrets(HostTest):
    KINDS = ("unauthorized", "forbidden", "broken", "long", "page", "strange", "no_json",
             "no_message", "no_event", "away", "refused")

    def setUp(self):
        super().setUp()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.port = server.server_port
        self.home.env |= {"PI_MCP_LOG": "debug", "PLANTED_BEARER": PLANTED["env-bearer"],
                          "PLANTED_HEADER": PLANTED["header"],
                          "PLANTED_PLAIN": PLANTED["plain-variable"]}
        self.seen = {}

    def remote(self, kind, port=None, **more):
        at = f"{PLANTED['user']}:{PLANTED['password']}@127.0.0.1:{port or self.port}"
        return {"url": f"http://{at}/{kind}?key={PLANTED['query']}",
                "headers": {"X-One": "${PLANTED_HEADER}",
                            "X-Two": f"!printf %s {self.split(PLANTED['command'])}"}, **more}

    @staticmethod
    def split(secret):
        """A word for a shell that is not the secret as it stands in the file."""
        return f"{secret[:9]}''{secret[9:]}"

    def child(self, script):
        return {"command": "/bin/sh", "args": ["-c", script],
                "env": {"SERVICE_TOKEN": PLANTED["env"],
                        "COMMAND_KEY": f"!printf %s {self.split(PLANTED['command'])}",
                        # Nothing but where they come from says that these are secrets.
                        "REGION": f"!printf %s {self.split(PLANTED['plain-command'])}",
                        "MODE": "x ${PLANTED_PLAIN}",
                        "DATABASE_URL": f"postgres://me:{PLANTED['env-password']}@db/x"}}

    def servers(self):
        closed = socket.socket()
        self.addCleanup(closed.close)
        closed.bind(("127.0.0.1", 0))  # and nobody listens
        tell = 'echo "fatal: $SERVICE_TOKEN $COMMAND_KEY $DATABASE_URL $REGION $MODE" >&2; '
        servers = {kind: self.remote(kind, bearerToken=PLANTED["bearer"]) for kind in self.KINDS}
        servers |= {
            "closed": self.remote("x", closed.getsockname()[1], bearerToken=PLANTED["bearer"]),
            "by_env": self.remote("broken", bearerTokenEnv="PLANTED_BEARER"),
            "by_command": self.remote(
                "refused", bearerToken=f"!printf %s {self.split(PLANTED['command-bearer'])}"),
            "by_signature": self.remote("refused", requestHeadersCommand={
                "command": "sh", "args": ["-c", "printf '{\"X-Signature\": \"%s\"}' "
                                          + self.split(PLANTED["signature"])]}),
            "bad_command": self.remote("broken", bearerToken="!echo " + self.split(
                PLANTED["failing-command"]) + " | tee /dev/stderr; exit 3"),
            "works": self.remote("works_until_called", bearerToken=PLANTED["bearer"]),
            "crash": self.child(tell + "exit 1"),
            "junk": self.child('echo "no message: $SERVICE_TOKEN $REGION"; ' + tell + "cat"),
            "dies_later": self.child(tell + "read line; exit 7"),
        }
        return servers

    def note(self, where, outcome):
        self.seen[where + " stdout"] = outcome.stdout
        self.seen[where + " stderr"] = outcome.stderr

    def look_at_files(self):
        for file, content in self.home.files():
            if file.name != "mcp.json":
                self.seen[str(file.relative_to(self.home.root))] = content.decode(errors="replace")

    def check_nothing_was_seen(self):
        self.assertGreater(len(self.seen), 20)
        found = [f"{name} in {where}: {text[max(0, text.find(secret[:-4]) - 200):][:400]}"
                 for where, text in self.seen.items()
                 for name, secret in PLANTED.items() if secret[:-4] in text]
        self.assertEqual(len(found), 0, "\n".join(found[:10]))

    def test_nothing_is_shown_by_commands(self):
        servers = self.servers()
        self.home.configure(**servers)
        for name in servers:
            self.note(f"connect {name}", self.home.run("connect", name))
            self.note(f"connect --json {name}", self.home.run("connect", name, "--json"))
        for tool in ("rpc_error", "status"):
            self.note(f"call {tool}", self.home.run("call", f"works_{tool}"))
            self.note(f"call --json {tool}", self.home.run("call", f"works_{tool}", "--json"))
        for words in (["status"], ["status", "--json"], ["config"], ["config", "--json"], ["list"],
                      ["list", "works", "--json"], ["logs", "crash"], ["logs", "dies_later"]):
            self.note(" ".join(words), self.home.run(*words))
        self.look_at_files()
        self.check_nothing_was_seen()

    def test_nothing_is_told_to_a_host_or_kept_for_status(self):
        servers = self.servers()
        for server in servers.values():
            server["lifecycle"] = "eager"
        self.home.configure(**servers)
        process = self.host()
        self.addCleanup(process.kill)
        number = 10
        for name in servers:
            number += 1
            self.send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
                "name": "mcp", "arguments": {"connect": name}}})
            self.seen[f"host connect {name}"] = json.dumps(self.answer(process, number))
        for tool in ("rpc_error", "status"):
            number += 1
            self.call(process, number, f"works_{tool}")
            self.seen[f"host call {tool}"] = json.dumps(self.answer(process, number))
        self.send(process, {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {
            "name": "mcp", "arguments": {}}})
        self.seen["host status"] = json.dumps(self.answer(process, 99))
        self.until_recorded()
        for words in (["status"], ["status", "--json"], ["logs", "crash"], ["logs", "junk"]):
            self.note(" ".join(words), self.home.run(*words))
        self.look_at_files()
        stdout, stderr = process.communicate(timeout=WAIT_SECONDS)
        self.seen |= {"host stdout": stdout, "host stderr": stderr}
        self.look_at_files()
        self.check_nothing_was_seen()

    def until_recorded(self):
        deadline = time.monotonic() + WAIT_SECONDS
        folder = self.home.agent / "mcp-run"
        while not (folder.exists() and any(folder.rglob("*"))):
            self.assertLess(time.monotonic(), deadline, "no run record")
            os.sched_yield()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
