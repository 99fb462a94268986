"""Services on a log in memory: one process does the work of all, with their own handlers, and without servers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self

from nemuri_contracts.codec import AnyEvent, UndecodableError
from nemuri_contracts.event import OPERATOR, Event
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.in_memory.connection import NoServer
from nemuri_infra.in_memory.event_log import InMemoryLog
from nemuri_infra.in_memory.projections import InMemoryProjections
from nemuri_infra.in_memory.stores import InMemoryClock, InMemoryObjects, InMemoryTimers
from nemuri_infra.in_memory.views import InMemoryAgents, InMemoryViews
from nemuri_infra.models.call_budget import CallBudgets
from nemuri_infra.models.factory import Models, build_models
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.process.cancellation import cancel_and_wait, run_together
from nemuri_infra.projections.conversation_histories import ConversationHistories
from nemuri_infra.projections.journal import Journal
from nemuri_infra.projections.memory_indexes import MemoryIndexes
from nemuri_infra.projections.progress import Progress, progress_message
from nemuri_infra.projections.task_histories import TaskHistories
from nemuri_infra.runtime.event_processor import EventProcessor, GaveUpError
from nemuri_infra.runtime.outage_errors import is_outage
from nemuri_infra.runtime.query_answering import QueryAnswering
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import Blobs, blob_bucket
from nemuri_infra.stores.delivery_attempts import DeliveryAttemptStore
from nemuri_infra.stores.results import Results
from nemuri_infra.stores.vectors import Vectors


@dataclass(slots=True)
class InMemoryServices:
    """Services whose log, projections and stores are in memory.

    Events are delivered to one service after the other, in the order of the log, so a run is reproducible. An event
    whose handling fails is delivered again until the service gives it up; if a dependency is missing, `settle` raises
    that error, because in memory nothing changes by waiting.
    """

    log: InMemoryLog
    resources: Resources
    projections: InMemoryProjections
    processors: dict[str, EventProcessor] = field(default_factory=dict)
    delivered: dict[str, int] = field(default_factory=dict)
    """Sequence of the last event that was delivered to each service, also to those that do not run any more."""
    given_up: list[tuple[str, AnyEvent, GaveUpError]] = field(default_factory=list)
    """The events that a service gave up, with the service and the reason."""
    _moved: asyncio.Condition = field(default_factory=asyncio.Condition)
    _folding: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    async def of(
        cls,
        services: Iterable[Service],
        settings: Settings | None = None,
        *,
        models: Models | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Self:
        """Return a platform with an empty log, on which these services run.

        Without `models`, the services use the models of the settings. `now` returns the time of the log.
        """
        settings, projections = settings or Settings(), InMemoryProjections()
        log = InMemoryLog.of(settings.namespace, now)
        resources = await _resources(settings, log, projections, models)
        platform = cls(log, resources, projections)
        for service in services:
            platform.start(service)
        return platform

    def start(self, service: Service, *, models: Models | None = None) -> None:
        """Run a service, or run it anew. It gets the events that were not delivered to it yet.

        Without `models`, it uses those of the platform.
        """
        resources = self.resources if models is None else replace(self.resources, models=models)
        timers = InMemoryTimers(self.log, self.resources.clock, service.name)
        processor = EventProcessor(service, replace(resources, timers=timers))
        self.processors[service.name] = processor
        self.delivered.setdefault(service.name, 0)
        connection: Any = self.log.connection
        for kind, topic in service.query_topics():
            answer = partial(QueryAnswering(processor).answer, kind)
            connection.responders[self.log.subjects.query(topic)] = answer

    def stop(self) -> None:
        """Stop all services. Those that start again get the events that were not delivered to them."""
        self.processors.clear()
        connection: Any = self.log.connection
        connection.responders.clear()

    @property
    def position(self) -> int:
        """Return the sequence up to which the projections contain the log and the running services have handled it."""
        return min([self.projections.sequence, *(self.delivered[name] for name in self.processors)])

    async def append(self, *events: Event) -> None:
        """Append events to the log, and let the services do all that follows from them. Raises as `settle` does."""
        for event in events:
            await self.log.append(event)
        await self.settle()

    async def settle(self) -> None:
        """Deliver all events that were not delivered yet, and those that the services append meanwhile."""
        await self._fold_all()
        while (after := self.position) < self.log.last:
            event = await self._event_at(after + 1)
            for name, processor in self.processors.items():
                if self.delivered[name] == after:
                    if event is not None:
                        await self._deliver(event, processor)
                    self.delivered[name] = after + 1
            await asyncio.sleep(0)  # let clients see the states between two events
            await self._fold_all()
        async with self._moved:
            self._moved.notify_all()

    async def _fold_all(self) -> None:
        async with self._folding:
            while self.projections.sequence < self.log.last:
                sequence = self.projections.sequence + 1
                await self._fold(sequence, await self._event_at(sequence))

    async def _event_at(self, sequence: int) -> AnyEvent | None:
        """Return the event with a sequence; None if it was deleted, or if a client's message is not an event.

        Raises `UndecodableError` if a service's message is not an event.
        """
        try:
            return await self.log.at(sequence)
        except UndecodableError:
            stored = await self.log.stored_at(sequence)
            if stored is None or self.log.subjects.client_of(stored.subject) is None:
                raise
            return None

    async def settled(self) -> None:
        """Wait until everything that was appended is delivered. The platform must be `running`."""
        async with self._moved:
            await self._moved.wait_for(lambda: self.log.connection.is_closed or self.position == self.log.last)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Deliver events as they are appended, and do the background work of the services, during the context.

        If a delivery fails as in `settle`, the connection of the clients is closed, and the error is raised at the end
        of the context.
        """
        connection: Any = self.log.connection
        connection.is_closed = False
        work = asyncio.ensure_future(self._work())
        try:
            yield
        except Exception as error:
            if work.done():
                raise error from work.exception()
            raise
        finally:
            failed = work.done()
            await cancel_and_wait(work)
        if failed:
            work.result()

    async def _work(self) -> None:
        background = [_background(processor) for processor in self.processors.values()]
        try:
            await run_together(self._follow(self._fold_all), self._follow(self.settle), *background)
        finally:
            await self.log.close()
            async with self._moved:
                self._moved.notify_all()

    async def _follow(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            here = self.log.last
            await work()
            await self.log.beyond(here)

    async def _fold(self, sequence: int, event: AnyEvent | None) -> None:
        """Fold the message with this sequence; its event is None if it was deleted."""
        if event is None:
            self.projections.sequence = sequence
        counts = event is not None and self.projections.fold(event)
        batch = Batch((event,) if event else (), (), sequence - 1, sequence)
        skipped = frozenset[int]() if counts else frozenset({sequence})
        await self.resources.views.progress.hear(progress_message(sequence, batch, skipped))

    async def _deliver(self, event: AnyEvent, processor: EventProcessor) -> None:
        delivery = 0
        while True:
            delivery += 1
            try:
                return await processor.process(event, delivery)
            except GaveUpError as error:
                self.given_up.append((processor.service.name, event, error))
                return None
            except Exception as error:
                if is_outage(error):
                    raise


async def _background(processor: EventProcessor) -> None:
    if processor.service.background is not None:
        await processor.service.background(processor.resources)


async def _resources(
    settings: Settings, log: InMemoryLog, projections: InMemoryProjections, models: Models | None
) -> Resources:
    """Return the resources of services, in memory. What needs tables or servers raises `NotInMemoryError`."""
    absent: Any = NoServer()
    source: Any = projections
    metrics, progress = Metrics(), Progress(projections)
    vectors = await Vectors.open(log, build_embedder(settings.embedding_settings()))
    views = InMemoryViews(projections, progress, InMemoryAgents(projections), vectors)
    clock = await InMemoryClock.of(log)
    journal = Journal(views)
    return Resources(
        settings=settings,
        log=log,
        database=absent,
        projection=source,
        views=views,
        indexes=MemoryIndexes.within(settings.index_bytes, views),
        tasks=TaskHistories(log, journal),
        conversations=ConversationHistories(log, journal),
        journal=journal,
        blobs=Blobs(InMemoryObjects(absent, blob_bucket(log.subjects.namespace)), OPERATOR),
        vectors=vectors,
        results=await Results.open(log),
        models=models or build_models(settings.model_settings(), metrics),
        clock=clock,
        timers=InMemoryTimers(log, clock),
        delivery_attempts=await DeliveryAttemptStore.open(log),
        metrics=metrics,
        call_budgets=CallBudgets(settings.model_calls),
    )
