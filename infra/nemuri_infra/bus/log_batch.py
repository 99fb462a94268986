"""A part of the log as readers get it: its events, and its messages that are no events."""

from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.event import derive


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message of the log that cannot be decoded as an event."""

    sequence: int
    subject: str
    reason: str
    message_id: UUID
    """Id derived from the subject and the bytes, because the message has no event id.

    Operators name it to park the message, so that all readers of the log skip it.
    """


@dataclass(frozen=True, slots=True)
class Batch:
    """A contiguous part of the log: its events, its unreadable messages, and the sequences between which it lies."""

    events: tuple[AnyEvent, ...]
    unreadable: tuple[Unreadable, ...]
    after: int
    """Sequence after which the part begins. The part ends with the sequence `until`, inclusive."""
    until: int

    @property
    def sequences(self) -> list[int]:
        """Return the sequences of all events and unreadable messages, in ascending order."""
        return sorted([*(event.sequence or 0 for event in self.events), *(event.sequence for event in self.unreadable)])

    def split(self, sequence: int) -> tuple["Batch", "Batch"]:
        """Return the part of the batch up to the sequence `sequence`, inclusive, and the part after it."""
        events = [event for event in self.events if (event.sequence or 0) <= sequence]
        unreadable = [event for event in self.unreadable if event.sequence <= sequence]
        rest = Batch(self.events[len(events) :], self.unreadable[len(unreadable) :], sequence, self.until)
        return Batch(tuple(events), tuple(unreadable), self.after, sequence), rest


def message_id(subject: str, data: bytes) -> UUID:
    """Return an id for a message that is not an event, derived from its subject and its bytes.

    The namespace at the start of the subject is left out, so the id stays the same after an import into another
    namespace.
    """
    return derive(f"{subject.partition('.')[2]} {sha256(data).hexdigest()}", "message")
