"""The fold of tiered memory: the effect of each event on an agent and its memories (document 004 §4.3)."""

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from itertools import chain
from uuid import UUID

from nemuri_contracts.agents import AgentDefined, PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_contracts.event import Event
from nemuri_contracts.tiered import (
    ConsolidationBegun,
    ExperienceRecorded,
    Group,
    Kept,
    MemoriesAccessed,
    MemoriesRewound,
    MemoryFormed,
    MemoryShared,
    MemoryType,
)
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory, TiersAgent

FOLDED = (
    AgentDefined, PolicyAdopted, MemoriesErased, AgentErased,
    ExperienceRecorded, ConsolidationBegun, MemoryFormed, MemoriesAccessed, MemoryShared,
    MemoriesRewound,
)  # fmt: skip
"""Event types that a tiered memory is folded from."""


def touched(event: AnyAgentEvent) -> frozenset[UUID]:
    """Return the ids of the memories whose rows `evolve` needs to fold the event."""
    match event:
        case ExperienceRecorded() | MemoryShared():
            return frozenset({event.memory_id})
        case MemoryFormed():
            return frozenset((event.memory_id, *event.sources))
        case ConsolidationBegun():
            return frozenset((*chain.from_iterable(group.memory_ids for group in event.groups), *event.deleted))
        case MemoriesAccessed():
            return frozenset(memory_access.memory_id for memory_access in event.accessed)
        case MemoriesErased() | MemoriesRewound():
            return frozenset(event.memory_ids)
        case _:
            return frozenset()


def moment_of(event: Event) -> float:
    """Return the time of an event in seconds of the agent's clock.

    This is the second of the simulation if the event has one, else the log's time. Raises LookupError if it has
    neither.
    """
    told = event.experience.second if isinstance(event, ExperienceRecorded) else getattr(event, "second", None)
    return event.at.timestamp() if told is None else float(told)


def evolve(tiers: TieredMind, event: AnyAgentEvent, moment: float) -> TieredMind:
    """Return the tiered memory after `event`, which happened at `moment`, in seconds of the agent's clock.

    Never raises: an event about an unknown memory or agent changes nothing.
    """
    match event:
        case AgentDefined() if tiers.agent is None and event.definition.memory == "tiered":
            return TieredMind(TiersAgent(agent_id=event.agent_id, began=moment))
        case AgentErased():
            return TieredMind()
        case PolicyAdopted():
            return tiers.with_agent(policy=event.parameters)
        case MemoriesErased():
            return tiers.without_memories(event.memory_ids)
        case ExperienceRecorded():
            return _recorded(tiers, event, moment)
        case ConsolidationBegun():
            return _begun(tiers, event, moment)
        case MemoryFormed():
            return _formed(tiers, event, moment)
        case MemoriesAccessed():
            return _accessed(tiers, event, moment)
        case MemoryShared():
            return _shared(tiers, event)
        case MemoriesRewound():
            return _rewound(tiers, event, moment)
        case _:
            return tiers


def fold(events: Iterable[AnyAgentEvent], tiers: TieredMind | None = None) -> TieredMind:
    """Return the tiered memory after these events of the log. A repeated event counts once."""
    return reduce(evolve_at_its_time, first_of_each(events), tiers or TieredMind())


def evolve_at_its_time(tiers: TieredMind, event: AnyAgentEvent) -> TieredMind:
    """Return the tiered memory after an event of the log. The event's own time is the moment at which it happened."""
    return evolve(tiers, event, moment_of(event))


def _recorded(tiers: TieredMind, event: ExperienceRecorded, moment: float) -> TieredMind:
    if tiers.agent is None or event.memory_id in tiers.memories:
        return tiers
    lived = event.experience
    memory = TierMemory(
        memory_id=event.memory_id,
        agent_id=event.agent_id,
        layer="short",
        type=lived.type,
        content=lived.content,
        participants=lived.participants,
        location=lived.location,
        importance=event.importance,
        cues=event.cues,
        at=moment,
        vector=event.vector,
        worded=event.sequence or 0,
        changed=event.sequence or 0,
    )
    return tiers.with_memories((memory,))


def _begun(tiers: TieredMind, event: ConsolidationBegun, moment: float) -> TieredMind:
    """Return the tiered memory after a consolidation began: the memories of all groups are marked as being
    consolidated, and the memories to delete are removed.

    A marked memory stays until the memory that replaces it is formed. Shared memories are neither marked nor removed.
    """
    by = event.sequence or 0
    groups = (_there(tiers, group) for group in event.groups)
    forgotten = [
        tier_memory.memory_id
        for tier_memory in tiers.find(event.deleted)
        if tier_memory.layer == "long" and not tier_memory.shared
    ]
    after = tiers.with_memories(
        tier_memory.replace(merging=True, changed=by)
        for tier_memory in chain.from_iterable(groups)
        if not tier_memory.merging
    )
    return after.without_memories(forgotten).with_agent(consolidated_at=moment, consolidated_for=event.because)


def _there(tiers: TieredMind, group: Group) -> Iterable[TierMemory]:
    return (
        tier_memory
        for tier_memory in tiers.find(group.memory_ids)
        if tier_memory.layer == group.layer and not tier_memory.shared
    )


def _formed(tiers: TieredMind, event: MemoryFormed, moment: float) -> TieredMind:
    if tiers.agent is None or event.memory_id in tiers.memories:
        return tiers
    parts = {source: tiers.memories.get(source) for source in event.sources}
    origins = chain.from_iterable((part and part.sources) or (memory_id,) for memory_id, part in parts.items())
    memory = TierMemory(
        memory_id=event.memory_id,
        agent_id=event.agent_id,
        layer="long",
        type=event.type,
        content=event.content,
        tags=event.tags,
        importance=event.importance,
        at=moment,
        sources=tuple(dict.fromkeys(origins)),
        vector=event.vector,
        worded=event.sequence or 0,
        changed=event.sequence or 0,
    )
    return tiers.without_memories(
        memory_id for memory_id, part in parts.items() if part and not part.shared
    ).with_memories((memory,))


def _accessed(tiers: TieredMind, event: MemoriesAccessed, moment: float) -> TieredMind:
    by, times = event.sequence or 0, Counter[UUID]()
    for access in event.accessed:
        times[access.memory_id] += access.times
    return tiers.with_memories(
        memory.replace(access_count=memory.access_count + times[memory.memory_id], accessed_at=moment, changed=by)
        for memory in tiers.find(times)
    )


def _shared(tiers: TieredMind, event: MemoryShared) -> TieredMind:
    """Return the tiered memory after a memory was shared. It moves to long-term memory, and consolidation no longer
    changes it.
    """
    changes = {"scope": event.scope, "visible_to": event.visible_to, "merging": False, "changed": event.sequence or 0}
    return tiers.with_memories(
        tier_memory.replace(layer="long", type=long_term_type(tier_memory.type), **changes)
        for tier_memory in tiers.find((event.memory_id,))
    )


def _rewound(tiers: TieredMind, event: MemoriesRewound, moment: float) -> TieredMind:
    """Return the tiered memory after the agent went back to an earlier moment. A consolidation after it is undone."""
    after = tiers.without_memories(event.memory_ids)
    if after.agent is None:
        return after
    last = after.agent.consolidated_at
    return after.with_agent(
        consolidated_at=None if last is None else min(last, moment), rewinds=after.agent.rewinds + 1
    )


def long_term_type(type: MemoryType) -> Kept:  # noqa: A002 - the document's own name
    """Return the type that a memory has in long-term memory: `semantic` for a reflection, `episodic` for any other
    experience.
    """
    match type:
        case "conversation" | "action" | "observation":
            return "episodic"
        case "reflection":
            return "semantic"
        case _:
            return type
