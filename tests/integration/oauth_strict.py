"""An authorisation server that lets each code and each refresh token be used once and ends a login
whose old one comes again, with a protected MCP server, on one port."""
import json
import threading
import urllib.parse

from json_server import JsonHandler, JsonServer, endpoints_of


class Login:
    """What one code was redeemed for, and what was made of that since."""

    def __init__(self, number):
        self.number, self.renewals, self.is_good = number, 0, True
        self.access_is_good = True

    @property
    def access(self):
        return f"strict-access-{self.number}-{self.renewals}"

    @property
    def refresh(self):
        return f"strict-refresh-{self.number}-{self.renewals}"


class Handler(JsonHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        url = urllib.parse.urlsplit(self.path)
        form = dict(urllib.parse.parse_qsl(body or url.query))
        if url.path.startswith("/.well-known/"):
            self.describe(url.path)
        elif url.path == "/mcp":
            self.resource(body)
        elif url.path == "/register":
            self.answer(201, {"client_id": "registered"})
        elif url.path == "/authorize":
            answer = {"state": form["state"], "code": self.server.new_code()}
            query = urllib.parse.urlencode(answer)
            self.answer(302, "", Location=f"{form['redirect_uri']}?{query}")
        elif url.path == "/token":
            self.token(form)
        elif url.path == "/revoke":
            self.server.revoke(form.get("token"))
            self.answer(200, {})
        else:
            self.answer(404, {})

    do_GET = do_DELETE = do_POST

    def describe(self, path):
        origin = self.server.origin
        if "oauth-protected-resource" in path:
            self.answer(200, {"resource": origin + "/mcp", "authorization_servers": [origin]})
        elif "oauth-authorization-server" in path:
            self.answer(200, {"issuer": origin, "code_challenge_methods_supported": ["S256"],
                              **endpoints_of(origin)})
        else:
            self.answer(404, {})

    def resource(self, body):
        login = self.server.login_of(self.headers.get("Authorization", ""))
        if login is None:
            where = self.server.origin + "/.well-known/oauth-protected-resource/mcp"
            self.answer(401, {}, WWW_Authenticate=f'Bearer resource_metadata="{where}"')
            return
        message = json.loads(body) if body else {}
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "strict", "version": "1"}},
            "tools/list": {"tools": [{"name": "whoami", "description": "Names the login.",
                                      "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": f"login {login.number}"}]}}
        if message.get("method") in results:
            self.answer(200, {"jsonrpc": "2.0", "id": message["id"],
                              "result": results[message["method"]]})
        else:
            self.answer(202 if body else 405, "")

    def token(self, form):
        server = self.server
        if form["grant_type"] == "refresh_token":
            server.asked.set()
            if not server.before.wait(30) or server.is_deaf:
                self.close_connection = True
                return
        login = server.redeem(form)
        if form["grant_type"] == "refresh_token" and not server.after.wait(30):
            return
        if login is None:
            self.answer(400, {"error": "invalid_grant"})
            return
        self.answer(200, {"access_token": login.access, "refresh_token": login.refresh,
                          "token_type": "Bearer", "expires_in": 3600})


class Server(JsonServer):
    def __init__(self):
        super().__init__(Handler)
        self.logins = []
        self.codes = {}  # handed out -> the login that it was redeemed for
        self.reused = 0  # codes and refresh tokens that came again
        self.asked = threading.Event()  # somebody wants to redeem a refresh token
        # What waits for these: redeeming one, and the answer to that.
        self.before, self.after = threading.Event(), threading.Event()
        self.before.set()
        self.after.set()
        self.is_deaf = False  # it forgets who has waited
        self.start()

    @property
    def renewals(self):
        with self.lock:
            return sum(login.renewals for login in self.logins)

    def expire(self):
        """The access tokens of this moment are good no more."""
        with self.lock:
            for login in self.logins:
                login.access_is_good = False

    def login_of(self, authorization):
        with self.lock:
            for login in self.logins:
                if (authorization == "Bearer " + login.access and login.is_good
                        and login.access_is_good):
                    return login
        return None

    def new_code(self):
        with self.lock:
            code = f"strict-code-{len(self.codes) + 1}"
            self.codes[code] = None
            return code

    def redeem(self, form):
        with self.lock:
            if form["grant_type"] == "authorization_code":
                return self.redeem_code(form["code"])
            _, _, number, renewals = form["refresh_token"].split("-")
            login = self.logins[int(number) - 1]
            if int(renewals) != login.renewals:
                self.reused += 1
                login.is_good = False
            if not login.is_good:
                return None
            login.renewals += 1
            login.access_is_good = True
            return login

    def redeem_code(self, code):
        if login := self.codes[code]:
            self.reused += 1
            login.is_good = False  # RFC 6749 section 4.1.2
            return None
        self.logins.append(Login(len(self.logins) + 1))
        self.codes[code] = self.logins[-1]
        return self.logins[-1]

    def revoke(self, token):
        with self.lock:
            for login in self.logins:
                if token in (login.access, login.refresh):
                    login.is_good = False

    def close(self):
        self.before.set()
        self.after.set()
        super().close()
