"""Minds told as stories: `given(encoded(A)).when(retrieved(A)).then(candidates(A).equals(1))`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective, PolicyAdopted
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.education import MemoriesReviewed
from nemuri_contracts.event import Event, Usage, derive
from nemuri_contracts.strength import (
    AgentSlept,
    Consolidated,
    ImpactCredited,
    LearningsExtracted,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryEncoded,
    NewMemory,
    Relation,
    RelationWithdrawn,
    Repetition,
    RepetitionWithdrawn,
    Seen,
    SessionEnded,
    Use,
)
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Agent, Memory, Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.sleep import SleepInput
from nemuri_domain.strength.sleep_input import sleep_input_of as in_memory
from tests.unit.domain.strength.facts import Fact, agent_of

RULE = "Be sure."
"""The principle of the agent in these stories."""
AGENT = "clerk"
A, B, C, D = (UUID(int=number) for number in range(1, 5))
COST, QUALITY = "cost", "quality"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
RATE = 0.95**0.1
"""What a sleep over one session leaves at level 0."""
STEEP = {"daily_decay_targets": (0.5, 0.9, 0.9, 0.9, 0.9, 0.9), "expected_tasks_per_day": 1}
"""A sleep leaves half at level 0 and nine tenths above."""
_numbers = count()

Move = AnyAgentEvent | Callable[[Mind], AnyAgentEvent | None]
"""An event, or one that is decided on the mind as it is then."""


@dataclass(frozen=True, slots=True)
class Story:
    """A mind on its way through the log."""

    mind: Mind = field(default_factory=Mind)
    sequence: int = 0
    events: tuple[AnyAgentEvent, ...] = ()

    def when(self, *moves: Move) -> "Story":
        """The story after these events, recorded one minute after the other."""
        story = self
        for move in moves:
            event = move(story.mind) if callable(move) else move
            if event is not None:
                story = story._after(event)
        return story

    def then(self, *facts: Fact) -> "Story":
        """The same story, in which these facts hold."""
        for fact in facts:
            fact.check(self.mind)
        return self

    def slept_out(self) -> "Story":
        """The story after every sleep that goes on with the last one."""
        story, last = self, self.events[-1]
        while isinstance(last, AgentSlept) and (more := sleep.continue_sleep(last, tiredness(story.mind))):
            story = story.when(more)
            last = story.events[-1]
        return story

    @property
    def agent(self) -> Agent:
        """The agent, which the story has defined."""
        return agent_of(self.mind)

    def memory(self, memory_id: UUID) -> Memory:
        """A memory's state."""
        return self.mind.memories[memory_id]

    def _after(self, event: AnyAgentEvent) -> "Story":
        known = recorded(event, self.sequence + 1)
        return Story(evolve(self.mind, known), self.sequence + 1, (*self.events, known))


def recorded(event: AnyAgentEvent, sequence: int) -> AnyAgentEvent:
    """The event as it is read from that place in the log."""
    return event.model_copy(update={"sequence": sequence, "recorded_at": BEGINNING + timedelta(minutes=sequence)})


def given(*moves: Move) -> Story:
    """A mind of an agent that is defined, and to which this has happened."""
    return Story().when(defined(), *moves)


def defined(*perspectives: str) -> AgentDefined:
    """The agent, with the perspectives of cost and quality unless others are named."""
    names = perspectives or (COST, QUALITY)
    definition = Definition(
        role="buyer", perspectives=tuple(Perspective(name=name) for name in names), principles=(RULE,)
    )
    return AgentDefined(
        event_id=_fresh(), agent_id=AGENT, definition=definition, embedding=Embedding(model="hashing", dimension=8)
    )


def adopted(**parameters: Any) -> PolicyAdopted:
    """Other parameters, from the next sleep on."""
    valid = Policy(**parameters).model_dump(mode="json", exclude_unset=True)
    return PolicyAdopted(event_id=_fresh(), agent_id=AGENT, parameters=valid)


def ruled(**parameters: Any) -> tuple[Move, ...]:
    """Other parameters that are in force already: adopted, and slept over once before there was any memory."""
    return adopted(**parameters), ended(9_999), sleeps()


def encoded(
    memory_id: UUID,
    *,
    strength: float = 1.0,
    perspectives: Iterable[str] = (COST, QUALITY),
    principle: bool = False,
    against: Iterable[UUID] = (),
) -> MemoryEncoded:
    """A memory begins; it contradicts those that it is `against`."""
    return MemoryEncoded(
        event_id=memory_id,
        agent_id=AGENT,
        memory=MemoryContent(content=RULE if principle else f"memory {memory_id.int}"),
        relations=tuple(Relation(older=each, sort="contradicts") for each in against),
        vector="hashing.8.none",
        source="definition" if principle else "manual",
        strength=strength,
        perspectives=tuple(perspectives),
    )


def related(memory_id: UUID, *older: UUID) -> MemoryEncoded:
    """A memory begins that contradicts older ones."""
    relations = tuple(Relation(older=each, sort="contradicts") for each in older)
    return encoded(memory_id).model_copy(update={"relations": relations})


def parted(memory_id: UUID, older: UUID) -> RelationWithdrawn:
    """The one does not contradict the other after all."""
    return RelationWithdrawn(event_id=_fresh(), agent_id=AGENT, memory_id=memory_id, older=older)


def separated(memory_id: UUID) -> RepetitionWithdrawn:
    """It was no repetition after all."""
    return RepetitionWithdrawn(
        event_id=_fresh(), agent_id=AGENT, repetition=repetition(memory_id), assignment_id=_fresh()
    )


def retrieved(*memory_ids: UUID, principles: tuple[UUID, ...] = ()) -> MemoriesRetrieved:
    """These memories were put into the context of an assignment."""
    return MemoriesRetrieved(
        event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), query="?", terms=(), expansions={}, vector="-",
        perspective=None, setting=Setting(), seed=0, ranking="linear-1", candidates=(), selected=memory_ids,
        principles=principles,
    )  # fmt: skip


def used(*memory_ids: UUID, perspective: str | None = None) -> MemoriesUsed:
    """An answer really drew on these memories."""
    uses = tuple(Use(memory_id=each, method="citation") for each in memory_ids)
    return MemoriesUsed(event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), perspective=perspective, uses=uses)


def reviewed(*memory_ids: UUID, perspective: str | None = None) -> MemoriesReviewed:
    """After a wrong answer these memories were looked at again."""
    return MemoriesReviewed(
        event_id=_fresh(), agent_id=AGENT, course_id=_fresh(), chapter=0, exercise=0, perspective=perspective,
        memory_ids=memory_ids,
    )  # fmt: skip


def repetition(memory_id: UUID) -> Repetition:
    """A learning that says what the memory already says."""
    learning = NewMemory(
        memory=MemoryContent(content="again"), vector="hashing.8.none", strength=1.0, perspectives=(COST, QUALITY)
    )
    return Repetition(memory_id=memory_id, perspective=COST, learning=learning)


def repeating(*memory_ids: UUID) -> LearningsExtracted:
    """What an agent learned in a session says what these memories already say."""
    return LearningsExtracted(
        event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), learnings=(), usage=Usage(model="none"),
        repetitions=tuple(map(repetition, memory_ids)),
    )  # fmt: skip


def credited(*memory_ids: UUID, points: float = 2.0) -> ImpactCredited:
    """An answer that drew on these memories was worth something."""
    return ImpactCredited(
        event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), reason="helpful", points=points,
        memory_ids=memory_ids,
    )  # fmt: skip


def session(number: int) -> UUID:
    """The id of a session's assignment."""
    return UUID(int=1_000_000 + number)


def ended(number: int) -> SessionEnded:
    """A session is over."""
    return SessionEnded(event_id=_fresh(), agent_id=AGENT, assignment_id=session(number))


def slept(
    *sessions: int,
    levels: Mapping[UUID, tuple[int, int]] | None = None,
    archived: Mapping[UUID, int] | None = None,
    pruned: Mapping[UUID, int] | None = None,
) -> AgentSlept:
    """A sleep as some worker decided it: new level and revision seen by memory, revisions seen of what goes."""
    return AgentSlept(
        event_id=_fresh(),
        agent_id=AGENT,
        sessions=tuple(session(number) for number in sessions),
        consolidated=tuple(
            Consolidated(memory_id=each, level=level, revision=seen) for each, (level, seen) in (levels or {}).items()
        ),
        archived=tuple(Seen(memory_id=each, revision=seen) for each, seen in (archived or {}).items()),
        pruned=tuple(Seen(memory_id=each, revision=seen) for each, seen in (pruned or {}).items()),
    )


def sleeps() -> Move:
    """The agent sleeps over all that it has not slept over yet, as it decides now; nothing if it is wide awake."""
    return lambda mind: sleep.decide(ended(0), tiredness(mind))


def night(number: int) -> tuple[Move, ...]:
    """A session ends and the agent sleeps over it."""
    return ended(number), sleeps()


def tiredness(mind: Mind) -> SleepInput:
    """What the views show a sleep of a mind: no more than they promise, in no helpful order."""
    seen = in_memory(mind)
    assert seen is not None
    return replace(seen, touched=tuple(sorted(seen.touched, key=_id)), weakest=tuple(reversed(seen.weakest)))


def _id(memory: Memory) -> UUID:
    return memory.memory_id


def _fresh() -> UUID:
    return derive("story", "event", next(_numbers))


def lines(events: Iterable[Event]) -> str:
    """The events as text, for the message of a failing property."""
    return "\n".join(f"{each.sequence}: {each!r}" for each in events)
