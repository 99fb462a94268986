"""An agent of an experiment. It lives on a platform in memory, so the services do for it what they do for any agent.

Routing, documents and feedback have no part in the experiments.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, Self, TypeVar
from uuid import UUID

from nemuri.experiments.corpus import KEYWORDS, CorpusPassage, CorpusTask
from nemuri_contracts.agents import AgentDefined, Definition, Perspective
from nemuri_contracts.client_events import MemoryContent, Setting, TaskSubmitted
from nemuri_contracts.event import OPERATOR, Event, derive
from nemuri_contracts.strength import Candidate, MemoriesRetrieved, MemoriesUsed, SessionEnded, Use
from nemuri_contracts.tasks import TaskAnswered, TaskAssigned, TaskSummarised
from nemuri_domain.language.keywords import keywords
from nemuri_domain.strength.aggregate import Agent, Mind
from nemuri_domain.strength.memory_content import embedded_text, encoded, new_memory
from nemuri_domain.strength.ranking import selected
from nemuri_domain.strength.usage_detection import session_end
from nemuri_infra.in_memory.services import InMemoryServices
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service
from nemuri_services.service_registry import SERVICES

Regime = Literal["use", "retrieval", "none"]
"""The event that strengthens a memory: its use by an answer, its retrieval into the context, or none.

With "none", memories do not decay either.
"""

BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)
AGENT: Final = "experiment"
DEFINITION: Final = Definition(
    role="reference", perspectives=tuple(Perspective(name=name, keywords=words) for name, words in KEYWORDS.items())
)
E = TypeVar("E", bound=Event)


def memory_id(passage: CorpusPassage) -> UUID:
    """Return the id of the memory made from a passage. It is the same in every agent."""
    return derive(passage.text, "memory_encoded")


def _strengthening_what_is_retrieved() -> Service:
    """Return a service in place of attribution, which counts all memories in the context as used."""
    service = Service("attribution")

    @service.handles(TaskAnswered)
    async def use_all(event: TaskAnswered, resources: Resources) -> Sequence[MemoriesUsed | SessionEnded]:
        work = (await resources.tasks.state(event)).assignments[event.assignment_id]
        uses = tuple(Use(memory_id=recalled.memory_id, method="citation") for recalled in work.retrieved or ())
        fields = {"assignment_id": work.assignment_id, "perspective": work.perspective, "uses": uses}
        return [
            MemoriesUsed.following(event, **fields),
            session_end(event, work.assignment_id, work.agent_id),
        ]

    return service


@dataclass(frozen=True, slots=True)
class TaskRetrieval:
    """The memories that were retrieved for a task, and those of them that the answer cited."""

    candidates: tuple[Candidate, ...]
    context: tuple[UUID, ...]
    cited: tuple[UUID, ...]

    @property
    def order(self) -> tuple[UUID, ...]:
        """Return all candidates, best first."""
        return tuple(candidate.memory_id for candidate in self.candidates)


@dataclass(slots=True)
class TaskTime:
    """The time of an experiment. Tasks follow at equal intervals."""

    tasks: int = 0
    """Number of tasks processed so far."""
    tasks_per_day: float = 1.0

    def now(self) -> datetime:
        """Return the time of the present task."""
        return BEGINNING + timedelta(days=self.tasks / self.tasks_per_day)


@dataclass(slots=True)
class ExperimentAgent:
    """An agent that remembers a set of passages and processes one task after the other."""

    regime: Regime
    platform: InMemoryServices
    time: TaskTime

    @classmethod
    async def remembering(cls, passages: Sequence[CorpusPassage], regime: Regime) -> Self:
        """Return a new agent with one memory for each passage, all encoded at the same moment."""
        attribution = _strengthening_what_is_retrieved() if regime == "retrieval" else SERVICES["attribution"]
        others = ("intake", "specialist", "strength-sleep")
        time = TaskTime()
        platform = await InMemoryServices.of([*(SERVICES[name] for name in others), attribution], now=time.now)
        vectors = platform.resources.vectors
        beginning = AgentDefined(
            event_id=derive(AGENT, "agent_defined"), agent_id=AGENT, definition=DEFINITION, embedding=vectors.embedding
        )
        await platform.append(beginning)
        living = cls(regime, platform, time)
        time.tasks_per_day = living.agent.rules.expected_tasks_per_day
        contents = [MemoryContent(content=passage.text, tags=keywords(passage.text)) for passage in passages]
        new = [new_memory(living.agent, content, vectors.key(embedded_text(content))) for content in contents]
        memories = zip(passages, new, strict=True)
        await platform.append(*(encoded(beginning, memory, key=one.text, source="manual") for one, memory in memories))
        return living

    @property
    def mind(self) -> Mind:
        """Return the agent's state with all its memories."""
        return self.platform.projections.minds[AGENT]

    @property
    def agent(self) -> Agent:
        """Return the state of the agent. Raises LookupError if the agent is not defined yet."""
        if self.mind.agent is None:
            raise LookupError("the agent has not been defined")
        return self.mind.agent

    async def recall(self, task: CorpusTask) -> TaskRetrieval:
        """Return the memories retrieved for a task and those cited by the answer. The agent does not change."""
        found = await recall_memories(
            self.platform.resources, self.agent, task.query, perspective=task.needed.area, setting=Setting(),
            now=self.time.now(),
        )  # fmt: skip
        candidates = found.candidates
        if self.regime == "none":
            candidates = tuple(
                sorted(candidates, key=lambda candidate: (-candidate.relevance, candidate.memory_id.int))
            )
        context = selected(candidates, self.agent.rules, top=None, seed=0, items=found.items).memory_ids
        return TaskRetrieval(candidates, context, await self._cited(task, context))

    async def process(self, task: CorpusTask) -> TaskRetrieval:
        """Let the services process a whole task, up to the sleep over it.

        Returns the retrieved and the cited memories. With the regime "none" no event is recorded and no memory changes.
        """
        self.time.tasks += 1
        if self.regime == "none":
            return await self.recall(task)
        task_id = UUID(bytes=derive(self.time.tasks, "task_submitted").bytes, version=4)
        submitted = TaskSubmitted(
            event_id=task_id, client_id=OPERATOR, text=task.query, agent=AGENT, perspective=task.needed.area
        )
        await self.platform.append(submitted)
        summarised = self.newest(TaskSummarised)
        assigned = TaskAssigned.following(
            summarised, agent_id=AGENT, part=0, perspective=task.needed.area, attempt=1
        )  # there is only one agent to which the task could go
        await self.platform.append(assigned)
        retrieved, answered = self.newest(MemoriesRetrieved), self.newest(TaskAnswered)
        return TaskRetrieval(retrieved.candidates, retrieved.selected, answered.citations)

    def newest(self, kind: type[E]) -> E:
        """Return the newest event of a kind. Raises StopIteration if there is none."""
        events = reversed(self.platform.projections.journal.values())
        return next(event for event in events if isinstance(event, kind))

    async def _cited(self, task: CorpusTask, context: Sequence[UUID]) -> tuple[UUID, ...]:
        labels = {f"m{number}": memory for number, memory in enumerate(context, 1)}
        sources = tuple(Source(label, self.mind.contents[memory].memory.content) for label, memory in labels.items())
        job = AnswerJob(
            role=DEFINITION.role, system_prompt="", perspective=task.needed.area, question=task.query,
            memories=sources, details=(),
        )  # fmt: skip
        answer = answer_of((await self.platform.resources.models.main.do(job)).value)
        return tuple(labels[label] for label in answer.cited if label in labels)
