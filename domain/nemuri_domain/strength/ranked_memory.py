"""The part of a memory that ranking reads. A retrieval index has it for each memory, so ranking reads no contents."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Self

import numpy as np
from pydantic import Field

from nemuri_contracts.client_events import Scope
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.language.word_table import LONGEST_TEXT, Words, word_table
from nemuri_domain.strength.aggregate import PRINCIPLE_SOURCES, Content, Memory, RankedState
from nemuri_domain.strength.memory_content import indexed_text, speaker_and_time

RANKED_FIELDS: Final = set(RankedState.model_fields)


class RankedContent(State):
    """The part of a memory's content that ranking reads. It has no texts but that of a principle.

    The words of its statement are a part of those of its indexed text.
    """

    created_at: datetime
    said_at: datetime | None = None
    planned: bool = False
    """True for a plan, which says nothing about how things are."""
    tags: tuple[str, ...] = ()
    source: str = ""
    """Name of the source in its origin; empty for none."""
    principle: tuple[str, Scope] | None = None
    """Text and scope of a memory that comes from a definition or was adopted as a principle."""
    before: int = 0
    """Number of words of its indexed text before the content: those of speaker and time."""
    learned: Mapping[str, int] = Field(default_factory=dict)
    """Number of words of each learning, by perspective, in the order of the indexed text; 0 for a learning that the
    content contains."""
    after: int = 0
    """Number of words after the learnings: those of the tags."""

    @classmethod
    def of(cls, content: Content) -> Self:
        """Return the part of a content that ranking reads."""
        memory, words = content.memory, word_table().words
        whole = len(indexed_text(memory)) < LONGEST_TEXT  # A longer text is cut off, and nobody knows where.
        return cls(
            created_at=content.created_at,
            said_at=memory.said_at,
            planned=memory.kind == "plan",
            tags=memory.tags,
            source=content.origin.source,
            principle=(memory.content, memory.scope) if content.source in PRINCIPLE_SOURCES else None,
            before=len(words(speaker_and_time(memory))),
            learned={
                name: len(words(text)) if whole and text not in memory.content else 0
                for name, text in memory.learnings.items()
            },
            after=len(words(" ".join(memory.tags))) if whole else 0,
        )

    def told_at(self, state: RankedState) -> datetime:
        """Return when the memory was told last: when it was said or repeated, or else when it was remembered."""
        said = self.said_at or self.created_at
        return said if state.told_again_at is None else max(said, state.told_again_at)

    def statement(self, indexed: Words, perspective: str | None) -> Words:
        """Return the words of what the memory states, from those of its indexed text: its content, and its learning
        under the perspective; all learnings without a perspective.
        """
        start = len(indexed) - self.after - sum(self.learned.values())
        stated = indexed[self.before : start].tolist()
        for name, number in self.learned.items():
            if perspective in {None, name}:
                stated += indexed[start : start + number].tolist()
            start += number
        return np.array(stated, np.int64)


Ranked = tuple[RankedContent, RankedState]
"""The part of a memory that ranking reads."""


def ranked_state(memory: Memory) -> bytes:
    """Return the part of a memory's state that ranking reads, as a short JSON document (`RankedState`)."""
    return memory.model_dump_json(include=RANKED_FIELDS, exclude_defaults=True).encode()
