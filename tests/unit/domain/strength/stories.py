"""Builders of events, and of minds folded from them:
`given(encoded(A)).when(retrieved(A)).then(candidates(A).equals(1))`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective, PolicyAdopted
from nemuri_contracts.client_events import MemoryChange, MemoryContent, Scope, Setting
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.education import MemoriesReviewed
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import Event, Usage, derive
from nemuri_contracts.strength import (
    AgentSlept,
    Consolidated,
    Experiences,
    ImpactCredited,
    Judgement,
    LearningsExtracted,
    MemoriesJudged,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryAmended,
    MemoryEncoded,
    NewMemory,
    Origin,
    Relation,
    RelationSort,
    Repetition,
    RepetitionWithdrawn,
    Seen,
    SemanticMemorySplit,
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
"""The principle of the agent."""
AGENT = "clerk"
A, B, C, D = (UUID(int=number) for number in range(1, 5))
SUBJECTS = ("parrots", "steel", "soup", "rooftops", "football", "taxes", "violins", "dentists", "volcanoes", "chess")
COST, QUALITY = "cost", "quality"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
RATE = 0.95**0.1
"""The factor by which a strength decays in one session at level 0."""
STEEP = {"daily_decay_targets": (0.5, 0.9, 0.9, 0.9, 0.9, 0.9), "expected_tasks_per_day": 1}
"""A policy under which a session multiplies strengths by 0.5 at level 0 and by 0.9 at higher levels."""
_numbers = count()

Move = AnyAgentEvent | Callable[[Mind], AnyAgentEvent | None]
"""An event, or a function that makes one from the mind at that point of the story. None adds no event."""


@dataclass(frozen=True, slots=True)
class Story:
    """The events of an agent and the mind folded from them."""

    mind: Mind = field(default_factory=Mind)
    sequence: int = 0
    events: tuple[AnyAgentEvent, ...] = ()

    def when(self, *moves: Move) -> "Story":
        """Return the story after these events, recorded one minute apart."""
        story = self
        for move in moves:
            event = move(story.mind) if callable(move) else move
            if event is not None:
                story = story._after(event)
        return story

    def then(self, *facts: Fact) -> "Story":
        """Check that these facts hold, and return the same story."""
        for fact in facts:
            fact.check(self.mind)
        return self

    def slept_out(self) -> "Story":
        """Return the story after all further sleeps that continue an unfinished one."""
        story, last = self, self.events[-1]
        while isinstance(last, AgentSlept) and (more := sleep.continue_sleep(last, sleep_input(story.mind))):
            story = story.when(more)
            last = story.events[-1]
        return story

    @property
    def agent(self) -> Agent:
        """Return the agent, which must be defined."""
        return agent_of(self.mind)

    def memory(self, memory_id: UUID) -> Memory:
        """Return the state of a memory."""
        return self.mind.memories[memory_id]

    def _after(self, event: AnyAgentEvent) -> "Story":
        known = recorded(event, self.sequence + 1)
        return Story(evolve(self.mind, known), self.sequence + 1, (*self.events, known))


def recorded(event: AnyAgentEvent, sequence: int) -> AnyAgentEvent:
    """Return the event as it is read from the log at this sequence."""
    return event.model_copy(update={"sequence": sequence, "recorded_at": BEGINNING + timedelta(minutes=sequence)})


def given(*moves: Move) -> Story:
    """Return the story of an agent that is defined and then has these events."""
    return Story().when(defined(), *moves)


def defined(*perspectives: str) -> AgentDefined:
    """Return the event that defines the agent, by default with the perspectives cost and quality."""
    names = perspectives or (COST, QUALITY)
    definition = Definition(
        role="buyer", perspectives=tuple(Perspective(name=name) for name in names), principles=(RULE,)
    )
    return AgentDefined(
        event_id=_fresh(), agent_id=AGENT, definition=definition, embedding=Embedding(model="hashing", dimension=8)
    )


def adopted(**parameters: Any) -> PolicyAdopted:
    """Return the event that adopts a policy. The policy takes effect after the next sleep."""
    valid = Policy(**parameters).model_dump(mode="json", exclude_unset=True)
    return PolicyAdopted(event_id=_fresh(), agent_id=AGENT, parameters=valid)


def ruled(**parameters: Any) -> tuple[Move, ...]:
    """Return moves that put a policy into force: its adoption, and a sleep. Place them before any memory."""
    return adopted(**parameters), ended(9_999), sleeps()


def encoded(
    memory_id: UUID,
    *,
    strength: float = 1.0,
    perspectives: Iterable[str] = (COST, QUALITY),
    principle: bool = False,
    against: Iterable[UUID] = (),
    text: str | None = None,
    **content: Any,
) -> MemoryEncoded:
    """Return the event that encodes a new memory, which contradicts the memories `against`. Without a `text`, it is
    about something that no other memory is about.
    """
    text = text or (RULE if principle else _about(memory_id))
    return MemoryEncoded(
        event_id=memory_id,
        agent_id=AGENT,
        memory=MemoryContent(content=text, **content),
        relations=tuple(Relation(older=each, sort="contradicts") for each in against),
        vector="hashing.8.none",
        source="definition" if principle else "manual",
        strength=strength,
        perspectives=tuple(perspectives),
    )


def _about(memory_id: UUID) -> str:
    """Return a text that is about something else than those of the memories with the next ids."""
    return f"{SUBJECTS[memory_id.int % len(SUBJECTS)]} {memory_id.int}"


def inferred(memory_id: UUID) -> MemoryEncoded:
    """Return the event that encodes a memory that was inferred, with the default strength of an inference."""
    event = encoded(memory_id, strength=Policy().initial_strength_inferred)
    return event.model_copy(update={"origin": Origin(provenance="inferred")})


def amended(memory_id: UUID, change: MemoryChange, *, scope: Scope | None = None) -> MemoryAmended:
    """Return the event that a person changed the standing of a memory."""
    return MemoryAmended(
        event_id=_fresh(), agent_id=AGENT, memory_id=memory_id, change=change, scope=scope, asked_by="ann"
    )


def related(memory_id: UUID, *older: UUID) -> MemoryEncoded:
    """Return the event that encodes a new memory, which contradicts older ones."""
    relations = tuple(Relation(older=each, sort="contradicts") for each in older)
    return encoded(memory_id).model_copy(update={"relations": relations})


def formed(memory_id: UUID, *sources: UUID) -> Move:
    """Return a move that forms a semantic memory from these memories, at their revisions at that point."""

    def move(mind: Mind) -> MemoryEncoded:
        seen = {source: known.revision if (known := mind.memories.get(source)) else 0 for source in sources}
        return absorbing(memory_id, seen)

    return move


def absorbing(memory_id: UUID, seen: Mapping[UUID, int]) -> MemoryEncoded:
    """Return the event that encodes a semantic memory of these memories. `seen` has their revisions."""
    known = Experiences(count=max(2, len(seen)), since=BEGINNING, until=BEGINNING)
    absorbs = tuple(Seen(memory_id=each, revision=revision) for each, revision in seen.items())
    changes = {"links": tuple(seen), "absorbs": absorbs, "experiences": known, "source": "sleep"}
    return encoded(memory_id).model_copy(update=changes)


def split_up(memory_id: UUID, *sources: UUID) -> SemanticMemorySplit:
    """Return the event that splits a semantic memory into these sources."""
    return SemanticMemorySplit(event_id=_fresh(), agent_id=AGENT, memory_id=memory_id, sources=sources)


def erased(*memory_ids: UUID) -> MemoriesErased:
    """Return the tombstone of these memories."""
    return MemoriesErased(event_id=_fresh(), agent_id=AGENT, memory_ids=memory_ids)


def judged(memory_id: UUID, older: UUID, sort: RelationSort, **fields: Any) -> MemoriesJudged:
    """Return the event that a memory was judged against an older one."""
    judgement = Judgement(memory_id=memory_id, older=older, sort=sort, reason="they say so", **fields)
    return MemoriesJudged(event_id=_fresh(), agent_id=AGENT, judgements=(judgement,))


def parted(memory_id: UUID, older: UUID) -> MemoryAmended:
    """Return the event that withdraws the relation of a memory to an older one."""
    return MemoryAmended(
        event_id=_fresh(), agent_id=AGENT, memory_id=memory_id, change="unrelate", older=older, asked_by="ann"
    )


def separated(memory_id: UUID, *, confirms: bool = False) -> RepetitionWithdrawn:
    """Return the event that withdraws a repetition of a memory, which may have confirmed it."""
    return RepetitionWithdrawn(
        event_id=_fresh(), agent_id=AGENT, repetition=repetition(memory_id, confirms=confirms), assignment_id=_fresh()
    )


def retrieved(*memory_ids: UUID, principles: tuple[UUID, ...] = ()) -> MemoriesRetrieved:
    """Return the event that these memories were retrieved into a context."""
    return MemoriesRetrieved(
        event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), query="?", terms=(), expansions={}, vector="-",
        perspective=None, setting=Setting(), seed=0, ranking="linear-1", candidates=(), selected=memory_ids,
        principles=principles,
    )  # fmt: skip


def used(*memory_ids: UUID, perspective: str | None = None) -> MemoriesUsed:
    """Return the event that an answer used these memories."""
    uses = tuple(Use(memory_id=memory_id, method="citation") for memory_id in memory_ids)
    return MemoriesUsed(event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), perspective=perspective, uses=uses)


def reviewed(*memory_ids: UUID, perspective: str | None = None) -> MemoriesReviewed:
    """Return the event that these memories were reviewed after a wrong answer."""
    return MemoriesReviewed(
        event_id=_fresh(), agent_id=AGENT, course_id=_fresh(), chapter=0, exercise=0, perspective=perspective,
        memory_ids=memory_ids,
    )  # fmt: skip


def repetition(memory_id: UUID, *, confirms: bool = False) -> Repetition:
    """Return a learning that counts as a repetition of the memory, and may confirm it."""
    learning = NewMemory(
        memory=MemoryContent(content="again"), vector="hashing.8.none", strength=1.0, perspectives=(COST, QUALITY)
    )
    return Repetition(memory_id=memory_id, perspective=COST, learning=learning, confirms=confirms)


def repeating(*memory_ids: UUID, confirms: bool = False) -> LearningsExtracted:
    """Return the event of a session's learnings, which repeat these memories, and may confirm them."""
    return LearningsExtracted(
        event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), usage=Usage(model="none"),
        repetitions=tuple(repetition(memory_id, confirms=confirms) for memory_id in memory_ids),
    )  # fmt: skip


def credited(*memory_ids: UUID, points: float = 2.0) -> ImpactCredited:
    """Return the event that credits these memories for an answer that used them."""
    return ImpactCredited(
        event_id=_fresh(), agent_id=AGENT, assignment_id=_fresh(), reason="helpful", points=points,
        memory_ids=memory_ids,
    )  # fmt: skip


def session(number: int) -> UUID:
    """Return the assignment id of the session with this number."""
    return UUID(int=1_000_000 + number)


def ended(number: int) -> SessionEnded:
    """Return the event that the session with this number ended."""
    return SessionEnded(event_id=_fresh(), agent_id=AGENT, assignment_id=session(number))


def slept(
    *sessions: int,
    levels: Mapping[UUID, tuple[int, int]] | None = None,
    archived: Mapping[UUID, int] | None = None,
    pruned: Mapping[UUID, int] | None = None,
) -> AgentSlept:
    """Return the event of a sleep that covers these sessions.

    `levels` gives, for each memory, its new level and the revision that the decision is based on. `archived` and
    `pruned` give the revision alone.
    """
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
    """Return a move that decides a sleep. It covers all sessions without one, and is None if there are none."""
    return lambda mind: sleep.decide(ended(0), sleep_input(mind))


def night(number: int) -> tuple[Move, ...]:
    """Return the moves of a session that ends and of the sleep that covers it."""
    return ended(number), sleeps()


def sleep_input(mind: Mind) -> SleepInput:
    """Return the input of a sleep's decision as the projections supply it: in no particular order."""
    seen = in_memory(mind)
    assert seen is not None
    return replace(seen, touched=tuple(sorted(seen.touched, key=_id)), weakest=tuple(reversed(seen.weakest)))


def _id(memory: Memory) -> UUID:
    return memory.memory_id


def _fresh() -> UUID:
    return derive("story", "event", next(_numbers))


def lines(events: Iterable[Event]) -> str:
    """Return the events as text, to be printed if a property test fails."""
    return "\n".join(f"{event.sequence}: {event!r}" for event in events)
