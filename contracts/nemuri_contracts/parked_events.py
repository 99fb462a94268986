"""Events that record what operators did to the log."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import Identifier, OperatorEvent, Text

WHY_LIMIT = 1_000
"""Maximum length of a reason, in characters."""


class EventParked(OperatorEvent):
    """An operator excluded an event that cannot be folded. It stays in the log, but every reader of the log skips it.

    A copy of the event that is appended later is not skipped.
    """

    kind: Literal["event_parked"] = "event_parked"
    parked_id: UUID
    """Id of the event. For a message that is no event, an id derived from its subject and bytes."""
    parked_kind: Identifier | None
    """Kind of the event; None for a message that is no event."""
    why: Text = Field(min_length=1, max_length=WHY_LIMIT)
    """The operator's reason."""
