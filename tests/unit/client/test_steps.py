"""Tests of the steps of an erasure. Each tombstone fits into one event, and all tombstones together name each thing
once.
"""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from nemuri.operations.erasure_batches import FRAME_BYTES, Step, split_into_steps, union
from nemuri_contracts.codec import encode
from nemuri_contracts.erasure import Erasure
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_infra.projections.erasure_lineage import Thing

IDS = st.integers(min_value=1, max_value=10**6).map(lambda number: UUID(int=number))
NAMES = st.from_regex(r"\A[a-z]{1,64}\Z")
SETS = st.sets(IDS, max_size=400)
ROOM = FRAME_BYTES + 4_000


@st.composite
def erasures(draw: st.DrawFn) -> tuple[Thing, Erasure]:
    """Draw the root of an erasure, and everything that is erased with the root."""
    names = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    memories = draw(st.dictionaries(st.sampled_from(names), st.sets(IDS, min_size=1, max_size=200).map(tuple)))
    known = {each: name for name, ids in memories.items() for each in ids}
    once = {name: tuple(each for each in ids if known[each] == name) for name, ids in memories.items()}
    tasks, agents = draw(SETS) - known.keys(), draw(st.sets(st.sampled_from(names)))
    most = len(known) + len(tasks) + len(agents)
    erasure = Erasure(
        memories={name: ids for name, ids in once.items() if ids},
        restated=tuple(names),
        tasks=tuple(tasks),
        agents=tuple(agents),
        events=tuple(UUID(int=10**7 + number) for number in range(draw(st.integers(0, most)))),
    )
    roots = [
        *(Thing("memory", each) for each in known),
        *(Thing("task", task) for task in tasks),
        *(Thing("agent", agent) for agent in agents),
    ]
    return draw(st.sampled_from(roots or [Thing("task", UUID(int=1))])), erasure if roots else Erasure(
        tasks=(UUID(int=1),)
    )


@given(erasures())
def test_every_tombstone_of_a_step_fits_and_all_of_them_name_everything(drawn: tuple[Thing, Erasure]) -> None:
    """For any erasure, each tombstone fits into a small maximum payload, and all tombstones together name
    everything.
    """
    root, erasure = drawn
    steps = split_into_steps(root, erasure, ROOM)
    told = [tombstone for step in steps for tombstone in step.tombstones()]
    assert max(len(encode(each)) for each in told) <= ROOM
    assert Erased.of_erasure(union(each.erasure for each in steps)) == Erased.of_erasure(erasure)
    assert set(union(each.erasure for each in steps).restated) == set(erasure.restated)
    assert Erased.by(told) == Erased.of_erasure(erasure)
    assert len({event.event_id for event in told}) == len(told)


@given(erasures())
def test_each_step_begins_with_its_own_tombstone(drawn: tuple[Thing, Erasure]) -> None:
    """The first tombstone of a step names everything in the step. The root is in the first or the last step."""
    root, erasure = drawn
    steps = split_into_steps(root, erasure, ROOM)
    for step in steps:
        first, *others = step.tombstones()
        assert first.erasure == step.erasure
        assert all(other.erasure is None for other in others)
        assert Erased.of_erasure(step.erasure).names(step.root.name)
    assert steps[0 if root.sort == "agent" else -1].root == root


def test_a_small_erasure_is_one_step() -> None:
    """An erasure that fits into one event is one step."""
    erasure = Erasure(memories={"ann": (UUID(int=1),)}, tasks=(UUID(int=2),), restated=("ann",))
    root = Thing("memory", UUID(int=1))
    assert split_into_steps(root, erasure, 1_000_000) == [Step(root, erasure)]


def test_a_large_erasure_has_several_steps() -> None:
    """The erasure of 100,000 tasks, each with a memory, needs several steps if the maximum payload is 1 MB."""
    tasks, memories = (tuple(UUID(int=number * 2 + odd) for number in range(100_000)) for odd in (0, 1))
    erasure = Erasure(memories={"orchestrator": memories}, tasks=tasks, agents=("ann",), restated=("orchestrator",))
    steps = split_into_steps(Thing("agent", "ann"), erasure, 1_040_000)
    assert 10 < len(steps) < 40
    assert steps[0].erasure.agents == ("ann",)
