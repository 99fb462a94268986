"""States of one sort in memory: as the tables have them, and as the events that were folded since made them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Table, or_
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.affective.aggregate import AffectMind
from nemuri_domain.event_sourcing.row_model import RowModel
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.tiered.aggregate import Tiers
from nemuri_infra.projections.rows import load

K = TypeVar("K", bound=Hashable)
S = TypeVar("S")
M = TypeVar("M", Mind, AffectMind, Tiers)
R = TypeVar("R", bound=RowModel)
Change = tuple[RowModel | None, RowModel | None]
"""A row as the tables have it, None where they have none, and as it is to be, None where it is to go."""


@dataclass(slots=True)
class Family(Generic[K, S]):
    """States by key."""

    none: S
    """The state of what nothing has happened to."""
    evolve: Callable[[S, Any], S]
    now: dict[K, S] = field(default_factory=dict)
    kept: dict[K, S] = field(default_factory=dict)
    """As the tables have them, as far as they were read."""

    def fold(self, key: Callable[[Any], K], events: Iterable[Any]) -> None:
        """Fold events, each into the state of its key."""
        now, none, evolve = self.now, self.none, self.evolve
        for event in events:
            name = key(event)
            now[name] = evolve(now.get(name, none), event)

    def pairs(self) -> list[tuple[S, S]]:
        """Each state that was folded into, as the tables have it and as it is now."""
        return [(self.kept.get(key, self.none), state) for key, state in self.now.items()]

    def forget(self) -> None:
        """Hold nothing any more."""
        self.now, self.kept = {}, {}


@dataclass(slots=True)
class Minds(Family[str, M], Generic[M]):
    """Minds by agent, each with those of its memories that were concerned by an event."""

    agents: tuple[Table, type[RowModel]] = field(kw_only=True)
    memories: tuple[Table, type[RowModel]] = field(kw_only=True)
    touched: Callable[[Any], Collection[UUID]] = field(kw_only=True)
    """The memories that an event concerns."""
    related: Callable[[Sequence[Any]], list[ColumnElement[bool]]] = field(kw_only=True, default=lambda _: [])
    """Which others events concern."""

    @property
    def size(self) -> int:
        """How many memories are held."""
        return sum(len(mind.memories) for mind in self.now.values())

    def holds(self, name: str) -> bool:
        """Whether anything of an agent is held that the tables may not know."""
        return name in self.now and self.now[name].agent is not None

    async def load(self, connection: AsyncConnection, events: Sequence[Any]) -> None:
        """Read the minds that the events concern, with those of their memories that they touch, unless held already."""
        names, wanted = set[str](), set[UUID]()
        for each in events:
            names.add(each.agent_id)
            wanted.update(one for one in self.touched(each) if not self._held(each.agent_id, one))
        strangers = names - self.now.keys()
        agent, agent_record = self.agents
        memory, memory_record = self.memories
        where = self.related(events)
        if wanted:
            where.append(memory.c.memory_id.in_(wanted))
        agents: list[Any] = []
        if strangers:
            agents += await load(connection, agent, agent_record, agent.c.agent_id.in_(strangers))
        memories: list[Any] = await load(connection, memory, memory_record, or_(*where)) if where else []
        mine = by_owner(
            (each.agent_id, each.memory_id, each)
            for each in memories
            if each.agent_id in names and not self._held(each.agent_id, each.memory_id)
        )
        for minds in (self.now, self.kept):
            minds.update({each.agent_id: replace(self.none, agent=each) for each in agents})
            for name, found in mine.items():
                mind = minds.get(name, self.none)
                minds[name] = replace(mind, memories=mind.memories.update(found))

    def _held(self, name: str, memory_id: UUID) -> bool:
        """Whether the memory is known here: what was read once and went since is not to come back."""
        return any(memory_id in minds.get(name, self.none).memories for minds in (self.now, self.kept))


def one(states: Iterable[tuple[RowModel | None, RowModel | None]]) -> list[Change]:
    """What changed of the states that are one row each; that one goes is for a tombstone to say."""
    return [(old, new) for old, new in states if new is not None and new is not old]


def many(states: Iterable[tuple[Mapping[Any, RowModel], Mapping[Any, RowModel]]]) -> list[Change]:
    """What changed of the states that are many rows each: of all at once, to be written together."""
    found: list[Change] = []
    for old, new in states:
        if old is not new:
            found += ((old.get(key), record) for key, record in new.items() if old.get(key) is not record)
            found += ((record, None) for key, record in old.items() if key not in new)
    return found


def overwritten(records: Iterable[RowModel | None]) -> list[Change]:
    """What is never read before it is written: whether there is a row already, nobody knows."""
    return [(each, each) for each in records if each is not None]


def by_owner(rows: Iterable[tuple[Any, Any, R]]) -> defaultdict[Any, dict[Any, R]]:
    """Rows by whom they belong to and their own key."""
    found: defaultdict[Any, dict[Any, R]] = defaultdict(dict)
    for owner, key, row in rows:
        found[owner][key] = row
    return found
