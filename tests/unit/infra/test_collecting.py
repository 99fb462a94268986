"""Putting off the collector never keeps what nobody needs any more."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from nemuri.infra import collecting
from nemuri.infra.collecting import PUT_OFF, uncollected

MANY = 1_000
"""A tenth of what it is: still more than the collector by itself waits for."""


class Cycle:
    """Something that only the collector can free."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def as_by_default() -> Iterator[None]:
    """Whatever another test in this process has said of how often to look."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(("made", "times"), [(0, 20 * PUT_OFF), (2 * MANY, 3 * PUT_OFF)])
def test_cycles_of_others_are_freed_however_often_it_is_put_off(
    made: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By small stretches and by large ones."""
    monkeypatch.setattr(collecting, "MANY", MANY)
    cycles: list[weakref.ref[Cycle]] = []
    for _ in range(times):
        cycles.append(weakref.ref(Cycle()))
        with uncollected():
            kept = [[] for _ in range(made)]  # type: ignore[var-annotated]
        del kept
    assert sum(each() is not None for each in cycles) < times / 2
