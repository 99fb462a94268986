"""Delivery attempts: the number of times that each service has tried an event.

They are counted over all workers, and kept when workers restart.
"""

from dataclasses import dataclass, replace
from typing import Self

from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as validated

from nemuri_infra.bus.event_log import Log

MAX_FAULTS = 5
"""Number of faults after which an event is given up."""
MAX_MISSING_OUTCOMES = 10
"""Number of deliveries without an outcome after which an event is given up.

A delivery has no outcome if its worker died or lost its connection.
"""
SUSPECT_MISSING_OUTCOMES = 2
"""Number of deliveries without an outcome after which an event is suspected of killing its worker.

A worker handles suspected events one at a time, because a dying worker interrupts all events in work.
"""
ATTEMPTS_SECONDS = 30 * 24 * 3600.0
"""Seconds for which the attempts of an event are stored after the last attempt."""


def attempts_bucket(namespace: str) -> str:
    """Return the name of the namespace's bucket of delivery attempts."""
    return f"{namespace}-tries"


@validated(frozen=True, config=ConfigDict(extra="forbid"))
class DeliveryAttempts:
    """The number and the outcomes of one service's attempts to handle one event."""

    begun: int = 0
    """Number of deliveries that were recorded when they began, including the present one."""
    ended: int = 0
    """Number of recorded deliveries that ended with a fault or were put off."""
    faults: int = 0
    error: str = ""
    """Message of the last fault, one line."""
    fault: str = ""
    """Type of the last fault."""
    calls: int = 0
    """Number of model replies for the event in all deliveries together. Each may have cost money."""

    @property
    def waited(self) -> float:
        """Return a lower bound of the seconds that the event has waited so far.

        It is the sum of the backoffs after the ended deliveries.
        """
        return sum(0.05 * 2.0**time for time in range(1, 1 + min(self.ended, 10)))

    @property
    def missing_outcomes(self) -> int:
        """Return the number of earlier recorded deliveries that ended without an outcome."""
        return max(0, self.begun - 1 - self.ended)

    @property
    def suspect(self) -> bool:
        """Return whether the event is suspected of having killed its workers."""
        return self.missing_outcomes >= SUSPECT_MISSING_OUTCOMES

    def give_up_reason(self) -> tuple[str, str] | None:
        """Return the reason for giving up the event, and the error's type; None if the event may be tried again."""
        if self.faults >= MAX_FAULTS:
            return self.error, self.fault
        if self.missing_outcomes >= MAX_MISSING_OUTCOMES:
            return (
                f"{self.missing_outcomes} deliveries ended without an outcome: the worker died or lost its connection",
                "Silence",
            )
        return None

    def with_delivery(self) -> "DeliveryAttempts":
        """Return a copy with one more delivery that has begun."""
        return replace(self, begun=self.begun + 1)

    def put_off(self) -> "DeliveryAttempts":
        """Return a copy with one more delivery that was put off."""
        return replace(self, ended=self.ended + 1)

    def failed(self, error: str, fault: str) -> "DeliveryAttempts":
        """Return a copy with one more delivery that ended with a fault.

        `error` is the message of the fault and `fault` its type.
        """
        return replace(self, ended=self.ended + 1, faults=self.faults + 1, error=error, fault=fault)

    def given_up(self, error: str, fault: str) -> "DeliveryAttempts":
        """Return a copy with a permanent fault added, so that the event is given up."""
        return replace(self.failed(error, fault), faults=MAX_FAULTS)


_adapter = TypeAdapter(DeliveryAttempts)


@dataclass(frozen=True, slots=True)
class DeliveryAttemptStore:
    """The store of all services' delivery attempts. Nothing is written for an event whose first delivery succeeds."""

    store: KeyValue

    @classmethod
    async def open(cls, log: Log) -> Self:
        """Return the store of the log's namespace."""
        return cls(await log.stream.key_value(attempts_bucket(log.subjects.namespace)))

    async def of(self, service: str, sequence: int, delivery: int) -> DeliveryAttempts:
        """Return the attempts for an event, including the present delivery. Nothing is recorded.

        `delivery` is the number of the present delivery, from 1. At the first delivery the store is not read.
        """
        if delivery <= 1:
            return DeliveryAttempts(begun=1)
        try:
            known = _adapter.validate_json((await self.store.get(_key(service, sequence))).value or b"{}")
        except KeyNotFoundError:
            known = DeliveryAttempts()
        return known.with_delivery()

    async def begin(self, service: str, sequence: int, delivery: int, tried: DeliveryAttempts) -> None:
        """Record that the handling of the event begins. Does nothing at the first delivery.

        Raises an outage error while the store accepts no write. Since missing outcomes are counted only for recorded
        deliveries, a full disk does not count against the event.
        """
        if delivery > 1:
            await self.note(service, sequence, tried)

    async def note(self, service: str, sequence: int, tried: DeliveryAttempts) -> None:
        """Store the attempts of a service for the event at this log sequence, replacing the stored ones."""
        await self.store.put(_key(service, sequence), _adapter.dump_json(tried))


def _key(service: str, sequence: int) -> str:
    return f"{service}.{sequence}"
