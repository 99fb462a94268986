"""The events of a task as a stream (server-sent events), which resumes after the last event that was received."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from uuid import UUID

from starlette.responses import Response, StreamingResponse

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import EVENT_STREAM
from nemuri.web.problems import Problem
from nemuri_contracts.journal_views import JournalEntry
from nemuri_infra.bus.answer_drafts import following_drafts

LAST_EVENT_ID = "Last-Event-ID"
POLL_SECONDS = 0.5
"""Seconds between two looks at the journal."""
DRAFT_SECONDS = 0.2
"""Minimum number of seconds between two drafts. Each contains the whole text so far."""
HEARTBEAT_LOOKS = 20
"""Number of looks without news after which a comment shows that the stream is alive."""
MAX_LOOKS = 1_200
"""Number of looks after which the stream ends. A client continues with `Last-Event-ID`."""
RETRY_MILLISECONDS = 2_000
PAGE = 200
_NUMBER = re.compile(r"[0-9]{1,16}")


async def stream_of(call: Call, task_id: UUID) -> Response:
    """Return the stream of a task's events after `Last-Event-ID`.

    Between them come the drafts of the answer, if the task was submitted as `streamed`. They have no ids.
    It ends with the event `end` when nothing more follows. If nothing more follows at all, the answer is empty (204),
    which tells a browser to stop asking. Raises `ClientError` for an unknown task, and `Problem` 422.
    """
    given = call.request.headers.get(LAST_EVENT_ID)
    if given is not None and not _NUMBER.fullmatch(given):
        raise Problem(422, f"{LAST_EVENT_ID}: write the id of an event of the stream, which is a number")
    after, settled = int(given or 0), (await call.client.progress(task_id)).settled
    if given is not None and settled and not (await _later(call.client, task_id, after)):
        return Response(status_code=204)
    return StreamingResponse(_events(call.client, task_id, after), media_type=EVENT_STREAM)


class _Drafts:
    """The answer of a task as far as it is written."""

    def __init__(self) -> None:
        self._text = ""
        self._changed = asyncio.Event()

    def receive(self, text: str) -> None:
        """Note the text so far."""
        self._text = text
        self._changed.set()

    async def during(self, seconds: float) -> AsyncGenerator[str]:
        """Yield messages with the text so far while it grows, for a number of seconds."""
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                return
            self._changed.clear()
            yield f"event: draft\ndata: {json.dumps({'text': self._text})}\n\n"
            await asyncio.sleep(min(left, DRAFT_SECONDS))  # pieces that arrive until then are sent together


async def _events(client: Client, task_id: UUID, after: int) -> AsyncGenerator[str]:
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    drafts = _Drafts()
    async with following_drafts(client.log, task_id, drafts.receive):
        async for message in _messages(client, task_id, after, drafts):
            yield message


async def _messages(client: Client, task_id: UUID, after: int, drafts: _Drafts) -> AsyncGenerator[str]:
    silent = 0
    for _ in range(MAX_LOOKS):
        try:
            task = await client.progress(task_id)
            entries = await _later(client, task_id, after)
        except ClientError as error:
            yield f"event: problem\ndata: {json.dumps({'detail': str(error)})}\n\n"
            return
        for entry in entries:
            after = entry.sequence
            yield f"id: {entry.sequence}\nevent: {entry.kind}\ndata: {entry.model_dump_json()}\n\n"
        if task.settled and not entries:
            yield f"event: end\ndata: {task.model_dump_json(include={'task_id', 'status', 'attempt'})}\n\n"
            return
        silent = 0 if entries else silent + 1
        if silent and silent % HEARTBEAT_LOOKS == 0:
            yield ": nothing new\n\n"
        if not entries:  # the journal does not tell when it has news
            async for draft in drafts.during(POLL_SECONDS):
                yield draft


async def _later(client: Client, task_id: UUID, after: int) -> tuple[JournalEntry, ...]:
    found = await client.journal(task_id=task_id, beyond=after or 0, oldest_first=True, limit=PAGE)
    return found.entries
