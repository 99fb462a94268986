"""Tests of the cache of tiered memories on the disk of an agent host."""

from collections.abc import Iterator
from functools import partial
from uuid import UUID

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.tiered.aggregate import TieredMind, TierMemory
from nemuri_domain.tiered.retrieval import recalled
from nemuri_infra.stores.memory_cache import MemoryCache
from tests.unit.domain.tiered.lives import became, lived, named, rows, simulated

ASKED = np.array([1.0, 0.0], np.float32)


@pytest.fixture
def shelves() -> Iterator[MemoryCache]:
    """Yield an empty cache for vectors of two dimensions."""
    shelves = MemoryCache(2)
    yield shelves
    shelves.close()


def memory(number: int, agent_id: str = "noah") -> TierMemory:
    """Return a memory of an agent."""
    return simulated([(lived(number), float(number))]).short[0].replace(agent_id=agent_id)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.booleans()), max_size=40))
def test_the_cache_holds_the_current_memories_of_each_agent(steps: list[tuple[int, bool, bool]]) -> None:
    """After any additions, changes and removals, exactly the present memories of each agent are found, with their
    vectors.
    """
    shelves, vectors = MemoryCache(2), rows(*((1.0, 0.1 * each) for each in range(10)))
    known: dict[str, dict[UUID, TierMemory]] = {"noah": {}, "lila": {}}
    for number, there, whose in steps:
        one = memory(number, "noah" if whose else "lila")
        mine = known[one.agent_id]
        if not there:
            shelves.drop(one.agent_id, [one.memory_id])
            mine.pop(one.memory_id, None)
        elif one.memory_id in mine:
            mine[one.memory_id] = mine[one.memory_id].replace(access_count=number, merging=True)
            shelves.add([mine[one.memory_id]], {})
        else:
            mine[one.memory_id] = one
            shelves.add([one], vectors)
    for name, mine in known.items():
        ids = list(map(named, range(10)))
        assert shelves.memories(name) == shelves.memories(name, ids) == mine
        index, agent = shelves.index(name), TieredMind.of(name).agent
        assert agent is not None
        found = recalled(index, agent, partial(shelves.memory, name), ASKED, 10.0, top=100)
        assert {each.memory_id for each, _ in found} == set(mine)
        assert all(each.relevance == pytest.approx(float(vectors[each.memory_id] @ ASKED)) for each, _ in found)
        assert {each: vector.tolist() for each, vector in shelves.vectors(name, ids).items()} == {
            each: vectors[each].tolist() for each in mine
        }
    shelves.close()


def test_every_field_of_a_memory_is_restored(shelves: MemoryCache) -> None:
    """Every field of a memory is restored from the cache, also its sources and its visibility."""
    tiers = simulated([(lived(1, "Noah saw Lila at the well", participants=("lila",)), 3.5), (became(2, (8, 9)), 4.0)])
    shared_memories = [each.replace(scope="group", visible_to=("lila",)) for each in tiers.memories.values()]
    shelves.add(shared_memories, rows(*((1, 0) for _ in range(3))))
    assert shelves.memories("noah") == {each.memory_id: each for each in shared_memories}


def test_an_agent_that_leaves_takes_its_memories_along(shelves: MemoryCache) -> None:
    """When an agent leaves, its memories are removed and those of other agents stay. An unknown agent has no
    memories.
    """
    vectors = rows((1, 0), (1, 0), (1, 0))
    shelves.add([memory(1), memory(2), memory(1, "lila")], vectors)
    shelves.drop("noah")
    assert shelves.memories("noah") == {}
    assert len(shelves.index("noah")) == 0
    assert set(shelves.memories("lila")) == {named(1)}
    with pytest.raises(KeyError):
        shelves.memory("noah", named(1))


def test_the_process_does_not_grow_with_the_cache() -> None:
    """Forty megabytes of memories in the cache take only a few megabytes of the process's memory."""
    shelves, vectors = MemoryCache(1_024), np.zeros((1, 1_024), np.float32)
    one = memory(1)

    def remember(numbers: range) -> None:
        for number in numbers:
            each = one.replace(memory_id=UUID(int=number), agent_id=f"a{number % 100}")
            shelves.add([each], {each.memory_id: vectors[0]})

    remember(range(1_000))
    before = psutil.Process().memory_info().rss
    remember(range(1_000, 11_000))
    assert len(shelves.memories("a7")) == 110
    assert psutil.Process().memory_info().rss - before < 10 * 2**20
    shelves.close()
