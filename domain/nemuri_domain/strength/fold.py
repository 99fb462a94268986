"""The fold of strength memory: the effect of each event on an agent and its memories."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import Any, get_args
from uuid import UUID

from nemuri_contracts.affective import AffectEvent
from nemuri_contracts.agents import ORGANISATION, AgentDefined, EmbeddingAdopted, MemoriesEmbedded, PolicyAdopted
from nemuri_contracts.client_events import Scope
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.colleagues import MemoriesHandedOver, MemoryCopied
from nemuri_contracts.conversations import FactsLearned
from nemuri_contracts.education import ChapterRead, CourseBegun, CourseFinished, ExerciseGraded, MemoriesReviewed
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_contracts.event import Event
from nemuri_contracts.principles import PrincipleDecided, PrincipleProposed
from nemuri_contracts.scorers import ScorerTrained
from nemuri_contracts.steps import AssignmentStepped
from nemuri_contracts.strength import (
    AgentSlept,
    ImpactCredited,
    LearningsExtracted,
    MemoriesConsolidated,
    MemoriesJudged,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryAmended,
    MemoryEncoded,
    MemoryRefused,
    RepetitionWithdrawn,
    Seen,
    SemanticMemorySplit,
    SessionEnded,
)
from nemuri_contracts.tiered import TiersEvent
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.strength.aggregate import Agent, Content, Memory, Mind, Scorer, rebased, with_strength
from nemuri_domain.strength.amendments import amended
from nemuri_domain.strength.decay import advance_by_days, advance_by_sessions, clock_of, stored_value
from nemuri_domain.strength.policy import LEVELS, Policy
from nemuri_domain.strength.principles import (
    DEFINITION,
    decided,
    principle_memory_id,
    proposed,
    redefined,
    without_erased,
)
from nemuri_domain.strength.reinforcement import (
    confirmed,
    credited,
    reactivated,
    reviewed,
    strengthened,
    taken_back,
    used,
)
from nemuri_domain.strength.relations import judged, with_relations
from nemuri_domain.strength.repetitions import repeated_text, text_id, with_repetition
from nemuri_domain.strength.semantic_memory import absorbed, semantic_state, split, unmoved, without_absorbers


def affected_memories(event: AnyAgentEvent) -> frozenset[UUID]:
    """Return the ids of the memories that `evolve` needs to fold the event, besides the memories that stand for them
    (`Mind.standing_for`) and the sources of erased semantic memories.
    """
    match event:
        case MemoriesRetrieved() | AssignmentStepped():
            return frozenset(event.in_context)
        case MemoriesUsed() | ImpactCredited() | MemoriesReviewed():
            return frozenset(event.memory_ids)
        case LearningsExtracted():
            return frozenset(repetition.memory_id for repetition in event.repetitions)
        case RepetitionWithdrawn():
            return frozenset({event.repetition.memory_id})
        case MemoryAmended():
            return frozenset({event.memory_id} if event.older is None else {event.memory_id, event.older})
        case MemoriesJudged():
            return frozenset(key for judgement in event.judgements for key in (judgement.memory_id, judgement.older))
        case AgentSlept():
            return frozenset(
                consolidated.memory_id for consolidated in (*event.consolidated, *event.archived, *event.pruned)
            )
        case MemoryEncoded():
            older = (relation.older for relation in event.relations)
            return frozenset({event.memory_id, *older, *(absorb.memory_id for absorb in event.absorbs)})
        case MemoryCopied():
            return frozenset({event.memory_id, *(relation.older for relation in event.relations)})
        case SemanticMemorySplit():
            return frozenset({event.memory_id, *event.sources})
        case AgentDefined():
            return frozenset(_principles(event))
        case PrincipleDecided(decision="adopt"):
            return frozenset({principle_memory_id(event.agent_id, event.text, event.scope)})
        case MemoriesErased():
            return frozenset((*event.memory_ids, *(memory.memory_id for memory in event.standing)))
        case _:
            return frozenset()


def evolve(mind: Mind, event: AnyAgentEvent) -> Mind:
    """Return the mind after `event`. Never raises: an event about an unknown memory or agent changes nothing."""
    if isinstance(event, AgentDefined):
        return _defined(mind, event)
    if isinstance(event, AgentErased):
        return Mind()
    agent = mind.agent
    if agent is None:
        return mind
    by = event.sequence or 0
    match event:
        case MemoryEncoded() | MemoryCopied():
            return _encoded(mind, agent, event)
        case MemoriesRetrieved() | AssignmentStepped():
            return _shown(mind, event.in_context, by)
        case MemoriesUsed():
            return mind.with_memories(used(agent, memory, event) for memory in _in_force(mind, event.memory_ids))
        case LearningsExtracted():
            return _repeated(mind, agent, event)
        case MemoriesReviewed():
            return mind.with_memories(reviewed(agent, memory, event) for memory in mind.standing_for(event.memory_ids))
        case ImpactCredited():
            return mind.with_memories(credited(agent, memory, event) for memory in _in_force(mind, event.memory_ids))
        case MemoriesJudged():
            return judged(mind, agent, event)
        case SessionEnded():
            return mind.with_agent(awake=tuple(dict.fromkeys((*agent.awake, event.assignment_id))))
        case AgentSlept():
            return _slept(mind, agent, event)
        case PolicyAdopted() if agent.definition.memory == "strength":
            return mind.with_agent(next_policy=event.parameters)
        case _:
            return _set_right(mind, agent, event)


def fold(events: Iterable[AnyAgentEvent], mind: Mind | None = None) -> Mind:
    """Return the mind after these events of its agent. A repeated event counts once."""
    return reduce(evolve, first_of_each(events), mind or Mind())


Correction = (
    RepetitionWithdrawn
    | SemanticMemorySplit
    | MemoryAmended
    | PrincipleProposed
    | PrincipleDecided
    | EmbeddingAdopted
    | ScorerTrained
    | MemoriesErased
)
"""Events that correct or erase memories, that concern principles, or that replace the embedding or the scorer."""
UnrelatedEvent = (
    MemoryRefused
    | MemoriesConsolidated
    | MemoriesHandedOver
    | FactsLearned
    | MemoriesEmbedded
    | CourseBegun
    | ChapterRead
    | ExerciseGraded
    | CourseFinished
    | PolicyAdopted
    | AffectEvent
    | TiersEvent
)
"""Events of an agent that do not change its strength memory. Some belong to other kinds of memory."""


AGENT_EVENTS: frozenset[type[Event]] = frozenset(get_args(AnyAgentEvent)) - frozenset(
    (MemoriesRetrieved, AssignmentStepped, ScorerTrained, *get_args(UnrelatedEvent))
) | {PolicyAdopted}
"""Events that may change the agent itself, with the totals of its memories. No other event changes it."""


def _set_right(mind: Mind, agent: Agent, event: Correction | UnrelatedEvent) -> Mind:
    by = event.sequence or 0
    match event:
        case RepetitionWithdrawn():
            return mind.with_memories(
                taken_back(agent, memory, event) for memory in mind.standing_for((event.repetition.memory_id,))
            )
        case SemanticMemorySplit():
            return split(mind, event.memory_id, event.sources, by=by)
        case MemoryAmended():
            return amended(mind, agent, event)
        case PrincipleProposed():
            return mind.with_agent(principles=proposed(agent, event))
        case PrincipleDecided():
            return _decided(mind, agent, event)
        case EmbeddingAdopted():
            return mind.with_agent(embedding=event.embedding)
        case ScorerTrained():
            return replace(mind, scorer=_scorer(event))
        case MemoriesErased():
            return _erased(mind, event)
        case _:
            return _unmoved(mind, event)


def _unmoved(mind: Mind, _: UnrelatedEvent) -> Mind:
    return mind


def _erased(mind: Mind, event: MemoriesErased) -> Mind:
    """Return the mind without the erased memories. The others get the states that the tombstone lists.

    The sources of an erased semantic memory become memories of their own again, unless they are erased too.
    """
    if event.memory_ids:
        gone = frozenset(event.memory_ids)
        mind = without_absorbers(mind, gone, by=event.sequence or 0).without_memories(event.memory_ids)
    if mind.agent is not None:
        mind = mind.with_agent(**without_erased(mind.agent, event.memory_ids))
    said = {memory.memory_id: dict(memory) for memory in event.standing}
    by = event.sequence or 0
    return mind.with_memories(memory.replace(**said[memory.memory_id], changed=by) for memory in mind.find(said))


def _scorer(event: ScorerTrained) -> Scorer:
    return Scorer(
        agent_id=event.agent_id,
        number=event.number,
        weights=event.weights,
        samples=event.samples,
        tasks=event.tasks,
        until=event.until,
        held_out=event.held_out,
        serves=event.serves,
        trained_at=event.at,
    )


def _defined(mind: Mind, event: AgentDefined) -> Mind:
    """Return the mind after a definition of its agent. The organisation has the same one always: its principles are
    only those that persons adopted.
    """
    if event.agent_id == ORGANISATION:
        event = event.model_copy(update={"definition": DEFINITION})
    if mind.agent is not None:
        return _back_in_mind(mind.with_agent(**redefined(mind.agent, event.definition)), mind.agent, event)
    policy = event.cloned.policy if event.cloned else {}
    agent = Agent(
        agent_id=event.agent_id,
        definition=event.definition,
        embedding=event.embedding,
        policy=policy,
        defined_at=event.at,
    )
    return replace(mind, agent=agent)


def _principles(event: AgentDefined) -> dict[UUID, tuple[str, Scope]]:
    """Return the principles of the definition. The key of each is the id of its memory."""
    held = event.definition.held
    return {principle_memory_id(event.agent_id, *principle): principle for principle in held}


def _decided(mind: Mind, agent: Agent, event: PrincipleDecided) -> Mind:
    """Return the mind after a person's decision on a principle. A principle that is adopted again is reactivated."""
    after = mind.with_agent(**decided(agent, event))
    if event.decision != "adopt":
        return after
    again = principle_memory_id(event.agent_id, event.text, event.scope)
    archived = [memory for memory in after.find((again,)) if memory.status == "archived"]
    return after.with_memories(reactivated(agent, memory, by=event.sequence or 0) for memory in archived)


def _back_in_mind(mind: Mind, before: Agent, event: AgentDefined) -> Mind:
    """Return the mind after a new definition lists memories as principles again that the one before did not list.

    Archived ones are reactivated. All of them get a new revision, so that a sleep that was already decided does not
    archive them.
    """
    by = event.sequence or 0
    again = [key for key, principle in _principles(event).items() if principle not in before.definition.held]
    archived = [memory for memory in mind.find(again) if memory.status == "archived"]
    mind = mind.with_memories(reactivated(before, memory, by=by) for memory in archived)
    return mind.with_memories(with_strength(before, memory, by=by, perspectives={}) for memory in mind.find(again))


def _shown(mind: Mind, memory_ids: Iterable[UUID], by: int) -> Mind:
    """Return the mind after these memories were put into a context.

    That is no use: only the candidate count changes (document 000 §3.5).
    """
    return mind.with_memories(
        memory.replace(candidate_count=memory.candidate_count + 1, changed=by)
        for memory in mind.standing_for(memory_ids)
    )


def _encoded(mind: Mind, agent: Agent, event: MemoryEncoded | MemoryCopied) -> Mind:
    if event.memory_id in mind.memories:
        return mind
    if isinstance(event, MemoryCopied):
        return _with_new(mind, _copied(agent, event), event, event.created_at)
    sources = unmoved(mind, event.absorbs)
    if len(sources) < len(event.absorbs):
        return mind
    stored_strength = stored_value(event.strength, agent.clocks[0])
    memory = Memory(
        memory_id=event.memory_id,
        agent_id=event.agent_id,
        person=event.memory.person or "",
        stored_strength=stored_strength,
        perspectives=dict.fromkeys(event.perspectives, stored_strength),
        unconfirmed=event.origin.provenance == "inferred",
        text_id=repeated_text(event),
        changed=event.sequence or 0,
    )
    mind, memory = with_repetition(mind, agent, memory, event)
    if sources:
        memory = semantic_state(agent, memory, sources)
    mind = mind.with_memories(absorbed(agent, source, event.memory_id, by=event.sequence or 0) for source in sources)
    return _with_new(mind, memory, event, event.at)


def _copied(agent: Agent, event: MemoryCopied) -> Memory:
    """Return the copy of another agent's memory. It has the strengths and the counts of the original."""
    clock = clock_of(event.status, event.level, agent.clocks)
    return Memory(
        memory_id=event.memory_id,
        agent_id=event.agent_id,
        person=event.memory.person or "",
        status=event.status,
        level=event.level,
        stored_strength=stored_value(event.strength, clock),
        perspectives={name: stored_value(strength, clock) for name, strength in event.strength_by_perspective.items()},
        candidate_count=event.candidate_count,
        access_count=event.access_count,
        effective_uses=event.effective_uses,
        impact_score=event.impact_score,
        unconfirmed=event.unconfirmed,
        pinned=event.pinned,
        absorbed_by=event.absorbed_by,
        last_accessed_at=event.last_accessed_at,
        archived_at=event.archived_at,
        text_id=text_id(event.memory) if event.absorbed_by is None else None,
        changed=event.sequence or 0,
    )


def content_of(event: MemoryEncoded | MemoryCopied, created_at: datetime) -> Content:
    """Return the content of a new memory."""
    return Content(
        memory_id=event.memory_id,
        agent_id=event.agent_id,
        memory=event.memory,
        links=event.links,
        vector=event.vector,
        source=event.source,
        origin=event.origin,
        experiences=event.experiences,
        created_at=created_at,
        created=event.sequence or 0,
    )


def _with_new(mind: Mind, memory: Memory, event: MemoryEncoded | MemoryCopied, created_at: datetime) -> Mind:
    """Return the mind with a new memory. The older memories that it contradicts or supersedes yield to it."""
    sequence, content = event.sequence or 0, content_of(event, created_at)
    mind = replace(mind, contents=mind.contents.set(event.memory_id, content)).with_memories((memory,))
    mind = mind.with_texts((memory,))
    if not event.relations:
        return mind
    return with_relations(mind, memory, event.relations, since=content.held_from, by=sequence)


def _in_force(mind: Mind, memory_ids: Iterable[UUID]) -> Iterable[Memory]:
    """Return the memories that stand for these and hold now. A superseded one gains nothing from a use."""
    return (memory for memory in mind.standing_for(memory_ids) if not memory.held_until)


def _repeated(mind: Mind, agent: Agent, event: LearningsExtracted) -> Mind:
    """Return the mind in which each memory that a learning repeats is reinforced as by one use."""
    more = agent.rules.strength_increment_on_use
    for repetition in event.repetitions:
        known = mind.standing_for((repetition.memory_id,))
        mind = mind.with_memories(strengthened(agent, memory, event, repetition.perspective, more) for memory in known)
        if repetition.confirms:
            again = mind.standing_for((repetition.memory_id,))
            mind = mind.with_memories(confirmed(agent, memory, by=event.sequence or 0) for memory in again)
    return mind


def _slept(mind: Mind, agent: Agent, event: AgentSlept) -> Mind:
    """Return the mind after a sleep, in the order of document 000 §3.7: levels, decay, archiving, pruning.

    Memories that have changed since the sleep was decided keep their level and status.
    """
    by = event.sequence or 0
    sessions = set(event.sessions)
    fresh = tuple(memory_id for memory_id in agent.awake if memory_id in sessions)
    unmoved = {
        consolidated.memory_id
        for consolidated in (*event.consolidated, *event.archived, *event.pruned)
        if consolidated.memory_id in mind.memories
        and mind.memories[consolidated.memory_id].revision == consolidated.revision
    }
    for change in event.consolidated:
        if change.memory_id in unmoved and change.level < LEVELS:
            memory = mind.memories[change.memory_id]
            mind = mind.with_memories((rebased(agent, memory, level=change.level, status=memory.status, by=by),))
    by_clock = event.aged if fresh else None
    mind = mind.with_agent(
        clocks=(
            advance_by_days(agent.clocks, agent.rules, by_clock.days)
            if by_clock
            else advance_by_sessions(agent.clocks, agent.rules, len(fresh))
        ),
        carried_days=by_clock.left if by_clock else agent.carried_days,
        carried_until=by_clock.until if by_clock else agent.carried_until,
        awake=tuple(memory_id for memory_id in agent.awake if memory_id not in sessions),
        slept=agent.slept + len(fresh),
        last_sleep=by,
        reviewed=agent.reviewed if event.unfinished else agent.last_sleep,
        last_slept_at=event.recorded_at if fresh else agent.last_slept_at,
    )
    mind = _archived(
        mind,
        (gone_memory for gone_memory in (*event.archived, *event.pruned) if gone_memory.memory_id in unmoved),
        event,
    )
    return mind if agent.next_policy is None else with_policy(mind, agent, agent.next_policy)


def with_policy(mind: Mind, agent: Agent, policy: Mapping[str, Any]) -> Mind:
    """Return the mind with these policy parameters in force. If the consolidation thresholds change, the next sleep
    examines all memories.
    """
    mind = mind.with_agent(policy=policy, next_policy=None)
    if Policy.of(policy).consolidation_thresholds == agent.rules.consolidation_thresholds:
        return mind
    return mind.with_agent(reviewed=0)


def _archived(mind: Mind, memories: Iterable[Seen], event: AgentSlept) -> Mind:
    if mind.agent is None:
        return mind
    agent = mind.agent
    for change in memories:
        memory = mind.memories[change.memory_id]
        if memory.status == "active":
            gone = rebased(agent, memory, level=memory.level, status="archived", by=event.sequence or 0)
            mind = mind.with_memories((gone.replace(archived_at=event.recorded_at),))
    return mind
