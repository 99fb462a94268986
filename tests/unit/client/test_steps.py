"""Steps of an erasure: each fits into an event, and together they name everything once."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from nemuri.operations.erasure_batches import FRAME_BYTES, Step, in_steps, merged
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
    """Draw what an erasure begins with, and all that goes with it."""
    names = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    memories = draw(st.dictionaries(st.sampled_from(names), st.sets(IDS, min_size=1, max_size=200).map(tuple)))
    known = {each: name for name, ids in memories.items() for each in ids}
    once = {name: tuple(each for each in ids if known[each] == name) for name, ids in memories.items()}
    tasks, agents = draw(SETS) - known.keys(), draw(st.sets(st.sampled_from(names)))
    most = len(known) + len(tasks) + len(agents)
    whole = Erasure(
        memories={name: ids for name, ids in once.items() if ids},
        restated=tuple(names),
        tasks=tuple(tasks),
        agents=tuple(agents),
        events=tuple(UUID(int=10**7 + number) for number in range(draw(st.integers(0, most)))),
    )
    roots = [
        *(Thing("memory", each) for each in known),
        *(Thing("task", each) for each in tasks),
        *(Thing("agent", each) for each in agents),
    ]
    return draw(st.sampled_from(roots or [Thing("task", UUID(int=1))])), whole if roots else Erasure(
        tasks=(UUID(int=1),)
    )


@given(erasures())
def test_every_tombstone_of_a_step_fits_and_all_of_them_name_everything(drawn: tuple[Thing, Erasure]) -> None:
    """Divide an erasure of any size for a server that takes little."""
    root, whole = drawn
    steps = in_steps(root, whole, ROOM)
    told = [each for step in steps for each in step.tombstones()]
    assert max(len(encode(each)) for each in told) <= ROOM
    assert Erased.in_all(merged(each.whole for each in steps)) == Erased.in_all(whole)
    assert set(merged(each.whole for each in steps).restated) == set(whole.restated)
    assert Erased.by(told) == Erased.in_all(whole)
    assert len({each.event_id for each in told}) == len(told)


@given(erasures())
def test_each_step_begins_with_something_that_it_names(drawn: tuple[Thing, Erasure]) -> None:
    """Say in the first tombstone of each step what all of its tombstones name; the root is in the first or the last."""
    root, whole = drawn
    steps = in_steps(root, whole, ROOM)
    for step in steps:
        first, *others = step.tombstones()
        assert first.whole == step.whole
        assert all(each.whole is None for each in others)
        assert Erased.in_all(step.whole).names(step.root.name)
    assert steps[0 if root.sort == "agent" else -1].root == root


def test_what_fits_is_one_step() -> None:
    """Leave a small erasure whole."""
    whole = Erasure(memories={"ann": (UUID(int=1),)}, tasks=(UUID(int=2),), restated=("ann",))
    root = Thing("memory", UUID(int=1))
    assert in_steps(root, whole, 1_000_000) == [Step(root, whole)]


def test_what_no_event_can_name_takes_several_steps() -> None:
    """Divide the erasure of 100,000 tasks, each with a memory, for a server that takes a megabyte."""
    tasks, memories = (tuple(UUID(int=number * 2 + odd) for number in range(100_000)) for odd in (0, 1))
    whole = Erasure(memories={"orchestrator": memories}, tasks=tasks, agents=("ann",), restated=("orchestrator",))
    steps = in_steps(Thing("agent", "ann"), whole, 1_040_000)
    assert 10 < len(steps) < 40
    assert steps[0].whole.agents == ("ann",)
