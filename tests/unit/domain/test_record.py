"""Records that are held by the hundred thousand."""

import tracemalloc
from collections.abc import Callable
from uuid import UUID

from nemuri.contracts.tiers import Place
from nemuri.domain.record import slim
from nemuri.domain.tiers.mind import TierMemory


def _memory(nth: int) -> TierMemory:
    return TierMemory(
        memory_id=UUID(int=nth),
        agent_id="ada",
        layer="short",
        type="conversation",
        content="bob said: there is iron in the hills",
        importance=0.5,
        at=float(nth),
        vector="v",
        worded=1,
        changed=1,
    )


def _bytes(made: Callable[[int], TierMemory]) -> int:
    """What a thousand take."""
    tracemalloc.start()
    held = [made(nth) for nth in range(1_000)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(held) == 1_000
    return size


def test_a_slim_value_is_the_same_value() -> None:
    """It is equal, hashes and is written alike, and can be changed as any other; nested ones are as they were."""
    memory = _memory(1).but(location=Place(x=1.0, y=2.0))
    same = slim(_memory(1).but(location=slim(Place(x=1.0, y=2.0))))
    assert same == memory
    assert same.row() == memory.row()
    assert repr(same) == repr(memory)
    assert TierMemory.model_validate(same.model_dump()) == memory
    assert same.but(access_count=3) == memory.but(access_count=3)
    assert same.access_count == 0
    assert hash(slim(Place(x=1.0, y=2.0))) == hash(Place(x=1.0, y=2.0))


def test_it_takes_much_less_room_and_so_does_what_is_made_of_it() -> None:
    """Hosts hold hundreds of memories for each of a thousand agents."""
    fat = _bytes(_memory)
    assert _bytes(lambda nth: slim(_memory(nth))) < 0.6 * fat
    assert _bytes(lambda nth: slim(_memory(nth)).but(access_count=3, accessed_at=1.0)) < 0.6 * fat
