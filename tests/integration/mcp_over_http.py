"""A server over HTTP that says for which host it was asked, to test how servers are reached."""
import http.server
import json
import threading


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
        self.answer(200 if result else 202, body if result else b"")

    def do_GET(self):
        self.answer(405, b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(handler=McpOverHttp, context=None):
    """Listens at a port of its own on this machine, with a context by TLS, until it is closed."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def close(server):
    server.shutdown()
    server.server_close()
