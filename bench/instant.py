"""A stub language model. It serves completions in OpenAI's format on a local port, immediately or after a delay.

    python -m bench.instant --milliseconds 200        # prints its base URL, then serves until it is stopped

An answer cites the first memory in the prompt. A request for learnings gets one learning per perspective, in words of
the question. Other requests for JSON get an empty object. With these replies, tasks pass all steps: retrieval, use,
learning, encoding and sleep.
"""

import argparse
import asyncio
import json
import re
from functools import partial
from typing import Any

PERSPECTIVES = re.compile(r"^Perspectives:\n((?:- .+\n?)+)", re.MULTILINE)
MEMORY = re.compile(r"\bm1\b")


def reply_text(system: str, user: str) -> str:
    """Return the text of the reply to a prompt."""
    asked = PERSPECTIVES.search(user)
    subject = " ".join(re.findall(r"\b[a-z]+\b|\bcase \d+\b", user)[:40])
    if asked:
        names = [line.removeprefix("- ") for line in asked.group(1).splitlines()]
        return json.dumps({name: f"What matters for {name}: {subject}." for name in names})
    if "JSON" in system:
        return "{}"
    return f"It depends on {subject[:80]}{' [m1]' if MEMORY.search(user) else ''}."


def reply(request: dict[str, Any]) -> bytes:
    """Return the HTTP response to a request for a completion."""
    words = {each["role"]: str(each["content"]) for each in request["messages"]}
    message = {"role": "assistant", "content": reply_text(words.get("system", ""), words["user"])}
    tokens = [sum(map(len, words.values())) // 4, len(message["content"]) // 4]
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }
    raw = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(raw), raw)


async def talk(seconds: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one connection until the other side closes it. Each reply is sent after `seconds` seconds."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = re.search(r"content-length: (\d+)", head)
            request = json.loads(await reader.readexactly(int(length.group(1)) if length else 0))
            await asyncio.sleep(seconds)
            writer.write(reply(request))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # the other side has closed the connection
    finally:
        writer.close()


async def serve(seconds: float) -> None:
    """Serve on a free port until the process is stopped. Each reply is sent after `seconds` seconds."""
    server = await asyncio.start_server(partial(talk, seconds), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--milliseconds", type=float, default=0.0)
    asyncio.run(serve(arguments.parse_args().milliseconds / 1e3))
