"""The common server on version 2 of the Python SDK: sdk_2.py TRANSPORT [PORT]; ../common.json."""
import asyncio
import base64
import json
import os
import pathlib
import sys
from typing import Annotated

from mcp.server.mcpserver import Context, Elicit, Image, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

TRANSPORT, *PORT = sys.argv[1:]
COMMON = json.loads((pathlib.Path(__file__).parent.parent / "common.json").read_text())
PICTURE = base64.b64decode(next(job["picture"] for job in COMMON["jobs"] if "picture" in job))

server = MCPServer("common", version="1.0.0", log_level="WARNING")


class Weather(BaseModel):
    city: str
    degrees: float
    wind: dict[str, int | str]
    warnings: list[str]


class Person(BaseModel):
    name: str
    age: int


def mark(word):
    with open(os.environ["MARKS"], "a", encoding="utf8") as marks:
        marks.write(word + "\n")


@server.tool(title="Say hello")
def hello(name: str) -> str:
    """Greets a person."""
    return f"Hello, {name}!"


@server.tool()
def weather(city: str) -> Weather:
    """Weather of a city."""
    return Weather(city=city, degrees=-3.5, wind={"knots": 12, "from": "NE"}, warnings=[])


@server.tool()
def picture() -> list:
    """A picture of one point."""
    return ["one point", Image(data=PICTURE, format="png")]


@server.tool()
def fail() -> str:
    """Fails."""
    raise ToolError("the printer has no paper")


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Counts and reports each step."""
    for step in range(1, to + 1):
        await ctx.report_progress(step, to, f"step {step}")
    return f"counted to {to}"


@server.tool()
async def log(ctx: Context) -> str:
    """Logs two messages."""
    await ctx.info("one")
    await ctx.warning("two")
    return "logged"


@server.tool()
async def ask(ctx: Context) -> str:
    """Asks who it is."""
    answer = await ctx.elicit("Who is it?", schema=Person)
    return f"{answer.action}: {answer.data.name}, {answer.data.age}"


def person():
    return Elicit("Who is it?", Person)


@server.tool()
async def form(who: Annotated[Person, Resolve(person)]) -> str:
    """Needs to know who it is."""
    return f"accept: {who.name}, {who.age}"


@server.tool()
async def think(ctx: Context) -> str:
    """Asks the host's model."""
    question = TextContent(type="text", text="What is six times seven?")
    asked = [SamplingMessage(role="user", content=question)]
    answer = await ctx.session.create_message(asked, max_tokens=50)
    return f"it thinks: {answer.content.text}"


@server.tool()
async def roots(ctx: Context) -> str:
    """The roots of the host."""
    listed = await ctx.session.list_roots()
    return ",".join(str(root.uri) for root in listed.roots)


def grown() -> str:
    """Is there after grow."""
    return "I am new"


@server.tool()
async def grow(ctx: Context) -> str:
    """Adds a tool."""
    server.add_tool(grown)
    await ctx.notify_tools_changed()  # for clients of 2026-07-28
    await ctx.session.send_tool_list_changed()  # for the others
    return "grown"


@server.tool()
async def wait() -> str:
    """Waits until it is cancelled."""
    mark("waiting")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        mark("cancelled")
        raise


if TRANSPORT == "stdio":
    server.run()
elif TRANSPORT == "sse":
    server.run("sse", port=int(PORT[0]))
else:
    server.run("streamable-http", port=int(PORT[0]), stateless_http=TRANSPORT == "stateless")
