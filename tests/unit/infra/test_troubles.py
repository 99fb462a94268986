"""Tests of logging the errors of a connection at a limited rate."""

import logging

import pytest

from nemuri_infra.bus.connection import MAX_PROBLEMS, REPEAT_WARNING_SECONDS, ConnectionProblems


class Clock:
    """A clock whose time the test sets."""

    seconds = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.seconds


def test_an_error_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """The same error is logged at most once a minute. A different error is logged at once, and each error again after a
    reconnection.
    """
    caplog.set_level(logging.WARNING)
    clock = Clock()
    troubles = ConnectionProblems("ann", clock)
    for _ in range(300):
        troubles.log_problem("refused")
        clock.seconds += 0.2
    assert [record.message for record in caplog.records] == ["NATS (ann): refused"]
    clock.seconds = REPEAT_WARNING_SECONDS
    troubles.log_problem("refused")
    troubles.log_problem("reset")
    troubles.log_problem("reset")
    troubles.log_recovery()
    troubles.log_problem("reset")
    assert [record.message.split()[-1] for record in caplog.records] == ["refused", "refused", "reset", "reset"]


def test_remembered_errors_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """The number of remembered errors is limited; the oldest are dropped."""
    caplog.set_level(logging.CRITICAL)
    troubles = ConnectionProblems("ann", Clock())
    for number in range(3 * MAX_PROBLEMS):
        troubles.log_problem(f"denied {number}")
    assert len(troubles._told) == MAX_PROBLEMS
