"""The resources of handlers: all adapters of a process. They are opened and closed together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Self

from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.models.call_budget import CallBudgets
from nemuri_infra.models.factory import Models, build_models
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.projections.agent_cache import AgentCache
from nemuri_infra.projections.conversation_histories import ConversationHistories
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.journal import Journal
from nemuri_infra.projections.memory_indexes import MemoryIndexes
from nemuri_infra.projections.progress import Progress
from nemuri_infra.projections.projection import Projection
from nemuri_infra.projections.queries import StoredViews
from nemuri_infra.projections.task_histories import TaskHistories
from nemuri_infra.projections.views import Views
from nemuri_infra.runtime.durable_timers import Timers
from nemuri_infra.runtime.event_client import ClientCache
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import Blobs
from nemuri_infra.stores.delivery_attempts import DeliveryAttemptStore
from nemuri_infra.stores.platform_clock import Clock
from nemuri_infra.stores.results import Results
from nemuri_infra.stores.vectors import Vectors

DEFAULT_SERVICES = 16
"""Number of services assumed if `open_resources` is called without the number."""


@dataclass(frozen=True, slots=True)
class Resources:
    """The adapters of one process: the log, the database, the stores, the models and the metrics."""

    settings: Settings
    log: Log
    database: Database
    projection: Projection
    views: Views
    indexes: MemoryIndexes
    tasks: TaskHistories
    conversations: ConversationHistories
    journal: Journal
    blobs: Blobs
    vectors: Vectors
    results: Results
    models: Models
    clock: Clock
    timers: Timers
    delivery_attempts: DeliveryAttemptStore
    metrics: Metrics
    call_budgets: CallBudgets
    clients: ClientCache = field(default_factory=ClientCache)
    halted: dict[str, str] = field(default_factory=dict)
    """Reason why the background work of a service ended unexpectedly, by service. Readiness reports it."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when there is a reason in `halted`."""
    obstacles: dict[str, str] = field(default_factory=dict)
    """Reason why the background work of a service does not get on, by service. It tries again by itself, so a restart
    would not help. Readiness reports it.
    """

    async def last_of(self, agent_id: str, kind: type[Event]) -> int:
        """Return the sequence of an agent's last event of a kind, once the projections contain that event.

        Returns 0 if there is none. The log is asked only if the projector has not told of one; one that it did not tell
        of yet makes a conditional append fail. Raises `BehindError` if the projections do not contain it in time.
        """
        if known := self.views.progress.changes.last_in_log(agent_id, kind.kind_of()):
            return known
        last = (await self.log.newest_on(self.log.subjects.of_agent(agent_id, kind))).sequence
        await self.views.progress.wait(last)
        return last

    def of(self, service: str) -> Self:
        """Return the same resources for one service: its log counts appended events in the service's metrics, and its
        timers are its own.
        """

        def count(event: Event) -> None:
            self.metrics.appended.labels(service, event.kind).inc()

        log = replace(self.log, on_append=count)
        return replace(self, log=log, timers=Timers(log, self.clock, service))


@asynccontextmanager
async def open_resources(settings: Settings, services: int = DEFAULT_SERVICES) -> AsyncIterator[Resources]:
    """Open the adapters according to the settings, yield them, and close them at the end of the context.

    Waits without limit for NATS. `services` is the number of services in the process; it determines the number of
    database connections.
    """
    async with AsyncExitStack() as stack:
        log = await Log.connect(
            str(settings.nats_url), settings.namespace, access=settings.access, archive=settings.archive_directory
        )
        stack.push_async_callback(log.close)
        connections = settings.connections(services)
        database = Database.at(str(settings.database_url), settings.namespace, connections=connections)
        stack.push_async_callback(database.close)
        embedder = build_embedder(settings.embedding_settings())
        stack.push_async_callback(embedder.aclose)
        metrics = Metrics()
        models = build_models(settings.model_settings(), metrics)
        stack.push_async_callback(models.aclose)
        vectors = await Vectors.open(log, embedder)
        projection = Projection(database, vectors)
        progress = await stack.enter_async_context(Progress.following(log, projection))
        views = StoredViews(database, progress, AgentCache(database, progress))
        journal = Journal(views)
        clock = await Clock.open(log)
        yield Resources(
            settings=settings,
            log=log,
            database=database,
            projection=projection,
            views=views,
            indexes=MemoryIndexes.within(settings.index_bytes, views),
            tasks=TaskHistories(log, journal),
            conversations=ConversationHistories(log, journal),
            journal=journal,
            blobs=await Blobs.open(log),
            vectors=vectors,
            results=await Results.open(log),
            models=models,
            clock=clock,
            timers=Timers(log, clock),
            delivery_attempts=await DeliveryAttemptStore.open(log),
            metrics=metrics,
            call_budgets=CallBudgets(settings.model_calls),
        )
