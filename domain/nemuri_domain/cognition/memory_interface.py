"""The interface of tiered memory for modules. The agent host implements it (document 004 §4.6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


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
        """Return an agent's memories for a query. The module determines layers, types, weights and number."""
        ...


class NoMemories:
    """An implementation without memories."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[RetrievedMemory]:  # noqa: ARG002
        """Return nothing."""
        return ()
