"""Tests of health figures merged over hosts, and of the names in a society."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import LATENESS, Lateness, Society, Waits, bucket
from nemuri_society.operations.residents import generate_residents

COUNTS = st.lists(st.integers(0, 50), min_size=len(LATENESS) + 1, max_size=len(LATENESS) + 1).map(tuple)


def _late(*seconds: float) -> Lateness:
    counts = [0] * (len(LATENESS) + 1)
    for second in seconds:
        counts[bucket(second)] += 1
    return Lateness(counts=tuple(counts))


def test_a_quantile_is_an_upper_bound_of_its_bucket() -> None:
    """A quantile is the upper bound of its bucket. Values above every bound give the last bound, and no values give
    0.
    """
    late = _late(0.001, 0.004, 0.03, 60.0)
    assert [late.quantile(share) for share in (0.25, 0.5, 0.75, 1.0)] == [1.0, 5.0, 50.0, 10_000.0]
    assert Lateness().quantile(0.99) == 0.0


@given(COUNTS, COUNTS)
def test_delay_counts_add_up(before: tuple[int, ...], since: tuple[int, ...]) -> None:
    """The delay counts up to a moment and the counts since then add up to the total counts."""
    earlier, later = Lateness(counts=before), Lateness(counts=since)
    assert (earlier + later).since(earlier) == later


def test_waits_of_several_hosts_are_merged() -> None:
    """The figures of several hosts are merged: means are weighted by requests, and the longest wait is the longest of
    all hosts.

    The slowest agent is compared with the mean of all agents.
    """
    one = Waits(answered=9, waited=10, mean=1.0, longest=3.0, slowest=1.5)
    other = Waits(answered=30, failed=2, waited=30, mean=3.0, longest=9.0, slowest=4.0)
    both = one + other
    assert (both.answered, both.failed, both.waited) == (39, 2, 40)
    assert both.mean == pytest.approx(2.5)
    assert (both.longest, both.slowest) == (9.0, 4.0)
    assert both.unfairness == pytest.approx(1.6)
    assert Waits().unfairness == 0.0


@pytest.mark.parametrize("other", ["Bea", "BEA", "bea!", " Bea "])
def test_two_agents_of_a_society_never_have_the_same_name(other: str) -> None:
    """Two agents of a society cannot have names that differ only in case or punctuation. Names that cannot be spoken
    are refused.
    """
    people = [Resident(id="v-1", name="Bea"), Resident(id="v-2", name=other)]
    with pytest.raises(ValueError, match="each name must be unique"):
        Society(name="v", seed=1, agents=tuple(people))
    with pytest.raises(ValueError, match="must have a letter"):
        Society(name="v", seed=1, agents=(Resident(id="v-1", name="!?"),))
    with pytest.raises(ValueError, match="each id must be unique"):
        Society(name="v", seed=1, agents=(people[0], Resident(id="v-1", name="Cem")))


def test_generated_names_are_unique_single_words() -> None:
    """Generated names are single words, and none is a part of another one, even in the largest society."""
    names = [resident.name for resident in generate_residents("v", 5_000, 1)]
    assert len({name.casefold() for name in names}) == len(names)
    assert all(name.isalpha() for name in names)
    assert Society(name="v", seed=1, agents=generate_residents("v", 5_000, 1)).agents[0].name == names[0]
