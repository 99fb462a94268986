"""A language model server on the loopback that answers the platform's prompts, or misbehaves for some calls."""

import asyncio
import json
import re
import socket
import struct

from tests.integration.providers.loopback import Loopback
from tests.integration.providers.provider import ReceivedRequest, openai_reply, read_request

LATE_SECONDS = 30.0
"""Seconds before a late reply. Callers time out earlier."""
_SOURCE = re.compile(r"<(m\d+) [0-9a-f]{24}>")
_PERSPECTIVE = re.compile(r"^- (.+)$", re.MULTILINE)


def reply_to(body: dict[str, object]) -> str:
    """Return a plausible reply to one of the platform's prompts."""
    system, user = (str(each["content"]) for each in body["messages"])  # type: ignore[attr-defined]
    sources = _SOURCE.findall(user)
    if "really drew on" in system:
        return json.dumps({"used": sources[:1]})
    if '"merged"' in system:
        return json.dumps({"merged": "An empty list is false.", "dissent": []})
    if '"takes_over"' in system:
        said = {"position": "revised", "answer": f"An empty list is false, say {len(user)} characters."}
        return json.dumps(said | {"takes_over": "false", "contradicts": ""})
    if '"learnings"' in system:
        asked = _PERSPECTIVE.findall(user.partition("Perspectives:")[2])
        taught = [{"perspective": each, "sentence": f"Under {each} {len(user)} is true."} for each in asked[:1]]
        return json.dumps({"happened": f"Something of {len(user)} characters was asked.", "learnings": taught})
    if "compare statements" in system:
        return json.dumps({"pairs": []})
    if "continues a conversation" in system:
        return "What is the truth value of an empty list?"
    if "exactly one sentence" in system:
        return "An empty list is false."
    return f"An empty list is false. {f'[{sources[0]}]' if sources else ''}"


class ModelServer(Loopback):
    """The server of the model. It counts all calls and the calls at which it misbehaved."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:{port}/v1")
        self._misbehaviour, self._left = "", 0
        self.calls = self.misbehaved = 0

    def misbehave(self, misbehaviour: str, calls: int) -> None:
        """Misbehave in this way (one of `MISBEHAVIOURS`) for the next `calls` calls."""
        self._misbehaviour, self._left = misbehaviour, calls

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one request, with a good reply or with the misbehaviour that is set."""
        try:
            await self._reply(await read_request(reader), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _reply(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        misbehaviour = self._misbehaviour if self._left > 0 else ""
        self._left -= 1
        self.misbehaved += bool(misbehaviour)
        good = json.dumps(openai_reply(reply_to(request.body))).encode()
        if misbehaviour == "late":
            await asyncio.sleep(LATE_SECONDS)
        elif misbehaviour == "reset":
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        elif misbehaviour == "half":
            writer.write(_http(200, good)[: -len(good) // 2])
        elif misbehaviour in {"429", "500"}:
            writer.write(_http(int(misbehaviour), b'{"error": {"message": "not now"}}', retry=0.2))
        elif misbehaviour == "garbage":
            writer.write(_http(200, b'{"choices": [{"mess'))
        elif misbehaviour == "nonsense":
            writer.write(_http(200, json.dumps(openai_reply("\x00}{ [m9999] <m1> \u202e ```json")).encode()))
        else:
            writer.write(_http(200, good))
        await writer.drain()


def _http(status: int, body: bytes, *, retry: float | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", "content-type: application/json", f"content-length: {len(body)}"]
    if retry is not None:
        lines.append(f"retry-after: {retry:g}")
    return "\r\n".join([*lines, "connection: close", "", ""]).encode() + body
