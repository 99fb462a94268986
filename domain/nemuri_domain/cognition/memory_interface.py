"""What modules may ask of an agent's tiered memory; the host holds it, modules only ask (document 004 §4.6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Remembered:
    """Something that came to mind."""

    content: str
    score: float
    layer: Literal["working", "short", "long", "shared"]
    sort: str
    """Of an experience: conversation, action, observation, reflection; of a memory: episodic, semantic, procedural."""


class Memories(Protocol):
    """The memories of the agents of a host."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[Remembered]:
        """What comes to the agent's mind, by the layers, sorts, weights and number that belong to the module."""
        ...


class Oblivious:
    """No memories at all: for agents that are to do without."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> Sequence[Remembered]:  # noqa: ARG002
        """Nothing."""
        return ()
