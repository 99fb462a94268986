"""An agent in memory: one process does the work of all services, with the same functions and events.

Retrieval, answer, usage detection and sleep follow each other without a log, projections or servers. Learnings, details
and feedback are left out, because the experiments do not measure them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri.experiments.corpus import KEYWORDS, CorpusPassage, CorpusTask
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.event import Event, derive
from nemuri_contracts.strength import Candidate, MemoriesRetrieved, MemoriesUsed, Use
from nemuri_contracts.tasks import TaskAssigned
from nemuri_domain.counterfactual.mind_index import index_of
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength import sleep, usage_detection
from nemuri_domain.strength.aggregate import Agent, Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.memory_content import embedded_text, encoded, new_memory
from nemuri_domain.strength.query_texts import query_texts
from nemuri_domain.strength.ranking import selected, version
from nemuri_domain.strength.retrieval import RetrievalQuery, retrieved
from nemuri_domain.strength.retrieval_index import AgentIndex
from nemuri_domain.strength.sleep_input import sleep_input_of
from nemuri_domain.strength.usage_detection import ContextMemory
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.models.sources import Source

Regime = Literal["use", "retrieval", "none"]
"""The event that strengthens a memory: its use by an answer, its retrieval into the context, or none.

With "none", memories do not decay either.
"""

BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)
AGENT: Final = "experiment"
DEFINITION: Final = Definition(
    role="reference", perspectives=tuple(Perspective(name=name, keywords=words) for name, words in KEYWORDS.items())
)


def memory_id(passage: CorpusPassage) -> UUID:
    """Return the id of the memory made from a passage. It is the same in every agent."""
    return derive(passage.text, "memory_encoded")


@dataclass(frozen=True, slots=True)
class TaskRetrieval:
    """The memories that were retrieved for a task, and those of them that the answer cited."""

    order: tuple[UUID, ...]
    """All candidates, best first."""
    candidates: tuple[Candidate, ...]
    context: tuple[UUID, ...]
    cited: tuple[UUID, ...]
    expansions: dict[str, str]


@dataclass(slots=True)
class InMemoryAgent:
    """An agent that remembers a set of passages and processes one task after the other."""

    regime: Regime
    vectors: "TextVectors"
    mind: Mind = field(default_factory=Mind)
    history: list[AnyAgentEvent] = field(default_factory=list)
    """All events of the agent, in the order in which a log would hold them."""
    model: ExtractiveModel = field(default_factory=ExtractiveModel)
    tasks_processed: int = 0
    """Number of tasks processed so far."""
    index: AgentIndex = field(init=False)

    def __post_init__(self) -> None:
        self.index = AgentIndex(self.vectors.embedder.dimension)

    @classmethod
    async def remembering(
        cls, passages: Sequence[CorpusPassage], regime: Regime, vectors: "TextVectors"
    ) -> "InMemoryAgent":
        """Return a new agent with one memory for each passage, all encoded at the same moment."""
        living = cls(regime, vectors)
        embedding = Embedding(model=vectors.embedder.model, dimension=vectors.embedder.dimension)
        beginning_of = AgentDefined(
            event_id=derive(AGENT, "agent_defined"), agent_id=AGENT, definition=DEFINITION, embedding=embedding
        )
        living.apply(beginning_of)
        contents = [MemoryContent(content=each.text, tags=keywords(each.text)) for each in passages]
        ids = [memory_id(each) for each in passages]
        rows = await vectors.of([embedded_text(each) for each in contents])
        for passage, content in zip(passages, contents, strict=True):
            new = new_memory(living.agent, content, "in-memory")
            living.apply(encoded(beginning_of, new, key=passage.text, source="manual"))
        living.index = index_of(living.mind, dict(zip(ids, rows, strict=True)), vectors.embedder.dimension)
        return living

    @property
    def agent(self) -> Agent:
        """Return the state of the agent. Raises LookupError if the agent is not defined yet."""
        if self.mind.agent is None:
            raise LookupError("the agent has not been defined")
        return self.mind.agent

    @property
    def now(self) -> datetime:
        """Return the time of the present task. Tasks follow at equal intervals, at the rate that the policy expects."""
        return BEGINNING + timedelta(days=self.tasks_processed / self.agent.rules.expected_tasks_per_day)

    def apply(self, event: AnyAgentEvent) -> None:
        """Fold an event into the state, with the number and time that the log would give it."""
        at = BEGINNING if self.mind.agent is None else self.now
        known = event.model_copy(update={"sequence": len(self.history) + 1, "recorded_at": at})
        self.history.append(known)
        self.mind = evolve(self.mind, known)

    async def recall(self, task: CorpusTask) -> TaskRetrieval:
        """Return the memories retrieved for a task and those cited by the answer. The agent does not change."""
        query, agent = task.query, self.agent
        wording = query_texts(agent, query)
        asked = RetrievalQuery.of(wording, await self.vectors.of([each.text for each in wording.every]), Setting())
        self.index.set_states([*self.mind.memories.values()])
        found = retrieved(agent, self.index, asked, perspective=task.needed.area, now=self.now)
        candidates = found.candidates
        if self.regime == "none":
            candidates = tuple(
                sorted(candidates, key=lambda candidate: (-candidate.relevance, str(candidate.memory_id)))
            )
        context = selected(candidates, agent.rules, top=None, seed=0, items=len(wording.items)).memory_ids
        order = tuple(candidate.memory_id for candidate in candidates)
        return TaskRetrieval(order, candidates, context, await self._cited(task, context), dict(wording.expansions))

    async def process(self, task: CorpusTask) -> TaskRetrieval:
        """Process a whole task: retrieval, answer, usage detection, end of the session, and the sleep over it.

        Returns the retrieved and the cited memories. With the regime "none" no event is recorded and no memory changes.
        """
        self.tasks_processed += 1
        recalled = await self.recall(task)
        if self.regime == "none":
            return recalled
        assigned = _assigned(self.tasks_processed, task)
        retrieved = self._retrieved(assigned, task, recalled)
        self.apply(retrieved)
        used = recalled.cited if self.regime == "use" else recalled.context
        self.apply(
            MemoriesUsed.following(
                retrieved,
                assignment_id=assigned.assignment_id,
                perspective=task.needed.area,
                uses=[Use(memory_id=each, method="citation") for each in used],
            )
        )
        self._sleep(assigned)
        return recalled

    def _sleep(self, assigned: TaskAssigned) -> None:
        ended = usage_detection.session_end(assigned, assigned.assignment_id, AGENT)
        self.apply(ended)
        tired = sleep_input_of(self.mind)
        slept = sleep.decide(ended, tired) if tired else None
        while slept:
            self.apply(slept)
            known, tired = slept.model_copy(update={"sequence": len(self.history)}), sleep_input_of(self.mind)
            slept = sleep.continue_sleep(known, tired) if tired else None

    async def _cited(self, task: CorpusTask, context: Sequence[UUID]) -> tuple[UUID, ...]:
        labels = {f"m{number}": each for number, each in enumerate(context, 1)}
        sources = tuple(Source(label, self.mind.contents[each].memory.content) for label, each in labels.items())
        job = AnswerJob(
            role=DEFINITION.role, system_prompt="", perspective=task.needed.area, question=task.query,
            memories=sources, details=(),
        )  # fmt: skip
        answer = answer_of((await self.model.do(job)).value)
        shown = [ContextMemory(each, self.mind.contents[each].memory.tags) for each in context]
        # The extractive model cites completely, so only its citations are used.
        citations = [labels[each] for each in answer.cited if each in labels]
        used = usage_detection.detect_uses(answer.text, citations, shown, complete=answer.complete)
        return tuple(use.memory_id for use in used)

    def _retrieved(self, cause: Event, task: CorpusTask, recalled: TaskRetrieval) -> MemoriesRetrieved:
        return MemoriesRetrieved.following(
            cause,
            agent_id=AGENT,
            assignment_id=cause.event_id,
            query=task.query,
            terms=tuple(terms(task.query)),
            expansions=recalled.expansions,
            vector="in-memory",
            perspective=task.needed.area,
            setting=Setting(),
            seed=0,
            ranking=version(self.agent.rules),
            candidates=recalled.candidates,
            selected=recalled.context,
        )


def _assigned(number: int, task: CorpusTask) -> TaskAssigned:
    return TaskAssigned(
        event_id=derive(number, "task_assigned"),
        correlation_id=derive(number, "task_submitted"),
        agent_id=AGENT,
        part=0,
        perspective=task.needed.area,
        attempt=1,
    )


@dataclass(slots=True)
class TextVectors:
    """A cache of text vectors. Each vector is computed once."""

    embedder: BuiltInEmbedder = field(default_factory=BuiltInEmbedder)
    made: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    async def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension)."""
        missing = [text for text in dict.fromkeys(texts) if text not in self.made]
        if missing:
            self.made |= zip(missing, await self.embedder.embed_documents(missing), strict=True)
        return np.stack([self.made[text] for text in texts])
