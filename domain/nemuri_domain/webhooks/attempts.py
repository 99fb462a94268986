"""What follows from an attempt to deliver an event: the next attempt, a pause, or the end of the webhook."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from nemuri_contracts.event import Event
from nemuri_contracts.webhooks import WebhookProgress

FIRST_BACKOFF_SECONDS: Final = 1.0
MAX_BACKOFF_SECONDS: Final = 3_600.0
GONE: Final = 410
"""Status by which a receiver says that it wants no more messages."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one attempt to deliver a message."""

    status: int | None
    """Status of the receiver's answer; None without one."""
    reason: str | None
    """Why the message was not accepted, in one line; None if it was."""
    seconds: float
    """Duration."""

    @property
    def accepted(self) -> bool:
        """Return whether the receiver has accepted the message."""
        return self.reason is None


def backoff_seconds(failures: int, draw: float) -> float:
    """Return the seconds until the next attempt after so many failures in a row, at least 1.

    They double up to an hour, and are shortened at random by up to a half. `draw` is a random number from 0 to 1.
    """
    whole = min(FIRST_BACKOFF_SECONDS * 2.0 ** min(failures - 1, 30), MAX_BACKOFF_SECONDS)
    return whole * (1 - draw / 2)


def after_attempt(
    progress: WebhookProgress, event: Event, attempt: Attempt, *, now: datetime, draw: float, patience: timedelta
) -> WebhookProgress:
    """Return the progress of a webhook after an attempt to deliver an event.

    An accepted event is done. A failed one is tried again, until attempts have failed for longer than `patience`, which
    pauses the webhook. The answer 410 ends it.
    """
    if attempt.accepted:
        return WebhookProgress(
            after=event.sequence or 0, until=event.at, resumed=progress.resumed, sent=progress.sent + 1
        )
    since, failures = progress.failing_since or now, progress.failures + 1
    failed = progress.model_copy(
        update={"reason": attempt.reason, "failures": failures, "failing_since": since, "next_attempt": None}
    )
    if attempt.status == GONE:
        return failed.model_copy(update={"state": "ended", "reason": "the receiver answered 410 (gone)"})
    if now - since >= patience:
        why = f"no attempt succeeded for {_told(now - since)}, the last one: {attempt.reason}"
        return failed.model_copy(update={"state": "paused", "reason": why})
    due = now + timedelta(seconds=backoff_seconds(failures, draw))
    return failed.model_copy(update={"next_attempt": due})


def resumed(progress: WebhookProgress, resumed: int) -> WebhookProgress:
    """Return the progress of a webhook that was resumed for this time. It continues where it stopped."""
    fresh = {"state": "active", "reason": None, "failures": 0, "failing_since": None, "next_attempt": None}
    return progress.model_copy(update=fresh | {"resumed": resumed})


def _told(length: timedelta) -> str:
    days, seconds = length.days, length.total_seconds()
    return f"{days} days" if days > 1 else f"{seconds / 3600:.0f} h" if seconds >= 7200 else f"{seconds:.0f} s"
