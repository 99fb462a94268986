"""The requests that clients send while faults happen, and a reader of the log."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from nemuri.client.client import Client
from nemuri_contracts.client_events import FeedbackGiven, MemoryContent, MemoryOffered, NegotiationAnswered
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.event import derive
from nemuri_contracts.strength import MemoryEncoded
from nemuri_contracts.tasks import NegotiationOpened, TaskCompleted, TaskFailed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from tests.faults.schedules import Schedule
from tests.integration.harness import retried

DOCUMENT = "\f".join(
    f"Page {number}. Any object can be tested for truth value. Number {number} is true, and an empty list is false."
    for number in range(1, 26)
)
ITEMS = "Please answer each of these questions:\n" + "\n".join(
    f"{number}. What is the truth value of {number}?" for number in range(1, 26)
)


@dataclass(slots=True)
class LogReader:
    """A reader of the whole log. It reads events as they are appended, and continues after outages."""

    log: Log
    events: list[AnyEvent] = field(default_factory=list)
    """Every message on the log, repetitions included."""
    known: dict[UUID, AnyEvent] = field(default_factory=dict)
    """The first event of each id. Later events with the same id have no effect."""
    by_task: dict[tuple[type, UUID], AnyEvent] = field(default_factory=dict)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def follow(self) -> None:
        """Read the log until cancelled."""
        after = 0
        while True:
            try:
                async for batch in self.log.read(after):
                    after = batch.until
                    assert not batch.unreadable, batch.unreadable
                    async with self._news:
                        for event in batch.events:
                            self._note(event)
                        self._news.notify_all()
            except OUTAGE_ERRORS:
                await asyncio.sleep(0.1)

    def _note(self, event: AnyEvent) -> None:
        self.events.append(event)
        if event.event_id not in self.known:
            self.known[event.event_id] = event
            if event.thread is not None:
                self.by_task.setdefault((type(event), event.thread), event)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return as soon as the condition holds for the log read so far."""
        async with self._news:
            await self._news.wait_for(condition)

    def ended(self, task_id: UUID) -> bool:
        """Return True if the task has completed or failed."""
        return (TaskCompleted, task_id) in self.by_task or (TaskFailed, task_id) in self.by_task


@dataclass(slots=True)
class AcknowledgedRequests:
    """Ids of acknowledged requests, each of which must have its outcome."""

    tasks: set[UUID] = field(default_factory=set)
    feedback: list[UUID] = field(default_factory=list)
    memories: list[UUID] = field(default_factory=list)


@dataclass(slots=True)
class Clients:
    """The clients that send the requests of a schedule."""

    client: Client
    log_reader: LogReader
    schedule: Schedule
    rng: random.Random
    acknowledged: AcknowledgedRequests = field(default_factory=AcknowledgedRequests)

    async def send_all(self) -> AcknowledgedRequests:
        """Send all requests of the schedule concurrently. Return their ids when all are acknowledged."""
        async with asyncio.TaskGroup() as group:
            for number, request in enumerate(self.schedule.requests):
                group.create_task(getattr(self, f"_{request}")(number, random.Random(self.rng.random())))
        return self.acknowledged

    async def _submit(self, text: str, *, key: UUID | None = None, **options: object) -> UUID:
        key = key or uuid4()
        await retried(lambda: self.client.submit(text, key=key, **options))  # type: ignore[arg-type]
        self.acknowledged.tasks.add(key)
        return key

    async def _small(self, number: int, rng: random.Random) -> None:
        await self._submit(f"Is number {rng.randrange(1, 26)} true, and what of an empty list? ({number})")

    async def _large(self, number: int, rng: random.Random) -> None:
        text = f"Is number {rng.randrange(1, 26)} true? ({number})"
        await self._submit(text, documents=[("p.txt", f"{DOCUMENT}\fEdition {rng.random()}.")])

    async def _listed(self, *_: object) -> None:
        task_id = await self._submit(ITEMS)
        await self.log_reader.until(lambda: (NegotiationOpened, task_id) in self.log_reader.by_task)
        event = NegotiationAnswered(
            event_id=uuid4(),
            client_id="ann",
            correlation_id=task_id,
            option="most_important",
            items=(3, 1, 2),
        )
        await retried(lambda: self.client.log.append(event))

    async def _panel(self, number: int, rng: random.Random) -> None:
        text = f"What is the truth value of an empty list, and why? ({number})"
        await self._submit(text, panel=2, rebuttal=rng.random() < 0.5)

    async def _turns(self, number: int, rng: random.Random) -> None:
        name = f"{self.schedule.seed}-{number}-{rng.random()}"
        await self._submit("What is the truth value of an empty list?", conversation=name)
        await self._submit("And why is it so?", conversation=name)

    async def _judged(self, number: int, rng: random.Random) -> None:
        task_id = await self._submit(f"May a list be tested for truth value? ({number})")
        if rng.random() < 0.5:
            await self.log_reader.until(lambda: self.log_reader.ended(task_id))
        for verdict in ("helpful", "helpful"):
            event = FeedbackGiven(
                event_id=uuid4(),
                client_id="ann",
                correlation_id=task_id,
                verdict=verdict,
                result="success",
            )
            await retried(lambda event=event: self.client.log.append(event))  # type: ignore[misc]
            self.acknowledged.feedback.append(event.event_id)

    async def _remembered(self, number: int, rng: random.Random) -> None:
        event = MemoryOffered(
            event_id=uuid4(),
            client_id="ann",
            agent_id="python",
            memory=MemoryContent(content=f"Rule {rng.random()}: an empty list is false. ({number})", tags=("truth",)),
        )
        await retried(lambda: self.client.log.append(event))
        self.acknowledged.memories.append(event.event_id)
        encoded = derive(event.event_id, MemoryEncoded.kind_of())
        await self.log_reader.until(lambda: encoded in self.log_reader.known)

    async def _repeated(self, number: int, rng: random.Random) -> None:
        """Submit a task twice at the same time, and a third time after it has ended."""
        text = f"Is an empty list false? ({number}, {rng.random()})"
        task_id = await self._submit(text)
        await self._submit(text, key=task_id)
        await self.log_reader.until(lambda: self.log_reader.ended(task_id))
        await self._submit(text, key=task_id)
