"""A remote server behind TLS and a proxy that names addresses of this machine for its logins.
Usage: named_address_test.py PI_MCP FAKE_SERVER"""
import http.server
import json
import socket
import ssl
import subprocess
import sys
import threading
import unittest

from cli_home import CliTest

REMOTE = "mcp.example.test"  # only the proxy knows where that is


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, **headers):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Remote(Quiet):
    """Names whatever the test wants."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "oauth-protected-resource" in self.path:
            self.answer(200, {"resource": f"https://{REMOTE}/mcp",
                              "authorization_servers": [self.server.issuer]})
        elif ".well-known" in self.path:
            self.answer(404, {})
        else:
            self.answer(401, {}, WWW_Authenticate="Bearer" + self.server.hint)

    do_GET = do_POST


class Local(Quiet):
    """What listens on this machine for others."""

    def do_POST(self):
        self.server.seen.append(self.path)
        self.answer(404, {})

    do_GET = do_POST


class Proxy(Quiet):
    """Every tunnel ends at the remote server, whatever it is asked for."""

    def do_CONNECT(self):
        with socket.create_connection(("127.0.0.1", self.server.remote_port)) as far:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=self.copy, args=(far, self.connection), daemon=True)
            back.start()
            self.copy(self.connection, far)
            back.join()
        self.close_connection = True

    @staticmethod
    def copy(source, target):
        try:
            while block := source.recv(65536):
                target.sendall(block)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one side has gone, so nobody wants the rest


class NamedAddress(CliTest):
    def setUp(self):
        super().setUp()
        key, cert = self.home.root / "key.pem", self.home.root / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", f"/CN={REMOTE}", "-addext",
                        f"subjectAltName=DNS:{REMOTE},DNS:localhost,IP:127.0.0.1",
                        "-keyout", str(key), "-out", str(cert)],
                       check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(cert, key)
        self.remote = self.serve(Remote, tls=True)
        self.local = self.serve(Local, tls=True)
        self.local.seen = []
        proxy = self.serve(Proxy)
        proxy.remote_port = self.remote.server_port
        self.home.env |= {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.server_port}",
                          "SSL_CERT_FILE": str(cert), "BROWSER": "true"}
        self.home.configure(far={"url": f"https://{REMOTE}/mcp"})

    def serve(self, handler, tls=False):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        if tls:
            server.socket = self.context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def log_in(self, issuer, hint=""):
        self.remote.issuer = issuer
        self.remote.hint = f' resource_metadata="{hint}"' if hint else ""
        outcome = self.home.run("auth", "far")
        self.assertNotEqual(outcome.status, 0, outcome)
        return outcome.stderr

    def test_no_spelling_of_this_machine_is_asked_anything(self):
        port = self.local.server_port
        for host in ("127.0.0.1", "localhost", "2130706433"):
            said = self.log_in(f"https://{host}:{port}")
            self.assertIn("privateHosts", said, host)
            self.assertIn(f"{host}:{port}", said)
        said = self.log_in("https://as.example.test",
                           hint=f"https://[::ffff:127.0.0.1]:{port}/admin/prm")
        self.assertIn("privateHosts", said)
        self.assertIn("not an https", self.log_in(f"http://127.0.0.1:{port}"))
        self.assertEqual(self.local.seen, [])

    def test_a_host_that_the_user_names_is_asked(self):
        port = self.local.server_port
        self.home.write(".pi/agent/mcp.json", {
            "mcpServers": {"far": {"url": f"https://{REMOTE}/mcp"}},
            "settings": {"privateHosts": ["127.0.0.1"]}})
        self.assertNotIn("privateHosts", self.log_in(f"https://127.0.0.1:{port}"))
        self.assertNotEqual(self.local.seen, [])

    def test_a_project_cannot_name_such_a_host(self):
        port = self.local.server_port
        self.home.write("project/.mcp.json", {"settings": {"privateHosts": ["127.0.0.1"]}})
        self.assertIn("privateHosts", self.log_in(f"https://127.0.0.1:{port}"))
        self.assertEqual(self.local.seen, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
