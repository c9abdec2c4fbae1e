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

from cli_home import CliTest

NAME = "mcp.example.test"  # only the proxy knows where that is


class McpOverHttp(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "far", "version": "1"}},
            "tools/list": {"tools": [{"name": "host", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "for " + self.headers["Host"]}]}}
        result = results.get(message.get("method"))
        body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode()
        self.send_response(200 if result else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if result else 0))
        self.end_headers()
        self.wfile.write(body if result else b"")

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


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
    def serve(self, handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def start(self, server):
        threading.Thread(target=server.serve_forever, daemon=True).start()
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
        far = self.serve(McpOverHttp)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        far.socket = context.wrap_socket(far.socket, server_side=True)
        Proxy.port = self.start(far)
        proxy = self.start(self.serve(Proxy))
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
