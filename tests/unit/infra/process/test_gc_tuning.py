"""Although garbage collection is postponed, garbage does not stay in memory for long."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from nemuri_infra.process import gc_tuning
from nemuri_infra.process.gc_tuning import (
    MAX_POSTPONED,
    collect_rarely,
    collect_young,
    collector_off,
    skip_final_collection,
)

MANY = 1_000
"""Number of new objects from which a collection is postponed in these tests.

It is a tenth of the real value, but above the collector's own threshold.
"""


class Cycle:
    """An object that refers to itself, so that only the garbage collector frees it."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    """Unfreeze all objects after a test."""
    yield
    gc.unfreeze()


@pytest.fixture
def looks() -> Iterator[list[int]]:
    """Yield the list of generations that were collected, in order."""
    seen: list[int] = []

    def look(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            seen.append(told["generation"])

    gc.callbacks.append(look)
    yield seen
    gc.callbacks.remove(look)


@pytest.mark.long
@pytest.mark.parametrize(("made", "times"), [(0, 20 * MAX_POSTPONED), (2 * MANY, 3 * MAX_POSTPONED)])
def test_garbage_is_collected_despite_postponing(made: int, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Garbage is freed after sections that postpone the collection, whether they create few or many objects."""
    monkeypatch.setattr(gc_tuning, "MANY_OBJECTS", MANY)
    gc.set_threshold(700, 10, 10)  # as Python has them
    cycles: list[weakref.ref[Cycle]] = []
    for _ in range(times):
        cycles.append(weakref.ref(Cycle()))
        with collector_off():
            kept = [[] for _ in range(made)]  # type: ignore[var-annotated]
        del kept
    assert sum(cycle() is not None for cycle in cycles) < times / 2


def test_a_host_collects_the_youngest_generation_only(looks: list[int]) -> None:
    """After `collect_young` only the youngest generation is collected. A full collection of many objects would take
    seconds.
    """
    collect_young()
    kept = [[nth] for nth in range(100_000)]
    cycles = [weakref.ref(Cycle()) for _ in range(10_000)]
    assert len(kept) == 100_000
    assert len(looks) > 10
    assert set(looks) == {0}
    assert sum(cycle() is not None for cycle in cycles) < 5_000


def test_the_final_collection_is_skipped() -> None:
    """After `skip_final_collection` the collector has no objects to examine, so a collection at exit takes no time."""
    kept = [[nth] for nth in range(100_000)]
    skip_final_collection()
    assert len(gc.get_objects()) < len(kept)


@pytest.mark.long
def test_a_process_of_the_platform_collects_rarely_but_does() -> None:
    """A thousand new objects cause no collection. Garbage is still freed after some ten thousands."""
    before = gc.get_threshold()
    try:
        collect_rarely()
        gc.collect()
        first = weakref.ref(Cycle())
        kept = [Cycle() for _ in range(1_000)]
        assert first() is not None
        kept += [Cycle() for _ in range(30_000)]
        assert first() is None
    finally:
        gc.set_threshold(*before)
