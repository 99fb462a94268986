"""Deduplication of learnings. Each is compared with the agent's memories and the other learnings of its session."""

import asyncio
from collections.abc import Collection, Sequence
from uuid import UUID

import structlog

from nemuri_contracts.event import Usage
from nemuri_contracts.strength import Dropped, NewMemory, Origin, Repetition
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.extracted_learning_decision import (
    CandidateLearning,
    KeptLearning,
    LearningDecision,
    RepeatedLearning,
    Verdicts,
    decide_learning,
    is_comparable,
)
from nemuri_domain.strength.memory_content import embedded_text, new_memory
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.protocol import Comparisons, Model, ModelRefused, RelationsJob, Reply, Source
from nemuri_infra.retrieval.agent_indexes import AgentIndexes
from nemuri_infra.runtime.resources import Resources

minds = AgentIndexes()
logger = structlog.get_logger()

DecidedLearnings = tuple[tuple[NewMemory, ...], tuple[Repetition, ...], tuple[Dropped, ...]]
"""New memories, repetitions that reinforce an existing memory, and dropped learnings."""


async def decide_learnings(
    agent: Agent, learnings: Sequence[CandidateLearning], used: Collection[UUID], origin: Origin, resources: Resources
) -> tuple[DecidedLearnings, Usage | None]:
    """Return the decisions on a session's learnings, and the usage of the model; None if no model compared them.

    `used` are the ids of the memories that the answer used. The vectors of all learnings are stored. If two concurrent
    sessions learn the same, neither sees the other's learning, and both learnings become memories.
    """
    older = await asyncio.gather(
        *(minds.near(resources, agent, embedded_text(each.memory), each.memory.scope) for each in learnings)
    )
    texts = [embedded_text(each.memory) for each in learnings]
    vectors = resources.vectors.with_embedder_of(agent.embedding)
    rows = await vectors.of(texts)
    alike = rows @ rows.T if len(rows) else rows
    words = [terms(text) for text in texts]
    doubles = [
        (one, two)
        for one in range(len(learnings))
        for two in range(one)
        if is_comparable(float(alike[one, two]), words[one], words[two])
    ]
    reply = await _compare_pairs(_job(learnings, older, doubles), resources.models.light)
    comparisons = reply.value if reply else {}
    verdicts = _verdicts(older, doubles, comparisons)
    decisions = [decide_learning(each, verdict, used) for each, verdict in zip(learnings, verdicts, strict=True)]
    links = tuple(used)
    made = [
        (each, new_memory(agent, each.memory, vectors.key(text), origin=origin, links=links))
        for each, text in zip(learnings, texts, strict=True)
    ]
    return _sorted(made, decisions), reply.usage if reply else None


def _job(
    learnings: Sequence[CandidateLearning], older: Sequence[Sequence[Remembered]], doubles: Sequence[tuple[int, int]]
) -> RelationsJob:
    labels = _labels(older)
    known = {content.memory_id: content.memory.content for found in older for content, _ in found}
    pairs = [
        *((f"n{at}", labels[content.memory_id]) for at, found in enumerate(older, 1) for content, _ in found),
        *((f"n{one + 1}", f"n{two + 1}") for one, two in doubles),
    ]
    return RelationsJob(
        new=tuple(Source(f"n{at}", each.memory.content) for at, each in enumerate(learnings, 1)),
        older=tuple(Source(label, known[memory_id]) for memory_id, label in labels.items()),
        pairs=tuple(pairs),
    )


def _labels(older: Sequence[Sequence[Remembered]]) -> dict[UUID, str]:
    known = dict.fromkeys(content.memory_id for found in older for content, _ in found)
    return {memory_id: f"o{at}" for at, memory_id in enumerate(known, 1)}


def _verdicts(
    older: Sequence[Sequence[Remembered]], doubles: Sequence[tuple[int, int]], comparisons: Comparisons
) -> list[Verdicts]:
    labels = _labels(older)
    return [
        Verdicts(
            older=[(each, comparisons.get((f"n{at + 1}", labels[each[0].memory_id]), "unrelated")) for each in found],
            doubled=any(comparisons.get((f"n{at + 1}", f"n{two + 1}")) == "same" for one, two in doubles if one == at),
        )
        for at, found in enumerate(older)
    ]


def _sorted(
    made: Sequence[tuple[CandidateLearning, NewMemory]], decisions: Sequence[LearningDecision]
) -> DecidedLearnings:
    kept: list[NewMemory] = []
    repeated: list[Repetition] = []
    dropped: list[Dropped] = []
    for (learning, new), one in zip(made, decisions, strict=True):
        match one:
            case KeptLearning(relations):
                kept.append(new.model_copy(update={"relations": relations}))
            case RepeatedLearning(memory_id):
                repeated.append(Repetition(memory_id=memory_id, perspective=learning.perspective, learning=new))
            case Dropped():
                dropped.append(one)
    return tuple(kept), tuple(repeated), tuple(dropped)


async def _compare_pairs(job: RelationsJob, model: Model) -> Reply[Comparisons] | None:
    """Return the model's comparisons; None if there is nothing to compare or the model refuses.

    Without comparisons, no learning counts as a repetition or as related to another memory.
    """
    if not job.pairs:
        return None
    try:
        return await model.relations(job)
    except ModelRefused as error:
        logger.warning("nothing compared", service="attribution", why=log_safe(error))
        return None
