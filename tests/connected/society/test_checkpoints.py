"""Checkpoints: the last three are kept, and going back puts everything in its place."""

import pytest

from nemuri.contracts.society import Society
from nemuri.infra.log import Log
from nemuri.infra.stores.states import SocietyError, States
from nemuri.services.society.checkpoints import Checkpointing, Checkpoints
from nemuri.services.society.world_keeping import PART, WorldKeeping


class Jar:
    """A world that is nothing but bytes."""

    def __init__(self, content: bytes = b"") -> None:
        """With something in it."""
        self.content = content

    def dump(self) -> bytes:
        """All of it."""
        return self.content

    def load(self, dumped: bytes) -> None:
        """Something else."""
        self.content = dumped


async def test_the_last_three_are_kept_and_one_goes_back_to_each(log: Log, states: States) -> None:
    """The last three are kept and one goes back to each."""
    checkpoints = await Checkpoints.open(log, "village")
    others = await Checkpoints.open(log, "town")
    with pytest.raises(SocietyError, match="none yet"):
        await checkpoints.restore(states)
    known, made = dict[str, int](), []
    for nth in range(5):
        known |= await states.write(
            {"agent.0.a00.goals": b"%d" % nth, "lease.0": b"{}", f"only.{nth}": b"x" * 70_000}, known
        )
        made.append(await checkpoints.make(states))
    assert await checkpoints.names() == made[2:]
    assert await others.names() == []
    assert await checkpoints.restore(states, made[3]) == made[3]
    there = {each.key: each.value async for each in states.read()}
    assert there == {"agent.0.a00.goals": b"3"} | {f"only.{nth}": b"x" * 70_000 for nth in range(4)}
    with pytest.raises(SocietyError, match=made[4]):
        await checkpoints.restore(states, made[0])
    assert {each.key async for each in states.read()} == there.keys()


async def test_one_of_several_hosts_makes_them(log: Log, society: Society, states: States) -> None:
    """One of several hosts makes them."""
    checkpoints = await Checkpoints.open(log, society.name)
    often = society.model_copy(update={"checkpoint_every": 1e-9})
    hosts = [Checkpointing(name, often, states, checkpoints) for name in ("first", "second")]
    for _ in range(3):
        for each in hosts:
            await each.beat()
    assert len(await checkpoints.names()) == 2
    await hosts[0].release()
    for _ in range(2):
        await hosts[1].beat()
    assert len(await checkpoints.names()) == 3


async def test_a_world_goes_on_where_it_stood_whatever_its_size(states: States) -> None:
    """A world goes on where it stood whatever its size."""
    jar, next_jar = Jar(b"first"), Jar()
    keeping, successor = WorldKeeping("a", states, jar), WorldKeeping("b", states, next_jar)
    await keeping.take()
    await keeping.beat()
    jar.content = bytes(range(256)) * (3 * PART // 256) + b"end"
    await keeping.release()
    await successor.take()
    assert next_jar.content == jar.content
    next_jar.content = b"small"
    await successor.release()
    await keeping.take()
    assert jar.content == b"small"
