"""Dead letters: metadata of a message that a service gave up. The message itself is stored beside it."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import Identifier, Value

SAID = 500
"""Maximum length of a quoted text in a dead letter, in characters."""


class DeadLetter(Value):
    """A dead letter: a message of the log that a service gave up, and the reason."""

    service: Identifier
    """Service that gave up the message."""
    sequence: int = Field(ge=1)
    """Stream sequence of the original, which stays in the log."""
    subject: str = Field(max_length=SAID)
    size: int = Field(ge=0)
    """Size of the original in bytes. If it exceeds the server's message limit, the dead letter holds only its
    beginning.
    """
    recorded_at: datetime
    reason: str = Field(max_length=SAID)
    """Reason in one line."""
    error: str
    """Type name of the exception."""
    deliveries: int = Field(ge=1)
    """Number of deliveries to the service."""
    faults: int = Field(ge=0)
    """Number of attempts that ended with an error. 0 for a message that is no event, and for one that crashed its
    workers.
    """
    event_id: UUID | None = None
    """Id of the event. This field and all below are None if the message is no event."""
    kind: str | None = None
    task_id: UUID | None = None
    """Id of the event's task. None also for an event without a task."""
    attempt: int | None = None
    """Number of the attempt that the event belongs to. Each reopening of a task begins a new attempt."""
    agent_id: str | None = None

    @property
    def name(self) -> str:
        """Return the name used by operators: `SERVICE/SEQUENCE`."""
        return f"{self.service}/{self.sequence}"

    @property
    def readable(self) -> bool:
        """Return True if the original is an event."""
        return self.kind is not None
