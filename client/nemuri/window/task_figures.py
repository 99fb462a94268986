"""What the pages show of a task: its state, its sources and its timeline."""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from starlette.requests import Request

from nemuri.admin.task_timeline import TaskTimeline, task_timeline
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.web.context import principal_of
from nemuri.window.answer_citations import cited_answer, passage_address
from nemuri_contracts.memory_views import MemoryView
from nemuri_contracts.task_views import TaskResult
from nemuri_domain.tasks.read_share import place_of

WAITING = frozenset({"negotiation", "clarification"})
MAX_MEMORIES = 20
"""Maximum number of learned memories whose words are shown."""
CONTINUING_SECONDS = 5.0
"""Seconds that an answered task may take to go on before its page is shown as it is."""
POLL = 0.1


async def task_figures(request: Request, client: Client, result: TaskResult, draft: str = "") -> dict[str, Any]:
    """Return the values of the templates for the state of a task.

    Args:
        request: The request; the timeline is read for operators only.
        client: The client of the request.
        result: State of the task.
        draft: The answer as far as it is written, while a model writes it.
    """
    ended = result.status in {"done", "failed"}
    explanations = await client.why(result.task_id) if ended else ()
    return {
        "task": result,
        "draft": draft,
        "moving": not (result.settled or result.status == "failed"),
        "waiting": result.status in WAITING,
        "explanations": explanations,
        "pieces": cited_answer(result, explanations),
        "passages": [(each, passage_address(result.task_id, each), place_of(each.detail)) for each in result.passages],
        "learned": await _words(client, result.learned),
        "tokens": sum(each.tokens for each in result.costs),
        "money": sum(each.money or 0 for each in result.costs),
        "timeline": await _timeline(request, client, result.task_id),
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


async def _timeline(request: Request, client: Client, task_id: UUID) -> TaskTimeline | None:
    return await task_timeline(client, task_id) if principal_of(request).operator else None


async def _words(client: Client, ids: Sequence[UUID]) -> list[tuple[UUID, MemoryView | None]]:
    """Return memories by their ids. A memory that was forgotten meanwhile has no words."""

    async def words(memory_id: UUID) -> MemoryView | None:
        try:
            return await client.memory(memory_id)
        except ClientError as error:
            if type(error) is not ClientError:
                raise
            return None

    return [(each, await words(each)) for each in ids[:MAX_MEMORIES]]
