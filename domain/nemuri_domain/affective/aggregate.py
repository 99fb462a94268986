"""An affective mind: its memories and how much of each is left, as a fold of the agent's own events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, Literal
from uuid import UUID

from immutables import Map
from pydantic import computed_field

from nemuri_contracts.affective import Category, Emotion, Link, Tag, Valence
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.event_sourcing import memory_totals
from nemuri_domain.event_sourcing.row_model import RowModel

ARCHIVED = 4
"""The level of what is archived."""
LET_GO = 5
"""The level of what a night has let go: it comes to mind no more, and is to be erased."""


class AffectMemory(RowModel):
    """A turn that is remembered.

    Its retention on a night is `kept` · `coefficient` ^ (night - `zero`), document 001's
    intensity · coefficient ^ days, so that a night that does not touch it rewrites nothing.
    """

    memory_id: UUID
    agent_id: str
    turn_id: UUID
    label: str
    said_at: datetime
    kept: float
    """The retention at age zero: the intensity, or what it was revived with."""
    zero: float
    """The night, counted from the agent's first and with fractions, at which its age is zero."""
    begun: int
    """The night on which it began; until the next one all of it is left."""
    coefficient: float
    level: int = 1
    recall_count: int = 0
    recalled: bool = False
    """Whether it was recalled since the last night."""
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
    """Whether its words are new since a night last compared them with all others."""
    archived_night: int | None = None
    archived_at: datetime | None = None
    asked_back_at: datetime | None = None
    """Since when it is asked back from the archive."""
    vector: str
    words_level: int = 1
    """The level whose words these are: whole, a summary, keywords; below `level` while they are still to be made."""
    worded: int
    """The log's sequence of its present words."""
    revision: int = 0
    changed: int
    """The log's sequence of what last changed this row."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def protected(self) -> bool:
        """Whether it is outside of all forgetting."""
        return self.protection == "protected"

    @property
    def emotion(self) -> Emotion:
        """What was felt."""
        return Emotion(valence=self.valence, arousal=self.arousal, tags=self.tags)

    @property
    def archived(self) -> bool:
        """Whether it is in the archive."""
        return self.level == ARCHIVED

    def days(self, night: float) -> float:
        """Its age on a night."""
        return night - self.zero

    def retention(self, night: float) -> float:
        """How much of it is left on a night, 0 to 100 (document 001, retention score); in the archive it stands."""
        at = night if self.archived_night is None else self.archived_night
        return float(self.kept if at <= self.begun else self.kept * self.coefficient ** self.days(at))


class AffectAgent(RowModel):
    """An agent with affective memory: how many nights it has seen, and how much it remembers.

    It counts only what its memories' rows say, so that an erased memory is in no count, whatever it has lived through.
    """

    agent_id: str
    nights: int = 0
    last_night: date | None = None
    last_night_by: int = 0
    """The log's sequence of the newest night; 0 before the first."""
    policy: Mapping[str, Any] = {}
    next_policy: Mapping[str, Any] | None = None
    """Parameters that come into force when the next night falls."""
    levels: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Unprotected memories at levels 1 to 3 and in the archive."""
    protected: int = 0
    defined_at: datetime

    @property
    def rules(self) -> AffectPolicy:
        """The parameters in force."""
        return AffectPolicy.of(self.policy)

    @property
    def number(self) -> int:
        """All memories but the protected, archived ones included: what ratios are shares of."""
        return sum(self.levels)

    def counting(self, before: AffectMemory | None, after: AffectMemory | None) -> "AffectAgent":
        """The agent with its totals in step with one memory's change; None where there is none."""
        place = [_place(each) for each in (before, after)]
        if place[0] == place[1]:
            return self
        counts = [self.protected, *self.levels]
        for each, step in zip(place, (-1, 1), strict=True):
            if each is not None:
                counts[each] += step
        return self.replace(protected=counts[0], levels=tuple(counts[1:]))


def _place(memory: AffectMemory | None) -> int | None:
    """Where a memory counts: 0 for the protected, else its level; nowhere what there is not, or no more."""
    if memory is None or memory.level == LET_GO:
        return None
    return 0 if memory.protected else memory.level


class Mood(RowModel):
    """What is felt in a session: the emotion of what was last remembered or recalled in it."""

    agent_id: str
    session: str
    valence: Valence
    arousal: int
    tags: tuple[Tag, ...]
    changed: int

    @property
    def emotion(self) -> Emotion:
        """The emotion alone."""
        return Emotion(valence=self.valence, arousal=self.arousal, tags=self.tags)


@dataclass(frozen=True)
class AffectMind:
    """An agent with its memories, or with as many of them as the events at hand concern."""

    agent: AffectAgent | None = None
    memories: Map[UUID, AffectMemory] = field(default_factory=Map)
    moods: Map[str, Mood] = field(default_factory=Map)

    @cached_property
    def night(self) -> int:
        """How many nights there were."""
        return self.agent.nights if self.agent else 0

    def with_agent(self, **changes: object) -> "AffectMind":
        """The mind with some fields of the agent changed; unchanged when there is no agent."""
        return self if self.agent is None else replace(self, agent=self.agent.replace(**changes))

    def known(self, memory_ids: Iterable[UUID]) -> tuple[AffectMemory, ...]:
        """Those of the memories that there are, each once."""
        return memory_totals.known(self.memories, memory_ids)

    def left(self, memory_ids: Iterable[UUID]) -> tuple[AffectMemory, ...]:
        """Those that no night has let go."""
        return tuple(each for each in self.known(memory_ids) if each.level != LET_GO)

    def holding(self, memories: Iterable[AffectMemory]) -> "AffectMind":
        """The mind with these memories new or changed, its totals in step."""
        changed = tuple(memories)
        if self.agent is None or not changed:
            return self
        agent, held = memory_totals.holding(self.agent, self.memories, changed)
        return replace(self, agent=agent, memories=held)

    def without(self, memory_ids: Iterable[UUID]) -> "AffectMind":
        """The mind without these memories, its totals in step."""
        agent, memories = memory_totals.without(self.agent, self.memories, self.known(memory_ids))
        return replace(self, agent=agent, memories=memories)

    def letting_go(self, memory_ids: Iterable[UUID], by: int) -> "AffectMind":
        """The mind without relations to these memories, whether or not they are there."""
        gone = set(memory_ids)
        return self.holding(
            each.replace(relations=tuple(link for link in each.relations if link.to not in gone), changed=by)
            for each in self.memories.values()
            if any(link.to in gone for link in each.relations)
        )

    def feeling(self, session: str, emotion: Emotion, by: int) -> "AffectMind":
        """The mind with the mood of a session."""
        if self.agent is None:
            return self
        felt = {"valence": emotion.valence, "arousal": emotion.arousal, "tags": emotion.tags}
        mood = Mood.model_validate({"agent_id": self.agent.agent_id, "session": session, "changed": by} | felt)
        return replace(self, moods=self.moods.set(session, mood))
