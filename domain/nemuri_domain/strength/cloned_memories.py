"""Copies of an agent's memories for its clone, each in the state of the original."""

from collections.abc import Callable, Mapping
from uuid import UUID

from nemuri_contracts.colleagues import MemoryCopied
from nemuri_contracts.event import derive
from nemuri_contracts.strength import MemoryEncoded, Relation
from nemuri_domain.strength.aggregate import Agent, Content, Memory, Mind
from nemuri_domain.strength.decay import MIN_STRENGTH
from nemuri_domain.strength.memory_content import principle_key
from nemuri_domain.strength.relations import is_in_force

LARGEST = 1e15
"""Largest strength and impact score that an event may have."""


def copies(mind: Mind, name: str, vector_of: Callable[[Content], str]) -> tuple[MemoryCopied, ...]:
    """Return an event for each memory of a mind that copies it to the agent `name`, oldest first.

    `mind` must have the contents of all its memories. `vector_of` returns the key of a memory's vector under the
    agent's present embedding. The ids are derived, so repeated calls give the same copies.
    """
    if mind.agent is None:
        return ()
    contents = sorted(mind.contents.values(), key=lambda content: (content.created, str(content.memory_id)))
    ids = {content.memory_id: copy_id(name, content) for content in contents}
    return tuple(_copy(mind.agent, mind, content, ids, name, vector_of(content)) for content in contents)


def copy_id(name: str, content: Content) -> UUID:
    """Return the id of the copy that the agent `name` gets of a memory.

    The copy of a principle has the id that the principle has in the definition of `name`, so that it is encoded once.
    """
    if content.source == "definition":
        return derive(principle_key(name, content.memory.content, content.memory.scope), MemoryEncoded.kind_of())
    return derive(f"{name}/{content.memory_id}", MemoryCopied.kind_of())


def _copy(agent: Agent, mind: Mind, content: Content, ids: Mapping[UUID, UUID], name: str, vector: str) -> MemoryCopied:
    memory = mind.memories[content.memory_id]
    original = () if content.source == "definition" else (content.memory_id,)
    return MemoryCopied(
        event_id=ids[content.memory_id],
        agent_id=name,
        memory=content.memory,
        links=(*(ids[link] for link in content.links if link in ids), *original),
        relations=tuple(_relations(mind, memory, ids)),
        origin=content.origin.model_copy(update={"agent_id": agent.agent_id, "memory_id": content.memory_id}),
        vector=vector,
        source=content.source,
        created_at=content.created_at,
        status=memory.status,
        level=memory.level,
        strength=_bounded(agent.strength(memory)),
        strength_by_perspective={
            perspective: _bounded(agent.strength(memory, perspective)) for perspective in memory.perspectives
        },
        impact_score=min(memory.impact_score, LARGEST),
        absorbed_by=ids.get(memory.absorbed_by) if memory.absorbed_by else None,
        experiences=content.experiences,
        **{field: getattr(memory, field) for field in _UNCHANGED},
    )


_UNCHANGED = (
    "candidate_count", "access_count", "effective_uses", "unconfirmed", "pinned", "last_accessed_at", "archived_at",
)  # fmt: skip
"""Fields of a memory's state that its copy has with the same value."""


def _relations(mind: Mind, memory: Memory, ids: Mapping[UUID, UUID]) -> list[Relation]:
    """Return the relations of a memory between the copies, without those to memories that were told again since."""
    return [
        relation.model_copy(update={"older": ids[relation.older]})
        for relation in memory.relations
        if relation.older in ids and is_in_force(mind, memory.memory_id, relation)
    ]


def _bounded(number: float) -> float:
    return min(max(number, MIN_STRENGTH), LARGEST)
