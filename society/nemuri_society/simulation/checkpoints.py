"""Checkpoints: consistent copies of all states of a society (document 002 §6.4)."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Final

import structlog

from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.stores.bucket_reader import BucketEntry
from nemuri_infra.stores.objects import Objects
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.archive_format import pack_entries, unpack_entries
from nemuri_society.simulation.leases import Leases, lease_key
from nemuri_society.stores.society_states import (
    SOCIETY,
    SPENDING,
    RevisionError,
    SocietyError,
    States,
    checkpoints_bucket,
    in_batches,
)

CHECKPOINT_LEASE: Final = "checkpoints"
"""Name of the lease for making checkpoints. Only the host that holds it makes them."""
RESTORING_KEY: Final = "restoring"
"""Key of the entry that holds the name of a checkpoint while that checkpoint is being restored."""
KEPT_CHECKPOINTS: Final = 48
"""Number of checkpoints that are kept. The document keeps three; these are four hours in which one can look back."""
LISTED_CHECKPOINTS: Final = 3
"""Number of checkpoints that an error message names, the newest."""
CHECKPOINT_INTERVAL: Final = 300.0
"""Seconds between two checkpoints; twice as many for a large society (RULINGS, PIANO)."""
LARGE_SOCIETY: Final = 400
"""Number of agents above which a society is large."""
RETRY_SECONDS: Final = 10.0
"""Seconds until the next attempt after a failed checkpoint."""
_NAME_FORMAT: Final = "%Y%m%dT%H%M%S%f"

logger = structlog.get_logger()


class Checkpoints:
    """The checkpoints of one society in an object store."""

    def __init__(self, objects: Objects, society: str, kept: int = KEPT_CHECKPOINTS) -> None:
        """Use this object store and keep this many checkpoints. Checkpoints of several societies share the store."""
        self._objects, self._society, self._kept = objects, society, kept

    @classmethod
    async def open(cls, log: Log, society: str, kept: int = KEPT_CHECKPOINTS) -> "Checkpoints":
        """Open the checkpoints of a society. It need not have any yet."""
        return cls(await Objects.open(log.stream, checkpoints_bucket(log.subjects.namespace)), society, kept)

    async def names(self) -> list[str]:
        """Return the names of the kept checkpoints, oldest first.

        Older checkpoints are left out, because they are being deleted and may be incomplete.
        """
        return (await self._all())[-self._kept :]

    async def _all(self) -> list[str]:
        mine = (object_name.rpartition(".") for object_name in await self._objects.names())
        return sorted(name for society, _, name in mine if society == self._society)

    async def make(self, states: States) -> str:
        """Store a checkpoint of all entries except leases, delete those that are too old to be kept, and return the
        name of the new one.
        """
        data = await pack_entries(entries_without_leases(states))
        name = datetime.now(UTC).strftime(_NAME_FORMAT)
        await self.put(name, data)
        for old in (await self._all())[: -self._kept]:
            await self._objects.erase(f"{self._society}.{old}")
        return name

    async def read(self, name: str | None = None) -> tuple[str, dict[str, bytes]]:
        """Return the name of a checkpoint, by default the newest, and its values by key.

        Raises `SocietyError` if the checkpoint does not exist.
        """
        names = await self.names()
        chosen = name or (names[-1] if names else None)
        if chosen is None or chosen not in names:
            available = f"the newest are {', '.join(names[-LISTED_CHECKPOINTS:])}" if names else "there is none yet"
            raise SocietyError(
                f"society {self._society!r} has no checkpoint{f' {name!r}' if name else ''}: {available}"
            )
        return chosen, await asyncio.to_thread(unpack_entries, await self.read_packed(chosen))

    async def read_packed(self, name: str) -> bytes:
        """Return a checkpoint as the stored bytes. Raises `ObjectNotFoundError` if it does not exist."""
        return await self._objects.get(f"{self._society}.{name}")

    async def put(self, name: str, data: bytes) -> None:
        """Store a checkpoint, given as the bytes that `read_packed` returned."""
        await self._objects.put(f"{self._society}.{name}", data)

    async def erase(self) -> None:
        """Delete all checkpoints of the society."""
        for name in await self._all():
            await self._objects.erase(f"{self._society}.{name}")

    async def restore(
        self, states: States, name: str | None = None, *, restored: Callable[[str], Awaitable[None]] | None = None
    ) -> str:
        """Replace all entries of the society by a checkpoint, by default the newest, and return its name. Call it while
        no host runs. What models have used stays as it is. `restored` is called with the name after the last entry is
        written, and again if the restore is repeated.

        Raises `SocietyError` and changes nothing if the checkpoint does not exist. After an interruption
        `interrupted_restore` returns the name of the checkpoint, so that the restore can be repeated.
        """
        chosen, entries = await self.read(name)
        spending = {entry.key: entry.value async for entry in states.read(f"{SPENDING}.*")}
        first = {RESTORING_KEY: chosen.encode(), SOCIETY: entries.pop(SOCIETY), **spending}
        known = await states.write(first, {key: each.revision for key in first if (each := await states.get(key))})
        await states.empty(before=min(known.values()))
        entries = {key: value for key, value in entries.items() if not key.startswith(f"{SPENDING}.")}
        for batch in in_batches(entries):
            await states.write(batch, {})
        if restored is not None:
            await restored(chosen)
        await states.delete_entry(RESTORING_KEY)
        return chosen


def made_at(checkpoint: str) -> datetime:
    """Return the time at which a checkpoint was made. Raises `ValueError` if this is no name of a checkpoint."""
    return datetime.strptime(checkpoint, _NAME_FORMAT).replace(tzinfo=UTC)


async def interrupted_restore(states: States) -> str | None:
    """Return the name of the checkpoint whose restore was interrupted; None if none was."""
    entry = await states.get(RESTORING_KEY)
    return None if entry is None else entry.value.decode()


class CheckpointSchedule:
    """Periodic checkpoints of a society. Of all its hosts, only the holder of the lease makes them."""

    def __init__(self, holder: str, society: Society, states: States, checkpoints: Checkpoints) -> None:
        """Create the schedule of the host `holder`. The first checkpoint is due after one interval."""
        self._leases, self._states, self._checkpoints = Leases(holder, states), states, checkpoints
        self._interval = society.checkpoint_every or (
            CHECKPOINT_INTERVAL if len(society.agents) <= LARGE_SOCIETY else 2 * CHECKPOINT_INTERVAL
        )
        self._has_lease = False
        self._next_at = time.monotonic() + self._interval

    async def beat(self) -> None:
        """Acquire or renew the lease. If this host holds it and a checkpoint is due, make it."""
        if not self._has_lease:
            self._has_lease = await self._leases.acquire_if_free(CHECKPOINT_LEASE)
            return
        try:
            await self._leases.write(self._leases.renewed_entry(CHECKPOINT_LEASE))
        except RevisionError:
            self._has_lease = False
            return
        if time.monotonic() >= self._next_at:
            await self._make()

    async def release(self) -> None:
        """Release the lease, if this host holds it, so that another host can take it at once."""
        if self._has_lease:
            await self._leases.release([CHECKPOINT_LEASE])

    async def _make(self) -> None:
        try:
            name = await self._checkpoints.make(self._states)
        except TimeoutError as error:
            self._next_at = time.monotonic() + RETRY_SECONDS
            logger.warning("checkpoint failed", why=log_safe(error))
        else:
            self._next_at = time.monotonic() + self._interval
            logger.info("checkpoint made", name=name)


async def entries_without_leases(states: States) -> AsyncIterator[BucketEntry]:
    """Yield all entries of a society except leases and the mark of a restore."""
    async for entry in states.read():
        if entry.key != RESTORING_KEY and not entry.key.startswith(lease_key("")):
            yield entry
