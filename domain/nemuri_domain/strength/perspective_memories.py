"""The memories that are strong in each perspective of an agent (document 000 §3.5).

A memory begins equally strong in all perspectives. A use under one of them strengthens it there. So the difference
tells to which perspectives a memory belongs.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from nemuri_domain.strength.agent_topics import TopicSource

MOST: Final = 24
"""Maximum number of memories by which a perspective is known: those that gained most strength in it."""
LEAST_GAIN: Final = 0.01
"""Minimum gain that counts. A single use gives 0.15, and sleep lets it fade."""


@dataclass(frozen=True, slots=True)
class PerspectiveMemory:
    """A memory by which a perspective is known."""

    text: str
    """Beginning of the content of the memory."""
    share: float
    """Share of the memory's gains that it owes to the perspective, above 0 and at most 1."""


PerspectiveMemories = Mapping[str, tuple[PerspectiveMemory, ...]]
"""The memories strong in each perspective, by its name. A perspective without any is left out."""


def perspective_memories(held: Iterable[TopicSource]) -> PerspectiveMemories:
    """Return the memories strong in each perspective, at most `MOST` of each, those with the greatest gain first.

    The gain of a memory in a perspective is how much stronger it is there than in the perspective where it is weakest.
    """
    found: defaultdict[str, list[tuple[float, PerspectiveMemory]]] = defaultdict(list)
    for topic_source in held:
        least = min(topic_source.by_perspective.values(), default=0.0)
        gains = {name: now - least for name, now in topic_source.by_perspective.items() if now - least >= LEAST_GAIN}
        total = sum(gains.values())
        for name, gain in gains.items():
            found[name].append((gain, PerspectiveMemory(topic_source.text, gain / total)))
    return {
        name: tuple(memory for _, memory in sorted(some, key=lambda pair: (-pair[0], pair[1].text))[:MOST])
        for name, some in found.items()
    }
