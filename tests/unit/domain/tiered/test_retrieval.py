"""Tests of retrieval from tiered memory, whose rules differ for each cognitive module."""

import math
from collections.abc import Mapping
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri_contracts.tiered import Experienced, Module
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.tiered import retrieval
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_domain.tiered.policy import TiersPolicy
from nemuri_domain.tiered.retrieval import COLUMNS, FIELDS, ScoredMemory, columns_of, without_shared_experiences
from tests.unit.domain.tiered.lives import became, lived, named, simulated

ASKED = np.array([1.0, 0.0], np.float32)
TYPES: tuple[Experienced, ...] = ("conversation", "action", "observation", "reflection")


def index_of(tiers: TieredMind, vectors: Mapping[UUID, NDArray[np.float32]]) -> MemoryIndex:
    """Return the index of a tiered memory."""
    memories = list(tiers.memories.values())
    dimension = len(next(iter(vectors.values()), ASKED))
    index = MemoryIndex(dimension, COLUMNS)
    index.put(
        [memory.memory_id for memory in memories],
        [columns_of(*(getattr(memory, name) for name in FIELDS)) for memory in memories],
        np.array([vectors[memory.memory_id] for memory in memories], np.float32).reshape(-1, dimension),
    )
    return index


def recalled(
    tiers: TieredMind,
    vectors: Mapping[UUID, NDArray[np.float32]],
    now: float,
    module: Module = "default",
    top: int | None = None,
    asked: NDArray[np.float32] = ASKED,
) -> list[ScoredMemory]:
    """Return the memories that a module retrieves at the second `now`."""
    assert tiers.agent is not None
    index, known = index_of(tiers, vectors), tiers.memories.__getitem__
    found = retrieval.recalled(index, tiers.agent, known, asked, now, module, top)
    assert all(memory is tiers.memories[each.memory_id] for each, memory in found)
    return [each for each, _ in found]


def fanned(tiers: TieredMind) -> dict[UUID, NDArray[np.float32]]:
    """Return a vector for each memory. Their similarity to the query decreases from memory to memory."""
    memories = sorted(tiers.memories.values(), key=lambda memory: (memory.at, memory.changed))
    return {
        each.memory_id: np.array([math.cos(0.01 * number), math.sin(0.01 * number)], np.float32)
        for number, each in enumerate(memories)
    }


def lives() -> TieredMind:
    """Return a tiered memory with forty experiences, of all kinds, and thirty long-term memories."""
    short = [(lived(each, f"thing {each}", kind=TYPES[each % 4]), each * 10.0) for each in range(40)]
    kinds = ("episodic", "semantic", "procedural")
    long = [(became(100 + each, (200 + each,), type=kinds[each % 3]), each * 10.0) for each in range(30)]
    return simulated([*short, *long])


@pytest.mark.parametrize(
    ("module", "weights", "top", "layers", "types"),
    [
        ("social_awareness", (0.4, 0.4, 0.2), 10, {"short", "long"}, None),
        ("goal_generation", (0.6, 0.1, 0.3), 10, {"long"}, {"semantic"}),
        ("planning", (0.5, 0.3, 0.2), 15, {"short", "long"}, None),
        ("self_reflection", (0.3, 0.2, 0.5), 10, {"long"}, {"episodic"}),
        ("talking", (0.3, 0.5, 0.2), 5, {"short"}, {"conversation"}),
        ("cognitive_controller", (0.4, 0.4, 0.2), 10, {"short"}, None),
        ("default", (0.5, 0.3, 0.2), 10, {"short", "long"}, None),
        ("action_awareness", (0, 0, 0), 0, set(), set()),
    ],
)
def test_every_module_looks_in_its_own_way(
    module: Module, weights: tuple[float, float, float], top: int, layers: set[str], types: set[str] | None
) -> None:
    """Each module uses its row of the table in document 004 §4.6.3. A reflection finds only the ten episodes that exist
    here.
    """
    tiers = lives()

    found = recalled(tiers, fanned(tiers), 400.0, module)

    assert len(found) == top
    assert {each.layer for each in found} == layers
    assert types is None or {tiers.memories[each.memory_id].type for each in found} == types
    for scored_memory in found:
        alpha, beta, gamma = weights
        assert scored_memory.score == pytest.approx(
            alpha * scored_memory.relevance + beta * scored_memory.recency + gamma * scored_memory.importance
        )
        assert scored_memory.recency == pytest.approx(
            math.exp(-0.5 * (400 - tiers.memories[scored_memory.memory_id].at) / 3_600)
        )


def test_a_reflection_asks_for_twenty() -> None:
    """A reflection retrieves up to twenty memories, planning fifteen and talking five."""
    rules = TiersPolicy()

    assert [rules.pattern(each).top for each in ("self_reflection", "planning", "talking")] == [20, 15, 5]
    assert rules.pattern("action_awareness").layers == ("working",)
    assert rules.pattern("cognitive_controller").layers == ("working", "short")


def test_relevance_recency_and_importance_each_lift_a_memory() -> None:
    """Relevance, recency and importance each raise the rank if the other two are equal."""
    pairs = (
        ({"second": 0.0}, {"second": 0.0}, (1.0, 0.5)),
        ({"second": 3_000.0}, {"second": 0.0}, (0.5, 0.5)),
        ({"importance": 0.9}, {"importance": 0.1}, (0.5, 0.5)),
    )
    for better, worse, (near, far) in pairs:
        moments = [float(each.get("second", 0.0)) for each in (better, worse)]
        events = [lived(1, **better), lived(2, **worse)]  # type: ignore[arg-type]
        tiers = simulated(zip(events, moments, strict=True))
        vectors = {named(1): np.array([near, 0.0], np.float32), named(2): np.array([far, 0.0], np.float32)}

        assert [each.memory_id for each in recalled(tiers, vectors, 3_600.0)] == [named(1), named(2)]


def test_of_two_that_tell_of_the_same_experience_the_better_one_is_told() -> None:
    """Of two memories that contain the same experience only the better one is returned (document 004 §4.6.2)."""
    ids = [named(each) for each in range(4)]
    found = [ScoredMemory(each, "long", 0.5, 0.5, 0.5, 1 - place / 10) for place, each in enumerate(ids)]
    origins = {ids[0]: {named(10), named(11)}, ids[1]: {named(11)}, ids[2]: {named(12)}, ids[3]: {ids[3]}}

    assert [scored_memory.memory_id for scored_memory in without_shared_experiences(found, origins.__getitem__, 2)] == [
        ids[0],
        ids[2],
    ]
    assert [scored_memory.memory_id for scored_memory in without_shared_experiences(found, origins.__getitem__, 9)] == [
        ids[0],
        ids[2],
        ids[3],
    ]


def test_only_the_newest_short_term_memories_are_looked_at() -> None:
    """Only the hundred newest short-term memories are searched (document 004 §4.6.2)."""
    tiers = simulated((lived(each), each * 10.0) for each in range(150))
    vectors = dict.fromkeys(tiers.memories, np.array([0.0, 1.0], np.float32)) | {named(0): ASKED}

    assert named(0) not in {each.memory_id for each in recalled(tiers, vectors, 1_500.0, "talking", 100)}
    assert named(0) not in {each.memory_id for each in recalled(tiers, vectors, 1_500.0, top=100)}


def test_ten_thousand_memories_are_searched_as_one_by_one() -> None:
    """A search of ten thousand memories on arrays gives the same result as a search one by one."""
    random = np.random.default_rng(7)
    count = 10_000
    base = simulated([(became(1, (0,)), 0.0)]).long[0]
    agent = TieredMind.of("noah")
    memories = [
        base.replace(
            memory_id=UUID(int=each), sources=(UUID(int=count + each),), importance=float(random.random()), at=each
        )
        for each in range(count)
    ]
    tiers = agent.with_memories(memories)
    vectors = random.normal(size=(count, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    known = {memory.memory_id: vector for memory, vector in zip(memories, vectors, strict=True)}
    asked = vectors[4_321]

    found = recalled(tiers, known, float(count), "planning", asked=asked)

    scores = [
        0.5 * float(vector @ asked) + 0.3 * math.exp(-0.5 * (count - memory.at) / 3_600) + 0.2 * memory.importance
        for memory, vector in zip(memories, vectors, strict=True)
    ]
    expected = sorted(range(count), key=lambda each: -scores[each])[:15]
    assert [each.memory_id.int for each in found] == expected
