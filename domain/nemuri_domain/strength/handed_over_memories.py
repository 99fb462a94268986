"""Choice of the memories that one agent passes on to another, and their form in the other's memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from nemuri_contracts.client_events import TEXT_LIMIT, MemoryContent
from nemuri_contracts.colleague_views import HandoverView, PassedMemory
from nemuri_contracts.colleagues import LeftOut, MemoriesHandedOver
from nemuri_contracts.event import Usage, derive
from nemuri_contracts.strength import MemoryEncoded, NewMemory, Origin
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.strength.aggregate import PRINCIPLE_SOURCES, Agent, Content, Memory, Remembered
from nemuri_domain.strength.memory_content import encoded, new_memory

LEAST_SHARE: Final = 0.5
"""Minimum strength of a memory that is passed on, as a share of the strength with which memories of its source begin.
"""


@dataclass(frozen=True, slots=True)
class Handover:
    """The memories that one agent passes on to another, and those that it does not."""

    memories: tuple[NewMemory, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    refused: str | None = None
    """Reason why nothing can be passed on; None if it can."""
    usage: Usage | None = None


def need_of(agent: Agent) -> str:
    """Return a text that says what an agent needs to know: its role, its description and its perspectives."""
    definition = agent.definition
    words = (" ".join((perspective.name, *perspective.keywords)) for perspective in definition.perspectives)
    return "\n".join(filter(None, (definition.role, definition.description, *words)))


def worth_passing_on(
    source: Agent, receiver: Agent, found: Iterable[Remembered], topic: str | None = None
) -> tuple[Remembered, ...]:
    """Return the memories in `found` that are strong enough to be passed on, in the same order.

    Left out are archived and faded memories, principles, memories that a newer one contradicts or supersedes, memories
    that the receiver passed on to the source itself, and with a `topic` those without this tag.
    """
    return tuple(
        (content, memory)
        for content, memory in found
        if memory.status == "active"
        and not memory.yields_to
        and content.source not in PRINCIPLE_SOURCES
        and content.origin.agent_id != receiver.agent_id
        and source.strength(memory) >= LEAST_SHARE * source.rules.begins(content.source)
        and (
            topic is None or normalised(topic).casefold() in {normalised(tag).casefold() for tag in content.memory.tags}
        )
    )


def told_key(receiver: str, memory_id: UUID) -> str:
    """Return the key from which the id of the receiver's memory is derived, so that a memory is handed over once."""
    return f"{receiver}/{memory_id}"


def told_memory(source: Agent, receiver: Agent, known: Remembered, vector: str) -> NewMemory:
    """Return a memory of the source as the receiver gets it: with the receiver's initial strength and perspectives.

    What the source inferred and nobody confirmed stays inferred. Everything else is told.
    """
    content, memory = known
    unconfirmed = content.origin.provenance == "inferred" and memory.unconfirmed
    origin = Origin(
        provenance="inferred" if unconfirmed else "told", agent_id=source.agent_id, memory_id=content.memory_id
    )
    new = new_memory(
        receiver, told_content(content.memory, receiver), vector, origin=origin, links=(content.memory_id,)
    )
    return new.model_copy(update={"strength": receiver.rules.begins("handover")})


def told_content(memory: MemoryContent, receiver: Agent) -> MemoryContent:
    """Return the content of a memory for another agent. Learnings under perspectives that it does not have become part
    of the text, as far as there is room. The turn is left out, because the conversation stays with the source.
    """
    names = receiver.definition.perspective_names
    kept = {name: text for name, text in memory.learnings.items() if name in names}
    others = [text for name, text in memory.learnings.items() if name not in names and text not in memory.content]
    content = memory.content
    for text in dict.fromkeys(others):
        longer = f"{content}\n{text}"
        content = longer if len(longer) <= TEXT_LIMIT else content
    return memory.model_copy(update={"content": content, "learnings": kept, "turn": None})


def reason_against(
    known: Content, near: Sequence[tuple[Content, Memory]], comparisons: Mapping[UUID, Comparison]
) -> LeftOut | None:
    """Return why a memory is not passed on; None if it is.

    `near` are the receiver's memories that are similar to it, and `comparisons` relates it to them, by their ids. The
    receiver knows it already if one of them says the same or was made of it. A newer memory of the receiver that
    contradicts it counts more than what another agent remembers.
    """
    for content, _ in near:
        same = comparisons.get(content.memory_id) == "same" or content.origin.memory_id == known.memory_id
        if same or normalised(content.memory.content).casefold() == normalised(known.memory.content).casefold():
            return LeftOut(memory_id=known.memory_id, reason="known", by=content.memory_id)
    for content, _ in near:
        if comparisons.get(content.memory_id) == "contradicts" and content.created_at > known.created_at:
            return LeftOut(memory_id=known.memory_id, reason="contradicted", by=content.memory_id)
    return None


def told_memories(event: MemoriesHandedOver) -> tuple[MemoryEncoded, ...]:
    """Return the events that encode the memories of a handover."""
    return tuple(
        encoded(event, memory, key=told_key(event.agent_id, memory.origin.memory_id), source="handover")
        for memory in event.memories
        if memory.origin.memory_id is not None
    )


def view_of(source: str, receiver: str, plan: Handover | MemoriesHandedOver) -> HandoverView:
    """Return what clients see of a handover."""
    passed = tuple(
        PassedMemory(
            original=memory.origin.memory_id,
            memory_id=derive(told_key(receiver, memory.origin.memory_id), MemoryEncoded.kind_of()),
            memory=memory.memory,
            strength=memory.strength,
            provenance=memory.origin.provenance,
        )
        for memory in plan.memories
        if memory.origin.memory_id is not None
    )
    return HandoverView(source=source, agent_id=receiver, memories=passed, left_out=plan.left_out, refused=plan.refused)
