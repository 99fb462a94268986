"""A stored result for a client is never replaced by an older one."""

import asyncio
from uuid import UUID, uuid4

import pytest
from nats.js.errors import KeyWrongLastSequenceError

from nemuri_contracts.task_views import TaskResult
from nemuri_infra.runtime.service import OUTAGE_ERRORS
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.results import Results
from tests.integration.harness import opened_log

pytestmark = pytest.mark.connected


async def stored_result(results: Results, task_id: UUID) -> TaskResult:
    """Return the stored result of a task."""
    return TaskResult.model_validate_json((await results.store.get(str(task_id))).value or b"")


@pytest.mark.parametrize("known", ["nothing before", "something before", "something forgotten"])
async def test_an_older_result_does_not_replace_a_newer_one(settings: Settings, known: str) -> None:
    """A query API that was delayed cannot replace a newer result by an older one."""
    task_id, loaded, resumed = uuid4(), asyncio.Event(), asyncio.Event()

    async def older_result() -> TaskResult:
        loaded.set()
        await resumed.wait()
        return TaskResult(task_id=task_id, status="negotiation")

    async def newer_result() -> TaskResult:
        return TaskResult(task_id=task_id, status="done", answer="It is false.")

    async with opened_log(settings) as log:
        results = await Results.open(log)
        if known != "nothing before":
            await results.publish(task_id, newer_result)
        if known == "something forgotten":
            await results.store.delete(str(task_id))
        stopped = asyncio.ensure_future(results.publish(task_id, older_result))
        await loaded.wait()
        await results.publish(task_id, newer_result)
        resumed.set()
        with pytest.raises(KeyWrongLastSequenceError) as raised:
            await stopped
        assert isinstance(raised.value, OUTAGE_ERRORS)
        assert (await stored_result(results, task_id)).status == "done"


async def test_an_open_task_has_no_stored_result(settings: Settings) -> None:
    """No result is stored for an open or unknown task."""

    async def nothing() -> None:
        return None

    async with opened_log(settings) as log:
        results, task_id = await Results.open(log), uuid4()
        await results.publish(task_id, nothing)
        async with results.following(task_id) as news:
            assert await news(0.1) is None
