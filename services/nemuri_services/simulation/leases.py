"""Who keeps what: a lease that is written again and again, and anybody's once nobody does."""

import time
from collections.abc import Iterable, Mapping
from typing import Final

from nemuri_contracts.society import Lease
from nemuri_infra.stores.buckets import Entry
from nemuri_infra.stores.society_states import LEASE, RevisionError, States

BEAT: Final = 0.5
"""Seconds between two beats: what a crash loses at most, with what a beat takes."""
LOST: Final = 2.5
"""Seconds without a beat after which what was kept is anybody's."""


class Leases:
    """The leases of one society, as one of those sees them who may keep something.

    No clock is compared with another one: who looks waits until a lease has not moved for `LOST` seconds of its own.
    """

    def __init__(self, keeper: str, states: States) -> None:
        """`known` holds the revisions of whatever its keeper has written or read, leases and everything else."""
        self.keeper, self.states = keeper, states
        self.known: dict[str, int] = {}
        self._all = states.following(key_of("*"))
        self._seen: dict[str, tuple[int, float]] = {}
        self._beats = 0

    async def free(self, names: Iterable[str]) -> list[str]:
        """Those that nobody keeps, as far as this one has seen."""
        now = time.monotonic()
        return self._unkept(names, await self._all.present(), now)

    def _unkept(self, names: Iterable[str], there: Mapping[str, Entry], now: float) -> list[str]:
        found = []
        for name in names:
            entry = there.get(key_of(name))
            if entry is None:
                found.append(name)
                continue
            self.known[entry.key] = entry.revision
            revision, since = self._seen.get(name, (0, now))
            if revision != entry.revision:
                since = now
                self._seen[name] = entry.revision, now
            if now - since > LOST or Lease.model_validate_json(entry.value).host is None:
                found.append(name)
        return found

    async def got(self, name: str) -> bool:
        """Take it if nobody keeps it; whether that was so."""
        now, there = time.monotonic(), await self.states.get(key_of(name))
        return bool(self._unkept([name], {} if there is None else {there.key: there}, now)) and await self.take(name)

    async def take(self, name: str) -> bool:
        """Keep it from now on; False where somebody else was faster."""
        try:
            await self.write(self.stamped(name))
        except RevisionError:
            return False
        return True

    async def write(self, entries: dict[str, bytes]) -> None:
        """Write a batch against the known revisions, and know the new ones; raises what `States.write` raises."""
        self.known |= await self.states.write(entries, self.known)

    async def mine(self) -> set[str]:
        """What this one keeps by what is written; knows all revisions anew."""
        entries = [each async for each in self.states.read()]
        self.known |= {each.key: each.revision for each in entries}
        leases = [each for each in entries if each.key.startswith(key_of(""))]
        mine = (each.key for each in leases if Lease.model_validate_json(each.value).host == self.keeper)
        return {key.removeprefix(key_of("")) for key in mine}

    def stamped(self, name: str) -> dict[str, bytes]:
        """The lease as an entry, one beat older."""
        self._beats += 1
        return {key_of(name): Lease(host=self.keeper, beat=self._beats).model_dump_json().encode()}

    async def release(self, names: Iterable[str]) -> None:
        """Let anybody have these at once."""
        free = Lease(host=None, beat=0).model_dump_json().encode()
        entries = {key_of(name): free for name in names}
        if entries:
            await self.write(entries)


def key_of(name: str) -> str:
    """The key of a lease."""
    return f"{LEASE}.{name}"
