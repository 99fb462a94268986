"""Modules that ask memory themselves, each in its own way (document 004 §4.6.2, §4.6.3)."""

from collections.abc import Iterable
from typing import Final

from nemuri_domain.cognition.memory_interface import Memories
from nemuri_domain.cognition.module import Module
from nemuri_domain.cognition.prompt_text import quoted
from nemuri_domain.cognition.shared_state import Snapshot

LONGEST: Final = 400
"""Characters of a question to memory."""


class Recalling(Module):
    """A module with memories to ask; it keeps nothing of what they answer."""

    def __init__(self, memories: Memories) -> None:
        """Whose memories are asked."""
        self._memories = memories

    def recalled(self, snapshot: Snapshot, about: Iterable[str]) -> list[str]:
        """What these words bring to mind, by the layers, types, weights and number that belong to this module."""
        query = ". ".join(each for each in about if each)[:LONGEST]
        if not query:
            return []
        found = self._memories.recall(snapshot.agent_id, query, self.spec.name, snapshot.second)
        return [f"you remember: {quoted(each.content)}" for each in found]
