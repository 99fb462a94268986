"""The life of an affective mind: what happens to it by day, and its nights, through the real decision and fold."""

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
from nemuri_domain.affective.memory_columns import MemoryColumns, row_of
from nemuri_domain.affective.nightly_job import NightInput
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.relations import SimilarPair

AGENT = "companion"
BEGINNING = datetime(2026, 1, 1, 18, tzinfo=UTC)


@dataclass
class Life:
    """A mind, the table that is kept along with it, and the events so far."""

    mind: AffectMind = field(default_factory=AffectMind)
    table: MemoryColumns = field(default_factory=MemoryColumns)
    events: list[AnyAgentEvent] = field(default_factory=list)
    today: datetime = BEGINNING
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    """What ids are made of, so that what happens in the same order has the same ids."""

    def __post_init__(self) -> None:
        """The agent is defined."""
        definition = Definition(role="companion", memory="affective")
        embedding = Embedding(model="hashing", dimension=8)
        self.take(AgentDefined(event_id=self.fresh_id(), agent_id=AGENT, definition=definition, embedding=embedding))

    @property
    def agent(self) -> AffectAgent:
        """The agent as it is."""
        assert self.mind.agent is not None
        return self.mind.agent

    def memory(self, memory_id: UUID) -> AffectMemory:
        """A memory as it is."""
        return self.mind.memories[memory_id]

    def retention(self, memory_id: UUID) -> float:
        """How much of a memory is left."""
        return self.memory(memory_id).retention(self.mind.night)

    def levels(self) -> dict[UUID, int]:
        """The level of every memory."""
        return {each.memory_id: each.level for each in self.mind.memories.values()}

    def take(self, event: AnyAgentEvent) -> AnyAgentEvent:
        """The event happens, is folded, and the table is brought up to date with it."""
        sequence = len(self.events) + 1
        known = event.model_copy(update={"sequence": sequence, "recorded_at": self.today + timedelta(seconds=sequence)})
        self.mind = evolve(self.mind, known)
        concerned = touched(known)
        self.table.take(self.mind.known(concerned))
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
        """A turn becomes a memory; its id."""
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
        """A night that was not finished goes on, and says that these belong together."""
        today = self.today.date()
        self.take(NightPassed(event_id=self.fresh_id(), agent_id=AGENT, date=today, nights=0, tied=ties))

    def recall(self, *memory_ids: UUID) -> None:
        """These come to mind; archived ones are asked back."""
        archived = [each for each in memory_ids if each in self.mind.memories and self.memory(each).archived]
        active = [each for each in memory_ids if each not in archived]
        self.take(self._event(MemoriesRecalled, recalled=tuple(active), asked_back=tuple(archived)))

    def protect(self, memory_id: UUID, *, protected: bool = True) -> None:
        """A memory is protected, or not any more."""
        self.take(self._event(ProtectionChanged, memory_id=memory_id, protected=protected))

    def erase(self, *memory_ids: UUID) -> None:
        """Memories are erased for good."""
        self.take(self._event(MemoriesErased, memory_ids=memory_ids))

    def adopt(self, **sections: Any) -> None:
        """Other parameters."""
        self.take(self._event(PolicyAdopted, parameters=AffectPolicy.model_validate(sections).differing))

    def evening(self, alike: Sequence[SimilarPair] = (), *, table: MemoryColumns | None = None) -> NightInput:
        """What the views would show a night."""
        all_of_them = [*self.mind.memories.values()]
        gone = [each for each in all_of_them if each.level == ARCHIVED]
        asked = [each for each in gone if each.asked_back_at is not None]
        active = [each for each in all_of_them if each.level < ARCHIVED]
        return NightInput(
            agent=self.agent,
            table=table or self.table,
            asked_back=sorted(asked, key=lambda each: (each.asked_back_at, each.memory_id)),
            forgotten=gone,
            waiting=sorted(
                (each for each in active if each.protection == "asked"), key=lambda each: (each.said_at, each.memory_id)
            ),
            web=[Tie(of=each.memory_id, to=link.to, sort=link.sort) for each in active for link in each.relations],
            fresh=[each.memory_id for each in active if each.fresh],
            alike=[each for each in alike if self.fresh(each[0]) or self.fresh(each[1])],
        )

    def fresh(self, memory_id: UUID) -> bool:
        """Whether it waits to be compared with all others."""
        known = self.mind.memories.get(memory_id)
        return known is not None and known.fresh and known.level < ARCHIVED

    def fall(self, nights: int = 1) -> NightFell:
        """The next night, or the last of several of which the others were missed."""
        self.today += timedelta(days=nights)
        return NightFell(event_id=self.fresh_id(), agent_id=AGENT, date=self.today.date(), nights=nights)

    def rebuilt(self) -> MemoryColumns:
        """The table as it is read from the rows."""
        return MemoryColumns(row_of(each) for each in self.mind.memories.values() if each.level < ARCHIVED)

    def night(self, nights: int = 1, alike: Sequence[SimilarPair] = ()) -> "Night":
        """A night passes, with every event that goes on with it."""
        before = self.mind
        fell = self.take(self.fall(nights))
        assert isinstance(fell, NightFell)
        parts = [self.pass_(nightly_job.decide(fell, self.evening(alike)))]
        while (more := nightly_job.continue_night(parts[-1], self.evening(alike))) is not None:
            parts.append(self.pass_(more))
            assert len(parts) < 1_000, "a night without end"
        return Night(before, tuple(parts))

    def fresh_id(self) -> UUID:
        """An id that nothing has yet."""
        return derive("life", "event", next(self.numbers))

    def _event(self, kind: type[Any], **fields: Any) -> Any:
        event: AgentEvent = kind(event_id=self.fresh_id(), agent_id=AGENT, **fields)
        return event

    def pass_(self, passed: NightPassed) -> NightPassed:
        """What was decided happens."""
        known = self.take(passed)
        assert isinstance(known, NightPassed)
        return known


@dataclass(frozen=True)
class Night:
    """What a night did, in however many events."""

    before: AffectMind
    parts: tuple[NightPassed, ...]

    @property
    def archived(self) -> set[UUID]:
        """What it archived."""
        return {each for part in self.parts for each in part.archived}

    @property
    def lowered(self) -> dict[UUID, int]:
        """What it lowered, and to which level."""
        told: list[Lowered] = [each for part in self.parts for each in part.lowered]
        return {each.memory_id: each.level for each in told}

    @property
    def revived(self) -> dict[UUID, float]:
        """What came back, and with which retention."""
        told: list[Revived] = [each for part in self.parts for each in part.revived]
        return {each.memory_id: each.score for each in told}

    @property
    def declined(self) -> set[UUID]:
        """What was asked back in vain."""
        return {each for part in self.parts for each in part.declined}

    @property
    def deleted(self) -> set[UUID]:
        """What is due to be erased."""
        return {each for part in self.parts for each in part.deleted}

    @property
    def tied(self) -> list[Tie]:
        """Relations that began."""
        return [each for part in self.parts for each in part.tied]

    @property
    def untied(self) -> list[Tie]:
        """Relations that ended."""
        return [each for part in self.parts for each in part.untied]


def living(**sections: Any) -> Life:
    """A life under these parameters, or the defaults."""
    life = Life()
    if sections:
        life.adopt(**sections)
    return life


def tie(of: UUID, to: UUID, sort: Any = "same_topic") -> Tie:
    """A relation."""
    return Tie(of=of, to=to, sort=sort)


def ends(ties: Iterable[Tie]) -> set[tuple[UUID, UUID]]:
    """From where to where relations go."""
    return {(each.of, each.to) for each in ties}
