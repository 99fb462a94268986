"""Tests of going back to the memories of an earlier moment."""

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.tiered import (
    ConsolidationBegun,
    Group,
    MemoriesAccessed,
    MemoriesRewound,
    MemoryAccess,
    MemoryShared,
)
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_domain.tiered.fold import evolve_at_its_time
from nemuri_domain.tiered.memory_rewind import Rewinding
from tests.unit.domain.tiered.lives import AGENT, BORN, became, lived, named

Step = tuple[str, int]
STEPS = st.lists(st.tuples(st.sampled_from(["live", "merge", "begin", "forget", "look", "share"]), st.integers(0, 9)))


def life(steps: Sequence[Step], first: int = 0) -> list[AnyAgentEvent]:
    """Return the events of a life, one a second after `first`. Each is recorded half a second later."""
    events = list[AnyAgentEvent]()
    for number, (step, which) in enumerate(steps, first + 1):
        memory, same = named(which), {"event_id": named(f"{step} {number}"), "agent_id": AGENT}
        match step:
            case "merge" if which + 1 < number:
                event: AnyAgentEvent = became(number, (which, which + 1), second=float(number))
            case "live" | "merge":
                event = lived(number, f"Noah saw {number}", second=float(number))
            case "begin":
                group = Group(layer="short", memory_ids=(memory,))
                event = ConsolidationBegun(**same, because="asked", groups=(group,), second=float(number))
            case "forget":
                event = ConsolidationBegun(**same, because="asked", deleted=(memory,), second=float(number))
            case "share":
                event = MemoryShared(**same, memory_id=memory, scope="global", second=float(number))
            case _:
                event = MemoriesAccessed(**same, accessed=(MemoryAccess(memory_id=memory),), second=float(number))
        at = BORN + timedelta(seconds=number + 0.5)
        events.append(event.model_copy(update={"recorded_at": at, "sequence": 10 + number}))
    return events


def rewind(events: Sequence[AnyAgentEvent], second: float) -> list[AnyAgentEvent]:
    """Return the events of going back to a second that was stored when it happened."""
    rewinding = Rewinding.of(AGENT, BORN + timedelta(seconds=second), second)
    for event in events:
        rewinding.take(event)
    at = BORN + timedelta(seconds=1_000)
    return [event.model_copy(update={"recorded_at": at, "sequence": 2_000}) for event in rewinding.events()]


def told(events: Sequence[AnyAgentEvent]) -> list[tuple[object, ...]]:
    """Return what an agent remembers after these events."""
    mind = TieredMind.of(AGENT)
    for event in events:
        mind = evolve_at_its_time(mind, event)
    found = mind.memories.values()
    return sorted((m.content, m.layer, m.type, m.at, m.importance, m.scope) for m in found)


@given(STEPS, STEPS)
def test_an_agent_remembers_what_it_did_at_that_moment(before: list[Step], after: list[Step]) -> None:
    """What was made later is gone, and what was merged or forgotten later is back. Doing it again changes nothing."""
    then = life(before)
    events = [*then, *life(after, len(then))]
    second = len(then) + 0.25

    back = rewind(events, second)

    assert told([*events, *back]) == told(then)
    assert rewind([*events, *back], second) == []


@given(STEPS, STEPS, st.integers(1, 5))
def test_an_interrupted_return_can_be_repeated(before: list[Step], after: list[Step], done: int) -> None:
    """Whatever part was recorded, repeating it gives the same memories."""
    then = life(before)
    events = [*then, *life(after, len(then))]
    part = rewind(events, len(then) + 0.25)[:done]

    again = rewind([*events, *part], len(then) + 0.25)

    assert told([*events, *part, *again]) == told(then)


def test_an_agent_goes_back_twice() -> None:
    """A second return, to an earlier moment, finds what the first one left of it."""
    first = life([("live", 0), ("live", 0), ("live", 0)])
    merged = life([("merge", 1)], 3)
    back = rewind([*first, *merged], 3.25)
    assert [event.kind for event in back][:1] == ["memories_rewound"]

    again = rewind([*first, *merged, *back], 1.25)

    assert told([*first, *merged, *back, *again]) == told(first[:1])
    assert sum(isinstance(event, MemoriesRewound) for event in (*back, *again)) == 2
