"""The timing wheel."""

from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.cognition.timing_wheel import SLOT_SECONDS, TimingWheel


@given(st.lists(st.floats(0, 100), max_size=50), st.lists(st.floats(0, 5), min_size=1, max_size=50))
def test_everything_rings_once_never_early_and_within_a_slot(times: list[float], steps: list[float]) -> None:
    """Everything rings once never early and within a slot."""
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


def test_who_stops_reading_loses_nothing() -> None:
    """Who stops reading loses nothing."""
    wheel = TimingWheel[str](0.0)
    for name in "abc":
        wheel.set(0.5, name)
    first = next(iter(wheel.ring(1.0)))[1]
    assert {first} | {name for _, name in wheel.ring(1.0)} == {"a", "b", "c"}


def test_what_is_set_while_it_rings_rings_too() -> None:
    """What is set while it rings rings too."""
    wheel = TimingWheel[int](0.0)
    wheel.set(0.1, 0)
    heard = []
    for due, nth in wheel.ring(1.0):
        heard.append(nth)
        wheel.set(due + 0.3, nth + 1)
    assert heard == [0, 1, 2, 3]
