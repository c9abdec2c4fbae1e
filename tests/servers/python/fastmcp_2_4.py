"""The common server on FastMCP 2 or 4: fastmcp_2_4.py TRANSPORT [PORT]; ../common.json."""
import asyncio
import base64
import json
import os
import pathlib
import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image
from mcp.types import SamplingMessage, TextContent, ToolListChangedNotification
from pydantic import BaseModel

TRANSPORT, *PORT = sys.argv[1:]
COMMON = json.loads((pathlib.Path(__file__).parent.parent / "common.json").read_text())
PICTURE = base64.b64decode(next(job["picture"] for job in COMMON["jobs"] if "picture" in job))

server = FastMCP("common", version="1.0.0")


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
def picture():
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
    answer = await ctx.elicit("Who is it?", response_type=Person)
    return f"{answer.action}: {answer.data.name}, {answer.data.age}"


@server.tool()
async def form(ctx: Context):
    """Needs to know who it is; version 4 only."""
    from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

    if answers := ctx.input_responses:
        who = answers["who"]
        return f"{who.action}: {who.content['name']}, {who.content['age']}"
    question = ElicitRequestFormParams(message="Who is it?",
                                       requested_schema=Person.model_json_schema())
    return InputRequiredResult(input_requests={"who": ElicitRequest(params=question)})


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
    server.tool(grown)  # version 2 says so by itself
    if not hasattr(ctx, "send_tool_list_changed"):
        await ctx.send_notification(ToolListChangedNotification())
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
    server.run(show_banner=False)
elif TRANSPORT == "sse":
    server.run("sse", port=int(PORT[0]), show_banner=False)
else:
    server.run("http", port=int(PORT[0]), stateless_http=TRANSPORT == "stateless",
               show_banner=False)
