"""A stored result for a client is never replaced by an older one."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

import pytest
from nats.js.errors import KeyWrongLastSequenceError

from nemuri_contracts.task_views import TaskResult
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.results import Results
from tests.integration.harness import opened_log

pytestmark = pytest.mark.connected


def always(result: TaskResult) -> Callable[[], Awaitable[TaskResult]]:
    """Return a function that returns this result."""

    async def standing() -> TaskResult:
        return result

    return standing


async def stored_result(results: Results, task_id: UUID) -> TaskResult:
    """Return the stored result of a task."""
    return TaskResult.model_validate_json((await results.store.get(str(task_id))).value or b"")


@pytest.mark.parametrize("known", ["nothing before", "something before", "something forgotten"])
@pytest.mark.parametrize("same_process", [True, False])
async def test_an_older_result_does_not_replace_a_newer_one(
    settings: Settings, known: str, *, same_process: bool
) -> None:
    """A query API that was delayed cannot replace a newer result by an older one. It reads the state again."""
    task_id, loaded, resumed = uuid4(), asyncio.Event(), asyncio.Event()
    older = TaskResult(task_id=task_id, status="negotiation")
    newer = TaskResult(task_id=task_id, status="done", answer="It is false.")

    async def delayed() -> TaskResult:
        if loaded.is_set():
            return newer
        loaded.set()
        await resumed.wait()
        return older

    async with opened_log(settings) as log:
        results = await Results.open(log)
        if known != "nothing before":
            await results.publish(task_id, always(older))
        if known == "something forgotten":
            await results.store.delete(str(task_id))
        stopped = asyncio.ensure_future(results.publish(task_id, delayed))
        await loaded.wait()
        await (results if same_process else await Results.open(log)).publish(task_id, always(newer))
        resumed.set()
        await stopped
        assert await stored_result(results, task_id) == newer


async def test_a_writer_that_is_overtaken_again_must_try_again(settings: Settings) -> None:
    """A writer whose result is outdated each time that it stores one gets an error that counts as an outage."""
    task_id = uuid4()
    newer = TaskResult(task_id=task_id, status="done", answer="It is false.")

    async with opened_log(settings) as log:
        results, other = await Results.open(log), await Results.open(log)

        async def overtaken() -> TaskResult:
            await other.publish(task_id, always(newer))
            return TaskResult(task_id=task_id, status="negotiation")

        with pytest.raises(KeyWrongLastSequenceError) as raised:
            await results.publish(task_id, overtaken)
        assert isinstance(raised.value, OUTAGE_ERRORS)
        assert await stored_result(results, task_id) == newer


async def test_an_open_task_has_no_stored_result(settings: Settings) -> None:
    """No result is stored for an open or unknown task."""

    async def nothing() -> None:
        return None

    async with opened_log(settings) as log:
        results, task_id = await Results.open(log), uuid4()
        await results.publish(task_id, nothing)
        async with results.following(task_id) as news:
            assert await news(0.1) is None
