"""Principles of an agent or of the organisation: proposals from repeated corrections, and persons' decisions on them.

The organisation is an agent that takes no tasks. Its principles are part of the context of all agents.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import (
    EVERYWHERE,
    MAX_PRINCIPLES,
    ORGANISATION,
    AgentDefined,
    Definition,
    Embedding,
    Perspective,
)
from nemuri_contracts.client_events import Scope
from nemuri_contracts.event import OPERATOR, Event, derive
from nemuri_contracts.principles import (
    MAX_LESSONS,
    PRINCIPLE_LIMIT,
    PrincipleDecided,
    PrincipleDecisionGiven,
    PrincipleProposed,
    PrincipleRecord,
)
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.language.boilerplate import WORDLESS, is_wordless
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, Content
from nemuri_domain.strength.extracted_learning_decision import is_comparable
from nemuri_domain.strength.memory_content import principle_key

LEAST_LESSONS: Final = 3
"""Number of similar lessons from which a principle is proposed."""
MAX_ADOPTED: Final = 32
"""Maximum number of adopted principles of an agent, beside those of its definition file."""
MAX_RECORDS: Final = 256
"""Maximum number of principles that are recorded for an agent. Nothing is proposed above it."""
DEFINITION: Final = Definition(
    role="principles of the whole organisation", perspectives=(Perspective(name="principles"),)
)
"""Definition of the organisation as an agent."""

Changes = dict[str, Any]
"""Fields of an agent that change."""


def organisation_defined(cause: Event, embedding: Embedding) -> AgentDefined:
    """Return the event that defines the organisation. Its id does not depend on `cause`."""
    fields = {"definition": DEFINITION, "embedding": embedding, "agent_id": ORGANISATION, "correlation_id": None}
    return AgentDefined.following(cause, key=ORGANISATION, **fields)


def principle_memory_id(agent_id: str, text: str, scope: Scope = EVERYWHERE) -> UUID:
    """Return the id of the memory of an agent's principle."""
    return derive(principle_key(agent_id, text, scope), MemoryEncoded.kind_of())


def similar_lessons(
    new: Content,
    others: Iterable[Content],
    vectors: Mapping[str, NDArray[np.float32] | None] = MappingProxyType({}),
    *,
    same: float = 1.0,
) -> list[Content]:
    """Return `new` and the lessons of the same scope that share half of the words of the shorter text with it, or whose
    vectors have a cosine of at least `same`. `vectors` are those that are known, by key.
    """
    wanted, scope = terms(new.memory.content), new.memory.scope
    return [
        new,
        *(
            other
            for other in others
            if other.memory_id != new.memory_id
            and other.memory.scope == scope
            and is_comparable(_cosine(new, other, vectors), wanted, terms(other.memory.content), same=same)
        ),
    ][:MAX_LESSONS]


def _cosine(one: Content, other: Content, vectors: Mapping[str, NDArray[np.float32] | None]) -> float:
    """Return the cosine of two memories; 0 if a vector is unknown, or if the two have different embedders."""
    mine, others = vectors.get(one.vector), vectors.get(other.vector)
    if mine is None or others is None or one.vector.rpartition(".")[0] != other.vector.rpartition(".")[0]:
        return 0.0
    return float(mine @ others)


def proposal(cause: Event, target: str, known: Agent | None, lessons: Sequence[Content]) -> PrincipleProposed | None:
    """Return the proposal of a principle that similar lessons support; None if they are too few.

    A lesson that supported an earlier proposal for `target` does not count, whatever was decided on it. For the
    organisation, the lessons must come from at least two agents. `known` is the state of `target`, if it exists.
    """
    records = known.principles if known else ()
    spent = {lesson for record in records for lesson in record.lessons}
    fresh = [lesson for lesson in lessons if lesson.memory_id not in spent]
    agents = tuple(dict.fromkeys(lesson.agent_id for lesson in fresh))
    if len(fresh) < LEAST_LESSONS or len(records) >= MAX_RECORDS or (target == ORGANISATION and len(agents) < 2):
        return None
    return PrincipleProposed.following(
        cause,
        key=_proposal_key(lessons[0].memory_id, target),
        agent_id=target,
        correlation_id=None,
        text=central_text([lesson.memory.content for lesson in fresh])[:PRINCIPLE_LIMIT],
        scope=fresh[0].memory.scope,
        lessons=tuple(lesson.memory_id for lesson in fresh),
        agents=agents,
    )


def _proposal_key(lesson: UUID, target: str) -> str:
    return f"{lesson}/{target}"


def proposal_id(lesson: UUID, target: str) -> UUID:
    """Return the id of the proposal for an agent or the organisation that a lesson completes."""
    return derive(_proposal_key(lesson, target), PrincipleProposed.kind_of())


def central_text(texts: Sequence[str]) -> str:
    """Return the text that shares most words with the others; the first one of several."""
    words = [set(terms(text)) for text in texts]
    shared = [sum(_likeness(mine, others) for others in words) for mine in words]
    return texts[shared.index(max(shared))]


def _likeness(one: Collection[str], other: Collection[str]) -> float:
    """Return the Dice coefficient of two sets of words, 0 to 1."""
    return 2 * len({*one} & {*other}) / max(1, len(one) + len(other))


def decision_refusal(event: PrincipleDecisionGiven, agent: Agent | None) -> str | None:
    """Return the reason for refusing a person's decision; None if it is accepted.

    Only an operator decides. `agent` is the agent or the organisation; None if it does not exist yet.
    """
    if event.client_id != OPERATOR:
        return f"client {event.client_id} is no operator; only an operator decides on principles"
    if agent is None:
        return None if event.agent_id == ORGANISATION and event.principle_id is None else "there is no such principle"
    if agent.definition.memory != "strength":
        return f"{agent.agent_id} has no principles, because its memory is {agent.definition.memory}"
    if event.principle_id is None:
        return _adoption_refusal(event.text or "", event.scope or EVERYWHERE, agent)
    known = _record(agent, event.principle_id)
    if known is None:
        return f"{agent.agent_id} has no principle {event.principle_id}"
    wanted = "adopted" if event.decision == "retire" else "proposed"
    if known.standing != wanted:
        return f"the principle is {known.standing}; only a principle that is {wanted} can be {_PAST[event.decision]}"
    return (
        _adoption_refusal(event.text or known.text, event.scope or known.scope, agent)
        if event.decision == "adopt"
        else None
    )


_PAST: Final = {"adopt": "adopted", "reject": "rejected", "retire": "retired"}


def _adoption_refusal(text: str, scope: Scope, agent: Agent) -> str | None:
    if is_wordless(text):
        return WORDLESS
    if (text, scope) in agent.definition.held:
        return f"{agent.agent_id} has this principle already"
    if sum(principle.standing == "adopted" for principle in agent.principles) >= MAX_ADOPTED:
        return f"{agent.agent_id} has {MAX_ADOPTED} adopted principles; retire one first"
    return None


def decision(event: PrincipleDecisionGiven, agent: Agent | None) -> PrincipleDecided:
    """Return the decision that an accepted event makes. The id of an own principle is that of the decision's cause."""
    known = _record(agent, event.principle_id) if agent and event.principle_id else None
    return PrincipleDecided.following(
        event,
        agent_id=event.agent_id,
        decision=event.decision,
        principle_id=event.principle_id or event.event_id,
        text=event.text or (known.text if known else ""),
        scope=event.scope or (known.scope if known else EVERYWHERE),
        lessons=known.lessons if known else (),
        asked_by=event.client_id,
    )


def proposed(agent: Agent, event: PrincipleProposed) -> tuple[PrincipleRecord, ...]:
    """Return the records after a proposal. A proposal that shares a lesson with an earlier one changes nothing."""
    spent = {lesson for record in agent.principles for lesson in record.lessons}
    if spent & set(event.lessons):
        return agent.principles
    record = PrincipleRecord(
        principle_id=event.event_id,
        text=event.text,
        scope=event.scope,
        standing="proposed",
        lessons=event.lessons,
        agents=event.agents,
    )
    return (*agent.principles, record)


def decided(agent: Agent, event: PrincipleDecided) -> Changes:
    """Return the changes of an agent by a person's decision on a principle."""
    known = _record(agent, event.principle_id)
    record = PrincipleRecord(
        principle_id=event.principle_id,
        text=event.text,
        scope=event.scope,
        standing=_STANDINGS[event.decision],
        lessons=event.lessons,
        agents=known.agents if known else (),
        decided_by=event.asked_by,
    )
    others = (principle for principle in agent.principles if principle.principle_id != event.principle_id)
    return _with_records(agent, agent.definition, (*others, record))


_STANDINGS: Final[Mapping[str, Any]] = {"adopt": "adopted", "reject": "rejected", "retire": "retired"}


def redefined(agent: Agent, definition: Definition) -> Changes:
    """Return the changes of an agent by a new definition. Adopted principles stay in force, except for those that the
    definition lists itself, which belong to it from now on.
    """
    records = tuple(
        principle.model_copy(update={"standing": "retired"})
        if principle.standing == "adopted" and (principle.text, principle.scope) in definition.held
        else principle
        for principle in agent.principles
    )
    return _with_records(agent.replace(principles=()), definition, records)


def own_definition(agent: Agent) -> Definition:
    """Return an agent's definition without the principles that persons adopted for it."""
    return _with_records(agent, agent.definition, ())["definition"]  # type: ignore[no-any-return]


def without_erased(agent: Agent, memory_ids: Collection[UUID]) -> Changes:
    """Return the changes of an agent by the erasure of memories: principles whose id or memory is erased are gone."""
    gone = set(memory_ids)
    kept = tuple(
        principle
        for principle in agent.principles
        if principle.principle_id not in gone
        and principle_memory_id(agent.agent_id, principle.text, principle.scope) not in gone
    )
    return {} if kept == agent.principles else _with_records(agent, agent.definition, kept)


def _with_records(agent: Agent, definition: Definition, records: tuple[PrincipleRecord, ...]) -> Changes:
    """Return the changes that make `records` the agent's principles, and its adopted ones part of the definition."""
    before = {_held(principle) for principle in agent.principles if principle.standing == "adopted"}
    own = [principle for principle in definition.held if principle not in before]
    adopted = [_held(record) for record in records if record.standing == "adopted"]
    held = [*dict.fromkeys((*own, *adopted))][:MAX_PRINCIPLES]
    principles = tuple(text if scope == EVERYWHERE else {"text": text, "scope": scope} for text, scope in held)
    whole = Definition.model_validate(dict(definition) | {"principles": principles})
    return {"definition": whole, "principles": records}


def _held(record: PrincipleRecord) -> tuple[str, Scope]:
    return record.text, record.scope


def _record(agent: Agent, principle_id: UUID) -> PrincipleRecord | None:
    return next((principle for principle in agent.principles if principle.principle_id == principle_id), None)
