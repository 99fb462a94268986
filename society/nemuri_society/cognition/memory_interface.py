"""The interface through which modules query memory (document 004 §4.6). The agent host implements it.

`RetrievingModule` is the base class of the modules that use it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from nemuri_society.cognition.module import Module
from nemuri_society.cognition.prompt_text import remembered_lines
from nemuri_society.cognition.shared_state import Snapshot

MAX_QUERY_CHARACTERS: Final = 400
"""Maximum characters of a memory query."""


@dataclass(frozen=True, slots=True)
class RetrievedMemory:
    """A memory found by a query."""

    content: str
    score: float
    layer: Literal["working", "short", "long", "shared"]
    sort: str
    """Type of an experience (conversation, action, observation, reflection) or memory (episodic, semantic, procedural).
    """


class Memories(Protocol):
    """The memories of the agents of a host."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[RetrievedMemory]:
        """Return an agent's memories for a query, best first. The settings of `module` determine the layers and types
        to search, the weights, and the maximum number of memories.
        """
        ...


class NoMemories:
    """An implementation for agents without memories."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[RetrievedMemory]:  # noqa: ARG002
        """Return no memories."""
        return ()


class RetrievingModule(Module):
    """A module that queries memory. It keeps no results between runs."""

    def __init__(self, memories: Memories) -> None:
        """Create the module for these memories."""
        self._memories = memories

    def recalled(self, snapshot: Snapshot, about: Iterable[str], told: Iterable[str] = ()) -> list[str]:
        """Return memories about these texts as prompt lines, best first, without what the prompt has `told` elsewhere.

        The settings for this module's name determine the layers and types to search, the weights, and the maximum
        number of memories.
        """
        query = ". ".join(text for text in about if text)[:MAX_QUERY_CHARACTERS]
        if not query:
            return []
        found = self._memories.recall(snapshot.agent_id, query, self.spec.name, snapshot.second)
        return remembered_lines((memory.content for memory in found), told)
