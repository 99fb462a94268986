"""The figures of a task on its page: its state, its sources and its timeline."""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from starlette.requests import Request

from nemuri.admin.task_timeline import MAX_EVENTS, TaskTimeline, task_timeline
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.web.context import principal_of
from nemuri.window.answer_citations import cited_answer, passage_address
from nemuri.window.lookups import refuse_if_passing
from nemuri_contracts.memory_views import MemoryView
from nemuri_contracts.task_views import TaskResult
from nemuri_domain.tasks.read_share import place_of

WAITING = frozenset({"negotiation", "clarification"})
MAX_MEMORIES = 20
"""Maximum number of learned memories whose words are shown."""
CONTINUING_SECONDS = 5.0
"""Seconds that an answered task may take to go on before its page is shown as it is."""
POLL = 0.1
MOVING_EVENTS = 40
"""Number of the newest events that are shown while a task moves, because the page is sent again with each change."""


async def task_figures(
    request: Request, client: Client, result: TaskResult, draft: str = "", before: TaskTimeline | None = None
) -> dict[str, Any]:
    """Return the values of the templates for the state of a task.

    Args:
        request: The request; the timeline is read for operators only.
        client: The client of the request.
        result: State of the task.
        draft: The answer as far as it is written, while a model writes it.
        before: The timeline as it was shown before, so that only later events are read.
    """
    ended = result.status in {"done", "failed"}
    explanations = await client.why(result.task_id) if ended else ()
    moving = not (result.settled or result.status == "failed")
    return {
        "task": result,
        "draft": draft,
        "moving": moving,
        "waiting": result.status in WAITING,
        "explanations": explanations,
        "pieces": cited_answer(result, explanations),
        "passages": [
            (passage, passage_address(result.task_id, passage), place_of(passage.detail)) for passage in result.passages
        ],
        "learned": await _words(client, result.learned),
        "tokens": sum(cost.tokens for cost in result.costs),
        "money": sum(cost.money or 0 for cost in result.costs),
        "timeline": await task_timeline(client, result.task_id, before) if principal_of(request).operator else None,
        "shown_events": MOVING_EVENTS if moving else MAX_EVENTS,
    }


async def until_continued(client: Client, before: TaskResult) -> TaskResult:
    """Wait a short time until a task that was answered goes on, and return its state."""
    result = await client.progress(before.task_id)
    try:
        async with asyncio.timeout(CONTINUING_SECONDS):
            while result.status == before.status and result.progress == before.progress:
                await asyncio.sleep(POLL)
                result = await client.progress(before.task_id)
    except TimeoutError:
        return result
    return result


async def _words(client: Client, ids: Sequence[UUID]) -> list[tuple[UUID, MemoryView | None]]:
    """Return memories by their ids. A memory that was forgotten meanwhile has no words."""

    async def words(memory_id: UUID) -> MemoryView | None:
        try:
            return await client.memory(memory_id)
        except ClientError as error:
            refuse_if_passing(error)
            return None

    return [(shown_id, await words(shown_id)) for shown_id in ids[:MAX_MEMORIES]]
