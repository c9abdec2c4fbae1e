"""sdk_python.py URL: a host that is made with the Python SDK, version 1 or 2. URL: the model."""
import asyncio
import json
import os
import sys
import urllib.request
from contextlib import asynccontextmanager

import mcp
from mcp import StdioServerParameters, types

# It hands on only some variables when it is not told which.
SERVER = StdioServerParameters(command="pi-mcp", args=["serve"], env=dict(os.environ))


async def accepted(_context, _params):
    return types.ElicitResult(action="accept", content={"name": "Ann"})


@asynccontextmanager
async def connected():
    """The client and the instructions of the server."""
    if hasattr(mcp, "Client"):  # version 2, which asks for revision 2026-07-28 first
        async with mcp.Client(SERVER, elicitation_callback=accepted) as client:
            yield client, client.instructions
        return
    async with mcp.stdio_client(SERVER) as streams:
        async with mcp.ClientSession(*streams, elicitation_callback=accepted) as client:
            yield client, (await client.initialize()).instructions


def ask(messages, tools):
    data = json.dumps({"messages": messages, "tools": tools}).encode()
    with urllib.request.urlopen(f"{sys.argv[1]}/v1/chat/completions", data) as answer:
        return json.load(answer)["choices"][0]["message"]


def plain(model):
    return model.model_dump(by_alias=True, exclude_none=True, mode="json")


async def converse():
    async with connected() as (client, instructions):
        listed = (await client.list_tools()).tools
        tools = [{"type": "function", "function": plain(tool)} for tool in listed]
        told = {"role": "system", "content": instructions or ""}
        messages = [told, {"role": "user", "content": "go"}]
        while True:
            message = ask(messages, tools)
            messages.append(message)
            if "tool_calls" not in message:
                return print(message["content"])
            for call in message["tool_calls"]:
                wanted = call["function"]
                result = await client.call_tool(wanted["name"], json.loads(wanted["arguments"]))
                content = json.dumps(plain(result))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


asyncio.run(converse())
