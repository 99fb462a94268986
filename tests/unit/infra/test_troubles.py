"""What a connection says of its troubles, and how often."""

import logging

import pytest

from nemuri_infra.bus.connection import MAX_PROBLEMS, REPEAT_WARNING_SECONDS, ConnectionProblems


class Clock:
    """A clock that stands still until it is moved."""

    seconds = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


def test_a_trouble_is_a_warning_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """Log a lasting trouble seldom, another one at once, and each anew once the connection was back."""
    caplog.set_level(logging.WARNING)
    clock = Clock()
    troubles = ConnectionProblems("ann", clock)
    for _ in range(300):
        troubles.tell("refused")
        clock.seconds += 0.2
    assert [each.message for each in caplog.records] == ["NATS (ann): refused"]
    clock.seconds = REPEAT_WARNING_SECONDS
    troubles.tell("refused")
    troubles.tell("reset")
    troubles.tell("reset")
    troubles.over()
    troubles.tell("reset")
    assert [each.message.split()[-1] for each in caplog.records] == ["refused", "refused", "reset", "reset"]


def test_many_different_troubles_take_bounded_room(caplog: pytest.LogCaptureFixture) -> None:
    """Forget the oldest of them."""
    caplog.set_level(logging.CRITICAL)
    troubles = ConnectionProblems("ann", Clock())
    for number in range(3 * MAX_PROBLEMS):
        troubles.tell(f"denied {number}")
    assert len(troubles._told) == MAX_PROBLEMS
