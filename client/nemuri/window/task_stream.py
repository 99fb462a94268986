"""The stream of a task's states, for a page that shows the task while it moves."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.window.page_templates import rendered
from nemuri.window.task_figures import task_figures
from nemuri_contracts.task_views import TaskResult
from nemuri_infra.process.cancellation import cancel_and_wait

ENDED = "ended"
"""Name of the last message, after which the page closes the stream."""
BETWEEN_MESSAGES = 0.2
"""Seconds between two messages, in which drafts and states are collected."""
CHOICE_POLL = 2.0
"""Seconds between two looks at a task that waits for a choice."""


def task_stream(request: Request, client: Client, task_id: UUID) -> EventSourceResponse:
    """Return a stream of the parts of a page: one for each state of a task, until nothing more follows."""
    return EventSourceResponse(_messages(request, client, task_id))


async def _messages(request: Request, client: Client, task_id: UUID) -> AsyncGenerator[ServerSentEvent]:
    values: dict[str, Any] = {}
    try:
        async with aclosing(_states(client, task_id)) as states:
            async for result, draft in states:
                values = await task_figures(request, client, result, draft, values.get("timeline"))
                yield ServerSentEvent(rendered(request, "task_state.html", values))
    except ClientError as error:
        yield ServerSentEvent(rendered(request, "problem.html", {"problem": str(error)}))
    yield ServerSentEvent("", event=ENDED)


class _News:
    """The changes since the last message."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.result: TaskResult | None = None
        self.draft = ""

    def on_progress(self, result: TaskResult) -> None:
        """Note a new state."""
        self.result = result
        self.changed.set()

    def on_draft(self, text: str) -> None:
        """Note more of the answer."""
        self.draft = text
        if self.result is not None:
            self.changed.set()


async def _states(client: Client, task_id: UUID) -> AsyncGenerator[tuple[TaskResult, str]]:
    """Yield each state of a task with the draft of its answer. The last one is final."""
    while True:
        news = _News()
        waiting = asyncio.ensure_future(
            client.result(
                task_id,
                timeout=None,
                settled=True,
                past_questions=True,
                on_progress=news.on_progress,
                on_draft=news.on_draft,
            )
        )
        try:
            while not waiting.done():
                await _first_of(waiting, news.changed)
                if news.changed.is_set() and news.result is not None:
                    news.changed.clear()
                    yield news.result, news.draft
                    await asyncio.sleep(BETWEEN_MESSAGES)
            result = waiting.result()
        finally:
            await cancel_and_wait(waiting)
        yield result, ""
        if result.status != "negotiation":
            return
        await _until_chosen(client, task_id)


async def _first_of(waiting: "asyncio.Future[TaskResult]", changed: asyncio.Event) -> None:
    noticing = asyncio.ensure_future(changed.wait())
    try:
        await asyncio.wait((waiting, noticing), return_when=asyncio.FIRST_COMPLETED)
    finally:
        await cancel_and_wait(noticing)


async def _until_chosen(client: Client, task_id: UUID) -> None:
    while (await client.progress(task_id)).status == "negotiation":  # noqa: ASYNC110 - others may choose elsewhere
        await asyncio.sleep(CHOICE_POLL)
