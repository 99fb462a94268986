"""Messages have the form and the signature of Standard Webhooks."""

import json
from datetime import UTC, datetime
from uuid import UUID, uuid4

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.strength import AgentSlept
from nemuri_domain.webhooks.message import MAX_BODY_BYTES, WebhookMessage, event_message

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
SLEPT = AgentSlept(event_id=UUID(int=7, version=4), agent_id="python", sessions=(), recorded_at=NOW, sequence=5)


def test_the_signature_is_that_of_the_standard() -> None:
    """The signature is the HMAC of id, second and body under the decoded secret, as another program computed it."""
    message = WebhookMessage(UUID(int=0), b'{"test": 2432232314}')
    headers = message.headers("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", datetime.fromtimestamp(1614265330.5, UTC))
    assert headers["webhook-id"] == "00000000-0000-0000-0000-000000000000"
    assert headers["webhook-timestamp"] == "1614265330"
    assert headers["webhook-signature"] == "v1,Y5/uRWupLQOPxe4D5mBYrd9dRGhY+xtWrnxDwy59WDE="


def test_the_operator_gets_the_event_and_others_its_entry() -> None:
    """A message has type, timestamp and data; only with content they contain the event."""
    whole = json.loads(event_message(SLEPT, with_content=True).body)
    assert (whole["type"], whole["timestamp"]) == ("agent_slept", "2026-01-31T12:00:00+00:00")
    assert whole["data"]["event"]["sessions"] == []
    entry = json.loads(event_message(SLEPT, with_content=False).body)["data"]
    assert (entry["sequence"], entry["agent_id"], "event" in entry) == (5, "python", False)


def test_an_event_gives_the_same_message_each_time() -> None:
    """The id and the body of a message depend on the event alone, so a repetition is recognised."""
    assert event_message(SLEPT, with_content=True) == event_message(SLEPT, with_content=True)
    assert event_message(SLEPT, with_content=True).message_id == SLEPT.event_id


def test_a_large_event_is_sent_without_its_content() -> None:
    """An event above the limit is announced with its size and without its content."""
    asked = TaskSubmitted.model_construct(text="x" * MAX_BODY_BYTES, event_id=uuid4(), recorded_at=NOW, sequence=1)
    message = event_message(asked, with_content=True)
    data = json.loads(message.body)["data"]
    assert len(message.body) < 2_000
    assert data["event"] is None
    assert data["too_large"] > MAX_BODY_BYTES
