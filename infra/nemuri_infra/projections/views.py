"""The interface by which services read the projections: tasks, agents, strength memories, and which events count.

The projections lie in PostgreSQL (`queries.StoredViews`) or in the memory of one process (`nemuri_infra.in_memory`).
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from nemuri_contracts.client_events import MemoryFilter, Setting
from nemuri_contracts.event import Event, derive
from nemuri_contracts.journal_views import JournalView
from nemuri_contracts.memory_views import WaitingTask
from nemuri_contracts.queries import JournalQuery, MemoriesQuery, TasksQuery
from nemuri_contracts.task_list_views import TasksView
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_domain.strength.agent_topics import TopicSource
from nemuri_domain.strength.aggregate import Agent, Content, Remembered, Scorer
from nemuri_domain.strength.sleep import SleepInput
from nemuri_domain.tasks.agent_scores import Workload
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.precedents import JudgedTask
from nemuri_domain.tasks.spent_usage import Spent
from nemuri_infra.embeddings.calibration import Floats
from nemuri_infra.projections.indexed_tables import ChangesWanted, IndexChange, IndexedTable
from nemuri_infra.projections.memory_pages import MemoryPage
from nemuri_infra.projections.progress import Progress
from nemuri_infra.projections.stored_indexes import StoredIndex

MAX_SOURCES = 100
"""Maximum number of memories in the view of the one that stands for them."""


class Agents(ABC):
    """The agents in the projections.

    A caller gets the state that the projections have reached. Who needs a newer one first waits for it.
    """

    @abstractmethod
    async def read(self, names: Collection[str] | None = None) -> list[Agent]:
        """Return all agents, sorted by name; with `names`, only the agents with these names."""

    @abstractmethod
    async def all(self) -> list[Agent]:
        """Return all agents, sorted by name, from a cache if there is one."""

    @abstractmethod
    async def agent(self, agent_id: str, *, only_rules: bool = False) -> Agent | None:
        """Return an agent; None if the name is unknown.

        With `only_rules`, its definition, embedding, policy and clocks are up to date. Its sessions and totals may be
        older.
        """

    @abstractmethod
    async def scorer(self, agent_id: str) -> Scorer | None:
        """Return the newest version of an agent's learned scorer; None if it has none yet."""

    @abstractmethod
    async def takes_course(self, agent_id: str) -> bool:
        """Return True if the agent has an unfinished course."""


class Views(ABC):
    """Read access to the projections, as far as they have come."""

    progress: Progress
    agents: Agents

    @property
    @abstractmethod
    def space(self) -> str:
        """Return what tells these projections from others in the same process, for keys of caches."""

    async def wait_for(self, event: Event) -> None:
        """Wait until the projections contain an event of the log.

        Raises `BehindError` if they do not contain it in time.
        """
        await self.progress.wait(event.sequence or 0)

    async def agent(self, agent_id: str, *, only_rules: bool = False) -> Agent | None:
        """Return an agent, as `Agents.agent` does."""
        return await self.agents.agent(agent_id, only_rules=only_rules)

    async def sequence_of(self, event_id: UUID) -> int | None:
        """Return the sequence of the valid event with this id; None if there is none."""
        return (await self.sequences_by_id([event_id])).get(event_id)

    async def projected_ids(self, event_ids: Iterable[UUID]) -> set[UUID]:
        """Return the ids in `event_ids` whose events the projections contain."""
        return set(await self.sequences_by_id(event_ids))

    async def sequences_of(self, event_ids: Iterable[UUID]) -> list[int]:
        """Return the sequences of the valid events with these ids, in ascending order. Unknown ids are left out."""
        return sorted((await self.sequences_by_id(event_ids)).values())

    async def decided(self, cause: Event, *outcomes: type[Event]) -> bool:
        """Return True if the projections contain an outcome of the cause of one of these kinds."""
        return bool(await self.projected_ids(derive(cause.event_id, outcome.kind_of()) for outcome in outcomes))

    @abstractmethod
    async def task(self, task_id: UUID) -> TaskState:
        """Return the state of a task without its chunks; an empty state if the id is unknown.

        Event handlers read the task's history in the log instead (`TaskHistories`).
        """

    @abstractmethod
    async def earlier_turns(self, task: Task, limit: int) -> list[Task]:
        """Return the tasks of the same client and conversation that were submitted before `task`, newest first, at most
        `limit`.
        """

    @abstractmethod
    async def tasks_with_open_questions(self) -> list[Task]:
        """Return all tasks that wait for the answer to their agent's question."""

    @abstractmethod
    async def waiting_tasks(self, limit: int = 10) -> list[WaitingTask]:
        """Return at most `limit` tasks that wait for their client's choice or answer, the ones submitted last first."""

    @abstractmethod
    async def next_turn(self, task_id: UUID) -> UUID | None:
        """Return the id of the first later task of the same conversation that is summarised but not routed yet.

        Returns None if there is none.
        """

    @abstractmethod
    async def sources_of(self, memory_id: UUID) -> list[Remembered]:
        """Return the memories for which this one stands, oldest first, at most `MAX_SOURCES`: those that a semantic
        memory has absorbed, and repetitions.
        """

    @abstractmethod
    async def memories_by_id(self, memory_ids: Iterable[UUID]) -> dict[UUID, Remembered]:
        """Return the memories with these ids, by id. Unknown ids are left out."""

    @abstractmethod
    async def sequences_by_id(self, event_ids: Iterable[UUID]) -> dict[UUID, int]:
        """Return the sequences of the valid events with these ids, by id. Unknown ids are left out."""

    @abstractmethod
    async def sequences_of_kind(
        self, kind: type[Event], *, task_id: UUID | None = None, agent_id: str | None = None
    ) -> list[int]:
        """Return the sequences of the valid events of a kind, in ascending order.

        With `task_id` or `agent_id`, only events of that task or agent are included.
        """

    @abstractmethod
    async def recorded_at(self, agent_id: str, places: Collection[int]) -> dict[int, datetime]:
        """Return the times at which the agent's valid events with these sequences were recorded, by sequence."""

    @abstractmethod
    async def totals(self) -> tuple[dict[str, int], int, dict[str, int]]:
        """Return the number of tasks by status, the number of agents, and the number of memories by kind.

        The orchestrator, its memories and deleted memories are not counted.
        """

    @abstractmethod
    async def absent(self, sort: str, name: UUID | str) -> str:
        """Return a line that says why a task, memory or agent is not found: it was erased, or it never existed."""

    @abstractmethod
    async def everything_erased(self, *, after: int = 0) -> Erased:
        """Return all ids and agents that were erased after the sequence `after` of the log."""

    @abstractmethod
    async def erased_among(self, events: Sequence[Event]) -> Erased:
        """Return the erased ids among the ids of these events and of their tasks, courses and agents."""

    @abstractmethod
    async def index_changes(self, table: IndexedTable[Any], wanted: ChangesWanted) -> list[IndexChange]:
        """Return the next memories of an agent that changed, in the order of their changes, at most `PAGE_SIZE`.

        A memory that changes meanwhile may be returned twice.
        """

    @abstractmethod
    async def memories_meeting(self, agent_id: str, persons: Collection[str], wanted: MemoryFilter) -> frozenset[bytes]:
        """Return the ids, each as 16 bytes, of an agent's memories that meet all conditions and belong to one of these
        persons; "" stands for nobody.
        """

    @abstractmethod
    async def stored_bytes(self) -> int:
        """Return the size of the projections on disk in bytes; 0 if they are in memory."""

    @abstractmethod
    async def tables(self) -> int:
        """Return a number that changes when a rebuild exchanges the tables."""

    @abstractmethod
    async def stored_index(self, agent_id: str, generation: str, *, format_version: int) -> StoredIndex:
        """Return the copy of an agent's index with the vectors of a generation, if there is one in this format."""

    @abstractmethod
    async def store_index(
        self, agent_id: str, generation: str, copy: StoredIndex, *, seen: int, format_version: int
    ) -> None:
        """Store a copy of an index, unless there is a newer one.

        `seen` is the sequence that the projections had reached before the index was made. Nothing is stored if an
        erasure was projected after it, because the copy may contain what was erased.
        """

    @abstractmethod
    async def vector_sample(self, generation: str, least: int) -> Floats:
        """Return the different vectors of some memories, shape (n, dimension), without rows of zeros.

        The sample is empty if fewer than `least` memories have a vector of the generation.
        """

    @abstractmethod
    async def sleep_input(self, agent: Agent, session: UUID | None = None) -> SleepInput | None:
        """Return the input of the agent's next sleep; None if there is no such agent any more, or if it has slept over
        `session`.

        `agent` is a recent state of the agent. If the projections have another one, that one is used.
        """

    @abstractmethod
    async def newest_lessons(self, agent_id: str | None, limit: int) -> list[Content]:
        """Return the newest lessons from feedback, at most `limit`, of an agent; of all agents if `agent_id` is
        None.
        """

    @abstractmethod
    async def workloads(self) -> dict[str, Workload]:
        """Return the outcomes and the unanswered assignments of each agent that has any, by agent.

        A task counts at most once as positive and at most once as negative, no matter how much feedback it has.
        """

    @abstractmethod
    async def judged_tasks(self, setting: Setting) -> Sequence[JudgedTask]:
        """Return the newest judged tasks that the orchestrator remembers and that are valid in the setting, oldest
        first.
        """

    @abstractmethod
    async def strongest_memories(self, agent: Agent, setting: Setting) -> list[TopicSource]:
        """Return the agent's `MAX_TOPIC_SOURCES` strongest active memories that are valid in the setting, with their
        present strengths.
        """

    @abstractmethod
    async def spent_by_agent(self, agent_id: str, since: datetime) -> Spent:
        """Return what was spent on the assignments made since this time: on their steps, answers, judgements and
        learnings, and on rebuttals of their panels.
        """

    @abstractmethod
    async def erased_of(self, names: Collection[UUID | str]) -> set[UUID | str]:
        """Return the names in `names` that are erased. A name is the id of a task or memory, or the name of an
        agent.
        """

    @abstractmethod
    async def memory_page(self, agent: Agent, query: MemoriesQuery) -> MemoryPage:
        """Return a page of an agent's memories. With conditions, it may be incomplete, as the query says."""

    @abstractmethod
    async def task_page(self, query: TasksQuery) -> TasksView:
        """Return a page of tasks."""

    @abstractmethod
    async def journal_page(self, query: JournalQuery) -> JournalView:
        """Return a page of the journal."""
