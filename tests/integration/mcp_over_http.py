"""A server over HTTP that says for which host it was asked, to test how servers are reached."""
import json

from json_server import JsonHandler, JsonServer


class McpOverHttp(JsonHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "far", "version": "1"}},
            "tools/list": {"tools": [{"name": "host", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "for " + self.headers["Host"]}]}}
        result = results.get(message.get("method"))
        answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": result}
        self.answer(200 if result else 202, answer if result else "")

    def do_GET(self):
        self.answer(405, "")


def serve(handler=McpOverHttp, context=None):
    """Until it is closed; see JsonServer."""
    return JsonServer(handler, context).start()
