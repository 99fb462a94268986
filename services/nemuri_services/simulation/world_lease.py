"""The world's lease and write-behind: a world that dies goes on, where it stood a beat before, in another process."""

import asyncio
import time
from collections.abc import Mapping
from typing import Final, Protocol

import orjson
import structlog

from nemuri_contracts.society import Lease
from nemuri_infra.bus.pull_reader import AWAY
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.stores.buckets import Entry
from nemuri_infra.stores.society_states import BATCH, WORLD, RevisionError, States
from nemuri_services.simulation.cell_leases import REFUSED
from nemuri_services.simulation.leases import BEAT, Leases, key_of

PART: Final = 512 * 1024
"""Bytes in one entry."""
SHARE: Final = 0.05
"""What writing may take of the world's time, at most."""

logger = structlog.get_logger()


class Dumped(Protocol):
    """What can be written down whole and go on from there."""

    def dump(self) -> bytes:
        """All of it."""

    def load(self, dumped: bytes) -> None:
        """Go on from there."""


class WorldKeeping:
    """Keeps the world of a society for one process."""

    def __init__(self, keeper: str, states: States, world: Dumped) -> None:
        """Keeps nothing yet."""
        self._leases, self._states, self._world = Leases(keeper, states), states, world
        self._due = 0.0

    async def take(self) -> None:
        """Return once this process keeps the world, which is then as it was written last."""
        while not await self._leases.got(WORLD):  # noqa: ASYNC110
            await asyncio.sleep(BEAT)  # nobody announces that somebody has gone silent
        if (before := _joined(await self._learnt(f"{WORLD}.*"))) is not None:
            self._world.load(before)

    async def beat(self) -> bool:
        """Say that it is kept still, and write it, each time unless that takes too long; whether that was done.

        Raises `RevisionError` where somebody else keeps it.
        """
        entries, now = self._leases.stamped(WORLD), time.monotonic()
        if now >= self._due:
            entries |= self._parts()
            self._due = now + (time.monotonic() - now) / SHARE
        try:
            await self._leases.write(entries)
        except REFUSED as error:
            logger.warning("world not written", why=log_safe(error))
            if not await self._mine_still():
                raise RevisionError("another process has the world") from error
            return False
        return True

    async def release(self) -> None:
        """Write it once more, and let anybody have it at once; nothing where somebody else keeps it by now.

        A beat that was cut off on its way has left revisions that are not known here: they are looked up first.
        """
        try:
            if not await self._mine():
                return
            await self._leases.write(self._leases.stamped(WORLD) | self._parts())
            await self._leases.release([WORLD])
        except REFUSED as error:
            logger.warning("world not released", why=log_safe(error))

    async def _mine_still(self) -> bool:
        """Whether it is kept here, as far as that can be known now; what cannot be read says nothing."""
        try:
            return await self._mine()
        except AWAY as error:
            logger.warning("nothing to be read", why=log_safe(error))
            return True

    async def _mine(self) -> bool:
        """Whether it is kept here by what is written; knows all revisions anew."""
        await self._learnt(f"{WORLD}.*")
        lease = (await self._learnt(key_of(WORLD))).get(key_of(WORLD))
        return lease is not None and Lease.model_validate_json(lease.value).host == self._leases.keeper

    async def _learnt(self, keys: str) -> dict[str, Entry]:
        """What is written there, by its keys; its revisions are known from now on."""
        entries = {each.key: each async for each in self._states.read_singly(keys)}
        self._leases.known |= {key: each.revision for key, each in entries.items()}
        return entries

    def _parts(self) -> dict[str, bytes]:
        dumped = self._world.dump()
        parts = [dumped[start : start + PART] for start in range(0, len(dumped), PART)] or [b""]
        if len(parts) > BATCH - 2:
            raise ValueError(f"a world of {len(dumped)} bytes cannot be written at once")
        head = orjson.dumps({"parts": len(parts)})
        return {f"{WORLD}.head": head} | {f"{WORLD}.{nth}": part for nth, part in enumerate(parts)}


async def dumped(states: States) -> bytes | None:
    """The world as it was written last; None where it never was."""
    return _joined({each.key: each async for each in states.read(f"{WORLD}.*")})


def _joined(entries: Mapping[str, Entry]) -> bytes | None:
    head = entries.get(f"{WORLD}.head")
    if head is None:
        return None
    return b"".join(entries[f"{WORLD}.{nth}"].value for nth in range(orjson.loads(head.value)["parts"]))
