"""A driver for tests of affective memory. It runs days with events, and nightly jobs, through the real decision and
fold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from nemuri_contracts.affective import (
    Category,
    Emotion,
    Link,
    Lowered,
    MemoriesRecalled,
    NightFell,
    NightPassed,
    ProtectionChanged,
    Reading,
    Revived,
    Tie,
    TurnRemembered,
)
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import AgentEvent, derive
from nemuri_domain.affective import nightly_job
from nemuri_domain.affective.aggregate import ARCHIVED, AffectAgent, AffectMemory, AffectMind
from nemuri_domain.affective.fold import evolve, touched
from nemuri_domain.affective.nightly_columns import MemoryColumns, row_of
from nemuri_domain.affective.nightly_job import NightInput
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.similarity_relations import SimilarPair

AGENT = "companion"
BEGINNING = datetime(2026, 1, 1, 18, tzinfo=UTC)


@dataclass
class Life:
    """An affective memory, the columns that the nightly job works on, and all events so far. Each event updates
    both.
    """

    mind: AffectMind = field(default_factory=AffectMind)
    table: MemoryColumns = field(default_factory=MemoryColumns)
    events: list[AnyAgentEvent] = field(default_factory=list)
    today: datetime = BEGINNING
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    """Numbers from which ids are made, so that equal sequences of events have equal ids."""

    def __post_init__(self) -> None:
        """Define the agent."""
        definition = Definition(role="companion", memory="affective")
        embedding = Embedding(model="hashing", dimension=8)
        self.take(AgentDefined(event_id=self.fresh_id(), agent_id=AGENT, definition=definition, embedding=embedding))

    @property
    def agent(self) -> AffectAgent:
        """The agent, which is defined."""
        assert self.mind.agent is not None
        return self.mind.agent

    def memory(self, memory_id: UUID) -> AffectMemory:
        """Return a memory."""
        return self.mind.memories[memory_id]

    def retention(self, memory_id: UUID) -> float:
        """Return the present retention of a memory."""
        return self.memory(memory_id).retention(self.mind.night)

    def levels(self) -> dict[UUID, int]:
        """Return the level of every memory, by id."""
        return {memory.memory_id: memory.level for memory in self.mind.memories.values()}

    def take(self, event: AnyAgentEvent) -> AnyAgentEvent:
        """Fold an event, update the columns and return the event."""
        sequence = len(self.events) + 1
        known = event.model_copy(update={"sequence": sequence, "recorded_at": self.today + timedelta(seconds=sequence)})
        self.mind = evolve(self.mind, known)
        concerned = touched(known)
        self.table.take(self.mind.find(concerned))
        self.table.drop(each for each in concerned if each not in self.mind.memories)
        self.events.append(known)
        return known

    def remember(
        self,
        intensity: int = 50,
        category: Category = "work",
        *,
        days: float = 0.375,
        coefficient: float | None = None,
        said_at: datetime | None = None,
        continues: UUID | None = None,
        **more: Any,
    ) -> UUID:
        """Create a memory from a turn and return its id."""
        memory_id = UUID(int=next(self.numbers))
        reading = Reading(intensity=intensity, emotion=Emotion(), category=category, trigger="why", content="what")
        rules = self.agent.rules.retention
        self.take(
            TurnRemembered(
                event_id=memory_id,
                agent_id=AGENT,
                turn_id=self.fresh_id(),
                session="s",
                label="mem_20260101_001",
                said_at=said_at or self.today + timedelta(seconds=len(self.events)),
                reading=reading,
                read_by="lexicon",
                coefficient=coefficient or rules.coefficient(category, intensity),
                days=days,
                relations=(Link(to=continues, sort="continues"),) if continues else (),
                vector="hashing.8.none",
                **more,
            )
        )
        return memory_id

    def tie(self, *ties: Tie) -> None:
        """Append an event of an unfinished nightly job that adds these relations."""
        today = self.today.date()
        self.take(NightPassed(event_id=self.fresh_id(), agent_id=AGENT, date=today, nights=0, tied=ties))

    def recall(self, *memory_ids: UUID) -> None:
        """Recall these memories. For archived ones this also requests their revival."""
        archived = [
            memory_id for memory_id in memory_ids if memory_id in self.mind.memories and self.memory(memory_id).archived
        ]
        active = [memory_id for memory_id in memory_ids if memory_id not in archived]
        self.take(self._event(MemoriesRecalled, recalled=tuple(active), asked_back=tuple(archived)))

    def protect(self, memory_id: UUID, *, protected: bool = True) -> None:
        """Protect a memory, or end its protection."""
        self.take(self._event(ProtectionChanged, memory_id=memory_id, protected=protected))

    def erase(self, *memory_ids: UUID) -> None:
        """Erase memories."""
        self.take(self._event(MemoriesErased, memory_ids=memory_ids))

    def adopt(self, **sections: Any) -> None:
        """Adopt a policy with these sections."""
        self.take(self._event(PolicyAdopted, parameters=AffectPolicy.model_validate(sections).differing))

    def evening(self, alike: Sequence[SimilarPair] = (), *, table: MemoryColumns | None = None) -> NightInput:
        """Return the input of a nightly job; `alike` are pairs of similar memories."""
        all_of_them = [*self.mind.memories.values()]
        gone = [memory for memory in all_of_them if memory.level == ARCHIVED]
        asked = [affect_memory for affect_memory in gone if affect_memory.asked_back_at is not None]
        active = [memory for memory in all_of_them if memory.level < ARCHIVED]
        return NightInput(
            agent=self.agent,
            table=table or self.table,
            asked_back=sorted(asked, key=lambda affect_memory: (affect_memory.asked_back_at, affect_memory.memory_id)),
            forgotten=gone,
            waiting=sorted(
                (each for each in active if each.protection == "asked"), key=lambda each: (each.said_at, each.memory_id)
            ),
            web=[Tie(of=each.memory_id, to=link.to, sort=link.sort) for each in active for link in each.relations],
            fresh=[affect_memory.memory_id for affect_memory in active if affect_memory.fresh],
            alike=[
                similar_pair for similar_pair in alike if self.fresh(similar_pair[0]) or self.fresh(similar_pair[1])
            ],
        )

    def fresh(self, memory_id: UUID) -> bool:
        """Return True if a memory is still to be compared with all others."""
        known = self.mind.memories.get(memory_id)
        return known is not None and known.fresh and known.level < ARCHIVED

    def fall(self, nights: int = 1) -> NightFell:
        """Return the event that starts the next nightly job, `nights` nights after the last one."""
        self.today += timedelta(days=nights)
        return NightFell(event_id=self.fresh_id(), agent_id=AGENT, date=self.today.date(), nights=nights)

    def rebuilt(self) -> MemoryColumns:
        """Return the columns as they are built anew from the memories' rows."""
        return MemoryColumns(row_of(memory) for memory in self.mind.memories.values() if memory.level < ARCHIVED)

    def night(self, nights: int = 1, alike: Sequence[SimilarPair] = ()) -> "Night":
        """Run a nightly job with all its events and return the result."""
        before = self.mind
        fell = self.take(self.fall(nights))
        assert isinstance(fell, NightFell)
        parts = [self.pass_(nightly_job.decide(fell, self.evening(alike)))]
        while (more := nightly_job.continue_night(parts[-1], self.evening(alike))) is not None:
            parts.append(self.pass_(more))
            assert len(parts) < 1_000, "a night without end"
        return Night(before, tuple(parts))

    def fresh_id(self) -> UUID:
        """Return an unused id."""
        return derive("life", "event", next(self.numbers))

    def _event(self, kind: type[Any], **fields: Any) -> Any:
        event: AgentEvent = kind(event_id=self.fresh_id(), agent_id=AGENT, **fields)
        return event

    def pass_(self, passed: NightPassed) -> NightPassed:
        """Fold an event of a nightly job and return it."""
        known = self.take(passed)
        assert isinstance(known, NightPassed)
        return known


@dataclass(frozen=True)
class Night:
    """The result of a nightly job, collected from all its events."""

    before: AffectMind
    parts: tuple[NightPassed, ...]

    @property
    def archived(self) -> set[UUID]:
        """Ids of the archived memories."""
        return {each for part in self.parts for each in part.archived}

    @property
    def lowered(self) -> dict[UUID, int]:
        """Ids and new levels of the lowered memories."""
        told: list[Lowered] = [each for part in self.parts for each in part.lowered]
        return {lowered.memory_id: lowered.level for lowered in told}

    @property
    def revived(self) -> dict[UUID, float]:
        """Ids and retention of the revived memories."""
        told: list[Revived] = [each for part in self.parts for each in part.revived]
        return {revived.memory_id: revived.score for revived in told}

    @property
    def declined(self) -> set[UUID]:
        """Ids of the memories whose revival was declined."""
        return {each for part in self.parts for each in part.declined}

    @property
    def deleted(self) -> set[UUID]:
        """Ids of the deleted memories."""
        return {each for part in self.parts for each in part.deleted}

    @property
    def tied(self) -> list[Tie]:
        """Relations that were added."""
        return [each for part in self.parts for each in part.tied]

    @property
    def untied(self) -> list[Tie]:
        """Relations that were removed."""
        return [each for part in self.parts for each in part.untied]


def living(**sections: Any) -> Life:
    """Return a driver with these parameters, or the defaults."""
    life = Life()
    if sections:
        life.adopt(**sections)
    return life


def tie(of: UUID, to: UUID, sort: Any = "same_topic") -> Tie:
    """Return a relation from one memory to another."""
    return Tie(of=of, to=to, sort=sort)


def ends(ties: Iterable[Tie]) -> set[tuple[UUID, UUID]]:
    """Return the source and the target of each relation, as pairs of ids."""
    return {(each.of, each.to) for each in ties}
