"""A server over HTTP that answers with JSON: what those of the tests are made of."""
import http.server
import json
import threading


class JsonHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, content, kind="application/json", **headers):
        """A text as it is, anything else as JSON."""
        text = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value.replace("\n", " "))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class JsonServer(http.server.ThreadingHTTPServer):
    """At a port of its own on this machine, with a context by TLS; serves until it is closed."""
    daemon_threads = True

    def __init__(self, handler, context=None):
        super().__init__(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.lock = threading.Lock()  # of what the threads of its requests have together
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def start(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def handle_error(self, *_):
        pass  # clients that are killed reset their connections

    def close(self):
        self.shutdown()
        self.server_close()


def endpoints_of(issuer):
    """Of an authorization server, as its metadata names them."""
    return {f"{name}_endpoint": f"{issuer}/{path}" for name, path in (
        ("authorization", "authorize"), ("token", "token"), ("registration", "register"),
        ("revocation", "revoke"))}
