"""A server behind TLS and a proxy, with a root of its own. Usage: proxy_test.py PI_MCP
FAKE_SERVER"""
import http.server
import json
import socket
import ssl
import subprocess
import sys
import threading
import unittest

import mcp_over_http
from cli_home import CliTest

NAME = "mcp.example.test"  # only the proxy knows where that is


class Proxy(http.server.BaseHTTPRequestHandler):
    """Every tunnel ends at the one server."""

    protocol_version = "HTTP/1.1"
    asked = []
    port = 0

    def do_CONNECT(self):
        self.asked.append((self.path, self.headers.get("Proxy-Authorization")))
        with socket.create_connection(("127.0.0.1", self.port)) as far:
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

    def log_message(self, *_):
        pass


class BehindProxy(CliTest):
    def serve(self, *what, **how):
        server = mcp_over_http.serve(*what, **how)
        self.addCleanup(server.close)
        return server.server_port

    def certificate(self):
        key, cert = self.home.root / "key.pem", self.home.root / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
                        "-keyout", key, "-out", cert], check=True, capture_output=True)
        return key, cert

    def open_tunnel(self):
        """A server behind TLS, to which a proxy leads; its certificate."""
        key, cert = self.certificate()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        Proxy.port = self.serve(context=context)
        proxy = self.serve(Proxy)
        self.home.env["HTTPS_PROXY"] = f"http://me:word@127.0.0.1:{proxy}"
        self.home.configure(far={"url": f"https://{NAME}/mcp", "caFile": str(cert)})
        return cert

    def test_the_configuration_of_openssl_on_this_machine_is_not_read(self):
        self.open_tunnel()
        # Nothing would be left to speak TLS with.
        self.home.env["OPENSSL_CONF"] = str(self.home.write("openssl.cnf", """
openssl_conf = all
[all]
alg_section = algorithms
[algorithms]
default_properties = fips=yes
"""))
        self.assertIn(f"for {NAME}", self.ok("call", "far_host"))

    def test_a_tunnel_carries_tls_to_the_server(self):
        Proxy.asked.clear()
        self.open_tunnel()
        self.assertIn(f"for {NAME}", self.ok("call", "far_host"))
        self.assertEqual(Proxy.asked[0], (f"{NAME}:443", "Basic bWU6d29yZA=="))

        self.home.configure(far={"url": f"https://{NAME}/mcp"})
        refused = self.home.run("call", "far_host")
        self.check(refused, 4, "", "certificate")

    def test_a_proxy_that_is_not_there_is_named_with_its_variable(self):
        self.home.env["HTTPS_PROXY"] = "http://me:word@127.0.0.1:9"
        self.home.configure(px={"url": f"https://{NAME}/mcp"})
        refused = self.home.run("connect", "px")
        self.check(refused, 4, "", "the proxy http://127.0.0.1:9 of HTTPS_PROXY: ")
        self.assertIn("a host that NO_PROXY names is reached without it", refused.stderr)
        self.assertNotIn("word", refused.stderr)
        outcome = self.check(self.home.run("doctor", "px", "--json"), 1)
        finding, = json.loads(outcome.stdout)["findings"]
        self.assertEqual(finding["command"], f'export NO_PROXY="$NO_PROXY,{NAME}"')

    def test_roots_that_cannot_be_read_are_no_bad_certificates(self):
        missing = self.home.root / "nofile.pem"
        self.home.configure(px={"url": f"https://127.0.0.1:{self.serve()}/mcp",
                                "caFile": str(missing)})
        refused = self.home.run("connect", "px")
        self.check(refused, 4, "", f"the caFile cannot be read: {missing} does not exist")
        missing.write_text("no certificate")
        refused = self.home.run("connect", "px")
        self.check(refused, 4, "", f"the caFile {missing} holds no certificates in PEM form")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
