"""A delivery without a recorded end counts as a crash only if its start could be recorded."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest
from nats.errors import NoRespondersError
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue

from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.stores.delivery_attempts import (
    MAX_MISSING_OUTCOMES,
    SUSPECT_MISSING_OUTCOMES,
    DeliveryAttempts,
    DeliveryAttemptStore,
)


@dataclass(slots=True)
class Disk:
    """A key-value store in memory. It refuses writes while its disk is full, and can always be read."""

    full: bool = False
    entries: dict[str, bytes] = field(default_factory=dict)

    async def get(self, key: str) -> SimpleNamespace:
        """Return the entry."""
        if key not in self.entries:
            raise KeyNotFoundError
        return SimpleNamespace(value=self.entries[key])

    async def put(self, key: str, value: bytes) -> None:
        """Store the entry. Raises an error while the disk is full."""
        if self.full:
            raise NoRespondersError
        self.entries[key] = value


async def begun(tries: DeliveryAttemptStore, delivery: int) -> DeliveryAttempts:
    """Record the start of a delivery, and return the attempts that are known then."""
    tried = await tries.of("clerk", 7, delivery)
    await tries.begin("clerk", 7, delivery, tried)
    return tried


async def test_deliveries_during_a_full_disk_are_not_counted() -> None:
    """Deliveries whose start cannot be recorded, because the disk is full, are delayed and do not count as crashes."""
    disk = Disk()
    tries = DeliveryAttemptStore(cast("KeyValue", disk))
    await tries.note("clerk", 7, (await begun(tries, 1)).put_off())
    disk.full = True
    for delivery in range(2, 3 * MAX_MISSING_OUTCOMES):
        with pytest.raises(NoRespondersError) as raised:
            await begun(tries, delivery)
        assert isinstance(raised.value, OUTAGE_ERRORS)

    disk.full = False

    assert await begun(tries, 3 * MAX_MISSING_OUTCOMES) == DeliveryAttempts(begun=2, ended=1)


async def test_crashes_are_counted_from_the_second_delivery() -> None:
    """Crashes are counted from the second delivery on. The first delivery writes no entry."""
    tries = DeliveryAttemptStore(cast("KeyValue", Disk()))
    for delivery in range(1, MAX_MISSING_OUTCOMES + 2):
        assert (await begun(tries, delivery)).give_up_reason() is None

    assert (await begun(tries, MAX_MISSING_OUTCOMES + 2)).give_up_reason() is not None


async def test_waiting_deliveries_are_not_counted() -> None:
    """Deliveries that only waited are not counted. An event with two unfinished deliveries is a suspect.

    Reading the attempts writes nothing.
    """
    tries = DeliveryAttemptStore(cast("KeyValue", Disk()))
    suspects = []
    for delivery in range(1, SUSPECT_MISSING_OUTCOMES + 3):
        for _ in range(MAX_MISSING_OUTCOMES):
            known = await tries.of("clerk", 7, delivery)
        suspects.append(known.suspect)
        assert known == await begun(tries, delivery)

    assert suspects == [False] * (SUSPECT_MISSING_OUTCOMES + 1) + [True]
