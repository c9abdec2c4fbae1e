"""A client of `pi-mcp serve --http`, message by message, so that tests see headers and streams."""
import http.client
import json
import socket
import time
import urllib.error
import urllib.request

from cli_home import WAIT_SECONDS

BOTH = "application/json, text/event-stream"
VERSION = "2025-11-25"
MODERN = "2026-07-28"


def redirect_of(url):
    """Where a browser is sent that does not follow."""
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None
    try:
        urllib.request.build_opener(Stay).open(url, timeout=WAIT_SECONDS)
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.headers["Location"]
    raise AssertionError("nothing was redirected")


class Answer:
    def __init__(self, response):
        self.response = response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.is_stream = self.headers.get("content-type") == "text/event-stream"
        self.last_id = None
        self.body = None if self.is_stream else response.read().decode()

    def json(self):
        return json.loads(self.body)

    def event(self):
        """The next one with data; None at the end of the stream."""
        data = []
        deadline = time.monotonic() + WAIT_SECONDS
        while line := self.response.readline().decode():
            line = line.rstrip("\n")
            if line.startswith("id: "):
                self.last_id = line[4:]
            elif line.startswith("data: "):
                data.append(line[6:])
            elif time.monotonic() > deadline:
                raise AssertionError("nothing but comments came")
            elif not line and data:
                text, data = "\n".join(data), []
                if text:
                    return json.loads(text)
        return None

    def comment(self):
        """Returns once something was said that is no event, as at the beginning of a stream."""
        return self.response.readline()

    def events(self):
        while (event := self.event()) is not None:
            yield event

    def message(self):
        """The answer, whichever way it comes."""
        if not self.is_stream:
            return self.json()
        return list(self.events())[-1]


class Connection(http.client.HTTPConnection):
    """By TCP, or by a Unix socket when a path is given."""

    def __init__(self, address):
        self.path = address[5:] if address.startswith("unix:") else None
        super().__init__("localhost" if self.path else address, timeout=WAIT_SECONDS)

    def connect(self):
        if self.path is None:
            return super().connect()
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(WAIT_SECONDS)
        self.sock.connect(self.path)


class Client:
    """One session, or with `is_modern` none."""

    def __init__(self, address, path="/mcp", version=VERSION, token=None, capabilities=None,
                 accept=BOTH):
        self.address, self.path, self.version, self.token = address, path, version, token
        self.capabilities = capabilities or {}
        self.accept, self.session, self.number = accept, None, 0
        self.connections = []

    def close(self):
        for connection in self.connections:
            connection.close()

    def request(self, method, body=None, **headers):
        connection = Connection(self.address)
        self.connections.append(connection)
        all_headers = {"Accept": self.accept}
        if body is not None:
            all_headers["Content-Type"] = "application/json"
        if self.session:
            all_headers |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.version}
        if self.token:
            all_headers["Authorization"] = "Bearer " + self.token
        all_headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        all_headers = {name: value for name, value in all_headers.items() if value is not None}
        text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request(method, self.path, body=text, headers=all_headers)
        return Answer(connection.getresponse())

    def post(self, method, params=None, **headers):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if self.version == MODERN:
            params = dict(params or {})
            params["_meta"] = params.get("_meta", {}) | {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
            headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method} | headers
            name = params.get("uri" if method == "resources/read" else "name")
            if name is not None:
                headers = {"Mcp_Name": name} | headers
        if params is not None:
            message["params"] = params
        return self.request("POST", message, **headers)

    def notify(self, method, params=None):
        return self.request("POST", {"jsonrpc": "2.0", "method": method, "params": params or {}})

    def initialize(self):
        answer = self.post("initialize", {
            "protocolVersion": self.version, "capabilities": self.capabilities,
            "clientInfo": {"name": "test", "version": "1"}})
        if answer.status == 200:
            self.session = answer.headers["mcp-session-id"]
            self.notify("notifications/initialized")
        return answer

    def call(self, tool, meta=None, **args):
        params = {"name": "mcp", "arguments": {"tool": tool, "args": args}}
        return self.post("tools/call", params | ({"_meta": meta} if meta else {}))
