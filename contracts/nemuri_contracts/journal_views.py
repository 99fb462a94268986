"""Views of the journal, which knows the position of every valid event in the log."""

from datetime import datetime
from uuid import UUID

from nemuri_contracts.event import Value


class JournalEntry(Value):
    """The position of one event in the log."""

    sequence: int
    """Stream sequence of the event."""
    event_id: UUID
    kind: str
    task_id: UUID | None = None
    """Task that the event belongs to; None if it belongs to none."""
    agent_id: str | None = None
    causation_id: UUID | None = None
    """Id of the event that caused this one; None if it has no cause."""
    recorded_at: datetime


class JournalView(Value):
    """A page of the journal, in the order of the query."""

    entries: tuple[JournalEntry, ...]
    following: int | None = None
    """Sequence from which the next page continues, as `before` or, oldest first, as `beyond`. None on the last page.

    A page may hold fewer entries than requested although there are more, because one query reads a limited number.
    """
