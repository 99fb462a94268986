"""When a memory last faded, as a client sees it (document 003 §3.5)."""

from datetime import datetime
from uuid import UUID

from nemuri_services.query_api.presenters import memory_view
from tests.unit.domain.strength.stories import A, B, Story, encoded, given, night, ruled
from tests.unit.domain.strength.stories import slept as slept_on

FAINT = {"daily_decay_targets": (0.05,) * 6, "expected_tasks_per_day": 1}


def test_a_memory_last_faded_in_the_last_sleep_since_it_began() -> None:
    """None before the first; a sleep that only goes on with another fades nothing."""
    story = given(encoded(A), *night(1))
    slept = story.events[-1].at
    story = story.when(encoded(B))
    assert (_faded(story, A), _faded(story, B)) == (slept, None)
    assert _faded(story.when(slept_on()), A) == slept

    story = story.when(*night(2))
    assert _faded(story, A) == _faded(story, B) == story.events[-1].at


def test_what_is_archived_does_not_fade() -> None:
    """Time stands still in the archive."""
    assert _faded(given(*ruled(**FAINT), encoded(A), *night(1)), A) is None


def _faded(story: Story, memory_id: UUID) -> datetime | None:
    return memory_view(story.agent, story.mind.contents[memory_id], story.memory(memory_id)).last_decay_at
