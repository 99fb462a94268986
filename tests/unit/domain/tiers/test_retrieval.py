"""What comes to which module's mind."""

import math
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.contracts.tiers import Experienced, Module
from nemuri.domain.tiers.mind import TierMemory, Tiers
from nemuri.domain.tiers.policy import TiersPolicy
from nemuri.domain.tiers.retrieval import Found, merged
from nemuri.domain.tiers.shelf import Commons, Shelf
from tests.unit.domain.tiers.lives import became, lived, named, rows, simulated

ASKED = np.array([1.0, 0.0], np.float32)
TYPES: tuple[Experienced, ...] = ("conversation", "action", "observation", "reflection")


def shelved(tiers: Tiers) -> Shelf:
    """All of a mind, each a little less like what is asked than the one before."""
    shelf = Shelf(2)
    for number, memory in enumerate(sorted(tiers.memories.values(), key=lambda each: (each.at, each.changed))):
        angle = 0.01 * number
        shelf.take(memory, np.array([math.cos(angle), math.sin(angle)], np.float32))
    return shelf


def lives() -> Tiers:
    """Forty experiences of every type, and thirty long-term memories."""
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
    """The table of §4.6.3; there are only ten episodes here of the twenty that a reflection asks for."""
    tiers = lives()

    found = shelved(tiers).recall(tiers, ASKED, 400.0, module)

    assert len(found) == top
    assert {each.layer for each in found} == layers
    assert types is None or {tiers.memories[each.memory_id].type for each in found} == types
    for each in found:
        alpha, beta, gamma = weights
        assert each.score == pytest.approx(alpha * each.relevance + beta * each.recency + gamma * each.importance)
        assert each.recency == pytest.approx(math.exp(-0.5 * (400 - tiers.memories[each.memory_id].at) / 3_600))


def test_a_reflection_asks_for_twenty() -> None:
    """And planning for fifteen, talking for five."""
    rules = TiersPolicy()

    assert [rules.pattern(each).top for each in ("self_reflection", "planning", "talking")] == [20, 15, 5]
    assert rules.pattern("action_awareness").layers == ("working",)
    assert rules.pattern("cognitive_controller").layers == ("working", "short")


def test_relevance_recency_and_importance_each_lift_a_memory() -> None:
    """Where the other two are equal."""
    pairs = (
        ({"second": 0.0}, {"second": 0.0}, (1.0, 0.5)),
        ({"second": 3_000.0}, {"second": 0.0}, (0.5, 0.5)),
        ({"importance": 0.9}, {"importance": 0.1}, (0.5, 0.5)),
    )
    for better, worse, (near, far) in pairs:
        moments = [float(each.get("second", 0.0)) for each in (better, worse)]
        events = [lived(1, **better), lived(2, **worse)]  # type: ignore[arg-type]
        tiers = simulated(zip(events, moments, strict=True))
        shelf = Shelf(2)
        shelf.take(tiers.memories[named(1)], np.array([near, 0.0], np.float32))
        shelf.take(tiers.memories[named(2)], np.array([far, 0.0], np.float32))

        assert [each.memory_id for each in shelf.recall(tiers, ASKED, 3_600.0)] == [named(1), named(2)]


def test_of_two_that_tell_of_the_same_experience_the_better_one_is_told() -> None:
    """Duplicates go by source events (§4.6.2)."""
    ids = [named(each) for each in range(4)]
    found = [Found(each, "long", 0.5, 0.5, 0.5, 1 - place / 10) for place, each in enumerate(ids)]
    origins = {ids[0]: {named(10), named(11)}, ids[1]: {named(11)}, ids[2]: {named(12)}, ids[3]: {ids[3]}}

    assert [each.memory_id for each in merged(found, origins.__getitem__, 2)] == [ids[0], ids[2]]
    assert [each.memory_id for each in merged(found, origins.__getitem__, 9)] == [ids[0], ids[2], ids[3]]


def test_only_the_newest_short_term_memories_are_looked_at() -> None:
    """A hundred of them, however alike an older one is (§4.6.2)."""
    tiers = simulated((lived(each), each * 10.0) for each in range(150))
    shelf = Shelf(2)
    for memory in tiers.short:
        shelf.take(memory, ASKED if memory.memory_id == named(0) else np.array([0.0, 1.0], np.float32))

    assert named(0) not in {each.memory_id for each in shelf.recall(tiers, ASKED, 1_500.0, "talking", 100)}
    assert named(0) not in {each.memory_id for each in shelf.recall(tiers, ASKED, 1_500.0, top=100)}


def test_ten_thousand_memories_are_searched_as_one_by_one() -> None:
    """By columns, and the same comes of it."""
    random = np.random.default_rng(7)
    count = 10_000
    base = simulated([(became(1, (0,)), 0.0)]).long[0]
    agent = Tiers.of("noah")
    memories = [
        base.but(
            memory_id=UUID(int=each), sources=(UUID(int=count + each),), importance=float(random.random()), at=each
        )
        for each in range(count)
    ]
    tiers, shelf = agent.holding(memories), Shelf(8)
    vectors = random.normal(size=(count, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for memory, vector in zip(memories, vectors, strict=True):
        shelf.take(memory, vector)
    asked = vectors[4_321]

    found = shelf.recall(tiers, asked, float(count), "planning")

    scores = [
        0.5 * float(vector @ asked) + 0.3 * math.exp(-0.5 * (count - memory.at) / 3_600) + 0.2 * memory.importance
        for memory, vector in zip(memories, vectors, strict=True)
    ]
    expected = sorted(range(count), key=lambda each: -scores[each])[:15]
    assert [each.memory_id.int for each in found] == expected


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=40))
def test_a_shelf_holds_what_it_was_given(steps: list[tuple[int, bool]]) -> None:
    """However memories come and go: what is there is found, with its own vector."""
    known: dict[UUID, TierMemory] = {}
    shelf, vectors = Shelf(2), rows(*((1.0, 0.1 * each) for each in range(10)))
    for number, there in steps:
        memory = simulated([(lived(number), float(number))]).short[0]
        if there:
            shelf.take(memory, vectors[memory.memory_id])
            known[memory.memory_id] = memory
        else:
            shelf.drop([memory.memory_id])
            known.pop(memory.memory_id, None)
    tiers = Tiers.of("noah").holding(known.values())

    found = shelf.recall(tiers, ASKED, 10.0, top=100)

    assert {each.memory_id for each in found} == set(known)
    assert len(shelf) == len(known)
    for each in found:
        assert each.relevance == pytest.approx(float(vectors[each.memory_id] @ ASKED))
        assert each.recency == pytest.approx(math.exp(-0.5 * (10 - known[each.memory_id].at) / 3_600))


def test_a_shelf_follows_a_fold() -> None:
    """What becomes part of another memory goes with its vector."""
    before = simulated([(lived(1), 0.0), (lived(2), 1.0)])
    shelf = Shelf(2)
    shelf.follow(before, before.memories, rows((1, 0), (1, 0), (1, 0)))
    after = before.without([named(1)])
    shelf.follow(after, [named(1), named(2)], {})

    assert [each.memory_id for each in shelf.recall(after, ASKED, 1.0)] == [named(2)]
    assert set(shelf.vectors([named(1), named(2)])) == {named(2)}


def test_what_others_share_comes_to_mind_where_it_is_asked_for() -> None:
    """To those who may see it, beside what is their own; what is shared no more is gone from it."""
    vectors = rows((1, 0), (1, 0.1), (1, 0.2), (1, 0.3))
    own = simulated([(lived(0), 0.0)])
    theirs = simulated([(became(each, (10 + each,)), 0.0) for each in (1, 2, 3)])
    shelf, commons = Shelf(2), Commons(2)
    shelf.follow(own, own.memories, vectors)
    for number, shared in ((1, {"scope": "global"}), (2, {"scope": "group", "visible_to": ("noah",)}), (3, {})):
        memory = theirs.memories[named(number)].but(agent_id="lila", **shared)
        commons.take(memory, vectors[named(number)])

    def told(tiers: Tiers, shelf: Shelf, module: Module = "default") -> list[UUID]:
        return [each.memory_id for each in shelf.recall(tiers, ASKED, 0.0, module, others=commons)]

    assert told(own, shelf) == [named(0), named(1), named(2)]
    assert told(own, shelf, "cognitive_controller") == [named(0), named(1), named(2)]
    assert told(Tiers.of("lila"), Shelf(2)) == []
    assert told(Tiers.of("mira"), Shelf(2)) == [named(1)]
    commons.take(commons.memories[named(1)].but(scope="private"))
    commons.drop([named(2), named(7)])
    assert told(own, shelf) == [named(0)]
