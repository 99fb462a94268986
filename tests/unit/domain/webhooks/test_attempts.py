"""After a failed attempt the next one waits longer, until the webhook is paused; an accepted event is done."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as some

from nemuri_contracts.strength import AgentSlept
from nemuri_contracts.webhooks import WebhookProgress
from nemuri_domain.webhooks.attempts import MAX_BACKOFF_SECONDS, Attempt, after_attempt, backoff_seconds, resumed

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
EVENT = AgentSlept(event_id=uuid4(), agent_id="python", sessions=(), recorded_at=NOW, sequence=9)
FAILED, GONE, ACCEPTED = Attempt(500, "it answered 500", 0.1), Attempt(410, "gone", 0.1), Attempt(200, None, 0.1)
PATIENCE = timedelta(days=5)


def after(progress: WebhookProgress, attempt: Attempt, now: datetime = NOW) -> WebhookProgress:
    """Return the progress after an attempt."""
    return after_attempt(progress, EVENT, attempt, now=now, draw=0.0, patience=PATIENCE)


@given(some.integers(1, 10_000), some.floats(0, 1))
def test_the_backoff_grows_up_to_an_hour(failures: int, draw: float) -> None:
    """The back-off is between a half and the whole of a time that doubles from a second up to an hour."""
    whole = backoff_seconds(failures, 0.0)
    assert whole / 2 <= backoff_seconds(failures, draw) <= whole <= MAX_BACKOFF_SECONDS
    assert backoff_seconds(failures + 1, 0.0) >= whole


def test_an_accepted_event_is_done() -> None:
    """An accepted event moves the place, counts, and ends a series of failures."""
    failed = after(WebhookProgress(after=3, sent=4), FAILED)
    done = after(failed, ACCEPTED)
    assert (done.after, done.sent, done.failures, done.failing_since, done.reason) == (9, 5, 0, None, None)


def test_a_failed_event_is_tried_again_later() -> None:
    """A failed attempt keeps the place, and the next one waits twice as long."""
    first = after(WebhookProgress(after=3), FAILED)
    second = after(first, FAILED, NOW + timedelta(seconds=1))
    assert (first.after, second.after, second.failures, second.failing_since) == (3, 3, 2, NOW)
    assert first.next_attempt == NOW + timedelta(seconds=1)
    assert second.next_attempt == NOW + timedelta(seconds=3)


def test_too_long_a_series_of_failures_pauses() -> None:
    """A webhook whose receiver accepts nothing for the whole patience is paused where it is, and can be resumed."""
    failing = after(WebhookProgress(after=3), FAILED)
    assert after(failing, FAILED, NOW + PATIENCE - timedelta(seconds=1)).state == "active"
    paused = after(failing, FAILED, NOW + PATIENCE)
    assert (paused.state, paused.after, paused.next_attempt) == ("paused", 3, None)
    assert paused.reason == "no attempt succeeded for 5 days, the last one: it answered 500"
    again = resumed(paused, 1)
    assert (again.state, again.after, again.failures, again.resumed) == ("active", 3, 0, 1)


def test_gone_ends_a_webhook() -> None:
    """The answer 410 ends a webhook at once."""
    assert after(WebhookProgress(after=3), GONE).state == "ended"
