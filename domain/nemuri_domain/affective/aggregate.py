"""The aggregate of affective memory: the memories, moods and totals of one agent, folded from its events."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Final, Literal
from uuid import UUID

from immutables import Map
from pydantic import computed_field

from nemuri_contracts.affective import Category, Concern, Emotion, Link, Tag, Valence
from nemuri_contracts.event import Usage
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.retention import retention
from nemuri_domain.event_sourcing import memory_collection
from nemuri_domain.event_sourcing.state import State

ARCHIVED = 4
"""Level of a memory in the archive."""
DELETED = 5
"""Level of a memory that a nightly job has deleted. It is not retrieved, and waits for its erasure."""


STANDING: Final[tuple[Concern, ...]] = ("user", "rule")
"""Concerns of what holds until it is revoked."""
MAX_IDLE_SHOWS = 100
"""Number of idle shows up to which they are counted."""
MAX_WITHDRAWN = 1_000
"""Maximum number of withdrawn memories that are awaited. Turns are read within seconds, so there are few."""


class AffectMemory(State):
    """A memory of one turn of a conversation.

    Its retention on a night is `kept` · `coefficient` ^ (night - `zero`), the formula intensity · coefficient ^ days of
    document 001. The stored values do not contain the current night, so a night rewrites only the rows of memories that
    it changes.
    """

    memory_id: UUID
    agent_id: str
    turn_id: UUID
    label: str
    project: str | None = None
    """Project in which the turn took place; None outside of one."""
    concern: Concern = "work"
    only_asked: bool = False
    """True if a person wants it not to be shown unasked."""
    idle_shows: int = 0
    """Number of session starts at which it was shown unasked since it was last recalled; 0 if it does not fade so."""
    said_at: datetime
    kept: float
    """Retention at age zero, 0 to 100: the intensity, or the score that it was revived with."""
    zero: float
    """Night at which its age is zero, as a number of nights since the agent's first one. It may have a fraction."""
    begun: int
    """Night on which it was created. It does not decay until the next night."""
    coefficient: float
    level: int = 1
    recall_count: int = 0
    recalled: bool = False
    """True if it was recalled since the last night."""
    intensity: int
    valence: Valence
    arousal: int
    tags: tuple[Tag, ...]
    category: Category
    keywords: tuple[str, ...]
    trigger: str
    content: str
    protection: Literal["none", "protected", "asked"] = "none"
    relations: tuple[Link, ...] = ()
    fresh: bool = True
    """True if its text has changed since the nightly job last compared it with all other memories."""
    archived_night: int | None = None
    archived_at: datetime | None = None
    asked_back_at: datetime | None = None
    """Time at which a recall asked for it from the archive; None if no recall did."""
    vector: str
    words_level: int = 1
    """Level of the stored text: 1 for the whole text, 2 for a summary, 3 for keywords. It is below `level` until the
    text is compressed.
    """
    worded: int
    """Log sequence of the event that set its text."""
    revision: int = 0
    changed: int
    """Log sequence of the last event that changed this row."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def protected(self) -> bool:
        """True if it is protected. A protected memory is not lowered to another level, archived or compressed."""
        return self.protection == "protected"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def personal(self) -> bool:
        """True if it is about the user, so that it matters in every project."""
        return self.concern in ("user", "life")

    @property
    def holds(self) -> bool:
        """True if it holds until it is revoked: a lasting statement about the user, or a rule of the project."""
        return self.concern in STANDING

    @property
    def emotion(self) -> Emotion:
        """The emotion of the turn."""
        return Emotion(valence=self.valence, arousal=self.arousal, tags=self.tags)

    @property
    def archived(self) -> bool:
        """True if it is in the archive."""
        return self.level == ARCHIVED

    def matters_in(self, projects: Collection[str]) -> bool:
        """Return True if it may be retrieved in a project, which has these names; without names, in every one.

        Memories about the user and memories outside of every project matter everywhere.
        """
        return not projects or self.project is None or self.personal or self.project in projects

    def days(self, night: float) -> float:
        """Return the age of the memory on a night, in days."""
        return night - self.zero

    def retention(self, night: float) -> float:
        """Return the retention of the memory on a night, 0 to 100 (document 001, retention score). In the archive it
        stays constant.
        """
        found = retention(
            kept=self.kept,
            zero=self.zero,
            begun=self.begun,
            coefficient=self.coefficient,
            night=night,
            archived=self.archived_night,
        )
        return float(found)


class DaySpending(State):
    """The spending of language models on the memories of an agent in one day, UTC."""

    day: date | None = None
    """The newest day with a call; None before the first one."""
    tokens: int = 0
    money: float = 0.0
    """Sum of the known prices."""
    unpriced: str | None = None
    """A model that used tokens and has no known price; None if all prices are known."""

    def plus(self, usage: Usage, at: datetime) -> "DaySpending":
        """Return the spending with one more call. The first call of a new day starts from zero."""
        today = at.astimezone(UTC).date()
        before = self if self.day is not None and self.day >= today else DaySpending(day=today)
        return before.replace(
            tokens=before.tokens + usage.tokens,
            money=before.money + (usage.money or 0.0),
            unpriced=usage.model if usage.tokens and usage.money is None else before.unpriced,
        )

    def since(self, day: date) -> "DaySpending":
        """Return the spending if it is that of this day or of a later one; otherwise nothing."""
        return self if self.day is not None and self.day >= day else DaySpending()


class AffectAgent(State):
    """An agent with affective memory: its nights, its parameters and the numbers of its memories.

    The numbers count rows of memories only, so that an erased memory is not counted.
    """

    agent_id: str
    nights: int = 0
    last_night: date | None = None
    last_night_by: int = 0
    """Log sequence of the event of the newest night; 0 before the first night."""
    policy: Mapping[str, Any] = {}
    next_policy: Mapping[str, Any] | None = None
    """Parameters that come into force at the start of the next night."""
    levels: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Number of unprotected memories at levels 1, 2 and 3 and in the archive."""
    protected: int = 0
    defined_at: datetime
    projects: Mapping[str, str] = {}
    """The project into which each merged project was merged, by the name of the merged project."""
    spent: DaySpending = DaySpending()
    withdrawn: tuple[UUID, ...] = ()
    """Memories that were withdrawn before they existed, oldest first, at most `MAX_WITHDRAWN`."""

    @property
    def rules(self) -> AffectPolicy:
        """The parameters in force."""
        return AffectPolicy.of(self.policy)

    @property
    def number(self) -> int:
        """The number of unprotected memories, with archived ones. The ratios of the levels are shares of this
        number.
        """
        return sum(self.levels)

    def project_names(self, project: str) -> tuple[str, ...]:
        """Return all names under which memories of a project are stored."""
        now = self.projects.get(project, project)
        return (now, *sorted(name for name, into in self.projects.items() if into == now))

    def with_merged_project(self, project: str, into: str) -> "AffectAgent":
        """Return the agent after a project was merged into another one. Two merged projects take the name that is given
        last.
        """
        target = self.projects.get(into, into)
        target = into if target == project else target
        moved = {name: target if now == project else now for name, now in self.projects.items()} | {project: target}
        return self.replace(projects={name: now for name, now in moved.items() if name != now})

    def with_updated_totals(self, before: AffectMemory | None, after: AffectMemory | None) -> "AffectAgent":
        """Return the agent with its numbers updated for one memory. `before` is None for a new memory, `after` for a
        removed one.
        """
        place = [_place(memory) for memory in (before, after)]
        if place[0] == place[1]:
            return self
        counts = [self.protected, *self.levels]
        for label, step in zip(place, (-1, 1), strict=True):
            if label is not None:
                counts[label] += step
        return self.replace(protected=counts[0], levels=tuple(counts[1:]))


def _place(memory: AffectMemory | None) -> int | None:
    """Return the index of the agent's counter that includes this memory: 0 for protected memories, else the level.

    None if `memory` is None or deleted, because no counter includes it.
    """
    if memory is None or memory.level == DELETED:
        return None
    return 0 if memory.protected else memory.level


class Mood(State):
    """The mood of a session: the emotion of the memory that was last created or recalled in it."""

    agent_id: str
    session: str
    valence: Valence
    arousal: int
    tags: tuple[Tag, ...]
    changed: int

    @property
    def emotion(self) -> Emotion:
        """The emotion of the mood."""
        return Emotion(valence=self.valence, arousal=self.arousal, tags=self.tags)


@dataclass(frozen=True)
class AffectMind:
    """An agent with its memories: all of them, or only those that the events to fold need."""

    agent: AffectAgent | None = None
    memories: Map[UUID, AffectMemory] = field(default_factory=Map)
    moods: Map[str, Mood] = field(default_factory=Map)

    @cached_property
    def night(self) -> int:
        """Number of nights so far."""
        return self.agent.nights if self.agent else 0

    def with_spending(self, usage: Usage | None, at: datetime | None) -> "AffectMind":
        """Return a copy in which the agent has spent this too, at that time. A call without tokens changes nothing."""
        if self.agent is None or usage is None or at is None or not usage.tokens:
            return self
        return self.with_agent(spent=self.agent.spent.plus(usage, at))

    def with_agent(self, **changes: object) -> "AffectMind":
        """Return a copy with some fields of the agent changed; itself if there is no agent."""
        return self if self.agent is None else replace(self, agent=self.agent.replace(**changes))

    def find(self, memory_ids: Iterable[UUID]) -> tuple[AffectMemory, ...]:
        """Return the existing memories with these ids, without duplicates. Unknown ids are left out."""
        return memory_collection.find(self.memories, memory_ids)

    def not_deleted(self, memory_ids: Iterable[UUID]) -> tuple[AffectMemory, ...]:
        """Return the existing memories with these ids that no nightly job has deleted, without duplicates."""
        return tuple(memory for memory in self.find(memory_ids) if memory.level != DELETED)

    def with_memories(self, memories: Iterable[AffectMemory]) -> "AffectMind":
        """Return a copy with these memories added or replaced, and the agent's numbers updated."""
        changed = tuple(memories)
        if self.agent is None or not changed:
            return self
        agent, held = memory_collection.put(self.agent, self.memories, changed)
        return replace(self, agent=agent, memories=held)

    def without_memories(self, memory_ids: Iterable[UUID]) -> "AffectMind":
        """Return a copy without these memories, with the agent's numbers updated."""
        agent, memories = memory_collection.remove(self.agent, self.memories, self.find(memory_ids))
        return replace(self, agent=agent, memories=memories)

    def without_relations_to(self, memory_ids: Iterable[UUID], by: int) -> "AffectMind":
        """Return a copy in which no memory has a relation to the memories in `memory_ids`, which need not exist."""
        gone = set(memory_ids)
        return self.with_memories(
            memory.replace(relations=tuple(link for link in memory.relations if link.to not in gone), changed=by)
            for memory in self.memories.values()
            if any(link.to in gone for link in memory.relations)
        )

    def with_mood(self, session: str, emotion: Emotion, by: int) -> "AffectMind":
        """Return a copy in which the session has this emotion as its mood. Without an agent, nothing changes."""
        if self.agent is None:
            return self
        felt = {"valence": emotion.valence, "arousal": emotion.arousal, "tags": emotion.tags}
        mood = Mood.model_validate({"agent_id": self.agent.agent_id, "session": session, "changed": by} | felt)
        return replace(self, moods=self.moods.set(session, mood))


def embedded_text(trigger: str, content: str) -> str:
    """Return the text to embed for a memory: its trigger and its content."""
    return f"{trigger} {content}"
