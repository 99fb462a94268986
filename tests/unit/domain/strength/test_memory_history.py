"""Tests of the history of a memory. It has one step for each event, and one for each period in which it only
decayed.
"""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.strength.fold import fold
from nemuri_domain.strength.memory_history import FADING, HistoryStep, history
from nemuri_domain.strength.state_diff import MemoryState
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.anything import EVENTS
from tests.unit.domain.strength.anything import history as logged
from tests.unit.domain.strength.stories import (
    COST,
    A,
    B,
    Story,
    credited,
    encoded,
    night,
    related,
    retrieved,
    ruled,
    used,
)


def steps(story: Story) -> list[HistoryStep]:
    """Return the history of the story's first memory."""
    return [*history(story.events, A)]


def test_each_event_of_the_memory_is_a_step_in_order() -> None:
    """Encoding, retrieval, use and credit are steps in their order, with the state of the memory before and after."""
    story = stories.given(encoded(A), retrieved(A), used(A, perspective=COST), credited(A))
    told = steps(story)
    assert [step.kind for step in told] == ["memory_encoded", "memories_retrieved", "memories_used", "impact_credited"]
    assert [step.sequence for step in told] == [2, 3, 4, 5]
    assert told[0].before is None
    assert [round(step.after.strength, 6) for step in told] == [1.0, 1.0, 1.1, 1.5]
    assert told[2].note == "by citation under cost"
    assert [step.before for step in told[1:]] == [step.after for step in told[:-1]]


def test_events_of_other_memories_are_no_steps() -> None:
    """Events of other memories are no steps, and neither is a sleep before the encoding."""
    story = stories.given(encoded(B), *night(0), encoded(A), used(B), retrieved(B), credited(B))
    assert [step.kind for step in steps(story)] == ["memory_encoded"]


def test_sleeps_with_decay_alone_are_one_step() -> None:
    """Successive sleeps in which the memory only decayed are one step, which states the number of sessions."""
    nights = [move for number in range(3) for move in night(number)]
    story = stories.given(encoded(A), *nights, used(A), *night(3))
    beginning, faded, use, more = steps(story)
    assert (faded.kind, faded.sessions, faded.first, faded.sequence) == (FADING, 3, 4, 8)
    assert faded.before == beginning.after
    assert faded.after.strength < 1.0
    assert use.before == faded.after
    assert (more.kind, more.sessions) == (FADING, 1)


def test_a_sleep_that_changed_the_memory_is_a_step() -> None:
    """A sleep that changed the memory's level or archived it is a step that names the reason. A reactivation is part of
    the use's step.
    """
    rules = ruled(expected_tasks_per_day=1, archive_threshold=0.9, daily_decay_targets=(0.5,) * 6)
    gone = steps(stories.given(*rules, encoded(A), *night(0), used(A)))
    assert [step.kind for step in gone] == ["memory_encoded", "agent_slept", "memories_used"]
    assert (gone[1].after.status, gone[1].note) == ("archived", "below the threshold")
    assert gone[2].after.status == "active"
    risen = steps(stories.given(encoded(A), *[used(A)] * 5, *night(0)))
    assert (risen[-1].kind, risen[-1].after.level) == ("agent_slept", 1)
    full = steps(stories.given(*ruled(max_active_memories=1), encoded(A), encoded(B), used(B), *night(0)))
    assert (full[-1].after.status, full[-1].note) == ("archived", "memory was full")


def test_relations_are_steps_of_both_memories() -> None:
    """A relation is a step in the history of both memories: "outdated by" in one and "outdates" in the other. So is its
    withdrawal.
    """
    yielding = steps(stories.given(encoded(A), related(B, A), stories.parted(B, A)))
    withdrawn = "no longer related to {}, by client ann"
    assert [step.note for step in yielding[1:]] == [f"contradicted by {B}", withdrawn.format(B)]
    outdating = steps(stories.given(encoded(B), related(A, B), stories.parted(A, B)))
    assert [step.note for step in outdating] == [
        f"from manual, contradicts {B}",
        f"no longer related to {B}, by client ann",
    ]


@given(st.lists(EVENTS, min_size=5, max_size=40))
def test_each_step_begins_where_the_last_one_ended(events: list[AnyAgentEvent]) -> None:
    """For any events each step begins with the state in which the last one ended. The last step ends with the present
    state.
    """
    log = logged([*first_of_each([stories.defined(), encoded(A), *events])])
    told, mind = history(log, A), fold(log)
    stands = MemoryState.of(mind, A)
    assert stands is not None
    assert told[-1].after.alike(stands)
    for one, other in pairwise(told):
        assert other.before is not None
        assert one.after.alike(other.before)
        assert one.sequence < other.first
