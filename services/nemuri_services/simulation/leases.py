"""Leases of a society. A lease is renewed by every beat and expires without beats."""

import time
from collections.abc import Iterable, Mapping
from typing import Final

from nemuri_contracts.society import Lease
from nemuri_infra.stores.buckets import Entry
from nemuri_infra.stores.society_states import LEASE, RevisionError, States

BEAT_SECONDS: Final = 0.5
"""Seconds between two beats. A crash loses at most the changes of one beat."""
EXPIRY_SECONDS: Final = 2.5
"""Seconds without a beat after which a lease has expired."""


class Leases:
    """The leases of one society, as seen by one process.

    Clocks of different machines are never compared: a lease has expired if the process has not seen it change for
    `EXPIRY_SECONDS` seconds of its own clock.
    """

    def __init__(self, keeper: str, states: States) -> None:
        """Create the leases of a process. `known` holds the revisions of all entries that it has written or read."""
        self.keeper, self.states = keeper, states
        self.known: dict[str, int] = {}
        self._all = states.following(lease_key("*"))
        self._seen: dict[str, tuple[int, float]] = {}
        self._beats = 0

    async def free(self, names: Iterable[str]) -> list[str]:
        """Return the names without a holder, as far as this process has seen."""
        now = time.monotonic()
        return self._unkept(names, await self._all.present(), now)

    def _unkept(self, names: Iterable[str], there: Mapping[str, Entry], now: float) -> list[str]:
        found = []
        for name in names:
            entry = there.get(lease_key(name))
            if entry is None:
                found.append(name)
                continue
            self.known[entry.key] = entry.revision
            revision, since = self._seen.get(name, (0, now))
            if revision != entry.revision:
                since = now
                self._seen[name] = entry.revision, now
            if now - since > EXPIRY_SECONDS or Lease.model_validate_json(entry.value).host is None:
                found.append(name)
        return found

    async def got(self, name: str) -> bool:
        """Take a lease if it is free. Return whether it was taken."""
        now, there = time.monotonic(), await self.states.get(lease_key(name))
        return bool(self._unkept([name], {} if there is None else {there.key: there}, now)) and await self.take(name)

    async def take(self, name: str) -> bool:
        """Take a lease. Return False if another process was faster."""
        try:
            await self.write(self.stamped(name))
        except RevisionError:
            return False
        return True

    async def write(self, entries: dict[str, bytes]) -> None:
        """Write a batch with the known revisions as expected ones. Raise the errors of `States.write`."""
        self.known |= await self.states.write(entries, self.known)

    async def mine(self) -> set[str]:
        """Return the names of the leases that this process holds, and refresh all known revisions."""
        entries = [each async for each in self.states.read()]
        self.known |= {each.key: each.revision for each in entries}
        leases = [each for each in entries if each.key.startswith(lease_key(""))]
        mine = (each.key for each in leases if Lease.model_validate_json(each.value).host == self.keeper)
        return {key.removeprefix(lease_key("")) for key in mine}

    def stamped(self, name: str) -> dict[str, bytes]:
        """Return the entry of a renewed lease."""
        self._beats += 1
        return {lease_key(name): Lease(host=self.keeper, beat=self._beats).model_dump_json().encode()}

    async def release(self, names: Iterable[str]) -> None:
        """Release leases at once."""
        free = Lease(host=None, beat=0).model_dump_json().encode()
        entries = {lease_key(name): free for name in names}
        if entries:
            await self.write(entries)


def lease_key(name: str) -> str:
    """Return the key of a lease."""
    return f"{LEASE}.{name}"
