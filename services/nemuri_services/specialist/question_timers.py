"""Timers of open questions. When one fires, the agent goes on with its assumption."""

from uuid import UUID

import structlog

from nemuri_contracts.clarifications import Clarification
from nemuri_domain.tasks import clarification
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.timer_watch import watch_timers

logger = structlog.get_logger()


async def expire_questions(resources: Resources) -> None:
    """Set the timers of all open questions, and let each question expire when its timer fires, forever. If a server is
    down, try again until it is back.
    """
    await watch_timers("specialist", _set_all, _expire_or_reset, resources)


async def set_timer(task_id: UUID, known: Clarification, resources: Resources) -> None:
    """Set the timer of a task's open question."""
    await resources.timers.set(str(task_id), known.until)


async def _set_all(resources: Resources) -> None:
    for task in await resources.views.tasks_with_open_questions():
        if (known := clarification.waiting(task)) is not None:
            await set_timer(task.task_id, known, resources)


async def _expire_or_reset(key: str, resources: Resources) -> None:
    """Let the question of the task expire whose timer fired, unless it is closed. If it is not due yet, set its timer
    again.
    """
    try:
        task_id = UUID(key)
    except ValueError:
        logger.warning("unknown timer", service="specialist", key=key[:100])
        return
    task = (await resources.views.task(task_id)).task
    known = clarification.waiting(task)
    if task is None or known is None:
        return
    if clarification.is_due(known, await resources.clock.now()):
        await resources.log.append(clarification.expired(task, known))
    else:
        await set_timer(task_id, known, resources)
