"""What operators decide about the log itself."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import Identifier, OperatorEvent, Text

WHY_LIMIT = 1_000
"""Characters of a reason."""


class EventParked(OperatorEvent):
    """An event that cannot be folded means nothing: every reader of the log leaves it out, wherever it begins to read.

    It stays on the log. The same event appended again later counts.
    """

    kind: Literal["event_parked"] = "event_parked"
    parked_id: UUID
    """The id of the event; of a message that is no event, an id derived from its subject and its bytes."""
    parked_kind: Identifier | None
    """The kind of the event; None for a message that is none."""
    why: Text = Field(min_length=1, max_length=WHY_LIMIT)
