"""Builders of events of a task, and of tasks folded from them: `given(submitted()).when(assigned(1)).then(...)`."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from nemuri_contracts.client_events import (
    FeedbackGiven,
    MemoryContent,
    NegotiationAnswered,
    NegotiationOption,
    Setting,
    TaskSubmitted,
)
from nemuri_contracts.event import Usage, derive
from nemuri_contracts.strength import (
    FEATURES,
    Candidate,
    Dropped,
    LearningsExtracted,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryEncoded,
    NewMemory,
    Repetition,
    RepetitionWithdrawn,
    SessionEnded,
    Use,
)
from nemuri_contracts.tasks import (
    Choice,
    ChunkReady,
    ChunkSummarised,
    Detail,
    NegotiationOpened,
    Part,
    ReactionFailed,
    TaskAnswered,
    TaskAssigned,
    TaskChunked,
    TaskCompleted,
    TaskFailed,
    TaskReopened,
    TaskRouted,
    TaskSummarised,
)
from nemuri_domain.tasks.aggregate import Assignment, Task, TaskState
from nemuri_domain.tasks.client_negotiation import OPTIONS
from nemuri_domain.tasks.fold import LifeEvent, evolve

TASK = UUID(int=1)
AGENT = "clerk"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
USAGE = Usage(model="none")
_numbers = count()


@dataclass(frozen=True, slots=True)
class Story:
    """The events of a task and the state folded from them."""

    state: TaskState = field(default_factory=TaskState)
    sequence: int = 0

    def when(self, *events: LifeEvent) -> "Story":
        """Return the story after these events, recorded one minute apart."""
        story = self
        for event in events:
            known = recorded(event, story.sequence + 1)
            story = Story(evolve(story.state, known), story.sequence + 1)
        return story

    def then(self, **expected: Any) -> "Story":
        """Check that these fields of the task have these values, and return the same story."""
        found = {name: getattr(self.task, name) for name in expected}
        assert found == expected
        return self

    @property
    def task(self) -> Task:
        """Return the task, which must be submitted."""
        assert self.state.task is not None
        return self.state.task

    def assignment(self, number: int) -> Assignment:
        """Return the state of the assignment with this number."""
        return self.state.assignments[work(number)]


def recorded(event: LifeEvent, sequence: int) -> LifeEvent:
    """Return the event as it is read from the log at this sequence."""
    return event.model_copy(update={"sequence": sequence, "recorded_at": BEGINNING + timedelta(minutes=sequence)})


def given(*events: LifeEvent) -> Story:
    """Return the story of a task that has these events."""
    return Story().when(*events)


def work(number: int) -> UUID:
    """Return the id of the assignment with this number."""
    return UUID(int=100 + number)


def memory(number: int) -> UUID:
    """Return the id of the memory with this number."""
    return UUID(int=200 + number)


def submitted(text: str = "What is due?", **fields: Any) -> TaskSubmitted:
    """Return the event that submits the task."""
    return TaskSubmitted(event_id=TASK, client_id="ann", text=text, **fields)


def chunked(of: int = 2, listed_requests: tuple[str, ...] = ()) -> TaskChunked:
    """Return the event that divides the documents into `of` chunks."""
    details = tuple(
        Detail(document="d", ref="0" * 64, start=10 * ordinal, end=10 * ordinal + 10) for ordinal in range(of)
    )
    return TaskChunked(event_id=_fresh(), correlation_id=TASK, details=details, listed_requests=listed_requests)


def ready(ordinal: int) -> ChunkReady:
    """Return the event that the chunk with this number may be read."""
    return ChunkReady(event_id=_fresh(), correlation_id=TASK, ordinal=ordinal)


def point(ordinal: int, text: str | None = None) -> ChunkSummarised:
    """Return the event with the key point of the chunk with this number."""
    said = text or f"point {ordinal}"
    return ChunkSummarised(event_id=_fresh(), correlation_id=TASK, ordinal=ordinal, point=said, usage=USAGE)


def opened(*items: str) -> NegotiationOpened:
    """Return the event that opens a negotiation with the client about these items."""
    return NegotiationOpened(event_id=_fresh(), correlation_id=TASK, items=items or ("a", "b"), options=OPTIONS)


def chosen(option: NegotiationOption = "all", *items: int, by: str = "ann") -> NegotiationAnswered:
    """Return the event of the client's choice; `items` are the numbers of the items that it names."""
    named = items if option == "most_important" else ()
    return NegotiationAnswered(event_id=_fresh(), client_id=by, correlation_id=TASK, option=option, items=named)


def summarised(*parts: str | Part, titles: tuple[str | None, ...] = ()) -> TaskSummarised:
    """Return the event with the summary of the task, which may have several parts."""
    texts = parts or ("?",)
    named = zip(titles or (None,) * len(texts), texts, strict=True)
    return TaskSummarised(
        event_id=_fresh(),
        correlation_id=TASK,
        summary="in short",
        parts=tuple(text if isinstance(text, Part) else Part(title=title, text=text) for title, text in named),
    )


def routed(parts: int = 1, attempt: int = 1, request: str | None = None) -> TaskRouted:
    """Return the event that routes each part of the task to an agent."""
    choices = tuple(Choice(agent_id=AGENT, part=number, perspective=None) for number in range(parts))
    return TaskRouted(
        event_id=_fresh(), correlation_id=TASK, attempt=attempt, choices=choices, scores=(), request=request
    )


def assigned(
    number: int, part: int = 0, attempt: int = 1, agent: str = AGENT, perspective: str | None = None
) -> TaskAssigned:
    """Return the event that assigns a part of the task to an agent."""
    return TaskAssigned(
        event_id=work(number), correlation_id=TASK, agent_id=agent, part=part, perspective=perspective, attempt=attempt
    )


def answered(number: int, text: str = "an answer") -> TaskAnswered:
    """Return the event with the answer of an assignment."""
    return TaskAnswered(
        event_id=_fresh(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number), text=text,
        citations=(memory(1),), details=(), usage=USAGE,
    )  # fmt: skip


def completed(answer: str = "the answer") -> TaskCompleted:
    """Return the event that completes the task with its whole answer."""
    return TaskCompleted(event_id=_fresh(), correlation_id=TASK, answer=answer)


def failed(reason: str = "nobody knows", attempt: int = 1) -> TaskFailed:
    """Return the event that an attempt of the task failed."""
    return TaskFailed(event_id=_fresh(), correlation_id=TASK, attempt=attempt, reason=reason)


def reopened(attempt: int = 2) -> TaskReopened:
    """Return the event that reopens the task for this attempt."""
    return TaskReopened(event_id=_fresh(), correlation_id=TASK, attempt=attempt)


def given_up() -> ReactionFailed:
    """Return the event that a service gave up on handling an event of the task."""
    return ReactionFailed(
        event_id=_fresh(), correlation_id=TASK, service="specialist", attempt=1, cause_kind="task_assigned", error="no"
    )


def feedback(verdict: str | None = "helpful", *, by: str = "ann", **parts: Any) -> FeedbackGiven:
    """Return the event of a client's feedback."""
    return FeedbackGiven(event_id=_fresh(), client_id=by, correlation_id=TASK, verdict=verdict, **parts)


def retrieved(number: int, *memory_ids: UUID) -> MemoriesRetrieved:
    """Return the event of an assignment's retrieval: these memories and a principle, all in the context."""
    return MemoriesRetrieved(
        event_id=_fresh(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number), query="?", terms=(),
        expansions={}, vector="-", perspective=None, setting=Setting(), seed=0, ranking="linear-1",
        candidates=tuple(
            Candidate(memory_id=one, similarity=0, lexical=0, relevance=0, features=(0.5,) * len(FEATURES), score=0.7)
            for one in memory_ids
        ),
        selected=memory_ids, principles=(memory(99),),
    )  # fmt: skip


def used(number: int, *memory_ids: UUID) -> MemoriesUsed:
    """Return the event that the answer of an assignment used these memories."""
    uses = tuple(Use(memory_id=memory_id, method="tag") for memory_id in memory_ids)
    return MemoriesUsed(
        event_id=_fresh(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number), perspective=None, uses=uses
    )


def learned(number: int) -> LearningsExtracted:
    """Return the event that nothing was learned from an assignment."""
    return LearningsExtracted(
        event_id=_fresh(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number), usage=USAGE
    )


def repeated(number: int, *memory_ids: UUID, dropped: str | None = None) -> LearningsExtracted:
    """Return the event of an assignment's learnings: repetitions of these memories and, if given, one dropped
    learning.
    """
    return learned(number).model_copy(
        update={
            "repetitions": tuple(_repetition(memory_id) for memory_id in memory_ids),
            "dropped": (Dropped(text=dropped, reason="it has no words"),) if dropped else (),
        }
    )


def separated(number: int, memory_id: UUID) -> RepetitionWithdrawn:
    """Return the event that withdraws a repetition of a memory in an assignment."""
    return RepetitionWithdrawn(
        event_id=_fresh(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number),
        repetition=_repetition(memory_id),
    )  # fmt: skip


def _repetition(memory_id: UUID) -> Repetition:
    learning = NewMemory(memory=MemoryContent(content="so"), vector="-", strength=1.0, perspectives=())
    return Repetition(memory_id=memory_id, perspective=None, learning=learning)


def encoded(number: int | None, memory_id: UUID) -> MemoryEncoded:
    """Return the event that encodes a new memory, learned in an assignment or (None) in none."""
    return MemoryEncoded.model_validate(
        {
            "event_id": memory_id,
            "correlation_id": TASK,
            "agent_id": AGENT,
            "memory": {"content": "so"},
            "vector": "-",
            "source": "task",
            "assignment_id": None if number is None else work(number),
            "strength": 1,
            "perspectives": (),
        }
    )


def ended(number: int) -> SessionEnded:
    """Return the event that the session of an assignment ended."""
    return SessionEnded(event_id=_fresh(), correlation_id=TASK, agent_id=AGENT, assignment_id=work(number))


def _fresh() -> UUID:
    return derive("story", "task event", next(_numbers))
