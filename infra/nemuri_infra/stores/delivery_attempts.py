"""How often a service has tried an event: counted over all of its workers, and kept when they are started again."""

from dataclasses import dataclass, replace
from typing import Self

from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as validated

from nemuri_infra.bus.event_log import Log

FAULTS = 5
"""So many faults of the event itself, and it is given up."""
SILENCES = 10
"""So many deliveries of which nothing was heard again, because the worker died of them or was cut off."""
SUSPICIOUS = 2
"""So many, and it is tried with no other suspect beside it: whose worker dies takes what is in work along."""
TRIES_LIFE = 30 * 24 * 3600.0
"""Seconds that is remembered how often something was tried, from its last try on."""


def tries_bucket(namespace: str) -> str:
    """The name of the namespace's store of tries."""
    return f"{namespace}-tries"


@validated(frozen=True, config=ConfigDict(extra="forbid"))
class Tried:
    """What is known of the tries of an event by a service."""

    begun: int = 0
    """Deliveries that were noted as they began, the present one included."""
    ended: int = 0
    """Those of them that ended in an orderly way: with a fault, or by being put off."""
    faults: int = 0
    error: str = ""
    """What the last fault said, in one line."""
    fault: str = ""
    """The type of the last fault."""
    calls: int = 0
    """Replies of models that were made for it and may have to be paid for."""

    @property
    def waited(self) -> float:
        """Seconds for which it has been put off so far, at least."""
        return sum(0.05 * 2.0**time for time in range(1, 1 + min(self.ended, 10)))

    @property
    def silent(self) -> int:
        """How many noted deliveries before this one ended without a word."""
        return max(0, self.begun - 1 - self.ended)

    @property
    def suspect(self) -> bool:
        """Whether its workers may have died of it."""
        return self.silent >= SUSPICIOUS

    def why(self) -> tuple[str, str] | None:
        """Why it is not tried again, with the type of the error; None while it is."""
        if self.faults >= FAULTS:
            return self.error, self.fault
        if self.silent >= SILENCES:
            return f"{self.silent} times its worker died or fell silent over it", "Silence"
        return None

    def again(self) -> "Tried":
        """As another delivery begins."""
        return replace(self, begun=self.begun + 1)

    def put_off(self) -> "Tried":
        """After a delivery that had to wait."""
        return replace(self, ended=self.ended + 1)

    def failed(self, error: str, fault: str) -> "Tried":
        """After a delivery that ended with a fault."""
        return replace(self, ended=self.ended + 1, faults=self.faults + 1, error=error, fault=fault)

    def given_up(self, error: str, fault: str) -> "Tried":
        """After a delivery that ended with a fault that no further one could mend."""
        return replace(self.failed(error, fault), faults=FAULTS)


_adapter = TypeAdapter(Tried)


@dataclass(frozen=True, slots=True)
class Tries:
    """The tries of all services; nothing is written of what succeeds the first time."""

    store: KeyValue

    @classmethod
    async def open(cls, log: Log) -> Self:
        """The tries of the log's namespace."""
        return cls(await log.stream.key_value(tries_bucket(log.subjects.namespace)))

    async def of(self, service: str, sequence: int, delivery: int) -> Tried:
        """What is known with the delivery that comes now, counted from 1; nothing is noted of it yet."""
        if delivery <= 1:
            return Tried(begun=1)
        try:
            known = _adapter.validate_json((await self.store.get(_key(service, sequence))).value or b"{}")
        except KeyNotFoundError:
            known = Tried()
        return known.again()

    async def begin(self, service: str, sequence: int, delivery: int, tried: Tried) -> None:
        """Note, from the second delivery on, that the event is in work now.

        So silence is counted only of deliveries that could be noted as they began: while the store takes nothing, this
        raises what a server raises that is missing, and a full disk is not held against the event.
        """
        if delivery > 1:
            await self.note(service, sequence, tried)

    async def note(self, service: str, sequence: int, tried: Tried) -> None:
        """Remember how a delivery ended."""
        await self.store.put(_key(service, sequence), _adapter.dump_json(tried))


def _key(service: str, sequence: int) -> str:
    return f"{service}.{sequence}"
