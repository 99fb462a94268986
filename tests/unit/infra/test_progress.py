"""Notifications of the projections' progress reach all waiters, even while the database is slow."""

import asyncio
from dataclasses import dataclass, field
from typing import cast

import pytest

from nemuri_infra.projections import progress
from nemuri_infra.projections.progress import BehindError, Progress
from nemuri_infra.projections.projection import FOLD, Position, Projection


@dataclass(slots=True)
class SlowViews:
    """Projections whose database answers only when the test allows it."""

    sequence: int = 0
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0

    async def position(self) -> Position:
        """Wait until the test allows it, and return the position of the projections."""
        self.asked += 1
        await self.answers.wait()
        return Position(self.sequence, FOLD)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time after which waiters assume that a notification was lost."""
    monkeypatch.setattr(progress, "HEARTBEAT_SECONDS", 0.01)


async def test_waiters_are_notified_while_the_database_is_slow() -> None:
    """Only one of several waiters asks the database. A notification wakes the others without waiting for the
    database.
    """
    views = SlowViews()
    known = Progress(cast("Projection", views))
    waiting = [asyncio.ensure_future(known.wait(7)) for _ in range(50)]
    async with asyncio.timeout(5):
        while not views.asked:  # noqa: ASYNC110 - nothing announces a question
            await asyncio.sleep(0.001)
        await known.record(7)
        done, asking = await asyncio.wait(waiting, return_when="FIRST_COMPLETED")
        while len(done) < len(waiting) - 1:
            more, asking = await asyncio.wait(asking, return_when="FIRST_COMPLETED")
            done |= more
    assert views.asked == 1
    views.sequence = 7
    views.answers.set()
    await asyncio.gather(*waiting)


async def test_a_lost_notification_is_found_in_the_database() -> None:
    """If a notification is lost, the waiters find the position in the database after a while."""
    views = SlowViews(sequence=7)
    views.answers.set()

    await Progress(cast("Projection", views)).wait(7)


async def test_projections_that_stay_behind_raise_an_error() -> None:
    """If the projections stay behind, waiting raises an error that names their position."""
    views = SlowViews(sequence=6)
    views.answers.set()

    with pytest.raises(BehindError, match="at 6, but 7"):
        await Progress(cast("Projection", views)).wait(7, seconds=0.1)
