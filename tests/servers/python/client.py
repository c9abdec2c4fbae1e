"""The client of the Python SDK 1 or 2, or of FastMCP, for the jobs of ../common.json, as that says.

client.py [fastmcp] ERA TRANSPORT TARGET...
"""
import asyncio
import json
import os
import pathlib
import sys
from contextlib import AsyncExitStack, asynccontextmanager

import mcp
from mcp import StdioServerParameters, types

FASTMCP = sys.argv[1] == "fastmcp"
ERA, TRANSPORT, *TARGET = sys.argv[1 + FASTMCP:]
COMMON = json.loads((pathlib.Path(__file__).parent.parent / "common.json").read_text())
ANSWERS = COMMON["answers"]
SKIPPED = os.environ.get("SKIP", "").split(",")
JOBS = [job for job in COMMON["jobs"] if "through" not in job and job["tool"] not in SKIPPED]
SECONDS = 60


class Record:
    """What came in during one job."""

    def __init__(self):
        self.progress, self.logs, self.asked, self.came = [], [], [], asyncio.Event()

    def add(self, where, what):
        where.append(what)
        self.came.set()

    async def complete(self, expected):
        """Waits for notifications that may come behind the result, for a moment."""
        while any(len(getattr(self, name)) < len(expected.get(name, []))
                  for name in ("progress", "logs")):
            self.came.clear()
            await asyncio.wait_for(self.came.wait(), 2)


current = Record()


def plain(model):
    return model.model_dump(by_alias=True, exclude_unset=True, mode="json")


async def elicited(_context, params):
    current.add(current.asked, {"method": "elicitation/create", "params": plain(params)})
    return types.ElicitResult(**ANSWERS["elicitation"])


async def sampled(_context, params):
    current.add(current.asked, {"method": "sampling/createMessage", "params": plain(params)})
    return types.CreateMessageResult.model_validate(ANSWERS["sampling"])


async def rooted(_context):
    return types.ListRootsResult.model_validate({"roots": ANSWERS["roots"]})


async def logged(params):
    current.add(current.logs, plain(params))


async def progressed(progress, total=None, message=None):
    step = {"progress": progress, "total": total, "message": message}
    current.add(current.progress, step)


def transport():
    if TRANSPORT == "stdio":
        return StdioServerParameters(command=TARGET[0], args=TARGET[1:], env=dict(os.environ))
    if TRANSPORT == "sse":
        from mcp.client.sse import sse_client
        return sse_client(TARGET[0])
    try:
        from mcp.client.streamable_http import streamable_http_client as client
    except ImportError:
        from mcp.client.streamable_http import streamablehttp_client as client
    return client(TARGET[0])


CALLBACKS = {"elicitation_callback": elicited, "sampling_callback": sampled,
             "list_roots_callback": rooted, "logging_callback": logged}


@asynccontextmanager
async def connected():
    """(list_tools, call) of the client."""
    if FASTMCP:
        async with fastmcp_client() as client:
            async def call(name, args):
                return await client.call_tool_mcp(name, args, progress_handler=progressed)
            yield client.list_tools_mcp, call
        return
    async with AsyncExitStack() as stack:
        if hasattr(mcp, "Client"):
            made = mcp.Client(transport(), mode=ERA, log_level="info", **CALLBACKS)
            client = await stack.enter_async_context(made)
        else:
            opened = transport()
            if TRANSPORT == "stdio":
                opened = mcp.stdio_client(opened)
            read, write, *_ = await stack.enter_async_context(opened)
            client = await stack.enter_async_context(mcp.ClientSession(read, write, **CALLBACKS))
            await client.initialize()

        async def call(name, args):
            return await client.call_tool(name, args, progress_callback=progressed)
        yield client.list_tools, call


def fastmcp_client():
    from fastmcp import Client
    from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport

    async def answer(_message, _type, params, context):
        return (await elicited(context, params)).content

    async def sample(_messages, params, context):
        return await sampled(context, params)

    kinds = {"sse": SSETransport, "http": StreamableHttpTransport,
             "stateless": StreamableHttpTransport}
    opened = (StdioTransport(TARGET[0], TARGET[1:], env=dict(os.environ)) if TRANSPORT == "stdio"
              else kinds[TRANSPORT](TARGET[0]))
    era = {} if ERA == "legacy" and not hasattr(mcp, "Client") else {"mode": ERA}
    return Client(opened, elicitation_handler=answer, sampling_handler=sample, log_handler=logged,
                  roots=[types.Root.model_validate(root) for root in ANSWERS["roots"]], **era)


async def run_job(call, job):
    global current
    current = record = Record()
    try:
        answered = await asyncio.wait_for(call(job["tool"], job["args"]), SECONDS)
        result = {"result": plain(answered)}
    except Exception as error:  # the job's outcome, whatever it is
        result = {"error": f"{type(error).__name__}: {error}"}
    try:
        await record.complete(job["expect"])
    except asyncio.TimeoutError:
        pass
    return {**result, "progress": record.progress, "logs": record.logs, "asked": record.asked}


async def main():
    async with connected() as (list_tools, call):
        tools = [plain(tool) for tool in (await list_tools()).tools]
        jobs = {job["tool"]: await run_job(call, job) for job in JOBS}
    print(json.dumps({"tools": tools, "jobs": jobs}))


asyncio.run(main())
