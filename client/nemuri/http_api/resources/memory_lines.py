"""Many memories at once: JSON lines in, one line with the outcome of each memory out, while the request still runs."""

from collections.abc import AsyncGenerator

from pydantic import Field, ValidationError
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from nemuri.client.exchange import ClientError
from nemuri.client.memory_offers import RefusedMemoriesError
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import JSON, JSON_LINES, Resource
from nemuri.http_api.request_reading import media_type
from nemuri.http_api.resources.memories import MemoryRequest
from nemuri.web.problems import message_of
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Identifier, Value

RESOURCE = Resource("bulk", "Many memories at once.")
PORTION = 100
"""Number of memories that are stored together."""
MAX_LINE_BYTES = 1024 * 1024


class MemoryLines(Value):
    """Memories to store. As JSON lines there may be any number of them, one a line."""

    memories: tuple[MemoryRequest, ...] = Field(default=(), max_length=1_000)


class LineStream(StreamingResponse):
    """A stream that is made while the body of the request is still read."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - an ASGI application
        """Send the stream. The messages of the request are left for its body: they would show a disconnection too."""
        await self.stream_response(send)


class LineOutcome(Value):
    """The outcome of one line."""

    line: int
    """Number of the line, from 1."""
    memory_id: str | None = None
    """Id of the stored memory; null if it was refused."""
    refused: str | None = None
    """Reason of the refusal."""


@RESOURCE.post("/agents/{agent_id}/memories/bulk", media=JSON_LINES, accepts=(JSON, JSON_LINES))
async def store_memories(call: Call, agent_id: Identifier, body: MemoryLines) -> Response:
    """Store many memories of an agent, each as for a single memory: as a list, or as JSON lines of any number.

    The answer has one JSON object a line with the outcome of each memory, in order. Lines that cannot be read are
    refused; all others are stored. If the platform fails meanwhile, the answer ends early: the lines without an outcome
    may be sent again.
    """
    await call.client.agents(agent_id)  # an unknown agent is refused before anything is read
    lines = _lines(call) if media_type(call.request) == JSON_LINES else _listed(body)
    return LineStream(_outcomes(call, agent_id, lines), media_type=JSON_LINES)


async def _outcomes(call: Call, agent_id: str, lines: AsyncGenerator[tuple[int, bytes]]) -> AsyncGenerator[str]:
    waiting = list[tuple[int, MemoryContent]]()
    async for number, line in lines:
        try:
            waiting.append((number, _content(line)))
        except ValidationError as error:
            for outcome in await _stored(call, agent_id, waiting):
                yield outcome
            waiting = []
            yield _outcome(number, refused=message_of(error))
        if len(waiting) == PORTION:
            for outcome in await _stored(call, agent_id, waiting):
                yield outcome
            waiting = []
    for outcome in await _stored(call, agent_id, waiting):
        yield outcome


async def _stored(call: Call, agent_id: str, some: list[tuple[int, MemoryContent]]) -> list[str]:
    """Store some memories and return the line of each outcome."""
    if not some:
        return []
    try:
        contents = [content for _, content in some]
        ids: tuple[object, ...] = await call.client.remember_all(agent_id, contents, create=False)
        reasons = dict[int, str]()
    except RefusedMemoriesError as error:
        ids, reasons = error.memory_ids, error.reasons
    except ClientError as error:
        return [_outcome(number, refused=str(error)) for number, _ in some]
    return [
        _outcome(number, memory_id=None if at in reasons else str(ids[at]), refused=reasons.get(at))
        for at, (number, _) in enumerate(some)
    ]


def _content(line: bytes) -> MemoryContent:
    asked = MemoryRequest.model_validate_json(line, strict=True)
    return MemoryContent.model_validate(asked.model_dump())


def _outcome(number: int, memory_id: str | None = None, refused: str | None = None) -> str:
    return LineOutcome(line=number, memory_id=memory_id, refused=refused).model_dump_json(exclude_none=True) + "\n"


async def _listed(body: MemoryLines) -> AsyncGenerator[tuple[int, bytes]]:
    for number, memory in enumerate(body.memories, 1):
        yield number, memory.model_dump_json().encode()


async def _lines(call: Call) -> AsyncGenerator[tuple[int, bytes]]:
    """Yield the lines of the body that are not blank, with their numbers. A line that is too long is cut."""
    number, rest = 0, b""
    async for part in call.request.stream():
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield number, line[:MAX_LINE_BYTES]
        rest = rest[: MAX_LINE_BYTES + 1]
    if rest.strip():
        yield number + 1, rest[:MAX_LINE_BYTES]
