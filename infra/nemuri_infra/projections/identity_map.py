"""Identity maps: states in memory by key. Each state has two versions: as stored, and after the events folded since."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Table, or_
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.affective.aggregate import AffectMind
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_infra.projections.rows import load, load_keyed

K = TypeVar("K", bound=Hashable)
S = TypeVar("S")
M = TypeVar("M", Mind, AffectMind, TieredMind)
R = TypeVar("R", bound=State)
Change = tuple[State | None, State | None]
"""The stored row (None if there is none), and the row to write (None to delete the stored one)."""


@dataclass(slots=True)
class IdentityMap(Generic[K, S]):
    """An identity map of states by key."""

    none: S
    """Initial state, before the first event."""
    evolve: Callable[[S, Any], S]
    now: dict[K, S] = field(default_factory=dict)
    kept: dict[K, S] = field(default_factory=dict)
    """States as they are in the tables."""
    unwritten: set[K] = field(default_factory=set)
    """Keys of the states into which events were folded since the last write."""

    def fold(self, key: Callable[[Any], K], events: Iterable[Any]) -> None:
        """Fold each event into the state of its key. `key` returns the key of an event."""
        now, none, evolve = self.now, self.none, self.evolve
        for event in events:
            name = key(event)
            now[name] = evolve(now.get(name, none), event)
            self.unwritten.add(name)

    def pairs(self) -> list[tuple[S, S]]:
        """Return the stored and the present version of each state into which events were folded."""
        return [(self.kept.get(key, self.none), self.now[key]) for key in self.unwritten]

    def settle(self) -> None:
        """Regard all present states as stored. Call it after they are written."""
        self.kept.update((key, self.now[key]) for key in self.unwritten)
        self.unwritten.clear()

    def forget(self) -> None:
        """Remove all states from the map."""
        self.now, self.kept, self.unwritten = {}, {}, set()


def _with_memories(mind: M, found: dict[UUID, Any]) -> M:
    return replace(mind, memories=mind.memories.update(found))


@dataclass(slots=True)
class MindMap(IdentityMap[str, M], Generic[M]):
    """An identity map of minds by agent. A mind contains only the memories that the folded events concern."""

    agents: tuple[Table, type[State]] = field(kw_only=True)
    memories: tuple[Table, type[State]] = field(kw_only=True)
    touched: Callable[[Any], Collection[UUID]] = field(kw_only=True)
    """Function that returns the ids of the memories that an event concerns."""
    related: Callable[[Sequence[Any]], list[ColumnElement[bool]]] = field(kw_only=True, default=lambda _: [])
    """Function that returns SQL conditions for further memories that the events concern."""
    held: Callable[[M, dict[UUID, Any]], M] = field(kw_only=True, default=_with_memories)
    """Function that returns a mind with these stored memories."""
    standing_in: str | None = field(kw_only=True, default=None)
    """Column of a memory with the id of another memory that the events concern in its place; None if there is none."""

    @property
    def size(self) -> int:
        """Return the number of memories in the map."""
        return sum(len(mind.memories) for mind in self.now.values())

    def holds(self, name: str) -> bool:
        """Return whether the map contains the agent `name`. Its changes may be unwritten."""
        return name in self.now and self.now[name].agent is not None

    async def load(self, connection: AsyncConnection, events: Sequence[Any]) -> None:
        """Load the agents of the events, and the memories that the events concern.

        Agents and memories that are in the map already are not loaded again.
        """
        names, wanted = set[str](), set[UUID]()
        for event in events:
            names.add(event.agent_id)
            touched = self.touched(event)
            wanted.update(
                memory_id
                for memory_id in touched
                # A memory has the id of the event that encodes it, so there is none before this event.
                if memory_id != event.event_id and not self._held(event.agent_id, memory_id)
            )
        strangers = names - self.now.keys()
        agent, agent_record = self.agents
        memory, memory_record = self.memories
        agents: list[Any] = []
        memories: list[Any] = []
        if strangers:
            agents += await load_keyed(connection, agent, agent_record, "agent_id", strangers)
        if where := self.related(events):
            memories += await load(connection, memory, memory_record, or_(*where))
        while wanted:
            some = await load_keyed(connection, memory, memory_record, "memory_id", wanted)
            memories += some
            wanted = self._in_their_place(some)
        mine = by_owner(
            (row.agent_id, row.memory_id, row)
            for row in memories
            if row.agent_id in names and not self._held(row.agent_id, row.memory_id)
        )
        for minds in (self.now, self.kept):
            minds.update({state.agent_id: replace(self.none, agent=state) for state in agents})
            for name, found in mine.items():
                minds[name] = self.held(minds.get(name, self.none), found)

    def _in_their_place(self, memories: Iterable[Any]) -> set[UUID]:
        """Return the ids of the memories that stand in for these and are not in the map."""
        if self.standing_in is None:
            return set()
        named = ((memory.agent_id, getattr(memory, self.standing_in)) for memory in memories)
        return {memory_id for name, memory_id in named if memory_id is not None and not self._held(name, memory_id)}

    def _held(self, name: str, memory_id: UUID) -> bool:
        """Return whether the map contains the memory or knows that it is deleted. A deleted memory must not be loaded
        again.
        """
        return any(memory_id in minds.get(name, self.none).memories for minds in (self.now, self.kept))


def single_row_changes(states: Iterable[tuple[State | None, State | None]]) -> list[Change]:
    """Return the changes of states that have one row each. `states` are pairs of the stored and the present row.

    No change deletes a row: only a tombstone does.
    """
    return [(old, new) for old, new in states if new is not None and new is not old]


def multi_row_changes(states: Iterable[tuple[Mapping[Any, State], Mapping[Any, State]]]) -> list[Change]:
    """Return the changes of states that have many rows each.

    `states` are pairs of the stored and the present rows, both by key.
    """
    found: list[Change] = []
    for old, new in states:
        if old is not new:
            found += ((old.get(key), record) for key, record in new.items() if old.get(key) is not record)
            found += ((record, None) for key, record in old.items() if key not in new)
    return found


def unconditional_writes(records: Iterable[State | None]) -> list[Change]:
    """Return changes that write these rows in any case, without comparing them with the stored ones."""
    return [(record, record) for record in records if record is not None]


def by_owner(rows: Iterable[tuple[Any, Any, R]]) -> defaultdict[Any, dict[Any, R]]:
    """Return the rows by owner and then by key. Each item of `rows` is an owner, a key and a row."""
    found: defaultdict[Any, dict[Any, R]] = defaultdict(dict)
    for owner, key, row in rows:
        found[owner][key] = row
    return found
