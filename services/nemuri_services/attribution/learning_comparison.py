"""Deduplication of learnings. Each is compared with the agent's memories and the other learnings of its session."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from nemuri_contracts.event import Usage
from nemuri_contracts.strength import Dropped, NewMemory, Origin, Relation, Repetition
from nemuri_domain.language.statement_comparison import UNRELATED
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.extracted_learning_decision import (
    CandidateLearning,
    KeptLearning,
    LearningDecision,
    RepeatedLearning,
    Verdicts,
    compared_statements,
    decide_learning,
    is_comparable,
    verdict_on,
)
from nemuri_domain.strength.memory_content import embedded_text, new_memory
from nemuri_domain.tasks.session_entry import Grounds, entry_content, merged_relations
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.jobs.statement_relations import Comparisons, RelationsJob
from nemuri_infra.models.protocol import Model
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.retrieval.strength_recall import memories_near
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors


@dataclass(frozen=True, slots=True)
class FinishedSession:
    """A finished session: what was asked, what happened, and what its answer rested on."""

    question: str
    happened: str
    """The model's account; "" if it gave none."""
    used: Collection[UUID]
    """Ids of the memories that the answer used."""
    grounds: Grounds
    origin: Origin
    """Client, task and documents. The provenance is decided from `grounds`."""

    def origin_of(self, learnings: Sequence[CandidateLearning]) -> Origin:
        """Return the origin of these learnings, with their provenance."""
        known = self.grounds.provenance(learning.memory.content for learning in learnings)
        return self.origin.model_copy(update={"provenance": known})


@dataclass(frozen=True, slots=True)
class DecidedLearnings:
    """Decisions on the learnings of a session."""

    entry: NewMemory | None = None
    """The memory of the session; None if no learning is new."""
    repetitions: tuple[Repetition, ...] = ()
    dropped: tuple[Dropped, ...] = ()


async def decide_learnings(
    agent: Agent, learnings: Sequence[CandidateLearning], session: FinishedSession, resources: Resources
) -> tuple[DecidedLearnings, Usage | None]:
    """Return the decisions on a session's learnings, and the usage of the model; None if no model compared them.

    The vectors of the entry and of all learnings are stored. If two concurrent sessions learn the same, neither sees
    the other's learning, and both become memories.
    """
    older = await asyncio.gather(
        *(
            memories_near(
                resources,
                agent,
                embedded_text(learning.memory),
                learning.memory.scope,
                person=learning.memory.person,
            )
            for learning in learnings
        )
    )
    texts = [embedded_text(learning.memory) for learning in learnings]
    vectors = await calibrated_vectors(resources, agent)
    rows = await vectors.of(texts)
    alike = rows @ rows.T if len(rows) else rows
    words = [terms(text) for text in texts]
    doubles = [
        (one, two)
        for one in range(len(learnings))
        for two in range(one)
        if is_comparable(float(alike[one, two]), words[one], words[two], same=vectors.thresholds.same)
    ]
    job = _PairedStatements.of(learnings, older, doubles)
    reply = await _compare_pairs(job.job, resources.models.light)
    verdicts = job.verdicts(older, doubles, reply.value if reply else {})
    decisions = [
        decide_learning(learning, verdict, session.used) for learning, verdict in zip(learnings, verdicts, strict=True)
    ]
    decided = await _sorted(agent, learnings, decisions, session, vectors)
    return decided, reply.usage if reply else None


@dataclass(frozen=True, slots=True)
class _PairedStatements:
    """The job of the comparison, and the labels in it of each older memory's statements, by perspective."""

    job: RelationsJob
    labels: dict[tuple[UUID, str | None], str]

    @classmethod
    def of(
        cls,
        learnings: Sequence[CandidateLearning],
        older: Sequence[Sequence[Remembered]],
        doubles: Sequence[tuple[int, int]],
    ) -> "_PairedStatements":
        """Return the pairs of each learning with the statements of its older memories and with its doubles."""
        texts: dict[tuple[UUID, str | None], str] = {}
        wanted: list[tuple[int, tuple[UUID, str | None]]] = []
        for at, (learning, found) in enumerate(zip(learnings, older, strict=True), 1):
            for content, _ in found:
                for perspective, text in compared_statements(learning, content).items():
                    texts[content.memory_id, perspective] = text
                    wanted.append((at, (content.memory_id, perspective)))
        labels = {key: f"o{number}" for number, key in enumerate(texts, 1)}
        pairs = [
            *((f"n{at}", labels[key]) for at, key in wanted),
            *((f"n{one + 1}", f"n{two + 1}") for one, two in doubles),
        ]
        new = tuple(Source(f"n{at}", new_learning.memory.content) for at, new_learning in enumerate(learnings, 1))
        known = tuple(Source(labels[key], text) for key, text in texts.items())
        return cls(RelationsJob(new, known, tuple(pairs)), labels)

    def verdicts(
        self, older: Sequence[Sequence[Remembered]], doubles: Sequence[tuple[int, int]], comparisons: Comparisons
    ) -> list[Verdicts]:
        """Return the verdicts on each learning, in order."""
        found = []
        for at, near in enumerate(older):
            said = []
            for content, memory in near:
                mine = {
                    perspective: comparisons.get((f"n{at + 1}", label), UNRELATED)
                    for (memory_id, perspective), label in self.labels.items()
                    if memory_id == content.memory_id
                }
                said.append(verdict_on(memory, mine))
            doubled = any(
                comparisons.get((f"n{at + 1}", f"n{two + 1}"), UNRELATED).comparison == "same"
                for one, two in doubles
                if one == at
            )
            found.append(Verdicts(said, doubled))
        return found


async def _sorted(
    agent: Agent,
    learnings: Sequence[CandidateLearning],
    decisions: Sequence[LearningDecision],
    session: FinishedSession,
    vectors: Vectors,
) -> DecidedLearnings:
    kept: list[CandidateLearning] = []
    relations: list[Relation] = []
    repeated: list[Repetition] = []
    dropped: list[Dropped] = []
    for learning, one in zip(learnings, decisions, strict=True):
        match one:
            case KeptLearning():
                kept.append(learning)
                relations += one.relations
            case RepeatedLearning(memory):
                origin = session.origin_of([learning])
                key = vectors.key(embedded_text(learning.memory))
                again = new_memory(agent, learning.memory, key, origin=origin, links=tuple(session.used))
                confirms = memory.unconfirmed and origin.provenance != "inferred"
                repeated.append(
                    Repetition(
                        memory_id=memory.memory_id,
                        perspective=learning.perspective,
                        learning=again,
                        confirms=confirms,
                    )
                )
            case Dropped():
                dropped.append(one)
    entry = await _entry(agent, kept, relations, session, vectors) if kept else None
    return DecidedLearnings(entry, tuple(repeated), tuple(dropped))


async def _entry(
    agent: Agent,
    kept: Sequence[CandidateLearning],
    relations: Sequence[Relation],
    session: FinishedSession,
    vectors: Vectors,
) -> NewMemory:
    """Return the memory of a session in which these learnings are new. Its vector is stored."""
    new = {learning.perspective: learning.memory.content for learning in kept}
    memory = entry_content(
        session.question, session.happened, new, scope=kept[0].memory.scope, person=kept[0].memory.person
    )
    text = embedded_text(memory)
    await vectors.store_missing([text])
    made = new_memory(agent, memory, vectors.key(text), origin=session.origin_of(kept), links=tuple(session.used))
    return made.model_copy(update={"relations": merged_relations(relations)})


async def _compare_pairs(job: RelationsJob, model: Model) -> Reply[Comparisons] | None:
    """Return the model's comparisons; None if there is nothing to compare or the model refuses.

    Without comparisons, no learning counts as a repetition or as related to another memory.
    """
    if not job.pairs:
        return None
    return await reply_or_none(model, job, "nothing compared")
