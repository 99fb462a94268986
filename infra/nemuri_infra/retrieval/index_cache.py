"""The retrieval indexes that a process keeps: as many as fit a number of bytes, the least recently used dropped."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from sys import getsizeof
from uuid import UUID
from weakref import WeakKeyDictionary

from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.retrieval_index import AgentIndex

Name = tuple[str, str, str, str]
"""Database and namespace, agent and generation of vectors."""
REMEMBERED_BYTES = 4_000
"""What a memory takes beside its texts, measured: two models of pydantic with their ids, times and mappings."""
TAG_BYTES = 60


@dataclass(slots=True)
class Indexed:
    """The index of one agent, and what is in it as of when it was last brought up to the views."""

    index: AgentIndex
    generation: str
    known: dict[UUID, Remembered] = field(default_factory=dict)
    principles: set[UUID] = field(default_factory=set)
    """What came from definitions, active or not, defined now or not."""
    until: int = 0
    """The newest change that it knows, by its place in the log."""
    seen: int = -1
    """How far the views were when it was last brought up to them."""
    texts: int = 0
    """Bytes of what is known."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def bytes(self) -> int:
        """The memory that it takes, estimated to about a quarter."""
        return self.index.nbytes + self.texts

    def learn(self, changed: dict[UUID, Remembered]) -> None:
        """Know memories as they are now."""
        self.texts += sum(map(_bytes, changed.values()))
        self.texts -= sum(_bytes(self.known[each]) for each in changed.keys() & self.known.keys())
        self.known |= changed

    def begin_again(self) -> None:
        """Know nothing, so that everything is read anew: what was erased is in no part of an index then."""
        self.index, self.known, self.principles = AgentIndex(self.index.dimension), {}, set()
        self.until = self.texts = 0


@dataclass(slots=True)
class IndexCache:
    """Indexes by name. Also serialises the reading of whole agents: of many at once nobody knows what they take."""

    _kept: OrderedDict[Name, Indexed] = field(default_factory=OrderedDict)
    _loading: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = field(default_factory=WeakKeyDictionary)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def loading(self) -> asyncio.Lock:
        """What lets one agent at a time be read whole."""
        return self._loading.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    @property
    def bytes(self) -> int:
        """The memory that all of them take."""
        return sum(each.bytes for each in self._kept.values())

    def take(self, name: Name, make: Callable[[], Indexed]) -> Indexed:
        """Return the index of this name, which is the last one to be dropped now; a new one where there is none."""
        indexed = self._kept.get(name)
        if indexed is None:
            indexed = self._kept[name] = make()
        self._kept.move_to_end(name)
        return indexed

    def fit(self, limit: int) -> None:
        """Drop the least recently used until the rest fits the limit; also the last one, where it alone does not."""
        taken = self.bytes
        while self._kept and taken > limit:
            _, dropped = self._kept.popitem(last=False)
            taken -= dropped.bytes


def _bytes(remembered: Remembered) -> int:
    memory = remembered[0].memory
    texts = (memory.content, *memory.learnings.values())
    return REMEMBERED_BYTES + sum(map(getsizeof, texts)) + TAG_BYTES * len(memory.tags)
