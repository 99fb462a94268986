"""Steps of an erasure, each small enough to fit into one event."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice
from math import ceil
from typing import NamedTuple, TypeVar
from uuid import UUID

from nemuri_contracts.erasure import AgentErased, Erasure, MemoriesErased, TaskErased, Tombstone
from nemuri_contracts.event import derive
from nemuri_infra.projections.erasure_lineage import Thing

T = TypeVar("T")
ID_BYTES = 40
"""Bytes that an id takes in an event: 36 characters, two quotes, a comma, and one to spare."""
FRAME_BYTES = 8_192
"""Maximum bytes of a tombstone besides its ids: the envelope and the field names."""


class OwnedMemory(NamedTuple):
    """A memory and the agent that owns it."""

    agent_id: str
    memory_id: UUID


@dataclass(frozen=True, slots=True)
class Step:
    """A part of an erasure: the item from which it starts, and all items that its tombstones name."""

    root: Thing
    erasure: Erasure

    @property
    def key(self) -> str:
        """Return the key from which the ids of the step's tombstones are derived."""
        return f"erasure/{self.root.sort}/{self.root.name}"

    def tombstones(self) -> Iterator[Tombstone]:
        """Yield the tombstones of the step. The first one erases the root item and lists all items of the step."""
        first, *others = self._tombstones()
        yield first.model_copy(update={"erasure": self.erasure})
        yield from others

    def _tombstones(self) -> Iterator[Tombstone]:
        sorts: dict[str, Iterator[Tombstone]] = {
            "memory": self._memories(), "task": self._tasks(), "agent": self._agents(),
        }  # fmt: skip
        yield from sorts.pop(self.root.sort)
        yield from chain.from_iterable(sorts.values())

    def _memories(self) -> Iterator[MemoriesErased]:
        for agent_id, ids in sorted(self.erasure.memories.items(), key=lambda pair: self.root.name not in pair[1]):
            digest = sha256(b"".join(memory_id.bytes for memory_id in ids)).hexdigest()
            event_id = derive(self.key, MemoriesErased.kind_of(), f"{agent_id}/{digest}")
            asked = sorted(ids, key=lambda memory_id: memory_id != self.root.name)
            yield MemoriesErased(event_id=event_id, agent_id=agent_id, memory_ids=tuple(asked))

    def _tasks(self) -> Iterator[TaskErased]:
        for task in sorted(self.erasure.tasks, key=lambda task_id: task_id != self.root.name):
            yield TaskErased(event_id=derive(self.key, TaskErased.kind_of(), task), correlation_id=task)

    def _agents(self) -> Iterator[AgentErased]:
        for agent in sorted(self.erasure.agents, key=lambda agent_id: agent_id != self.root.name):
            yield AgentErased(event_id=derive(self.key, AgentErased.kind_of(), agent), agent_id=agent)


def split_into_steps(root: Thing, erasure: Erasure, room: int) -> list[Step]:
    """Divide an erasure into steps whose first tombstones fit into `room` bytes; one step if everything fits.

    A requested memory or task comes last: while it exists, everything derived from it can be found again. An agent
    comes first, so that it produces nothing new.
    """
    room -= FRAME_BYTES
    if _bytes(erasure) <= room:
        return [Step(root, erasure)]
    items = _ordered(root, erasure)
    restated, loose = sum(map(len, erasure.restated)) + 4 * len(erasure.restated), ID_BYTES * len(erasure.events)
    number = max(ceil(sum(map(_size, items)) / (room // 2)), ceil((restated + loose) / (room // 4)), 1)
    groups = list(_groups(items, room // 2, ceil(len(items) / number)))
    events, agents = _split_evenly(erasure.events, len(groups)), _split_evenly(erasure.restated, len(groups))
    return [
        _step(root, some, tuple(events_of), tuple(restated_of))
        for some, events_of, restated_of in zip(groups, events, agents, strict=True)
    ]


def union(wholes: Iterable[Erasure]) -> Erasure:
    """Return the union of several erasures."""
    found = list(wholes)
    memories: dict[str, dict[UUID, None]] = {}
    for whole in found:
        for agent_id, ids in whole.memories.items():
            memories.setdefault(agent_id, {}).update(dict.fromkeys(ids))
    lists = {
        name: tuple(dict.fromkeys(one for whole in found for one in getattr(whole, name)))
        for name in ("restated", "tasks", "agents", "events")
    }
    return Erasure.model_validate({"memories": {name: tuple(ids) for name, ids in memories.items()}} | lists)


def _bytes(erasure: Erasure) -> int:
    """Return an upper bound on the bytes of an erasure in its first tombstone. A memory may be named twice there."""
    ids = sum(map(len, erasure.memories.values())) * 2 + len(erasure.tasks) + len(erasure.events)
    names = (*erasure.memories, *erasure.restated, *erasure.agents)
    return ids * ID_BYTES + sum(len(name) + 8 for name in names)


def _ordered(root: Thing, erasure: Erasure) -> list[OwnedMemory | Thing]:
    items: list[OwnedMemory | Thing] = [Thing("agent", agent) for agent in erasure.agents]
    items += (OwnedMemory(agent_id, memory_id) for agent_id, ids in erasure.memories.items() for memory_id in ids)
    items += (Thing("task", task) for task in erasure.tasks)
    last = root.sort != "agent"
    return sorted(items, key=lambda thing: (_name(thing) == root.name) is last)


def _name(item: OwnedMemory | Thing) -> UUID | str:
    return item.memory_id if isinstance(item, OwnedMemory) else item.name


def _size(item: OwnedMemory | Thing) -> int:
    if isinstance(item, OwnedMemory):
        return 2 * ID_BYTES + len(item.agent_id) + 8
    return ID_BYTES + len(str(item.name))


def _groups(items: Iterable[OwnedMemory | Thing], room: int, most: int) -> Iterator[list[OwnedMemory | Thing]]:
    """Yield the items in groups of at most `room` bytes and `most` items."""
    group, size = list[OwnedMemory | Thing](), 0
    for item in items:
        if group and (size + _size(item) > room or len(group) == most):
            yield group
            group, size = [], 0
        group.append(item)
        size += _size(item)
    yield group


def _split_evenly(values: Sequence[T], number: int) -> list[list[T]]:
    """Return the values in `number` parts of about equal size. Parts may be empty."""
    remaining, each = iter(values), ceil(len(values) / number)
    return [list(islice(remaining, each)) for _ in range(number)]


def _step(
    root: Thing, items: Sequence[OwnedMemory | Thing], events: tuple[UUID, ...], restated: tuple[str, ...]
) -> Step:
    memories: dict[str, list[UUID]] = {}
    for item in items:
        if isinstance(item, OwnedMemory):
            memories.setdefault(item.agent_id, []).append(item.memory_id)
    things = [item if isinstance(item, Thing) else Thing("memory", item.memory_id) for item in items]
    erasure = Erasure(
        memories={agent_id: tuple(ids) for agent_id, ids in memories.items()},
        restated=restated,
        tasks=tuple(thing.name for thing in things if thing.sort == "task" and isinstance(thing.name, UUID)),
        agents=tuple(str(thing.name) for thing in things if thing.sort == "agent"),
        events=events,
    )
    return Step(root if root in things else things[0], erasure)
