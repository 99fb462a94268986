"""Postponed garbage collection never keeps garbage for long."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from nemuri_infra.process import gc_tuning
from nemuri_infra.process.gc_tuning import MAX_POSTPONED, collect_young, collector_off, skip_final_collection

MANY = 1_000
"""A tenth of the real value, and still more than the collector's own threshold."""


class Cycle:
    """An object that only the garbage collector frees."""

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


@pytest.mark.parametrize(("made", "times"), [(0, 20 * MAX_POSTPONED), (2 * MANY, 3 * MAX_POSTPONED)])
def test_garbage_is_collected_despite_postponing(made: int, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cycles are freed after short and long postponed sections."""
    monkeypatch.setattr(gc_tuning, "MANY_OBJECTS", MANY)
    cycles: list[weakref.ref[Cycle]] = []
    for _ in range(times):
        cycles.append(weakref.ref(Cycle()))
        with collector_off():
            kept = [[] for _ in range(made)]  # type: ignore[var-annotated]
        del kept
    assert sum(each() is not None for each in cycles) < times / 2


def test_a_host_collects_the_youngest_generation_only(looks: list[int]) -> None:
    """A full collection would take seconds with many objects."""
    collect_young()
    kept = [[nth] for nth in range(100_000)]
    cycles = [weakref.ref(Cycle()) for _ in range(10_000)]
    assert len(kept) == 100_000
    assert len(looks) > 10
    assert set(looks) == {0}
    assert sum(each() is not None for each in cycles) < 5_000


def test_the_final_collection_is_skipped() -> None:
    """A collection at exit would find no objects to look through."""
    kept = [[nth] for nth in range(100_000)]
    skip_final_collection()
    assert len(gc.get_objects()) < len(kept)
