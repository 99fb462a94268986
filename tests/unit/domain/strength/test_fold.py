"""Laws of the fold of a mind: it accepts any events, and its result does not depend on how they are divided into
batches.
"""

from itertools import pairwise
from math import isfinite
from uuid import UUID

from hypothesis import example, given
from hypothesis import strategies as st

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Agent, Memory, Mind
from nemuri_domain.strength.fold import affected_memories, evolve
from nemuri_domain.strength.repetitions import repeated_text
from tests.unit.domain.strength.anything import EVENTS, history
from tests.unit.domain.strength.facts import totals
from tests.unit.domain.strength.stories import A, credited, defined, encoded, ended, sleep_input, slept, used

LOG = st.lists(EVENTS, min_size=12, max_size=40).map(lambda events: [defined(), *events])


@given(st.lists(EVENTS, min_size=12, max_size=40))
def test_the_fold_never_raises(events: list[AnyAgentEvent]) -> None:
    """Any events can be folded. The totals equal a recount, every number is finite, and a sleep can be decided at any
    time.
    """
    mind = Mind()
    for event in history(events):
        mind = evolve(mind, event)
        if mind.agent is None:
            assert not mind.memories
            continue
        assert (mind.agent.active, mind.agent.archived) == totals(mind)
        assert all(map(isfinite, mind.agent.clocks))
        for memory in mind.memories.values():
            assert all(map(isfinite, (memory.fade, memory.impact_score, mind.agent.strength(memory))))
        assert (sleep.decide(ended(0), sleep_input(mind)) is None) == (not mind.agent.awake)


@given(LOG, st.lists(st.integers(0, 40), max_size=6))
@example([defined(), encoded(A), used(A), ended(1), slept(1, archived={A: 1}), credited(A)], [2, 4])
def test_the_fold_is_independent_of_the_batches(events: list[AnyAgentEvent], cuts: list[int]) -> None:
    """The result is the same for any batches, although a batch loads only the agent and the memories of its own
    events.
    """
    log = history(events)
    whole = Mind()
    for event in log:
        whole = evolve(whole, event)

    agent, rows = _by_batches(log, cuts)

    assert agent == whole.agent
    assert rows == dict(whole.memories)


def _by_batches(log: list[AnyAgentEvent], cuts: list[int]) -> tuple[Agent | None, dict[UUID, Memory]]:
    """Fold as the projector does: each batch reads rows and writes rows."""
    agent: Agent | None = None
    rows: dict[UUID, Memory] = {}
    for start, end in pairwise(sorted({0, len(log), *(cut for cut in cuts if cut < len(log))})):
        wanted = frozenset[UUID]().union(*(affected_memories(event) for event in log[start:end]))
        while standing := {rows[each].absorbed_by for each in wanted if each in rows} - wanted - {None}:
            wanted |= {each for each in standing if each is not None}
        told = {repeated_text(each) for each in log[start:end] if isinstance(each, MemoryEncoded)} - {None}
        wanted |= {key for key, each in rows.items() if each.text_id in told}
        mind = Mind(agent).holding({each: rows[each] for each in wanted if each in rows})
        for event in log[start:end]:
            mind = evolve(mind, event)
        agent = Agent.model_validate(mind.agent.model_dump(mode="json")) if mind.agent else None
        rows |= {each: _read_back(memory) for each, memory in mind.memories.items()}
    return agent, rows


def _read_back(memory: Memory) -> Memory:
    row = memory.model_dump(mode="json")
    row.pop("fade")
    return Memory.model_validate(row)
