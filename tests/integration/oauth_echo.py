"""An authorisation server, an identity provider and protected MCP servers on one port. They fail in
the way that their path names, and repeat what they were sent."""
import base64
import json
import urllib.parse

from json_server import JsonHandler, JsonServer, endpoints_of

# What is handed out, or was configured. Long enough to be a secret, and nothing that could be in an
# answer by chance; none looks like a key by itself: hiding those would prove nothing.
PLANTED = {name: f"planted {name} text".replace(" ", "-") for name in (
    "client-secret", "registered-secret", "provider-secret", "identity-token", "assertion", "code",
    "access", "refresh")}

# Parameters of token requests that nobody else may see.
SECRET_PARAMETERS = ("code", "code_verifier", "client_secret", "client_assertion", "assertion",
                     "subject_token", "refresh_token", "token")


class Handler(JsonHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = dict(urllib.parse.parse_qsl(body))
        self.server.note(form, self.headers.get("Authorization", ""))
        secrets = [form[name] for name in SECRET_PARAMETERS if name in form]
        said = " ".join(["you sent", *secrets, self.headers.get("Authorization", ""), self.path,
                         body])
        path = urllib.parse.urlsplit(self.path).path
        if path.startswith("/.well-known/"):
            self.describe(path)
            return
        _, kind, what = path.split("/", 2)
        answers = {"mcp": self.resource, "authorize": self.authorize, "register": self.register,
                   "revoke": self.revoke, "idp/token": self.exchange, "token": self.token}
        answers[what](kind.split("-")[-1], said, body)

    do_GET = do_DELETE = do_POST

    def describe(self, path):
        parts = path.split("/")
        issuer = f"{self.server.origin}/{parts[3]}"
        if parts[2] == "oauth-protected-resource":
            self.answer(200, {"resource": issuer + "/mcp", "authorization_servers": [issuer],
                              "scopes_supported": ["all"]})
        elif parts[2] == "oauth-authorization-server":
            self.answer(200, {"issuer": issuer, "code_challenge_methods_supported": ["S256"],
                              **endpoints_of(issuer)})
        else:
            self.answer(404, {})

    def resource(self, kind, said, body):
        shown = self.headers.get("Authorization", "")
        if not shown.startswith("Bearer " + PLANTED["access"]) or kind == "refused":
            where = self.path.replace("/mcp", "")
            challenge = (f'Bearer error="invalid_token", error_description="{said[:300]}", '
                         f'resource_metadata="{self.server.origin}/.well-known/'
                         f'oauth-protected-resource{where}/mcp"')
            self.answer(401, {"error": {"message": said}}, WWW_Authenticate=challenge)
            return
        message = json.loads(body) if body else {}
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "echo", "version": "1"}},
            "tools/list": {"tools": [{"name": "fail", "inputSchema": {"type": "object"}}]}}
        if message.get("method") in results:
            self.answer(200, {"jsonrpc": "2.0", "id": message["id"],
                              "result": results[message["method"]]})
        elif message.get("method") == "tools/call":
            self.answer(500, {"error": {"message": said}})
        else:
            self.answer(202 if body else 405, "")

    def authorize(self, kind, *_):
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        answer = {"state": asked["state"], "code": PLANTED["code"]}
        if kind == "denied":
            answer |= {"error": "access_denied", "error_description": f"no {PLANTED['code']}"}
        if kind == "stranger":
            answer["iss"] = "https://" + PLANTED["code"]
        self.answer(302, "", Location=f"{asked['redirect_uri']}?{urllib.parse.urlencode(answer)}")

    def register(self, kind, *_):
        secret = PLANTED["registered-secret"]
        if kind == "unregistered":
            self.answer(400, {"error": "invalid_client_metadata", "client_secret": secret,
                              "error_description": f"not for {secret}"})
            return
        self.answer(201, {"client_id": "registered", "client_secret": secret,
                          "token_endpoint_auth_method": "client_secret_post"})

    def revoke(self, _, said, __):
        self.answer(500, {"error": "server_error", "error_description": said})

    def exchange(self, kind, said, _):
        if kind == "unknown":
            self.answer(400, {"error": "invalid_grant", "error_description": said})
            return
        self.answer(200, {"access_token": PLANTED["assertion"], "token_type": "N_A",
                          "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag"})

    def token(self, kind, said, body):
        granted = {"access_token": PLANTED["access"], "refresh_token": PLANTED["refresh"]}
        if kind in ("works", "refused") and "grant_type=refresh_token" not in body:
            self.answer(200, granted | {"token_type": "Bearer", "expires_in": 3600})
        elif kind == "renews":
            with self.server.lock:
                self.server.renewals += 1
                tokens = {name: f"{token}-{self.server.renewals}"
                          for name, token in granted.items()}
            self.answer(200, tokens | {"token_type": "Bearer", "expires_in": 3600})
        elif kind == "name":
            self.answer(400, {"error": said})
        elif kind == "page":
            self.answer(200, f"<html>{said}</html>", "text/html")
        elif kind == "broken":
            self.answer(500, said, "text/plain")
        elif kind == "strange":
            self.answer(200, granted | {"token_type": "mac " + said})
        elif kind == "unsendable":
            self.answer(200, {"access_token": PLANTED["access"] + "\n" + said, "token_type": "x"})
        else:
            self.answer(400, {"error": "invalid_grant", "error_description": said})


class Server(JsonServer):
    def __init__(self):
        super().__init__(Handler)
        self.renewals = 0
        self.received = {}  # a parameter that was secret -> all its values
        self.start()

    def note(self, form, authorization):
        with self.lock:
            for name in SECRET_PARAMETERS:
                if name in form:
                    self.received.setdefault(name, set()).add(form[name])
            scheme, _, proof = authorization.partition(" ")
            if scheme == "Basic":
                self.received.setdefault("basic", set()).add(proof)
                self.received["basic"].add(base64.b64decode(proof).decode().partition(":")[2])
            elif scheme == "Bearer":
                self.received.setdefault("bearer", set()).add(proof)

    def secrets(self):
        with self.lock:
            return {(name, value) for name, values in self.received.items() for value in values} | {
                *PLANTED.items()}
