"""Properties of the fold of affective memory: events in any order, folds from some of the rows, and erasures."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from nemuri_contracts.affective import CompressionDue, Link, NightFell, Tie
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_contracts.event import Usage
from nemuri_domain.affective.aggregate import ARCHIVED, DELETED, AffectMind
from nemuri_domain.affective.fold import evolve, fold, touched
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_domain.strength.fold import evolve as evolve_strength
from nemuri_domain.strength.fold import fold as fold_strength
from tests.unit.domain.affective import turns
from tests.unit.domain.affective.turns import AGENT, BEGINNING, defined, recorded

MEMORY = st.integers(1, 6).map(lambda number: UUID(int=number))
MEMORIES = st.lists(MEMORY, max_size=4)
NTH = st.integers(0, 10_000)
USAGES = st.none() | st.builds(
    Usage, model=st.just("m"), input_tokens=st.integers(0, 99), money=st.none() | st.sampled_from([0.25, 0.5])
)
LEVEL: st.SearchStrategy[Any] = st.sampled_from([2, 3])
LINKS = st.lists(st.builds(Link, to=MEMORY, sort=st.sampled_from(["continues", "same_topic"])), max_size=3)
TIES = st.lists(st.builds(Tie, of=MEMORY, to=MEMORY, sort=st.sampled_from(["continues", "same_topic"])), max_size=3)
LISTS = st.fixed_dictionaries(
    dict.fromkeys(("recalled", "archived", "declined", "protected", "compared", "deleted"), MEMORIES)
)
NIGHTS = st.builds(
    lambda nth, lists, **told: turns.night(nth, **told, **lists),
    NTH,
    LISTS,
    nights=st.integers(0, 40),
    lowered=st.lists(st.tuples(MEMORY, LEVEL), max_size=4),
    revived=st.lists(st.tuples(MEMORY, st.floats(0.1, 100)), max_size=3),
    tied=TIES,
    untied=TIES,
)
TURNS = st.builds(
    turns.remembered,
    MEMORY,
    intensity=st.integers(0, 100),
    protection=st.sampled_from(["none", "protected", "asked"]),
    relations=LINKS,
    usage=USAGES,
    session=st.sampled_from(["monday", "tuesday"]),
)
EVENTS: st.SearchStrategy[AnyAgentEvent] = st.one_of(
    TURNS,
    TURNS,
    NIGHTS,
    NIGHTS,
    st.builds(turns.withdrawn, MEMORY, nth=NTH),
    st.builds(turns.compressed, MEMORY, LEVEL, nth=NTH, usage=USAGES),
    st.builds(turns.recalled, MEMORIES, MEMORIES, nth=NTH, session=st.sampled_from([None, "monday"])),
    st.builds(turns.protection, MEMORY, protected=st.booleans(), nth=NTH),
    st.builds(turns.ruled, st.just({"protection": {"max_protected_memories": 1}}), NTH),
)
LIVES = st.lists(EVENTS, max_size=30)
SOME = st.sets(MEMORY, min_size=1, max_size=3)


def _life(events: Sequence[AnyAgentEvent], after: int = 0) -> list[AnyAgentEvent]:
    return recorded(first_of_each([defined(), *events]), after)


def _erased(ids: set[UUID]) -> MemoriesErased:
    return MemoriesErased(event_id=turns.fresh("erased", *sorted(ids)), agent_id=AGENT, memory_ids=tuple(sorted(ids)))


@given(LIVES, SOME)
def test_whatever_happens_the_totals_are_what_the_rows_say(events: list[AnyAgentEvent], gone: set[UUID]) -> None:
    """After any events the stored totals equal a count of the rows, and every retention can be computed."""
    mind = fold(_life([*events, _erased(gone)]))

    assert mind.agent is not None
    rows = mind.memories.values()
    levels = Counter(row.level for row in rows if not row.protected)
    assert mind.agent.levels == tuple(levels[level] for level in (1, 2, 3, ARCHIVED))
    assert mind.agent.protected == sum(row.protected for row in rows)
    assert all(row.retention(mind.night) >= 0 for row in rows)
    assert not any(row.protected for row in rows if row.level == DELETED)
    assert gone.isdisjoint(link.to for row in rows for link in row.relations)
    assert not mind.moods


@given(LIVES, MEMORY, LIVES)
def test_what_a_night_lets_go_does_not_come_back(
    before: list[AnyAgentEvent], memory_id: UUID, after: list[AnyAgentEvent]
) -> None:
    """A memory that a nightly job deleted does not change any more until it is erased."""
    begun: list[AnyAgentEvent] = [
        turns.remembered(memory_id),
        turns.night(20_000, archived=[memory_id]),
        turns.night(20_001, deleted=[memory_id]),
    ]
    mind = fold(_life([*begun, *before]))
    gone = mind.memories[memory_id]
    assert gone.level == DELETED

    assert fold(recorded(after, 1_000), mind).memories[memory_id] == gone


@given(LIVES, LIVES)
def test_without_its_definition_or_after_its_erasure_there_is_no_mind(
    before: list[AnyAgentEvent], after: list[AnyAgentEvent]
) -> None:
    """Events before the definition or after the erasure of the agent change nothing."""
    erased = AgentErased(event_id=uuid4(), agent_id=AGENT)

    assert fold(recorded(first_of_each(before))) == AffectMind()
    assert fold(recorded([*_life(before), erased, *first_of_each(after, Erased(agents=frozenset({AGENT})))])) == (
        AffectMind()
    )


@given(LIVES, SOME, LIVES)
def test_an_event_needs_only_the_rows_that_it_touches(
    before: list[AnyAgentEvent], gone: set[UUID], after: list[AnyAgentEvent]
) -> None:
    """An event gives the same changes if only the rows that it touches are loaded."""
    mind = AffectMind()
    for event in _life([*before, _erased(gone), *after]):
        needed = touched(event)
        if isinstance(event, MemoriesErased):
            needed |= {
                memory.memory_id for memory in mind.memories.values() if {link.to for link in memory.relations} & gone
            }
        narrow = evolve(replace(mind, memories=Map({each.memory_id: each for each in mind.find(needed)})), event)
        whole = evolve(mind, event)

        assert narrow.agent == whole.agent
        assert narrow.moods == whole.moods
        rest = {key: each for key, each in mind.memories.items() if key not in needed}
        assert {**rest, **narrow.memories} == dict(whole.memories)
        mind = whole


@given(LIVES, SOME, LIVES)
def test_a_replay_without_the_erased_makes_the_same_mind(
    before: list[AnyAgentEvent], gone: set[UUID], after: list[AnyAgentEvent]
) -> None:
    """A replay without the events of erased memories gives the same state of all other memories."""
    log = _life([*before, _erased(gone), *after])
    erased = Erased.by(log)
    place = next(at for at, each in enumerate(log) if isinstance(each, MemoriesErased))
    counts = [each for at, each in enumerate(log) if at < place or not erased.absorbs(each)]
    left = [count for count in counts if not erased.deletes(count)]

    live, replayed = fold(counts), fold(left)

    assert live.agent == replayed.agent
    assert live.memories == replayed.memories
    assert live.moods == replayed.moods


@given(LIVES, SOME)
def test_another_mind_is_not_moved_by_what_is_felt(events: list[AnyAgentEvent], gone: set[UUID]) -> None:
    """Events of affective memory do not change an agent's strength memory: it gets no memories and no parameters from
    them.
    """
    begun = fold_strength(_life([]))
    others = (
        NightFell(event_id=uuid4(), agent_id=AGENT, date=BEGINNING.date(), nights=1),
        CompressionDue(event_id=uuid4(), agent_id=AGENT, memory_id=UUID(int=1), level=2),
    )

    for event in (*_life([*events, _erased(gone)], after=1), *recorded(others, 100)):
        assert evolve_strength(begun, event) == begun
