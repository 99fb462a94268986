"""What the intake asks of a task of many pieces, without reading all of them every time."""

from uuid import UUID, uuid4

import pytest

from nemuri.contracts.clients import TaskSubmitted
from nemuri.contracts.event import Usage
from nemuri.contracts.tasks import ChunkReady, ChunkSummarised, Detail
from nemuri.infra.settings import Settings
from tests.connected.scene import at_work

pytestmark = pytest.mark.connected

DETAIL = Detail(document="truth.txt", ref="0" * 64, start=0, end=10)


def ready(task_id: UUID, ordinal: int) -> ChunkReady:
    """One of two pieces."""
    return ChunkReady(event_id=uuid4(), correlation_id=task_id, ordinal=ordinal, of=2, detail=DETAIL)


def summarised(task_id: UUID, ordinal: int) -> ChunkSummarised:
    """The key point of a piece."""
    usage = Usage(model="m", input_tokens=1, output_tokens=1)
    return ChunkSummarised(event_id=uuid4(), correlation_id=task_id, ordinal=ordinal, point="True.", usage=usage)


async def test_points_are_lacking_until_every_piece_is_there_and_has_one(settings: Settings) -> None:
    """Whichever comes last: a piece that is not recorded yet lacks its point too."""
    task = TaskSubmitted(event_id=uuid4(), client_id="ann", text="What is truth?")
    key = task.event_id
    story = (task, ready(key, 0), summarised(key, 0), ready(key, 1), summarised(key, 1))
    lacking, pieces = [], []
    async with at_work(settings, ["projector"]) as resources:
        views = resources.views
        for event in story:
            await views.progress.wait(await resources.log.append(event))
            lacking.append(await views.lacks_points(key))
            pieces.append(await views.piece(key, 0))
        state = await views.task(key)
        assert await views.piece(key, 2) is None
        assert await views.piece(uuid4(), 0) is None
    assert lacking == [False, True, True, True, False], "where nothing was cut, nothing lacks"
    assert [each and each[1].point for each in pieces] == [None, None, "True.", "True.", "True."]
    assert pieces[-1] == (state.task, state.chunks[0])
