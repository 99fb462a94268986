"""Delivery attempts: how often each service has tried an event, counted over all workers and kept over restarts."""

from dataclasses import dataclass, replace
from typing import Self

from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as validated

from nemuri_infra.bus.event_log import Log

MAX_FAULTS = 5
"""Faults of an event after which it is given up."""
MAX_MISSING_OUTCOMES = 10
"""Deliveries without an outcome after which an event is given up. The worker died or lost its connection."""
SUSPECT_MISSING_OUTCOMES = 2
"""Deliveries without an outcome from which an event is suspect. Suspects are tried one at a time, because a dying
worker interrupts all its events.
"""
ATTEMPTS_SECONDS = 30 * 24 * 3600.0
"""Seconds that attempts are stored after the last one."""


def attempts_bucket(namespace: str) -> str:
    """Return the name of the namespace's bucket of delivery attempts."""
    return f"{namespace}-tries"


@validated(frozen=True, config=ConfigDict(extra="forbid"))
class DeliveryAttempts:
    """The delivery attempts of an event by a service."""

    begun: int = 0
    """Deliveries recorded at their begin, including the present one."""
    ended: int = 0
    """Those of them that ended with a fault or were put off."""
    faults: int = 0
    error: str = ""
    """Message of the last fault, one line."""
    fault: str = ""
    """Type of the last fault."""
    calls: int = 0
    """Replies of models for the event, which may have cost money."""

    @property
    def waited(self) -> float:
        """Return the minimum number of seconds for which the event has been put off."""
        return sum(0.05 * 2.0**time for time in range(1, 1 + min(self.ended, 10)))

    @property
    def silent(self) -> int:
        """Return the number of earlier recorded deliveries without an outcome."""
        return max(0, self.begun - 1 - self.ended)

    @property
    def suspect(self) -> bool:
        """Return whether the event may have killed its workers."""
        return self.silent >= SUSPECT_MISSING_OUTCOMES

    def why(self) -> tuple[str, str] | None:
        """Return the reason for giving up and the type of the error; None while the event is tried again."""
        if self.faults >= MAX_FAULTS:
            return self.error, self.fault
        if self.silent >= MAX_MISSING_OUTCOMES:
            return (
                f"{self.silent} deliveries ended without an outcome: the worker died or lost its connection",
                "Silence",
            )
        return None

    def again(self) -> "DeliveryAttempts":
        """Return the attempts at the begin of another delivery."""
        return replace(self, begun=self.begun + 1)

    def put_off(self) -> "DeliveryAttempts":
        """Return the attempts after a delivery that was put off."""
        return replace(self, ended=self.ended + 1)

    def failed(self, error: str, fault: str) -> "DeliveryAttempts":
        """Return the attempts after a delivery that ended with a fault."""
        return replace(self, ended=self.ended + 1, faults=self.faults + 1, error=error, fault=fault)

    def given_up(self, error: str, fault: str) -> "DeliveryAttempts":
        """Return the attempts after a delivery that ended with a permanent fault."""
        return replace(self.failed(error, fault), faults=MAX_FAULTS)


_adapter = TypeAdapter(DeliveryAttempts)


@dataclass(frozen=True, slots=True)
class DeliveryAttemptStore:
    """The delivery attempts of all services. Nothing is written for an event that succeeds at once."""

    store: KeyValue

    @classmethod
    async def open(cls, log: Log) -> Self:
        """Return the delivery attempts of the log's namespace."""
        return cls(await log.stream.key_value(attempts_bucket(log.subjects.namespace)))

    async def of(self, service: str, sequence: int, delivery: int) -> DeliveryAttempts:
        """Return the attempts at a delivery, numbered from 1. Records nothing."""
        if delivery <= 1:
            return DeliveryAttempts(begun=1)
        try:
            known = _adapter.validate_json((await self.store.get(_key(service, sequence))).value or b"{}")
        except KeyNotFoundError:
            known = DeliveryAttempts()
        return known.again()

    async def begin(self, service: str, sequence: int, delivery: int, tried: DeliveryAttempts) -> None:
        """Record that the event is in work, from its second delivery on.

        Raises an outage error while the store accepts no write. Missing outcomes are counted only for recorded
        deliveries, so a full disk does not count against the event.
        """
        if delivery > 1:
            await self.note(service, sequence, tried)

    async def note(self, service: str, sequence: int, tried: DeliveryAttempts) -> None:
        """Record the outcome of a delivery."""
        await self.store.put(_key(service, sequence), _adapter.dump_json(tried))


def _key(service: str, sequence: int) -> str:
    return f"{service}.{sequence}"
