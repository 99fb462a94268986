"""Events of operators about the log itself."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import Identifier, OperatorEvent, Text

WHY_LIMIT = 1_000
"""Maximum length of a reason, in characters."""


class EventParked(OperatorEvent):
    """An operator excluded an event that cannot be folded. Every reader of the log skips it.

    The event stays in the log. A copy that is appended later counts.
    """

    kind: Literal["event_parked"] = "event_parked"
    parked_id: UUID
    """Id of the event. For a message that is no event, an id derived from its subject and bytes."""
    parked_kind: Identifier | None
    """Kind of the event; None for a message that is no event."""
    why: Text = Field(min_length=1, max_length=WHY_LIMIT)
