"""An authorization server as a resource server sees it: its metadata, its keys, its tokens."""
import base64
import json
import subprocess
import time

from json_server import JsonHandler, JsonServer


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def openssl(*words, data=b""):
    return subprocess.run(["openssl", *words], input=data, check=True, capture_output=True).stdout


class Issuer:
    def __init__(self, folder):
        self.key = folder / "issuer.pem"
        openssl("genpkey", "-algorithm", "RSA", "-out", self.key)
        modulus = openssl("rsa", "-in", self.key, "-noout", "-modulus").decode().partition("=")[2]
        keys = {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "e": "AQAB",
                          "n": base64url(bytes.fromhex(modulus.strip()))}]}

        class Handler(JsonHandler):
            def do_GET(self):
                issuer = self.server.origin
                self.answer(200, keys if self.path == "/keys" else {
                    "issuer": issuer, "jwks_uri": issuer + "/keys"})

        self.server = JsonServer(Handler).start()
        self.name = self.server.origin

    def close(self):
        self.server.close()

    def token(self, **claims):
        """Good for an hour."""
        parts = ({"alg": "RS256", "kid": "1"},
                 {"iss": self.name, "exp": int(time.time()) + 3600} | claims)
        signed = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        signature = openssl("dgst", "-sha256", "-sign", self.key, data=signed.encode())
        return f"{signed}.{base64url(signature)}"
