"""Projections and a log in memory, for unit tests of the event processor."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nemuri_contracts.event import Event
from nemuri_infra.models.call_budget import CallBudgets
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.delivery_attempts import DeliveryAttempts


@dataclass(slots=True)
class PastAndLog:
    """Projections as an event processor uses them, and a log in memory."""

    first: bool = True
    behind: bool = False
    broken: Exception | None = None
    max_event_bytes: int = 1_000
    asked: list[str] = field(default_factory=list)
    appended: list[tuple[Event, int | None]] = field(default_factory=list)
    tried: DeliveryAttempts = field(default_factory=DeliveryAttempts)
    settings: Settings = field(default_factory=Settings)
    call_budgets: CallBudgets = field(default_factory=lambda: CallBudgets(3))
    sequence: int = 0
    """Log position of the projections."""

    async def wait_for(self, event: Event) -> None:
        """Wait for the projections."""
        self.asked.append(f"since {event.kind}")
        if self.behind:
            raise BehindError("the projections are at 1, but 2 is needed")

    async def is_effective(self, event: Event) -> bool:
        """Return True if the event is the first of its id."""
        self.asked.append(f"counts {event.kind}")
        return self.first

    async def attempt_number(self, _event: Event) -> int:
        """The attempt of the event's task."""
        return 2

    async def of(self, _service: str, _sequence: int, _delivery: int) -> DeliveryAttempts:
        """Return the recorded attempts."""
        return self.tried.with_delivery()

    async def begin(self, _service: str, _sequence: int, _delivery: int, tried: DeliveryAttempts) -> None:
        """Record the start of an attempt."""
        self.tried = tried

    async def note(self, _service: str, _sequence: int, tried: DeliveryAttempts) -> None:
        """Record the end of an attempt."""
        self.tried = tried

    async def wait(self, sequence: int) -> None:
        """Wait for a log position."""
        self.asked.append(f"wait {sequence}")

    async def last_sequence(self) -> int:
        """Return the last sequence of the log."""
        return self.sequence

    async def append(self, event: Event, *, expected: int | None = None) -> int:
        """Append the event."""
        if self.broken:
            raise self.broken
        self.appended.append((event, expected))
        return len(self.appended)

    @property
    def metrics(self) -> Metrics:
        """Return metrics that nobody reads."""
        return Metrics()

    @property
    def views(self) -> "PastAndLog":
        """Return this object."""
        return self

    log = progress = delivery_attempts = views


def raising(error: Exception) -> Callable[[], Any]:
    """Return a function that raises the error."""

    def fail() -> Any:
        raise error

    return fail
