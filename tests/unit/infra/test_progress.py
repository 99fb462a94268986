"""Notifications of the projections' progress reach all waiters, even while the database is slow."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import cast
from uuid import uuid4

import pytest

from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.event import Event
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.projections import progress
from nemuri_infra.projections.progress import MAX_AGENTS, BehindError, Progress, progress_message
from nemuri_infra.projections.projection import FOLD, Position, Projection
from tests.contracts.examples import EXAMPLES


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


def batch(after: int, *events: Event) -> Batch:
    """Return the part of the log after a sequence that contains these events."""
    stored = [event.model_copy(update={"sequence": after + number}) for number, event in enumerate(events, 1)]
    return Batch(cast("tuple[AnyEvent, ...]", tuple(stored)), (), after, after + len(events))


async def test_notifications_name_the_agents_that_changed() -> None:
    """A process knows which agents changed, by which kinds of events, since it has heard every notification."""
    known = Progress(cast("Projection", SlowViews()))
    await known.hear(progress_message(5))
    other = EXAMPLES["task_submitted"].model_copy(update={"agent_id": None})
    await known.hear(progress_message(7, batch(5, EXAMPLES["agent_slept"], other)))
    name = str(EXAMPLES["agent_slept"].agent_id)

    assert (known.sequence, known.changes.since, known.changes.excluded) == (7, 5, 5)
    assert known.changes.changed(name, 5)
    assert not known.changes.changed(name, 6)
    assert not known.changes.changed(name, 5, {"agent_defined"})
    assert not known.changes.changed("another", 5)
    assert known.changes.changed("another", 4), "before the first notification anything may have changed"
    assert known.changes.changed_agents(5, {"agent_slept"}) == {name}
    assert known.changes.changed_agents(4, {"agent_slept"}) is None
    assert known.changes.last(name, "agent_slept") == 6
    assert known.changes.last(name, "agent_defined") == 5
    assert known.changes.last_in_log(name, "agent_slept") == 6
    assert known.changes.last_in_log(name, "agent_defined") == 0


async def test_after_a_lost_notification_everything_may_have_changed() -> None:
    """If a notification is lost, or names too many agents, every agent counts as changed, and anything as erased."""
    known = Progress(cast("Projection", SlowViews()))
    await known.hear(progress_message(5))
    await known.hear(progress_message(9, batch(8, EXAMPLES["agent_slept"])))

    assert known.sequence == known.changes.since == known.changes.excluded == 9
    assert known.changes.changed("another", 8)
    many = [EXAMPLES["agent_slept"].model_copy(update={"agent_id": f"a{number}"}) for number in range(MAX_AGENTS + 1)]
    await known.hear(progress_message(9 + len(many), batch(9, *many)))
    assert known.changes.since == 9 + len(many)


async def test_notifications_name_the_events_of_tasks() -> None:
    """A process knows that a task has no other event before one, unless it has missed a notification."""
    known = Progress(cast("Projection", SlowViews()))
    await known.hear(progress_message(5))
    summarised = EXAMPLES["task_summarised"]
    task_id, other = summarised.task_id, EXAMPLES["task_answered"].model_copy(update={"correlation_id": uuid4()})
    await known.hear(progress_message(7, batch(5, summarised, other)))
    await known.hear(progress_message(9, batch(7, EXAMPLES["agent_slept"], summarised)))

    assert known.changes.is_next_of_task(6, task_id, 5)
    assert known.changes.is_next_of_task(9, task_id, 6)
    assert not known.changes.is_next_of_task(9, task_id, 5), "there is another one between"
    assert not known.changes.is_next_of_task(7, task_id, 5), "that is an event of another task"
    assert not known.changes.is_next_of_task(6, task_id, 4), "before the first notification there may be others"


@pytest.mark.parametrize("kind", ["task_erased", "agent_erased", "memories_erased", "event_parked"])
async def test_notifications_tell_of_what_excludes_earlier_events(kind: str) -> None:
    """The last erasure or parked event is known, so that caches can be emptied."""
    known = Progress(cast("Projection", SlowViews()))
    await known.hear(progress_message(5))
    await known.hear(progress_message(7, batch(5, EXAMPLES[kind], EXAMPLES["agent_slept"])))

    assert (known.changes.since, known.changes.excluded) == (5, 6)
    name = str(EXAMPLES["agent_slept"].agent_id)
    assert known.changes.last_in_log(name, "agent_slept") == 7
    await known.hear(progress_message(8, batch(7, EXAMPLES[kind])))
    assert known.changes.last_in_log(name, "agent_slept") == 0, "the log may have a later one, which is excluded"


async def test_notifications_tell_which_events_count() -> None:
    """Repeated, erased, deleted and parked events do not count. Of events before the first notification, and before an
    erasure, it is not known.
    """
    known = Progress(cast("Projection", SlowViews()))
    await known.hear(progress_message(5))
    some = batch(5, *[EXAMPLES["agent_slept"]] * 3)
    await known.hear(progress_message(9, replace(some, until=9), without_effect={7}))

    assert [known.changes.counts(sequence) for sequence in (5, 6, 7, 8, 9)] == [None, True, False, True, False]
    await known.hear(progress_message(10, batch(9, EXAMPLES["agent_erased"])))
    assert known.changes.counts(8) is None
    await known.hear(progress_message(11, batch(10, EXAMPLES["agent_slept"]), None))
    assert known.changes.counts(11) is None
