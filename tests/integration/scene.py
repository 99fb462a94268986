"""What tests of the running platform have in common: services at work, agents, the log, and waiting for conditions."""

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
from nemuri.operations import rebuild, verify
from nemuri.platform.service_registry import SERVICES
from nemuri.platform.serving import working
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.event import Event, Usage
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_infra.bus.consumers import consumers_of
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.protocol import (
    AnswerJob,
    CompressJob,
    ConsolidateJob,
    FeelJob,
    JudgeJob,
    KeyPointJob,
    LearningsJob,
    MergeJob,
    RelationsJob,
    Reply,
    RestateJob,
)
from nemuri_infra.projections import tables
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.service import OUTAGE_ERRORS
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.dead_letters import DeadLetters, StoredDeadLetter

R = TypeVar("R")
EVERYBODY = tuple(SERVICES)
EMBEDDING = Embedding(model="hashing-v1", dimension=1024)
AT_ONCE = 64
"""Events on their way at the same time while a test writes a long log."""
MISSING: tuple[type[BaseException], ...] = (*OUTAGE_ERRORS, PassingError)
"""What is tried again while a server, a leader or a service is away."""


async def eventually(condition: Callable[[], Awaitable[Any]], *, seconds: float = 30.0) -> Any:
    """What the condition yields as soon as that is true; fails loudly with what it yielded last."""
    last: Any = None
    pauses = chain((0.01, 0.02, 0.03, 0.05), repeat(0.1))  # asking, too, takes the time of those who are waited for
    try:
        async with asyncio.timeout(seconds):
            while not (last := await condition()):  # noqa: ASYNC110 - nothing announces what others do
                await asyncio.sleep(next(pauses))
    except TimeoutError:
        raise AssertionError(f"{condition.__doc__ or condition} is not so after {seconds:g} s, but {last!r}") from None
    return last


async def patiently(work: Callable[[], Awaitable[R]], *, seconds: float = 60.0) -> R:
    """What the work yields once nothing is missing any more: what a program does whose request was not answered."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                return await work()
            except MISSING:
                await asyncio.sleep(0.05)


@asynccontextmanager
async def at_work(
    settings: Settings, names: Iterable[str] = EVERYBODY, *, models: Models | None = None
) -> AsyncIterator[Resources]:
    """Any of the services in this process, by default with the models of the settings."""
    async with open_resources(settings) as usual:
        resources = replace(usual, models=models) if models else usual
        async with working(resources, names):
            yield resources


@asynccontextmanager
async def logged(settings: Settings) -> AsyncIterator[Log]:
    """The log, for a test that writes and reads it directly."""
    log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
    try:
        yield log
    finally:
        await log.close()


@asynccontextmanager
async def visiting(settings: Settings, client_id: str = "ann") -> AsyncIterator[Client]:
    """A client of the namespace."""
    async with Client.connect(str(settings.nats_url), namespace=settings.namespace, client_id=client_id) as client:
        yield client


def agent_defined(agent_id: str = "python", **definition: Any) -> AgentDefined:
    """The definition of an agent that knows something of Python, or what the keywords say."""
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


async def append_all(log: Log, events: Iterable[Event]) -> None:
    """Append events, many of them at the same time, so in no particular order."""
    room = asyncio.Semaphore(AT_ONCE)

    async def append(event: Event) -> None:
        async with room:
            await log.append(event)

    async with asyncio.TaskGroup() as group:
        for event in events:
            group.create_task(append(event))


async def recorded(log: Log) -> list[AnyEvent]:
    """Every event of the log, repetitions included."""
    return [event async for batch in log.read(0, await log.last_sequence()) for event in batch.events]


async def effective(log: Log) -> list[AnyEvent]:
    """Every event that counts: the first of each id."""
    return [*first_of_each(await recorded(log))]


async def messages(log: Log) -> list[Msg]:
    """Every message of the log as it lies there, without those that were deleted."""
    found = []
    for sequence in range(1, await log.last_sequence() + 1):
        try:
            raw = await log.stream.get_msg(log.subjects.stream, sequence)
        except NotFoundError:
            continue
        found.append(Msg(_client=log.connection, subject=str(raw.subject), data=raw.data or b"", headers=raw.headers))
    return found


async def dead_letters(log: Log) -> list[StoredDeadLetter]:
    """What services gave up on."""
    return [each async for each in DeadLetters(log).all()]


async def quiet(resources: Resources, names: Iterable[str] = EVERYBODY, *, seconds: float = 60.0) -> None:
    """Wait until the services have nothing left to do and the views hold the whole log."""
    durables = {each.name for name in names for each in SERVICES[name].durables(resources.log.subjects)}

    async def idle() -> bool:
        """Nobody has anything to do."""
        log = resources.log
        end = await log.last_sequence()
        if (await resources.projection.position()).sequence < end:
            return False
        known = await consumers_of(log.stream, log.subjects.stream)
        busy = [each for each in known if each.name in durables and (each.num_pending or each.num_ack_pending)]
        return not busy and await log.last_sequence() == end

    await eventually(idle, seconds=seconds)


async def snapshot(resources: Resources) -> dict[str, list[str]]:
    """Every row of every view."""
    async with resources.database.begin() as connection:
        return {
            table.name: sorted(
                (await connection.execute(text(f"SELECT to_jsonb(t)::text FROM {table.name} AS t"))).scalars()
            )
            for table in tables.VIEWS
        }


async def assert_verified(settings: Settings) -> None:
    """The views are what the log says."""
    found = await verify(settings)
    assert found.differences == ()
    assert found.rows > 0


@dataclass
class CountingModel(ExtractiveModel):
    """The extractive model, which counts how often it was asked for what."""

    calls: Counter[str] = field(default_factory=Counter)
    teaches: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What questions teach, whatever is answered; for the others it is what the extractive model finds."""

    async def answer(self, job: AnswerJob) -> Reply[Any]:
        """Counted by the question."""
        self.calls[f"answer {job.question}"] += 1
        return await super().answer(job)

    async def key_point(self, job: KeyPointJob) -> Reply[Any]:
        """Counted by the text."""
        self.calls[f"point {job.text}"] += 1
        return await super().key_point(job)

    async def learnings(self, job: LearningsJob) -> Reply[Any]:
        """Counted by the question and the answer."""
        self.calls[f"learnings {job.question} {job.answer}"] += 1
        taught = self.teaches.get(job.question)
        return await super().learnings(job) if taught is None else Reply(taught, Usage(model="teacher"))

    async def relations(self, job: RelationsJob) -> Reply[Any]:
        """Counted by the statements."""
        self.calls[f"relations {[each.text for each in job.new]} {[each.text for each in job.older]}"] += 1
        return await super().relations(job)

    async def judgement(self, job: JudgeJob) -> Reply[Any]:
        """Counted by the question and the answer."""
        self.calls[f"judgement {job.question} {job.answer}"] += 1
        return await super().judgement(job)

    async def restate(self, job: RestateJob) -> Reply[Any]:
        """Counted by the request."""
        self.calls[f"restate {job.request}"] += 1
        return await super().restate(job)

    async def feel(self, job: FeelJob) -> Reply[Any]:
        """Counted by the prompt."""
        self.calls[f"feel {job.prompt}"] += 1
        return await super().feel(job)

    async def compress(self, job: CompressJob) -> Reply[Any]:
        """Counted by the level and the trigger."""
        self.calls[f"compress {job.level} {job.trigger}"] += 1
        return await super().compress(job)

    async def consolidate(self, job: ConsolidateJob) -> Reply[Any]:
        """Counted by the contents."""
        self.calls[f"consolidate {[each.content for each in job.memories]}"] += 1
        return await super().consolidate(job)

    async def merge(self, job: MergeJob) -> Reply[Any]:
        """Counted by the question."""
        self.calls[f"merge {job.question}"] += 1
        return await super().merge(job)


async def retrieval(resources: Resources, task_id: UUID) -> MemoriesRetrieved:
    """What was recorded as having come to mind for a task of one part."""
    [found] = [
        each
        for each in await effective(resources.log)
        if isinstance(each, MemoriesRetrieved) and each.correlation_id == task_id
    ]
    return found


async def assert_followed_and_rebuilt(
    settings: Settings, events: Iterable[Event], rng: random.Random, as_folded: Callable[[Resources], Awaitable[None]]
) -> None:
    """Event by event and in stretches the views become what the fold makes of the log, and the same when made anew."""
    async with at_work(settings, ["projector"]) as resources:
        for each in events:
            await resources.log.append(each)
            if rng.random() < 0.1:
                await quiet(resources, ["projector"])
        await quiet(resources, ["projector"])
        await as_folded(resources)
        before = await snapshot(resources)
        await assert_verified(settings)
        await rebuild(settings)
        assert await snapshot(resources) == before
