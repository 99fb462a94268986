"""The words by which a reader of the log recognises an event."""

from uuid import uuid4

from nemuri.admin.event_words import BEGINNING, beginning_of
from nemuri_contracts.client_events import MemoryContent, MemoryOffered, TaskSubmitted
from nemuri_contracts.strength import SessionEnded


def test_the_words_come_from_the_event_or_its_part() -> None:
    """Return the text of a task, the content of a memory, and nothing for an event without words."""
    assert beginning_of(TaskSubmitted(event_id=uuid4(), text="What is\n\ntruth?")) == "What is truth?"
    memory = MemoryContent(content="Steel is hard.")
    assert beginning_of(MemoryOffered(event_id=uuid4(), agent_id="python", memory=memory)) == "Steel is hard."
    assert beginning_of(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4())) == ""


def test_long_words_are_cut() -> None:
    """Return one short line of a long text."""
    found = beginning_of(TaskSubmitted(event_id=uuid4(), text="word " * 1_000))
    assert len(found) == BEGINNING
    assert found.endswith("…")
