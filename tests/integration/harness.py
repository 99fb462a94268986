"""Helpers for tests with a running platform: they run services, define agents, read the log and wait for conditions."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any, TypeVar
from uuid import UUID, uuid4

from nats.aio.msg import Msg
from nats.js.errors import NotFoundError
from sqlalchemy import text

from nemuri.client.client import Client
from nemuri.client.exchange import PassingError
from nemuri.operations.views import rebuild, verify
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.event import Event, Usage
from nemuri_contracts.strength import MemoriesRetrieved, MemoryEncoded, NewMemory, Origin
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.jobs.answer_merge import MergeJob
from nemuri_infra.models.jobs.answer_tools import ToolRequest
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.models.jobs.learnings import Learned, LearningsJob
from nemuri_infra.models.jobs.memory_consolidation import ConsolidateJob
from nemuri_infra.models.jobs.overview_notes import NotesJob
from nemuri_infra.models.jobs.panel_rebuttal import RebutJob
from nemuri_infra.models.jobs.restatement import RestateJob
from nemuri_infra.models.jobs.semantic_statement import GeneraliseJob
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.jobs.turn_compression import CompressJob
from nemuri_infra.models.jobs.turn_reading import FeelJob
from nemuri_infra.models.jobs.usage_judge import JudgeJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.projections import tables
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.dead_letters import DeadLetters, StoredDeadLetter
from nemuri_services.service_registry import SERVICES
from tests.condition_waits import PATIENCE
from tests.in_memory import assert_refolds, client_of, platform_of, running_in_memory

R = TypeVar("R")
ALL_SERVICES = tuple(SERVICES)
EMBEDDING = Embedding(model="nemuri-words-3", dimension=256)
CONCURRENT_APPENDS = 64
"""Number of events appended at the same time while a test writes a long log."""
UNAVAILABLE_ERRORS: tuple[type[BaseException], ...] = (*OUTAGE_ERRORS, PassingError)
"""Errors of an unavailable server, cluster leader or service. `retried` repeats a call after them."""


async def eventually(condition: Callable[[], Awaitable[Any]], *, seconds: float = PATIENCE) -> Any:
    """Poll the condition until it returns a true value, and return that value.

    Raises `AssertionError` after `seconds`, with the condition's docstring and its last value.
    """
    last: Any = None
    # Polling takes processor time from the services that the test waits for.
    pauses = chain((0.01, 0.02, 0.03, 0.05), repeat(0.1))
    try:
        async with asyncio.timeout(seconds):
            while not (last := await condition()):  # noqa: ASYNC110 - no notification exists
                await asyncio.sleep(next(pauses))
    except TimeoutError:
        raise AssertionError(
            f"not true after {seconds:g} s: {condition.__doc__ or condition} Last value: {last!r}"
        ) from None
    return last


async def retried(work: Callable[[], Awaitable[R]], *, seconds: float = PATIENCE) -> R:
    """Return the result of `work()`, repeating the call while a server or service is unavailable.

    Raises `TimeoutError` after `seconds`.
    """
    async with asyncio.timeout(seconds):
        while True:
            try:
                return await work()
            except UNAVAILABLE_ERRORS:
                await asyncio.sleep(0.05)


@asynccontextmanager
async def running_services(
    settings: Settings, names: Iterable[str] = ALL_SERVICES, *, models: Models | None = None
) -> AsyncIterator[Resources]:
    """Run services in this process, and yield the resources that they use.

    Without `models` the services use the models of the settings.
    """
    if (platform := platform_of(settings)) is not None:
        async with running_in_memory(platform, names, models) as resources:
            yield resources
        return
    async with open_resources(settings) as default:
        resources = replace(default, models=models) if models else default
        async with run_services(resources, names):
            yield resources


@asynccontextmanager
async def opened_log(settings: Settings) -> AsyncIterator[Log]:
    """Yield a connection to the log, to write and read it directly."""
    if (platform := platform_of(settings)) is not None:
        yield platform.log
        return
    archive = settings.archive_directory
    log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False, archive=archive)
    try:
        yield log
    finally:
        await log.close()


@asynccontextmanager
async def connected_client(settings: Settings, client_id: str = "ann") -> AsyncIterator[Client]:
    """Yield a client connected to the namespace of the settings."""
    if (platform := platform_of(settings)) is not None:
        yield client_of(platform, client_id)
        return
    url, namespace, archive = str(settings.nats_url), settings.namespace, settings.archive_directory
    async with Client.connect(url, namespace=namespace, client_id=client_id, archive=archive) as client:
        yield client


def agent_defined(agent_id: str = "python", **definition: Any) -> AgentDefined:
    """Return the event that defines an agent with knowledge of Python. `definition` overrides fields of the
    definition.
    """
    chosen = {
        "role": "expert",
        "description": "python language truth value testing operators",
        "perspectives": (
            Perspective(name="semantics", keywords=("truth", "value")),
            Perspective(name="pitfalls", keywords=("error", "exception")),
        ),
    } | definition
    return AgentDefined(
        event_id=uuid4(), agent_id=agent_id, definition=Definition.model_validate(chosen), embedding=EMBEDDING
    )


async def taught(resources: Resources, content: str, *, agent_id: str = "python") -> UUID:
    """Append a memory as a task teaches it, which is not judged when it is encoded, and return its id."""
    new = NewMemory(
        memory=MemoryContent(content=content), origin=Origin(client_id="ann"), vector="-", strength=1.0,
        perspectives=("semantics",),
    )  # fmt: skip
    event = MemoryEncoded(event_id=uuid4(), agent_id=agent_id, source="task", **dict(new))
    await resources.log.append(event)
    return event.memory_id


async def append_all(log: Log, events: Iterable[Event]) -> None:
    """Append events concurrently, in no particular order."""
    room = asyncio.Semaphore(CONCURRENT_APPENDS)

    async def append(event: Event) -> None:
        async with room:
            await log.append(event)

    async with asyncio.TaskGroup() as group:
        for event in events:
            group.create_task(append(event))


async def recorded_events(log: Log) -> list[AnyEvent]:
    """Return every event on the log, repetitions included."""
    return [event async for batch in log.read(0, await log.last_sequence()) for event in batch.events]


async def effective_events(log: Log) -> list[AnyEvent]:
    """Return the first event of each id on the log."""
    return [*first_of_each(await recorded_events(log))]


async def messages(log: Log) -> list[Msg]:
    """Return every stored message of the log, except deleted ones."""
    found = []
    for sequence in range(1, await log.last_sequence() + 1):
        try:
            raw = await log.stream.get_msg(log.subjects.stream, sequence)
        except NotFoundError:
            continue
        found.append(Msg(_client=log.connection, subject=str(raw.subject), data=raw.data or b"", headers=raw.headers))
    return found


async def dead_letters(log: Log) -> list[StoredDeadLetter]:
    """Return all dead letters."""
    return [each async for each in DeadLetters(log).all()]


async def until_idle(resources: Resources, names: Iterable[str] = ALL_SERVICES) -> None:
    """Wait until the services are idle and the views hold the whole log."""
    if (platform := platform_of(resources.settings)) is not None:
        await platform.settled()
        return
    durables = {durable.name for name in names if (durable := SERVICES[name].durable(resources.log.subjects))}

    async def idle() -> bool:
        """Return True if the services are idle and the views hold the whole log."""
        log = resources.log
        end = await log.last_sequence()
        if (await resources.projection.position()).sequence < end:
            return False
        known = await consumers_of(log.stream, log.subjects.stream)
        busy = [
            consumer_info
            for consumer_info in known
            if consumer_info.name in durables and (consumer_info.num_pending or consumer_info.num_ack_pending)
        ]
        return not busy and await log.last_sequence() == end

    await eventually(idle)


async def snapshot(resources: Resources) -> dict[str, list[str]]:
    """Return every row of every view as JSON text, sorted, by table."""
    async with resources.database.begin() as connection:
        return {
            table.name: sorted(
                (await connection.execute(text(f"SELECT to_jsonb(t)::text FROM {table.name} AS t"))).scalars()
            )
            for table in tables.VIEWS
        }


async def assert_verified(settings: Settings) -> None:
    """Assert that the views agree with the log and are not empty."""
    if (platform := platform_of(settings)) is not None:
        await assert_refolds(platform)
        return
    found = await verify(settings)
    assert found.differences == ()
    assert found.rows > 0


@dataclass
class CountingModel(ExtractiveModel):
    """The extractive model, which also counts its calls by job and input."""

    calls: Counter[str] = field(default_factory=Counter)
    learnings_by_question: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Learnings returned for a question, whatever its answer. The extractive model decides on all other questions."""
    steps_by_question: Mapping[str, ToolRequest] = field(default_factory=dict)
    """Step that the model takes before it answers a question."""

    @property
    def understands(self) -> bool:
        """True if the model takes a step for some question."""
        return bool(self.steps_by_question)

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Count the call. Return the step or the learnings set for the question, else the extractive value."""
        if name := call_name(job):
            self.calls[name] += 1
        step = self.steps_by_question.get(job.question) if isinstance(job, AnswerJob) and not job.steps else None
        if isinstance(job, AnswerJob) and step is not None and step.tool in job.tools:
            return Reply(step, Usage(model="stepper"))
        if isinstance(job, LearningsJob) and (taught := self.learnings_by_question.get(job.question)) is not None:
            return Reply(Learned(taught), Usage(model="teacher"))
        return await super().do(job)


def call_name(job: Job[Any]) -> str:
    """Return the name by which `CountingModel` counts the calls of a job; "" if it does not count them."""
    match job:
        case AnswerJob():
            return f"answer {job.question}"
        case NotesJob():
            return f"notes {[source.text for source in job.sources]}"
        case GeneraliseJob():
            return f"generalise {[source.text for source in job.statements]}"
        case KeyPointJob():
            return f"point {job.text}"
        case LearningsJob():
            return f"learnings {job.question} {job.answer}"
        case RelationsJob():
            return f"relations {[source.text for source in job.new]} {[source.text for source in job.older]}"
        case JudgeJob():
            return f"judgement {job.question} {job.answer}"
        case RestateJob():
            return f"restate {job.request}"
        case FeelJob():
            return f"feel {job.prompt}"
        case CompressJob():
            return f"compress {job.level} {job.trigger}"
        case ConsolidateJob():
            return f"consolidate {[memory.content for memory in job.memories]}"
        case MergeJob():
            return f"merge {job.question}"
        case RebutJob():
            return f"rebut {job.perspective} {job.own}"
    return ""


async def retrieval_of(resources: Resources, task_id: UUID) -> MemoriesRetrieved:
    """Return the retrieval recorded for a task. The task must have exactly one assignment."""
    [found] = [
        event
        for event in await effective_events(resources.log)
        if isinstance(event, MemoriesRetrieved) and event.correlation_id == task_id
    ]
    return found


async def assert_views_follow_and_rebuild(
    settings: Settings, events: Iterable[Event], rng: random.Random, as_folded: Callable[[Resources], Awaitable[None]]
) -> None:
    """Append the events, and assert that the projected views pass `as_folded` and are the same after a rebuild.

    Random pauses between the events make the projector fold them in batches of different sizes.
    """
    async with running_services(settings, ["projector"]) as resources:
        for event in events:
            await resources.log.append(event)
            if rng.random() < 0.1:
                await until_idle(resources, ["projector"])
        await until_idle(resources, ["projector"])
        await as_folded(resources)
        before = await snapshot(resources)
        await assert_verified(settings)
        await rebuild(settings)
        assert await snapshot(resources) == before
