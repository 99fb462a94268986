"""Putting off the collector never keeps what nobody needs any more."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from nemuri_infra.process import gc_tuning
from nemuri_infra.process.gc_tuning import MAX_POSTPONED, collect_young, collector_off, skip_final_collection

MANY = 1_000
"""A tenth of what it is: still more than the collector by itself waits for."""


class Cycle:
    """Something that only the collector can free."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    """What a test has frozen is looked through again."""
    yield
    gc.unfreeze()


@pytest.fixture
def looks() -> Iterator[list[int]]:
    """The generations that the collector has looked through, one after the other."""
    seen: list[int] = []

    def look(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            seen.append(told["generation"])

    gc.callbacks.append(look)
    yield seen
    gc.callbacks.remove(look)


@pytest.mark.parametrize(("made", "times"), [(0, 20 * MAX_POSTPONED), (2 * MANY, 3 * MAX_POSTPONED)])
def test_cycles_of_others_are_freed_however_often_it_is_put_off(
    made: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By small stretches and by large ones."""
    monkeypatch.setattr(gc_tuning, "MANY_OBJECTS", MANY)
    cycles: list[weakref.ref[Cycle]] = []
    for _ in range(times):
        cycles.append(weakref.ref(Cycle()))
        with collector_off():
            kept = [[] for _ in range(made)]  # type: ignore[var-annotated]
        del kept
    assert sum(each() is not None for each in cycles) < times / 2


def test_in_a_host_the_young_are_looked_through_and_nothing_else(looks: list[int]) -> None:
    """However much there is and comes: a look through all of it would take seconds."""
    collect_young()
    kept = [[nth] for nth in range(100_000)]
    cycles = [weakref.ref(Cycle()) for _ in range(10_000)]
    assert len(kept) == 100_000
    assert len(looks) > 10
    assert set(looks) == {0}
    assert sum(each() is not None for each in cycles) < 5_000


def test_what_ends_is_not_looked_through_once_more() -> None:
    """A last look finds nothing that it would have to look through."""
    kept = [[nth] for nth in range(100_000)]
    skip_final_collection()
    assert len(gc.get_objects()) < len(kept)
