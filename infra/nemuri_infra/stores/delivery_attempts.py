"""Delivery attempts: how often each service has tried an event, counted over all workers and kept over restarts."""

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
"""Number of deliveries without an outcome from which an event is suspected of killing its worker.

A worker handles suspected events one at a time, because a dying worker interrupts all its events.
"""
ATTEMPTS_SECONDS = 30 * 24 * 3600.0
"""Seconds for which the attempts of an event are stored after the last one."""


def attempts_bucket(namespace: str) -> str:
    """Return the name of the namespace's bucket of delivery attempts."""
    return f"{namespace}-tries"


@validated(frozen=True, config=ConfigDict(extra="forbid"))
class DeliveryAttempts:
    """The number and the outcomes of a service's attempts to handle an event."""

    begun: int = 0
    """Number of deliveries that were recorded when they began, including the present one."""
    ended: int = 0
    """Number of these deliveries that ended with a fault or were put off."""
    faults: int = 0
    error: str = ""
    """Message of the last fault, one line."""
    fault: str = ""
    """Type of the last fault."""
    calls: int = 0
    """Number of model replies for the event in all deliveries. They may have cost money."""

    @property
    def waited(self) -> float:
        """Return a lower bound of the seconds that the event has waited: the sum of the backoffs after the ended
        deliveries.
        """
        return sum(0.05 * 2.0**time for time in range(1, 1 + min(self.ended, 10)))

    @property
    def missing_outcomes(self) -> int:
        """Return the number of earlier recorded deliveries without an outcome."""
        return max(0, self.begun - 1 - self.ended)

    @property
    def suspect(self) -> bool:
        """Return whether the event is suspected of killing its workers."""
        return self.missing_outcomes >= SUSPECT_MISSING_OUTCOMES

    def give_up_reason(self) -> tuple[str, str] | None:
        """Return the reason for giving up the event and the type of the error; None if the event may be tried again."""
        if self.faults >= MAX_FAULTS:
            return self.error, self.fault
        if self.missing_outcomes >= MAX_MISSING_OUTCOMES:
            return (
                f"{self.missing_outcomes} deliveries ended without an outcome: the worker died or lost its connection",
                "Silence",
            )
        return None

    def with_delivery(self) -> "DeliveryAttempts":
        """Return the attempts with one more delivery begun."""
        return replace(self, begun=self.begun + 1)

    def put_off(self) -> "DeliveryAttempts":
        """Return the attempts with one more delivery put off."""
        return replace(self, ended=self.ended + 1)

    def failed(self, error: str, fault: str) -> "DeliveryAttempts":
        """Return the attempts with one more delivery that ended with a fault.

        `error` is its message and `fault` its type.
        """
        return replace(self, ended=self.ended + 1, faults=self.faults + 1, error=error, fault=fault)

    def given_up(self, error: str, fault: str) -> "DeliveryAttempts":
        """Return the attempts with a permanent fault added, so that the event is given up."""
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
        """Return the attempts for an event, including the present delivery. Records nothing.

        `delivery` is the number of the present delivery, from 1. The first delivery reads nothing from the store.
        """
        if delivery <= 1:
            return DeliveryAttempts(begun=1)
        try:
            known = _adapter.validate_json((await self.store.get(_key(service, sequence))).value or b"{}")
        except KeyNotFoundError:
            known = DeliveryAttempts()
        return known.with_delivery()

    async def begin(self, service: str, sequence: int, delivery: int, tried: DeliveryAttempts) -> None:
        """Record that the event is in work. Does nothing at its first delivery.

        Raises an outage error while the store accepts no write. Missing outcomes are counted only for recorded
        deliveries, so a full disk does not count against the event.
        """
        if delivery > 1:
            await self.note(service, sequence, tried)

    async def note(self, service: str, sequence: int, tried: DeliveryAttempts) -> None:
        """Store the attempts after a delivery."""
        await self.store.put(_key(service, sequence), _adapter.dump_json(tried))


def _key(service: str, sequence: int) -> str:
    return f"{service}.{sequence}"
