"""A fake for unit tests of the event processor: projections and a log in memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from nemuri_contracts.event import Event
from nemuri_domain.event_sourcing.deduplication import Parked
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_infra.models.call_budget import CallBudgets
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.projections.task_histories import TaskHistory
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.delivery_attempts import DeliveryAttempts


@dataclass(slots=True)
class PastAndLog:
    """The projections, the log and the store of delivery attempts that an event processor uses, in memory."""

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
    """Last sequence that the log reports."""

    async def counts(self, event: Event) -> bool:
        """Record the call and return `first`: True if the event counts as the first of its id."""
        self.asked.append(f"counts {event.kind}")
        return self.first

    async def counting(self, events: Sequence[Event]) -> list[bool]:
        """Return for each event whether it counts."""
        return [await self.counts(event) for event in events]

    def forget(self, task_id: UUID) -> None:
        """Do nothing, because no history is cached."""

    async def parked(self) -> Parked:
        """Return the parked events: none."""
        return Parked()

    async def of(self, *asked: Any) -> Any:
        """Return the history of an event's task in its second attempt, or the stored attempts at an event with one more
        delivery.
        """
        return TaskHistory(reopened=[-1]) if len(asked) == 1 else self.tried.with_delivery()

    async def begin(self, _service: str, _sequence: int, _delivery: int, tried: DeliveryAttempts) -> None:
        """Store the attempts at the start of a handling."""
        self.tried = tried

    async def note(self, _service: str, _sequence: int, tried: DeliveryAttempts) -> None:
        """Store the attempts at the end of a handling."""
        self.tried = tried

    async def wait(self, sequence: int) -> None:
        """Record the call and return at once. Raises `BehindError` if `behind` is set."""
        self.asked.append(f"wait {sequence}")
        if self.behind:
            raise BehindError("the projections are at 1, but 2 is needed")

    async def state(self, _event: Event) -> TaskState:
        """Return a task without a budget."""
        return TaskState()

    async def agent(self, _agent_id: str, *, only_rules: bool) -> None:
        """Return None: there is no agent."""

    async def last_sequence(self) -> int:
        """Return `sequence`."""
        return self.sequence

    async def append(self, event: Event, *, expected: int | None = None) -> int:
        """Store the event and its expected sequence, and return the number of stored events. Raises `broken` if it is
        set.
        """
        if self.broken:
            raise self.broken
        self.appended.append((event, expected))
        return len(self.appended)

    @property
    def metrics(self) -> Metrics:
        """Return new metrics, which no test reads."""
        return Metrics()

    @property
    def views(self) -> "PastAndLog":
        """Return this object, which is also the log, the progress and the store of attempts."""
        return self

    log = progress = delivery_attempts = tasks = journal = views


def raising(error: Exception) -> Callable[[], Any]:
    """Return a function that raises the error."""

    def fail() -> Any:
        raise error

    return fail
