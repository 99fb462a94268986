"""Leases of a society. Their holder renews them with every beat; a lease that is not renewed expires."""

import time
from collections.abc import Iterable, Mapping
from typing import Final

from nemuri_infra.stores.bucket_reader import BucketEntry
from nemuri_society.contracts.society import Lease
from nemuri_society.stores.society_states import LEASE, RevisionError, States

BEAT_SECONDS: Final = 0.5
"""Seconds between two beats. A beat also writes changed states, so a crash loses at most the changes since the last
one.
"""
EXPIRY_SECONDS: Final = 2.5
"""Seconds without renewal after which a lease has expired."""


class Leases:
    """The leases of one society, as seen by one process.

    Clocks of different machines are never compared: a lease has expired if the process has not seen it change for
    `EXPIRY_SECONDS` seconds of its own clock.
    """

    def __init__(self, holder: str, states: States) -> None:
        """Create the leases of the process `holder`. `revisions` has the revision of each entry that it wrote or read,
        by key.
        """
        self.holder, self.states = holder, states
        self.revisions: dict[str, int] = {}
        self._lease_entries = states.following(lease_key("*"))
        self._last_changes: dict[str, tuple[int, float]] = {}
        self._beats = 0

    async def free_names(self, names: Iterable[str]) -> list[str]:
        """Return those of the names whose leases this process considers free. It must have watched a lease to see it
        expire.
        """
        now = time.monotonic()
        return self._without_holder(names, await self._lease_entries.present(), now)

    def _without_holder(self, names: Iterable[str], entries: Mapping[str, BucketEntry], now: float) -> list[str]:
        found = []
        for name in names:
            entry = entries.get(lease_key(name))
            if entry is None:
                found.append(name)
                continue
            self.revisions[entry.key] = entry.revision
            revision, since = self._last_changes.get(name, (0, now))
            if revision != entry.revision:
                since = now
                self._last_changes[name] = entry.revision, now
            if now - since > EXPIRY_SECONDS or Lease.model_validate_json(entry.value).host is None:
                found.append(name)
        return found

    async def acquire_if_free(self, name: str) -> bool:
        """Take a lease if it is free. Return True if it was taken."""
        now, there = time.monotonic(), await self.states.get(lease_key(name))
        return bool(
            self._without_holder([name], {} if there is None else {there.key: there}, now)
        ) and await self.acquire(name)

    async def acquire(self, name: str) -> bool:
        """Take a lease without checking that it is free. Return False if another process changed it meanwhile."""
        try:
            await self.write(self.renewed_entry(name))
        except RevisionError:
            return False
        return True

    async def write(self, entries: dict[str, bytes]) -> None:
        """Write a batch of entries, each with its last known revision as the expected one. Raises the errors of
        `States.write`.
        """
        self.revisions |= await self.states.write(entries, self.revisions)

    async def held_names(self) -> set[str]:
        """Read all entries of the society and return the names of the leases that this process holds.

        The revisions in `revisions` are brought up to date.
        """
        entries = [name async for name in self.states.read()]
        self.revisions |= {entry.key: entry.revision for entry in entries}
        leases = [entry for entry in entries if entry.key.startswith(lease_key(""))]
        held = (lease.key for lease in leases if Lease.model_validate_json(lease.value).host == self.holder)
        return {key.removeprefix(lease_key("")) for key in held}

    def renewed_entry(self, name: str) -> dict[str, bytes]:
        """Return the entry that renews a lease when it is written. Nothing is written here."""
        self._beats += 1
        return {lease_key(name): Lease(host=self.holder, beat=self._beats).model_dump_json().encode()}

    async def release(self, names: Iterable[str]) -> None:
        """Release the leases with these names, so that other processes can take them at once."""
        free = Lease(host=None, beat=0).model_dump_json().encode()
        entries = {lease_key(name): free for name in names}
        if entries:
            await self.write(entries)


def lease_key(name: str) -> str:
    """Return the key of the entry that holds the lease `name`. For "", this is the common prefix of all leases."""
    return f"{LEASE}.{name}"
