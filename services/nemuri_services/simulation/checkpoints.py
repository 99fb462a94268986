"""Checkpoints: everything of a society at one moment, the last three kept, to go back to (document 002 §6.4)."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Final

import structlog

from nemuri_contracts.society import Society
from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.stores.buckets import Entry
from nemuri_infra.stores.objects import Objects
from nemuri_infra.stores.society_states import (
    SOCIETY,
    RevisionError,
    SocietyError,
    States,
    checkpoints_bucket,
    in_batches,
)
from nemuri_services.simulation.archive_format import packed, unpacked
from nemuri_services.simulation.leases import Leases, key_of

KEEPER: Final = "checkpoints"
"""The name of the lease of whoever makes them."""
GOING_BACK: Final = "going-back"
"""The key of the name of a checkpoint, while its entries are put in the place of others."""
KEPT: Final = 3
EVERY: Final = 300.0
"""Seconds between two; twice as many for a large society (RULINGS, PIANO)."""
LARGE: Final = 400
"""Agents above which a society is large."""
RETRY: Final = 10.0
"""Seconds until it is tried again where it went wrong."""

logger = structlog.get_logger()


class Checkpoints:
    """The checkpoints of one society, in the object store."""

    def __init__(self, objects: Objects, society: str) -> None:
        """They lie beside those of other societies."""
        self._objects, self._society = objects, society

    @classmethod
    async def open(cls, log: Log, society: str) -> "Checkpoints":
        """Those of a society, be there any or not."""
        return cls(await Objects.open(log.stream, checkpoints_bucket(log.subjects.namespace)), society)

    async def names(self) -> list[str]:
        """What there is, the oldest first: the last three. Older ones are on their way out, and may be half gone."""
        return (await self._all())[-KEPT:]

    async def _all(self) -> list[str]:
        mine = (each.rpartition(".") for each in await self._objects.names())
        return sorted(name for society, _, name in mine if society == self._society)

    async def make(self, states: States) -> str:
        """Lay down everything as it is at one moment, without who keeps what; those but the last three go."""
        data = await packed(kept(states))
        name = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        await self.put(name, data)
        for old in (await self._all())[:-KEPT]:
            await self._objects.erase(f"{self._society}.{old}")
        return name

    async def read(self, name: str | None = None) -> tuple[str, dict[str, bytes]]:
        """A checkpoint, by default the newest: its name and its entries. Raises `SocietyError` where there is none."""
        there = await self.names()
        chosen = name or (there[-1] if there else None)
        if chosen is None or chosen not in there:
            known = f"there are {', '.join(there)}" if there else "there is none yet"
            raise SocietyError(f"society {self._society!r} has no checkpoint{f' {name!r}' if name else ''}: {known}")
        return chosen, await asyncio.to_thread(unpacked, await self.packed(chosen))

    async def packed(self, name: str) -> bytes:
        """A checkpoint as it lies in the store; raises `ObjectNotFoundError` where there is none of the name."""
        return await self._objects.get(f"{self._society}.{name}")

    async def put(self, name: str, data: bytes) -> None:
        """Lay down a checkpoint that is packed already."""
        await self._objects.put(f"{self._society}.{name}", data)

    async def erase(self) -> None:
        """Take all of them away."""
        for name in await self._all():
            await self._objects.erase(f"{self._society}.{name}")

    async def restore(self, states: States, name: str | None = None) -> str:
        """Put a checkpoint, by default the newest, in the place of everything; while no host runs.

        Raises `SocietyError`, and changes nothing then. Who is interrupted leaves a society that says what it was going
        back to (`going_back`), to be gone back to again.
        """
        chosen, entries = await self.read(name)
        first = {GOING_BACK: chosen.encode(), SOCIETY: entries.pop(SOCIETY)}
        known = await states.write(first, {key: each.revision for key in first if (each := await states.get(key))})
        await states.empty(before=min(known.values()))
        for batch in in_batches(entries):
            await states.write(batch, {})
        await states.take_away(GOING_BACK)
        return chosen


async def going_back(states: States) -> str | None:
    """The checkpoint that somebody went back to and was interrupted; None where that is not so."""
    entry = await states.get(GOING_BACK)
    return None if entry is None else entry.value.decode()


class Checkpointing:
    """Makes checkpoints now and then, as long as no other host does."""

    def __init__(self, keeper: str, society: Society, states: States, checkpoints: Checkpoints) -> None:
        """The first is made one interval after it has begun."""
        self._leases, self._states, self._checkpoints = Leases(keeper, states), states, checkpoints
        self._every = society.checkpoint_every or (EVERY if len(society.agents) <= LARGE else 2 * EVERY)
        self._ours = False
        self._due = time.monotonic() + self._every

    async def beat(self) -> None:
        """Keep the lease, or try to get it; make a checkpoint where it is time."""
        if not self._ours:
            self._ours = await self._leases.got(KEEPER)
            return
        try:
            await self._leases.write(self._leases.stamped(KEEPER))
        except RevisionError:
            self._ours = False
            return
        if time.monotonic() >= self._due:
            await self._make()

    async def release(self) -> None:
        """Let another host make them."""
        if self._ours:
            await self._leases.release([KEEPER])

    async def _make(self) -> None:
        try:
            name = await self._checkpoints.make(self._states)
        except TimeoutError as error:
            self._due = time.monotonic() + RETRY
            logger.warning("no checkpoint", why=log_safe(error))
        else:
            self._due = time.monotonic() + self._every
            logger.info("checkpoint", name=name)


async def kept(states: States) -> AsyncIterator[Entry]:
    """All of a society as it is at one moment, without who keeps what."""
    async for each in states.read():
        if each.key != GOING_BACK and not each.key.startswith(key_of("")):
            yield each
