"""MCP servers of the Python SDK and of FastMCP that want a login, each on a port of its own.

Prints their urls as one JSON object and serves until its stdin ends. One file for both generations:
SDK 1.x with FastMCP 2, SDK 2.x with FastMCP 4.
"""

import asyncio
import json
import secrets
import socket
import sys

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth import AccessToken, OAuthProxy, TokenVerifier
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from key_value.aio.stores.memory import MemoryStore
from mcp.server.auth.settings import AuthSettings
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer


def whoami() -> str:
    return "logged in"


def options(scopes):
    return {
        "required_scopes": scopes,
        "client_registration_options": ClientRegistrationOptions(enabled=True, valid_scopes=scopes),
        "revocation_options": RevocationOptions(enabled=True),
    }


def sdk(url, scopes, _upstream):
    """The SDK alone; its authorization server keeps clients and tokens as FastMCP's does."""
    auth = AuthSettings(issuer_url=url, resource_server_url=f"{url}/mcp", **options(scopes))
    provider = InMemoryOAuthProvider(base_url=url, **options(scopes))
    server = MCPServer("protected", auth_server_provider=provider, auth=auth)
    server.add_tool(whoami)
    return server.streamable_http_app()


def fastmcp(auth):
    server = FastMCP("protected", auth=auth)
    server.tool(whoami)
    return server.http_app()


def memory(url, scopes, _upstream):
    return fastmcp(InMemoryOAuthProvider(base_url=url, **options(scopes)))


class UpstreamTokens(TokenVerifier):
    def __init__(self, issued, scopes):
        super().__init__(required_scopes=scopes)
        self.issued = issued
        self.scopes = scopes or []

    async def verify_token(self, token):
        known = token in self.issued
        return AccessToken(token=token, client_id="us", scopes=self.scopes) if known else None


def proxy(url, scopes, upstream):
    """In front of an authorization server that registers nobody, as GitHub's and Google's are."""
    return fastmcp(
        OAuthProxy(
            upstream_authorization_endpoint=f"{upstream.url}/authorize",
            upstream_token_endpoint=f"{upstream.url}/token",
            upstream_revocation_endpoint=f"{upstream.url}/revoke",
            upstream_client_id="us",
            upstream_client_secret="secret",
            token_verifier=UpstreamTokens(upstream.issued, scopes),
            base_url=url,
            client_storage=MemoryStore(),
            jwt_signing_key="key of these tests",
        )
    )


class Upstream:
    def __init__(self, url):
        self.url = url
        self.issued = set()

    async def authorize(self, request):
        query = request.query_params
        return RedirectResponse(f"{query['redirect_uri']}?code=1&state={query['state']}")

    async def token(self, _request):
        access = secrets.token_hex(16)
        self.issued.add(access)
        return JSONResponse(
            {
                "access_token": access,
                "refresh_token": secrets.token_hex(16),
                "token_type": "Bearer",
                "expires_in": 3600,
            }
        )

    async def revoke(self, request):
        self.issued.discard((await request.form())["token"])
        return JSONResponse({})

    def app(self):
        routes = [
            Route("/authorize", self.authorize),
            Route("/token", self.token, methods=["POST"]),
            Route("/revoke", self.revoke, methods=["POST"]),
        ]
        return Starlette(routes=routes)


def listen():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


async def main():
    listener, url = listen()
    upstream = Upstream(url)
    apps = [(listener, upstream.app())]
    urls = {}
    for make in (sdk, memory, proxy):
        for name, scopes in (("", None), (" with scopes", ["read", "write"])):
            listener, url = listen()
            apps.append((listener, make(url, scopes, upstream)))
            urls[make.__name__ + name] = f"{url}/mcp"
    for listener, app in apps:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        asyncio.ensure_future(server.serve([listener]))
    print(json.dumps(urls), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
