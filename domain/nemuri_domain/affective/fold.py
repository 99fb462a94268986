"""The fold of affective memory: the effect of each event on an agent and its memories."""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from uuid import UUID

from immutables import Map

from nemuri_contracts.affective import (
    ContextShown,
    Link,
    MemoriesRecalled,
    MemoryCompressed,
    MemoryRescoped,
    NightFell,
    NightPassed,
    ProjectMerged,
    ProtectionChanged,
    Tie,
    TurnRemembered,
    TurnWithdrawn,
)
from nemuri_contracts.agents import AgentDefined, PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_domain.affective.aggregate import (
    ARCHIVED,
    DELETED,
    MAX_WITHDRAWN,
    AffectAgent,
    AffectMemory,
    AffectMind,
    DaySpending,
)
from nemuri_domain.affective.memory_scope import with_scope
from nemuri_domain.affective.retention import reinforced
from nemuri_domain.event_sourcing.deduplication import first_of_each

FOLDED = (
    AgentDefined, PolicyAdopted, MemoriesErased, AgentErased,
    TurnRemembered, TurnWithdrawn, MemoriesRecalled, ContextShown, ProjectMerged, ProtectionChanged, MemoryRescoped,
    NightFell, NightPassed, MemoryCompressed,
)  # fmt: skip
"""Event types that an affective memory is folded from."""


def touched(event: AnyAgentEvent) -> frozenset[UUID]:
    """Return the ids of the memories whose rows `evolve` needs to fold the event.

    To fold an erasure, it also needs all memories that have relations to the erased ones.
    """
    match event:
        case MemoriesRecalled():
            return frozenset((*event.recalled, *event.asked_back))
        case ContextShown() if event.occasion == "session_start":
            return frozenset(event.memories)
        case TurnRemembered() | TurnWithdrawn() | ProtectionChanged() | MemoryRescoped() | MemoryCompressed():
            return frozenset({event.memory_id})
        case NightPassed():
            moved = (*(change.memory_id for change in event.lowered), *(change.memory_id for change in event.revived))
            told = (*event.recalled, *event.archived, *event.declined, *event.protected, *event.compared)
            holders = (tie.of for tie in (*event.untied, *event.tied))
            return frozenset((*moved, *told, *event.deleted, *holders))
        case MemoriesErased():
            return frozenset(event.memory_ids)
        case _:
            return frozenset()


def evolve(mind: AffectMind, event: AnyAgentEvent) -> AffectMind:
    """Return the affective memory after `event`. Never raises: an event about an unknown memory or agent changes
    nothing.
    """
    match event:
        case AgentDefined() if mind.agent is None and event.definition.memory == "affective":
            return AffectMind(agent=AffectAgent(agent_id=event.agent_id, defined_at=event.at))
        case AgentErased():
            return AffectMind()
        case PolicyAdopted():
            # No memory has decayed under the old parameters before the first night.
            return mind.with_agent(**{"next_policy" if mind.night else "policy": event.parameters})
        case MemoriesErased():
            # A mood does not name the memory that it came from, nor does the spending, so an erasure removes both.
            mind = replace(mind.without_memories(event.memory_ids), moods=Map()).with_agent(spent=DaySpending())
            mind = _not_awaited(mind, event.memory_ids)
            return mind.without_relations_to(event.memory_ids, event.sequence or 0)
        case TurnRemembered():
            return _remembered(mind, event)
        case TurnWithdrawn():
            return _withdrawn(mind, event)
        case MemoriesRecalled():
            return _recalled(mind, event)
        case ProjectMerged() if mind.agent is not None:
            return replace(mind, agent=mind.agent.with_merged_project(event.project, event.into))
        case ProtectionChanged():
            return _protection(mind, event)
        case ContextShown() | MemoryRescoped():
            return with_scope(mind, event)
        case NightFell() if mind.agent is not None and mind.agent.next_policy is not None:
            # This event comes before the decision of the night, so that the decision and the fold use the same
            # parameters.
            return mind.with_agent(policy=mind.agent.next_policy, next_policy=None)
        case NightPassed():
            return _night(mind, event)
        case MemoryCompressed():
            return _compressed(mind, event)
        case _:
            return mind


def fold(events: Iterable[AnyAgentEvent], mind: AffectMind | None = None) -> AffectMind:
    """Return the affective memory after these events of its agent. A repeated event counts once."""
    return reduce(evolve, first_of_each(events), mind or AffectMind())


def _remembered(mind: AffectMind, event: TurnRemembered) -> AffectMind:
    if mind.agent is None or event.memory_id in mind.memories:
        return mind
    by, read = event.sequence or 0, event.reading
    memory = AffectMemory(
        memory_id=event.memory_id,
        agent_id=event.agent_id,
        turn_id=event.turn_id,
        label=event.label,
        project=event.project,
        concern=read.concern,
        said_at=event.said_at,
        kept=float(read.intensity),
        zero=mind.night - event.days,
        begun=mind.night,
        coefficient=event.coefficient,
        intensity=read.intensity,
        valence=read.emotion.valence,
        arousal=read.emotion.arousal,
        tags=read.emotion.tags,
        category=read.category,
        keywords=read.keywords,
        trigger=read.trigger,
        content=read.content,
        protection=event.protection,
        relations=tuple(relation for relation in dict.fromkeys(event.relations) if relation.to != event.memory_id),
        vector=event.vector,
        worded=by,
        changed=by,
    )
    if event.memory_id in mind.agent.withdrawn:
        mind = _not_awaited(mind, (event.memory_id,)).with_memories((memory.replace(level=DELETED, protection="none"),))
    else:
        mind = mind.with_memories((memory,)).with_mood(event.session, read.emotion, by)
    return mind.with_spending(event.usage, event.recorded_at)


def _withdrawn(mind: AffectMind, event: TurnWithdrawn) -> AffectMind:
    """Return the affective memory without the memory of a turn that the user took back. A protected one stays."""
    if mind.agent is not None and event.memory_id not in mind.memories:
        awaited = dict.fromkeys((*mind.agent.withdrawn, event.memory_id))
        return mind.with_agent(withdrawn=tuple(awaited)[-MAX_WITHDRAWN:])
    gone = (affect_memory for affect_memory in mind.not_deleted((event.memory_id,)) if not affect_memory.protected)
    return mind.with_memories(_moved(affect_memory, event.sequence or 0, level=DELETED) for affect_memory in gone)


def _not_awaited(mind: AffectMind, memory_ids: Iterable[UUID]) -> AffectMind:
    """Return the affective memory in which none of these memories is awaited in order to be deleted."""
    if mind.agent is None or not mind.agent.withdrawn:
        return mind
    known = set(memory_ids)
    return mind.with_agent(withdrawn=tuple(memory_id for memory_id in mind.agent.withdrawn if memory_id not in known))


def _recalled(mind: AffectMind, event: MemoriesRecalled) -> AffectMind:
    """Return the affective memory after a recall.

    Active memories are marked as recalled, archived ones as asked back, and the session gets the mood. Retention does
    not change before the next night (document 001, recall).
    """
    if mind.agent is None:
        return mind
    by = event.sequence or 0
    active = (affect_memory for affect_memory in mind.not_deleted(event.recalled) if not affect_memory.archived)
    active = (affect_memory for affect_memory in active if not affect_memory.recalled or affect_memory.idle_shows)
    archived = (
        affect_memory
        for affect_memory in mind.not_deleted(event.asked_back)
        if affect_memory.archived and affect_memory.asked_back_at is None
    )
    mind = mind.with_memories(memory.replace(recalled=True, idle_shows=0, changed=by) for memory in active)
    mind = mind.with_memories(
        affect_memory.replace(asked_back_at=event.recorded_at, changed=by) for affect_memory in archived
    )
    return mind if event.session is None or event.mood is None else mind.with_mood(event.session, event.mood, by)


def _protection(mind: AffectMind, event: ProtectionChanged) -> AffectMind:
    by, protection = event.sequence or 0, "protected" if event.protected else "none"
    return mind.with_memories(
        affect_memory.replace(protection=protection, revision=affect_memory.revision + 1, changed=by)
        for affect_memory in mind.not_deleted((event.memory_id,))
        if not affect_memory.archived
    )


def _compressed(mind: AffectMind, event: MemoryCompressed) -> AffectMind:
    """Return the affective memory with the compressed text. The old text is kept if it is at this level or a higher one
    already.
    """
    by = event.sequence or 0
    words = {"trigger": event.trigger, "content": event.content, "vector": event.vector, "words_level": event.level}
    if mind.not_deleted((event.memory_id,)):
        mind = mind.with_spending(event.usage, event.recorded_at)
    return mind.with_memories(
        affect_memory.replace(**words, worded=by, fresh=not affect_memory.archived, changed=by)
        for affect_memory in mind.not_deleted((event.memory_id,))
        if not affect_memory.protected and event.level > affect_memory.words_level
    )


def _night(mind: AffectMind, event: NightPassed) -> AffectMind:
    """Return the affective memory after a night (document 001, contents of the nightly batch).

    A memory that was archived, revived or protected since the night was decided is not moved.
    """
    if mind.agent is None:
        return mind
    by, agent, night = event.sequence or 0, mind.agent, mind.night + event.nights
    mind = mind.with_memories(
        _reinforced(affect_memory, agent, event)
        for affect_memory in mind.not_deleted(event.recalled)
        if not affect_memory.archived
    )
    mind = mind.with_agent(nights=night, last_night=event.date, last_night_by=by)
    # The night was decided when there was room for these protections. An erasure since then must not change that.
    waiting = (
        affect_memory
        for affect_memory in mind.not_deleted(event.protected)
        if affect_memory.protection == "asked" and not affect_memory.archived
    )
    mind = mind.with_memories(_moved(affect_memory, by, protection="protected") for affect_memory in waiting)
    levels = {change.memory_id: change.level for change in event.lowered}
    falling = (
        affect_memory
        for affect_memory in mind.not_deleted(levels)
        if not affect_memory.protected and affect_memory.level < levels[affect_memory.memory_id]
    )
    mind = mind.with_memories(
        _moved(affect_memory, by, level=levels[affect_memory.memory_id]) for affect_memory in falling
    )
    mind = _archive(mind, event, night)
    if event.nights:  # An event that continues the night tells them again; they may be asked for anew since.
        declined = mind.not_deleted(event.declined)
        mind = mind.with_memories(affect_memory.replace(asked_back_at=None, changed=by) for affect_memory in declined)
    mind = mind.with_memories(
        _moved(affect_memory, by, level=DELETED)
        for affect_memory in mind.not_deleted(event.deleted)
        if affect_memory.archived
    )
    mind = mind.with_memories(
        affect_memory.replace(fresh=False, changed=by)
        for affect_memory in mind.not_deleted(event.compared)
        if affect_memory.fresh
    )
    return with_relations(without_relations(mind, event.untied, by), event.tied, by)


def _archive(mind: AffectMind, event: NightPassed, night: int) -> AffectMind:
    by, at = event.sequence or 0, event.recorded_at
    gone = (
        affect_memory
        for affect_memory in mind.not_deleted(event.archived)
        if not affect_memory.protected and not affect_memory.archived
    )
    mind = mind.with_memories(
        _moved(affect_memory, by, level=ARCHIVED, archived_night=night, archived_at=at, relations=(), fresh=False)
        for affect_memory in gone
    )
    scores = {change.memory_id: change.score for change in event.revived}
    back = (affect_memory for affect_memory in mind.not_deleted(scores) if affect_memory.archived)
    # Age and score are reset together, so that the memory does not fall again in the same night. The recall that asked
    # for the revival reinforces the memory in the next night and is counted there, once (document 001, revival).
    return mind.with_memories(
        _moved(
            affect_memory,
            by,
            level=ARCHIVED - 1,
            kept=scores[affect_memory.memory_id],
            zero=float(night),
            recalled=True,
            archived_night=None,
            archived_at=None,
            asked_back_at=None,
            fresh=True,
        )
        for affect_memory in back
    )


def _reinforced(memory: AffectMemory, agent: AffectAgent, event: NightPassed) -> AffectMemory:
    """Return a recalled memory after the night: with a lower age and a higher coefficient."""
    zero, coefficient = reinforced(
        zero=memory.zero, coefficient=memory.coefficient, night=agent.nights, nights=event.nights, rules=agent.rules
    )
    return memory.replace(
        zero=zero,
        coefficient=coefficient,
        recall_count=memory.recall_count + 1,
        recalled=False,
        revision=memory.revision + 1,
        changed=event.sequence or 0,
    )


def _moved(memory: AffectMemory, by: int, **changes: object) -> AffectMemory:
    return memory.replace(**changes, revision=memory.revision + 1, changed=by)


def with_relations(mind: AffectMind, ties: Iterable[Tie], by: int) -> AffectMind:
    """Return a copy with these relations added. A relation that exists already is not added again.

    A relation is added even if its target does not exist or is archived, because later changes or the erasure of the
    target must not change the memory that has the relation. Code that follows a relation must check that its target
    exists.
    """
    for tie in ties:
        link = Link(to=tie.to, sort=tie.sort)
        mind = mind.with_memories(
            holder.replace(relations=(*holder.relations, link), changed=by)
            for holder in mind.not_deleted((tie.of,))
            if not holder.archived and tie.to != tie.of and link not in holder.relations
        )
    return mind


def without_relations(mind: AffectMind, ties: Iterable[Tie], by: int) -> AffectMind:
    """Return a copy without these relations."""
    gone: dict[UUID, set[tuple[UUID, str]]] = {}
    for tie in ties:
        gone.setdefault(tie.of, set()).add((tie.to, tie.sort))
    return mind.with_memories(
        affect_memory.replace(
            relations=tuple(
                link for link in affect_memory.relations if (link.to, link.sort) not in gone[affect_memory.memory_id]
            ),
            changed=by,
        )
        for affect_memory in mind.not_deleted(gone)
    )
