"""The time of a memory's last decay in the answers to clients (document 003 §3.5)."""

from datetime import datetime
from uuid import UUID

from nemuri_services.query_api.presenters import memory_view
from tests.unit.domain.strength.stories import A, B, Story, encoded, given, night, ruled
from tests.unit.domain.strength.stories import slept as slept_on

FAINT = {"daily_decay_targets": (0.05,) * 6, "expected_tasks_per_day": 1}


def test_the_last_decay_is_the_last_sleep_after_creation() -> None:
    """The time of the last decay is that of the last sleep after the memory's creation, and None before it.

    A sleep that continues another one causes no decay.
    """
    story = given(encoded(A), *night(1))
    slept = story.events[-1].at
    story = story.when(encoded(B))
    assert (_faded(story, A), _faded(story, B)) == (slept, None)
    assert _faded(story.when(slept_on()), A) == slept

    story = story.when(*night(2))
    assert _faded(story, A) == _faded(story, B) == story.events[-1].at


def test_an_archived_memory_does_not_decay() -> None:
    """A memory that is archived in its first sleep has no time of a last decay."""
    assert _faded(given(*ruled(**FAINT), encoded(A), *night(1)), A) is None


def _faded(story: Story, memory_id: UUID) -> datetime | None:
    return memory_view(story.agent, story.mind.contents[memory_id], story.memory(memory_id)).last_decay_at
