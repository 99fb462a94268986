"""Dead letters: what is known of a message that nobody could handle; the message itself lies beside it."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import Identifier, Value

SAID = 500
"""Characters of what a letter quotes, at most."""


class DeadLetter(Value):
    """Why a service gave up on a message of the log."""

    service: Identifier
    """Who gave it up."""
    sequence: int = Field(ge=1)
    """The place of the original in the log, where it stays."""
    subject: str = Field(max_length=SAID)
    size: int = Field(ge=0)
    """Bytes of the original, of which the letter holds as many as fit."""
    recorded_at: datetime
    reason: str = Field(max_length=SAID)
    """In one line."""
    error: str
    """The type of the error."""
    deliveries: int = Field(ge=1)
    """How often the service was given it."""
    faults: int = Field(ge=0)
    """How often it failed at it; 0 for what is no event, and for what ended its workers."""
    event_id: UUID | None = None
    """None for what is no event, as everything below."""
    kind: str | None = None
    task_id: UUID | None = None
    """None also for what belongs to no task."""
    attempt: int | None = None
    """The attempt of the task that the event belonged to."""
    agent_id: str | None = None

    @property
    def name(self) -> str:
        """How operators call it: by service and place."""
        return f"{self.service}/{self.sequence}"

    @property
    def readable(self) -> bool:
        """Whether the original is an event."""
        return self.kind is not None
