"""Silence is held against an event only where it could have been noted that somebody began with it."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest
from nats.errors import NoRespondersError
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue

from nemuri_infra.runtime.service import OUTAGE_ERRORS
from nemuri_infra.stores.delivery_attempts import (
    MAX_MISSING_OUTCOMES,
    SUSPECT_MISSING_OUTCOMES,
    DeliveryAttempts,
    DeliveryAttemptStore,
)


@dataclass(slots=True)
class Disk:
    """A store that takes nothing while its disk is full; what it holds can be read all the same."""

    full: bool = False
    entries: dict[str, bytes] = field(default_factory=dict)

    async def get(self, key: str) -> SimpleNamespace:
        """What lies there."""
        if key not in self.entries:
            raise KeyNotFoundError
        return SimpleNamespace(value=self.entries[key])

    async def put(self, key: str, value: bytes) -> None:
        """Keep it if there is room."""
        if self.full:
            raise NoRespondersError
        self.entries[key] = value


async def begun(tries: DeliveryAttemptStore, delivery: int) -> DeliveryAttempts:
    """What is known once a delivery has begun."""
    tried = await tries.of("clerk", 7, delivery)
    await tries.begin("clerk", 7, delivery, tried)
    return tried


async def test_a_disk_that_was_full_for_long_is_not_held_against_an_event() -> None:
    """However often it was delivered meanwhile: those deliveries wait, and are forgotten."""
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


async def test_who_dies_of_an_event_every_time_is_counted() -> None:
    """From the second delivery on; the first one costs no note."""
    tries = DeliveryAttemptStore(cast("KeyValue", Disk()))
    for delivery in range(1, MAX_MISSING_OUTCOMES + 2):
        assert (await begun(tries, delivery)).why() is None

    assert (await begun(tries, MAX_MISSING_OUTCOMES + 2)).why() is not None


async def test_what_only_waits_its_turn_is_not_counted() -> None:
    """Looking at what is known notes nothing; who was silent twice is a suspect."""
    tries = DeliveryAttemptStore(cast("KeyValue", Disk()))
    suspects = []
    for delivery in range(1, SUSPECT_MISSING_OUTCOMES + 3):
        for _ in range(MAX_MISSING_OUTCOMES):
            known = await tries.of("clerk", 7, delivery)
        suspects.append(known.suspect)
        assert known == await begun(tries, delivery)

    assert suspects == [False] * (SUSPECT_MISSING_OUTCOMES + 1) + [True]
