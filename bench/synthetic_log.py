"""A synthetic log of complete tasks, from submission to sleep, as the platform would record them. It needs no server.

The functions of the domain decide the events (summaries, ends of tasks, precedents, credits, sleeps) from states that
are folded meanwhile. Only the texts of clients and models (`bench/drawn.py`) and the retrieved and used memories are
random; equal seeds give equal logs. Many tasks run concurrently, so that their events interleave as in a real log.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from bench.drawn import PERSPECTIVES, PIECES, Drawn
from nemuri_contracts.agents import ORCHESTRATOR, AgentDefined, Embedding
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.event import Event, Usage
from nemuri_contracts.strength import (
    LearningsExtracted,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryEncoded,
    Repetition,
    SessionEnded,
    Use,
)
from nemuri_contracts.tasks import (
    Choice,
    ChunkReady,
    ChunkSummarised,
    Detail,
    TaskAnswered,
    TaskAssigned,
    TaskChunked,
    TaskRouted,
)
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Agent, Mind
from nemuri_domain.strength.fold import evolve as evolve_mind
from nemuri_domain.strength.memory_content import embedded_text, encoded, new_memory
from nemuri_domain.strength.sleep_input import sleep_input_of
from nemuri_domain.strength.usage_detection import session_end
from nemuri_domain.tasks import fan_in, precedents, task_attempts
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.feedback_credit import decide_credit
from nemuri_domain.tasks.fold import evolve as evolve_task
from nemuri_domain.tasks.session_entry import entry_content
from nemuri_infra.stores.vectors import vector_key

CONCURRENT_TASKS = 16
"""Number of concurrent tasks."""
CANDIDATES, CONTEXT = 50, 10
SESSIONS_PER_SLEEP = 25
"""Number of ended sessions after which the orchestrator sleeps."""
USAGE = Usage(model="extractive", input_tokens=900, output_tokens=120)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class SyntheticLog:
    """A log of a group of agents that work on tasks. `events` yields its events in the order of the log."""

    agents: int = 40
    embedding: Embedding = field(default_factory=lambda: Embedding(model="nemuri-words-3", dimension=256))
    seed: int = 1
    minds: dict[str, Mind] = field(default_factory=dict)
    tasks: dict[UUID, TaskState] = field(default_factory=dict)
    sequence: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.drawn = Drawn(self.rng)
        self.names = [f"agent-{number}" for number in range(self.agents)]
        self.known: dict[str, list[UUID]] = {}

    def events(self, tasks: int) -> Iterator[Event]:
        """Yield the definitions of the agents, then the events of the given number of tasks."""
        for name in (*self.names, ORCHESTRATOR):
            yield self._record(self._defined(name))
        remaining, running = iter(range(tasks)), list[Iterator[Event]]()
        while True:
            while len(running) < CONCURRENT_TASKS and next(remaining, None) is not None:
                running.append(self._task_events())
            if not running:
                return
            one = self.rng.choice(running)
            event = next(one, None)
            if event is None:
                running.remove(one)
            else:
                yield self._record(event)

    def _record(self, event: Event) -> Event:
        """Fold the event into the states, and return it with the sequence and time that the log would give it."""
        self.sequence += 1
        known = event.model_copy(
            update={"sequence": self.sequence, "recorded_at": BEGAN + timedelta(seconds=self.sequence)}
        )
        seen: Any = known
        if known.stream == "agent":
            name = str(known.agent_id)
            self.minds[name] = evolve_mind(self.minds.get(name, Mind()), seen)
            if isinstance(known, MemoryEncoded):
                self.known.setdefault(name, []).append(known.memory_id)
        if known.thread in self.tasks and not isinstance(known, AgentDefined) and known.kind != "agent_slept":
            self.tasks[known.thread] = evolve_task(self.tasks[known.thread], seen)
        return known

    def _task_events(self) -> Iterator[Event]:
        task = self.drawn.task()
        self.tasks[task.event_id] = TaskState()
        yield task
        details = tuple(
            Detail(document=document.name, ref=document.ref, start=ordinal * 900, end=ordinal * 900 + 900)
            for document in task.documents
            for ordinal in range(PIECES)
        )
        if details:
            yield TaskChunked.following(task, details=details)
        for ordinal in range(len(details)):
            ready = ChunkReady.following(task, nth=ordinal, ordinal=ordinal)
            yield ready
            yield ChunkSummarised.following(ready, ordinal=ordinal, point=self.drawn.text(18), usage=USAGE)
        summarised = fan_in.summarise(task, self.tasks[task.event_id])
        assert summarised is not None
        yield summarised
        routed = self._routed(summarised)
        yield routed
        if (rested := precedents.used(routed)) is not None:
            yield rested
        choice = routed.choices[0]
        assigned = TaskAssigned.following(
            routed, agent_id=choice.agent_id, part=0, perspective=choice.perspective, attempt=1
        )
        yield assigned
        yield from self._work_events(assigned)
        del self.tasks[task.event_id]

    def _work_events(self, assigned: TaskAssigned) -> Iterator[Event]:
        retrieved = self._retrieved(assigned)
        yield retrieved
        used = retrieved.selected[: self.rng.randint(0, 3)]
        answered = TaskAnswered.following(
            retrieved,
            assignment_id=assigned.event_id,
            text=self.drawn.text(70),
            citations=used,
            details=(),
            usage=USAGE,
        )
        yield answered
        completed = fan_in.complete(answered, self.tasks[assigned.task_id])
        assert completed is not None
        yield completed
        yield from self._precedent_events(completed)
        uses = tuple(Use(memory_id=each, method="citation") for each in used)
        using = MemoriesUsed.following(
            answered, assignment_id=assigned.event_id, perspective=assigned.perspective, uses=uses
        )
        yield using
        learned = self._learned(using, used)
        yield learned
        if learned.entry:
            yield encoded(learned, learned.entry, source="task", assignment_id=assigned.event_id)
        over = session_end(learned, assigned.event_id, assigned.agent_id)
        yield over
        yield from self._sleep_events(over)
        if self.rng.random() < 0.25:
            yield from self._feedback_events(completed)

    def _routed(self, cause: Event) -> TaskRouted:
        name, perspective = self.rng.choice(self.names), self.rng.choice(PERSPECTIVES)
        scores = tuple(map(self.drawn.score, self.rng.sample(self.names, min(8, len(self.names)))))
        past = self.known.get(ORCHESTRATOR, [])
        return TaskRouted.following(
            cause,
            key=task_attempts.attempt_key(cause.task_id, 1),
            attempt=1,
            choices=(Choice(agent_id=name, part=0, perspective=perspective),),
            scores=scores,
            recalled=tuple(self.rng.sample(past, min(3, len(past)))),
        )

    def _retrieved(self, cause: TaskAssigned) -> MemoriesRetrieved:
        mine = self.known.get(str(cause.agent_id), [])
        found = self.rng.sample(mine, min(CANDIDATES, len(mine)))
        task = self.tasks[cause.task_id].task
        query = task.text if task else ""
        candidates = tuple(map(self.drawn.candidate, found))
        return MemoriesRetrieved.following(
            cause,
            assignment_id=cause.event_id,
            query=query,
            terms=tuple(query.split()),
            expansions={name: f"{query} {name}" for name in PERSPECTIVES},
            vector=self._vector(query),
            perspective=cause.perspective,
            setting={},
            seed=self.rng.getrandbits(32),
            ranking="linear-1",
            candidates=candidates,
            selected=tuple(found[:CONTEXT]),
        )

    def _learned(self, cause: MemoriesUsed, used: tuple[UUID, ...]) -> LearningsExtracted:
        agent = self._agent(str(cause.agent_id))
        news = []
        for perspective in self.rng.sample(PERSPECTIVES, self.rng.randint(1, 2)):
            memory = self.drawn.learning(perspective)
            news.append(new_memory(agent, memory, self._vector(embedded_text(memory)), links=used))
        again = used and len(news) > 1
        repetitions = (
            (Repetition(memory_id=used[0], perspective=PERSPECTIVES[0], learning=news.pop()),) if again else ()
        )
        memory = entry_content(
            self.drawn.text(12),
            "",
            {name: text for each in news for name, text in each.memory.learnings.items()},
            scope=Scope(),
        )
        entry = new_memory(agent, memory, self._vector(embedded_text(memory)), links=used)
        return LearningsExtracted.following(
            cause,
            assignment_id=cause.assignment_id,
            entry=entry,
            repetitions=repetitions,
            usage=USAGE,
        )

    def _precedent_events(self, completed: Event) -> Iterator[Event]:
        state = self.tasks[completed.task_id]
        memory = precedents.routing_memory(state)
        if memory is not None and state.task is not None:
            yield self._precedent(completed, memory, f"routing/{completed.event_id}")
            over = precedents.session_ended(completed, state.task)
            yield over
            yield from self._sleep_events(over)

    def _feedback_events(self, completed: Event) -> Iterator[Event]:
        said = self.drawn.feedback(completed.task_id)
        yield said
        state, praised = self.tasks[completed.task_id], set[str]()
        for decision in decide_credit(state.feedback[said.event_id], state, {}, said):
            yield decision
            if decision.kind == "impact_credited" and state.task is not None and decision.agent_id not in praised:
                praised.add(str(decision.agent_id))
                memory = precedents.aptitude_memory(state.task, str(decision.agent_id), "helpful")
                if memory is not None:
                    yield self._precedent(decision, memory, f"{state.task.task_id}/{decision.agent_id}/helpful")

    def _precedent(self, cause: Event, memory: MemoryContent, key: str) -> MemoryEncoded:
        new = new_memory(self._agent(ORCHESTRATOR), memory, self._vector(embedded_text(memory)))
        return encoded(cause, new, key=key, agent_id=ORCHESTRATOR, source="task")

    def _sleep_events(self, over: SessionEnded) -> Iterator[Event]:
        agent = self._agent(over.agent_id)
        if over.agent_id == ORCHESTRATOR and len(agent.awake) < SESSIONS_PER_SLEEP:
            return
        tired = sleep_input_of(self.minds[over.agent_id])
        slept = sleep.decide(over, tired) if tired else None
        if slept is not None:
            yield slept

    def _agent(self, name: str) -> Agent:
        agent = self.minds[name].agent
        assert agent is not None
        return agent

    def _defined(self, name: str) -> AgentDefined:
        definition = self.drawn.definition(name)
        if name == ORCHESTRATOR:
            definition = precedents.DEFINITION
        return AgentDefined(
            event_id=self.drawn.identity(), agent_id=name, definition=definition, embedding=self.embedding
        )

    def _vector(self, text: str) -> str:
        return vector_key(self.embedding.model, self.embedding.dimension, text)
