"""The checker of histories finds each violation that is planted."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.faults.partitions.cluster import PartitionedCluster
from tests.faults.partitions.history import Append, History, Stored, check
from tests.faults.partitions.run import faults

SOUND = [
    Append(0, "s", "a", begun=0.0, ended=1.0, sequence=1, expected=0),
    Append(1, "s", "b", begun=2.0, ended=3.0, sequence=3, expected=1),
    Append(0, "t", "c", begun=2.1, ended=2.5, sequence=2),
    Append(1, "t", "d", begun=4.0),
    Append(1, "s", "e", begun=4.0, ended=4.5, expected=1, refused=True),
]
STORED = [Stored(1, "s", "a"), Stored(2, "t", "c"), Stored(3, "s", "b")]


def test_a_sound_history_has_no_violation() -> None:
    """Acknowledged events are there in order; an event of unknown outcome may be there or not."""
    assert check(SOUND, STORED) == []
    assert check(SOUND, [*STORED, Stored(4, "t", "d")]) == []


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        (STORED[:2], "b was acknowledged at 3, where None is"),
        ([*STORED, Stored(4, "s", "a")], "a is stored 2 times"),
        ([*STORED, Stored(4, "s", "x")], "x is stored, but nobody appended it"),
        ([*STORED, Stored(4, "s", "e")], "e is stored, but was refused"),
        ([replace(STORED[0], event_id="c"), replace(STORED[1], event_id="a"), STORED[2]], "acknowledged at 1, where c"),
    ],
)
def test_what_is_lost_repeated_or_moved_is_told(stored: list[Stored], told: str) -> None:
    """Each event that is not where it was acknowledged, or is there too often, is a line."""
    assert any(told in line for line in check(SOUND, stored))


def test_a_wrong_order_is_told() -> None:
    """An append that began after another was acknowledged cannot be before it."""
    late = [*SOUND, Append(2, "t", "f", begun=9.0, ended=9.5, sequence=0)]
    assert any(
        "f began after 3 was acknowledged, and got 0" in line for line in check(late, [*STORED, Stored(0, "t", "f")])
    )


def test_a_broken_expectation_is_told() -> None:
    """An acknowledged append whose expectation did not hold is a violation."""
    wrong = [SOUND[0], replace(SOUND[1], expected=0), *SOUND[2:]]
    assert check(wrong, STORED) == ["b expected 0 before it, and 1 is there"]


@pytest.mark.parametrize("file", sorted((Path(__file__).parents[2] / "docs/_static/histories").glob("*.xz")), ids=str)
def test_the_published_history_has_no_violation(file: Path) -> None:
    """The history that the documentation offers has every kind of fault, passes, and fails without its first event."""
    history, stored = History.load(file)
    assert len(history.appends) > 10_000
    assert {what for _, what in history.faults} == {"healed", *faults(PartitionedCluster(Path(), ""), Random(0))}
    assert check(history.appends, stored) == []
    assert check(history.appends, stored[1:]) != []
