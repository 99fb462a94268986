"""The lease of a world, and delayed writing of the world's state. After a crash another process continues from the
state that was written last.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Final, Protocol

import orjson
import structlog

from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.stores.bucket_reader import BucketEntry
from nemuri_society.contracts.society import Lease
from nemuri_society.simulation.cell_leases import WRITE_ERRORS
from nemuri_society.simulation.leases import BEAT_SECONDS, Leases, lease_key
from nemuri_society.stores.society_states import MAX_BATCH_ENTRIES, WORLD, RevisionError, States

PART_BYTES: Final = 512 * 1024
"""Maximum bytes of one entry. The state of the world is split into entries of this size."""
WRITING_SHARE: Final = 0.05
"""Maximum share of the process's time, 0 to 1, that is spent on dumping the state of the world."""

logger = structlog.get_logger()


class Dumpable(Protocol):
    """An object whose complete state can be dumped as bytes and loaded again."""

    def dump(self) -> bytes:
        """Return the complete state."""

    def load(self, dumped: bytes) -> None:
        """Replace the state by a dumped one."""


class WorldLease:
    """The lease of a society's world. The one process that holds it runs the world."""

    def __init__(self, holder: str, states: States, world: Dumpable) -> None:
        """Create the lease for the process `holder`, without taking it."""
        self._leases, self._states, self._world = Leases(holder, states), states, world
        self._next_write_at = 0.0

    async def acquire(self) -> None:
        """Wait until the lease is free, take it, and load the last written state into the world."""
        while not await self._leases.acquire_if_free(WORLD):  # noqa: ASYNC110
            await asyncio.sleep(BEAT_SECONDS)  # Nothing announces that a lease has expired, so it is polled.
        entries = await self._read_entries(f"{WORLD}.*")
        if (before := world_in({key: entry.value for key, entry in entries.items()})) is not None:
            self._world.load(before)

    async def beat(self) -> bool:
        """Renew the lease, and write the world's state if its last dump was long enough ago (`WRITING_SHARE`).

        Returns True if the write succeeded. Returns False if it failed and this process still holds the lease. Raises
        `RevisionError` if another process holds it.
        """
        entries, now = self._leases.renewed_entry(WORLD), time.monotonic()
        if now >= self._next_write_at:
            entries |= self._dump_entries()
            self._next_write_at = now + (time.monotonic() - now) / WRITING_SHARE
        try:
            await self._leases.write(entries)
        except WRITE_ERRORS as error:
            logger.warning("world not written", why=log_safe(error))
            if not await self._still_holds_lease():
                raise RevisionError("another process holds the lease of the world") from error
            return False
        return True

    async def release(self) -> None:
        """Write the world's state and release the lease, so that another process can take it at once.

        Does nothing if another process holds the lease. An error is logged. The revisions are read first, because after
        an interrupted beat they may be unknown.
        """
        try:
            if not await self._holds_lease():
                return
            await self._leases.write(self._leases.renewed_entry(WORLD) | self._dump_entries())
            await self._leases.release([WORLD])
        except WRITE_ERRORS as error:
            logger.warning("world not released", why=log_safe(error))

    async def _still_holds_lease(self) -> bool:
        """Return True if this process still holds the lease, or if the lease cannot be read now."""
        try:
            return await self._holds_lease()
        except READER_ERRORS as error:
            logger.warning("leases not readable", why=log_safe(error))
            return True

    async def _holds_lease(self) -> bool:
        """Read the lease and return True if this process holds it. The known revisions are brought up to date."""
        await self._read_entries(f"{WORLD}.*")
        lease = (await self._read_entries(lease_key(WORLD))).get(lease_key(WORLD))
        return lease is not None and Lease.model_validate_json(lease.value).host == self._leases.holder

    async def _read_entries(self, keys: str) -> dict[str, BucketEntry]:
        """Return the entries whose keys match the pattern `keys`, by key, and remember their revisions."""
        entries = {entry.key: entry async for entry in self._states.read_one_by_one(keys)}
        self._leases.revisions |= {key: entry.revision for key, entry in entries.items()}
        return entries

    def _dump_entries(self) -> dict[str, bytes]:
        return world_entries(self._world.dump())


def world_entries(dumped: bytes) -> dict[str, bytes]:
    """Return the entries that hold a dumped world. Raises ValueError if they do not fit into one batch."""
    parts = [dumped[start : start + PART_BYTES] for start in range(0, len(dumped), PART_BYTES)] or [b""]
    if len(parts) > MAX_BATCH_ENTRIES - 2:
        raise ValueError(f"the world has {len(dumped)} bytes, which do not fit into one batch")
    head = orjson.dumps({"parts": len(parts)})
    return {f"{WORLD}.head": head} | {f"{WORLD}.{nth}": part for nth, part in enumerate(parts)}


async def read_world(states: States) -> bytes | None:
    """Return the last written state of a society's world; None if there is none."""
    return world_in({entry.key: entry.value async for entry in states.read(f"{WORLD}.*")})


def world_in(values: Mapping[str, bytes]) -> bytes | None:
    """Return the state of the world in the values of a society's entries, by key; None if there is none."""
    head = values.get(f"{WORLD}.head")
    if head is None:
        return None
    return b"".join(values[f"{WORLD}.{nth}"] for nth in range(orjson.loads(head)["parts"]))
