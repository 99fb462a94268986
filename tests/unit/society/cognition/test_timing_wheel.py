"""Tests of the timing wheel, which holds the times at which modules are due."""

from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.timing_wheel import SLOT_SECONDS, TimingWheel


@given(st.lists(st.floats(0, 100), max_size=50), st.lists(st.floats(0, 5), min_size=1, max_size=50))
def test_every_timer_fires_once_and_at_most_one_slot_late(times: list[float], steps: list[float]) -> None:
    """Every timer fires once, never early and at most one slot late."""
    wheel, now, rung = TimingWheel[int](0.0), 0.0, dict[int, float]()
    for nth, due in enumerate(times):
        wheel.set(due, nth)
    for step in [*steps, 200.0]:
        before, now = now, now + step
        for due, nth in wheel.ring(now):
            assert nth not in rung
            assert due <= now + 1e-6
            assert due > before - 2 * SLOT_SECONDS
            rung[nth] = now
    assert rung.keys() == set(range(len(times)))
    assert wheel.earliest is None


def test_an_interrupted_reader_loses_no_timer() -> None:
    """If a reader of due timers stops early, the next reader gets the remaining ones."""
    wheel = TimingWheel[str](0.0)
    for name in "abc":
        wheel.set(0.5, name)
    first = next(iter(wheel.ring(1.0)))[1]
    assert {first} | {name for _, name in wheel.ring(1.0)} == {"a", "b", "c"}


def test_a_timer_set_while_firing_fires_too() -> None:
    """A timer that is set while due timers are read, and is itself due, is part of the same reading."""
    wheel = TimingWheel[int](0.0)
    wheel.set(0.1, 0)
    heard = []
    for due, nth in wheel.ring(1.0):
        heard.append(nth)
        wheel.set(due + 0.3, nth + 1)
    assert heard == [0, 1, 2, 3]
