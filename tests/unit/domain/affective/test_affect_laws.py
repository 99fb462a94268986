"""Properties of affective memory that hold for any sequence of events, through the real fold and decision."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.affective import nightly_job
from nemuri_domain.affective.aggregate import ARCHIVED, AffectMind
from nemuri_domain.affective.nightly_columns import MemoryColumns
from nemuri_domain.affective.nightly_job import decide
from nemuri_domain.affective.similarity_relations import SimilarPair
from tests.unit.domain.affective.lives import Life, Night, living

CATEGORIES = st.sampled_from(["casual", "work", "decision", "emotional"])
WHICH = st.integers(0, 200)
"""Index of a memory, taken modulo the number of existing memories."""
TURN = st.tuples(
    st.just("turn"), st.integers(0, 100), CATEGORIES, st.sampled_from(["none", "none", "protected", "asked"]), WHICH
)
BY_DAY = st.one_of(
    TURN, TURN, TURN,
    st.tuples(st.just("recall"), st.lists(WHICH, max_size=6)),
    st.tuples(st.just("protect"), WHICH, st.booleans()),
    st.tuples(st.just("erase"), WHICH),
    st.tuples(st.just("alike"), WHICH, WHICH, st.floats(0.8, 1)),
)  # fmt: skip
DAYS = st.lists(st.tuples(st.lists(BY_DAY, max_size=12), st.integers(1, 4)), min_size=1, max_size=8)
RULES = st.sampled_from(
    [
        {},
        {"archive": {"auto_delete_enabled": True, "retention_days": 2, "delete_max_intensity": 60}},
        {"compression": {"level1_ratio": 0.05, "level2_ratio": 0.0, "level3_ratio": 0.5}},
        {"relations": {"max_relations_per_memory": 1, "score_proximity_threshold": 20.0}},
        {"protection": {"max_protected_memories": 3}, "compression": {"enforced_from": 5}},
        {"levels": {"level1_threshold": 90, "level2_threshold": 80, "level3_threshold": 70}},
    ]
)
BEGUN = st.integers(0, 40)
"""Number of memories that exist before the first day."""
ROOM = st.sampled_from([1, 2, 5, 2_000])


def _lived(life: Life, doing: Sequence[Any]) -> list[SimilarPair]:
    """Run the events of a day, and return the pairs of similar memories for the nightly job."""
    alike: list[SimilarPair] = []
    for kind, *told in doing:
        known = sorted(life.mind.memories)
        if kind == "turn":
            intensity, category, protection, other = told
            before = known[other % len(known)] if known else None
            life.remember(intensity, category, protection=protection, continues=before)
        elif not known:
            continue
        elif kind == "recall":
            life.recall(*{known[each % len(known)] for each in told[0]})
        elif kind == "protect":
            life.protect(known[told[0] % len(known)], protected=told[1])
        elif kind == "erase":
            life.erase(known[told[0] % len(known)])
        else:
            alike.append((known[told[0] % len(known)], known[told[1] % len(known)], told[2]))
    return alike


def _lives(rules: dict[str, Any], begun: int, days: Sequence[Any], room: int = 2_000) -> Iterator[tuple[Life, Night]]:
    """Yield the driver and the result after each nightly job. An event of the job holds at most `room` memories of each
    kind.
    """
    life = living(**rules)
    for number in range(begun):
        life.remember(5 + 2 * number, "emotional" if number % 3 else "decision")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nightly_job, "MOVED_PER_EVENT", room)
        for doing, nights in days:
            alike = _lived(life, doing)
            yield life, life.night(nights, alike)


@given(RULES, BEGUN, DAYS, ROOM)
def test_what_is_protected_never_moves(rules: dict[str, Any], begun: int, days: Any, room: int) -> None:
    """A protected memory is never lowered, archived, deleted or revived."""
    for life, passed in _lives(rules, begun, days, room):
        protected = {each for each, memory in passed.before.memories.items() if memory.protected}
        assert not protected & {*passed.lowered, *passed.archived, *passed.deleted, *passed.revived}
        for each in protected:
            assert life.memory(each).level == passed.before.memories[each].level


@given(RULES, BEGUN, DAYS, ROOM)
def test_no_ratio_is_exceeded_after_a_night(rules: dict[str, Any], begun: int, days: Any, room: int) -> None:
    """After a nightly job of any number of events, no ratio is exceeded if there are at least `enforced_from`
    memories.
    """
    for life, passed in _lives(rules, begun, days, room):
        enforced = AffectMind(agent=passed.before.agent)
        assert enforced.agent is not None
        policy = enforced.agent.rules
        if life.agent.number >= policy.compression.enforced_from:
            for held, ratio in zip(life.agent.levels, policy.ratios, strict=False):
                assert held <= max(ratio * life.agent.number + 1e-9, 1)


@given(RULES, BEGUN, DAYS, ROOM)
def test_levels_only_rise_by_coming_back(rules: dict[str, Any], begun: int, days: Any, room: int) -> None:
    """A level improves only by revival from the archive to level 3. A revived memory is not archived in the same
    nightly job.
    """
    for life, passed in _lives(rules, begun, days, room):
        for each, memory in life.mind.memories.items():
            before = passed.before.memories[each].level
            if each in passed.revived:
                assert (before, memory.level) == (4, 3)
                assert passed.before.memories[each].asked_back_at is not None
            else:
                assert memory.level >= before
        assert not passed.revived.keys() & (passed.archived | passed.declined | passed.deleted)


@given(RULES, BEGUN, DAYS, ROOM)
def test_no_relation_dangles_after_a_night(rules: dict[str, Any], begun: int, days: Any, room: int) -> None:
    """After a nightly job both ends of each relation are active.

    There are no loops and no duplicates, and no memory holds more relations than the limit.
    """
    for life, passed in _lives(rules, begun, days, room):
        active = {each for each, memory in life.mind.memories.items() if memory.level < ARCHIVED}
        most = life.agent.rules.relations.max_relations_per_memory
        for each, memory in life.mind.memories.items():
            assert each in active or not memory.relations
            assert {link.to for link in memory.relations} <= active - {each}
            assert len(set(memory.relations)) == len(memory.relations)
            assert len(memory.relations) <= max(most, len(passed.before.memories[each].relations))
        assert {each for each in active if life.memory(each).fresh} <= passed.revived.keys()


@given(RULES, BEGUN, DAYS, ROOM)
def test_updated_columns_equal_columns_read_from_the_rows(
    rules: dict[str, Any], begun: int, days: Any, room: int
) -> None:
    """Columns updated by events equal columns built from the rows, and the nightly job decides the same from both."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nightly_job, "MOVED_PER_EVENT", room)
        life = living(**rules)
        for number in range(begun):
            life.remember(5 + 2 * number, "emotional")
        for doing, nights in days:
            alike = _lived(life, doing)
            assert _told(life.table) == _told(life.rebuilt())
            patch.setattr(nightly_job, "MOVED_PER_EVENT", 2_000)
            fell = life.fall(1)
            kept, read = (decide(fell, life.evening(alike, table=each)) for each in (life.table, life.rebuilt()))
            assert _unordered(kept) == _unordered(read)
            patch.setattr(nightly_job, "MOVED_PER_EVENT", room)
            life.night(nights, alike)
            assert _told(life.table) == _told(life.rebuilt())


@given(RULES, BEGUN, DAYS)
def test_a_night_knows_what_will_be_left_of_everything(rules: dict[str, Any], begun: int, days: Any) -> None:
    """The retention that the decision computes for each memory equals its retention after the fold."""
    life = living(**rules)
    for number in range(begun):
        life.remember(5 + 2 * number, "emotional")
    for doing, nights in days:
        _lived(life, doing)
        recalled = life.table.rows["recalled"] & (life.table.rows["level"] > 0)
        scores = nightly_job._scores(life.table.rows, recalled, life.agent, nights)
        said = {each: float(scores[place]) for each, place in life.table.place.items()}
        passed = life.night(nights)
        for each, score in said.items():
            if each in life.mind.memories and each not in passed.revived:
                assert life.retention(each) == pytest.approx(score, rel=1e-9)


@given(RULES, BEGUN, DAYS, st.sampled_from([1, 2, 3, 7]))
def test_a_night_in_pieces_is_one_big_night(rules: dict[str, Any], begun: int, days: Any, room: int) -> None:
    """A nightly job divided into several events gives the same levels, retention, relations and protection as one in a
    single event.
    """
    whole, pieces = (_life_under(each, rules, begun, days) for each in (2_000, room))
    assert pieces.levels() == whole.levels()
    for each, one in pieces.mind.memories.items():
        other = whole.memory(each)
        for field in ("protection", "recall_count", "archived_night", "fresh", "recalled"):
            assert getattr(one, field) == getattr(other, field)
        assert pieces.retention(each) == pytest.approx(whole.retention(each), rel=1e-9)
        assert set(one.relations) == set(other.relations)
    assert (pieces.agent.levels, pieces.agent.protected) == (whole.agent.levels, whole.agent.protected)


def _life_under(room: int, rules: dict[str, Any], begun: int, days: Sequence[Any]) -> Life:
    """Return the driver after nightly jobs whose events hold at most `room` memories of each kind."""
    with pytest.MonkeyPatch.context() as patch:
        life = living(**rules)
        for number in range(begun):
            life.remember(5 + 2 * number, "emotional")
        for doing, nights in days:
            patch.setattr(nightly_job, "MOVED_PER_EVENT", 2_000)
            alike = _lived(life, [each for each in doing if each[0] != "recall" or len(each[1]) < 2])
            patch.setattr(nightly_job, "MOVED_PER_EVENT", room if _asked_back(life) <= room else 2_000)
            life.night(nights, alike)
        return life


def _asked_back(life: Life) -> int:
    return sum(memory.asked_back_at is not None for memory in life.mind.memories.values())


def _told(table: MemoryColumns) -> dict[UUID, tuple[Any, ...]]:
    rows = table.rows
    used = np.flatnonzero(rows["level"])
    assert {table.ids[place] for place in used} == set(table.place)
    return {each: tuple(rows[place].tolist()) for each, place in table.place.items()}


def _unordered(passed: Any) -> dict[str, Any]:
    told = passed.model_dump(mode="json")
    return {
        name: sorted(map(str, value)) if isinstance(value, list) else value
        for name, value in told.items()
        if name not in {"event_id", "causation_id"}
    }
