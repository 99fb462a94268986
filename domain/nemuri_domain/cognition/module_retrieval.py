"""Base class of modules that query memory (document 004 §4.6.2, §4.6.3)."""

from collections.abc import Iterable
from typing import Final

from nemuri_domain.cognition.memory_interface import Memories
from nemuri_domain.cognition.module import Module
from nemuri_domain.cognition.prompt_text import quoted
from nemuri_domain.cognition.shared_state import Snapshot

MAX_QUERY_CHARACTERS: Final = 400
"""Maximum characters of a memory query."""


class RetrievingModule(Module):
    """A module that queries memory. It keeps no results between runs."""

    def __init__(self, memories: Memories) -> None:
        """Create the module for these memories."""
        self._memories = memories

    def recalled(self, snapshot: Snapshot, about: Iterable[str]) -> list[str]:
        """Return memories about these texts as prompt lines. The module's name determines layers, types, weights and
        number.
        """
        query = ". ".join(each for each in about if each)[:MAX_QUERY_CHARACTERS]
        if not query:
            return []
        found = self._memories.recall(snapshot.agent_id, query, self.spec.name, snapshot.second)
        return [f"you remember: {quoted(each.content)}" for each in found]
