"""A service: its event handlers, its query handlers, and the rules that hold for all services.

1. A handler answers one event with at most one event, or with several that are computed from one logged event alone.
2. Ids of events are derived, so a repeated delivery appends nothing new.
3. A handler sees its past: its task from the newest events of the log, and projections that contain what it reads.
4. Each of two joined events triggers the handler, so arrival order does not matter.
5. A missing dependency delays an event and never counts as a failure.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial, reduce
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import structlog
from pydantic import ValidationError

from nemuri_contracts.codec import UndecodableError, validation_message
from nemuri_contracts.event import ClientEvent, Event
from nemuri_contracts.memory_views import RetriedView
from nemuri_contracts.queries import Answer, Command, Query, Refusal, RetryEvent
from nemuri_contracts.subjects import PARTITIONS, Subjects
from nemuri_contracts.tasks import ReactionFailed
from nemuri_infra.models.call_budget import SpentError, count_replies
from nemuri_infra.observability import tracing
from nemuri_infra.projections.progress import BehindError, projected_up_to
from nemuri_infra.runtime.consumer_pauses import check_complete
from nemuri_infra.runtime.event_groups import EventGroups
from nemuri_infra.runtime.fair_turns import CrowdedError, FairSlots
from nemuri_infra.runtime.outage_errors import INCOMPLETE_INPUT_ERRORS, OUTAGE_ERRORS, is_outage
from nemuri_infra.runtime.provisioning import Durable
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.rights import Rights
from nemuri_infra.runtime.span_links import link_joined
from nemuri_infra.runtime.spending_limits import limits_of
from nemuri_infra.stores.delivery_attempts import DeliveryAttempts

__all__ = ["OUTAGE_ERRORS", "Capability", "ConditionalAppend", "EventProcessor", "GaveUpError", "Outcome", "Service"]
A_co = TypeVar("A_co", bound=Answer, covariant=True)
E_co = TypeVar("E_co", bound=Event, covariant=True)


@dataclass(frozen=True, slots=True)
class ConditionalAppend(Generic[E_co]):
    """An event that is appended only if `last` is the sequence of the last event on the event's own subject.

    If `last` is 0, the event is appended only if the subject has no event yet.
    """

    event: E_co
    last: int


@dataclass(frozen=True, slots=True)
class Performed(Generic[A_co, E_co]):
    """The answer to a command, and the events that are appended before it is sent, in this order."""

    answer: A_co
    events: Sequence[E_co] = ()


Outcome = Event | ConditionalAppend[Event] | Sequence[Event] | None
EventHandler = Callable[[Any, Resources], Awaitable[Outcome]]
GroupHandler = Callable[[Any, Resources], Awaitable[Sequence[Event | None]]]
QueryHandler = Callable[[Any, Resources], Awaitable[Answer | Performed[Answer, Event] | Refusal]]
R = TypeVar("R", bound=EventHandler)
A = TypeVar("A", bound=QueryHandler)
G = TypeVar("G", bound=GroupHandler)

logger = structlog.get_logger()
WORKERS = 16
"""Number of workers of a service that can be busy at the same time."""
MAX_PUT_OFF = 10_000
"""Maximum number of a service's events that wait for redelivery. At this number the log delivers no further ones."""
MAX_WAITING_QUERIES = 64
"""Maximum number of one client's queries in one worker that wait for the projections.

Further ones are refused; the client may repeat them later.
"""


class Capability(Enum):
    """A permission that a service needs in addition to consuming and appending its events."""

    READS_INPUTS = "reads inputs"
    READS_VECTORS = "reads vectors"
    MAKES_VECTORS = "makes vectors"
    TELLS_RESULTS = "tells results"
    SENDS_DRAFTS = "sends drafts of answers"
    READS_CLOCK = "reads the clock"
    SETS_TIMERS = "sets timers"
    PROJECTS = "projects"


@dataclass(slots=True)
class Service:
    """A consumer of the log: its handlers, its background work and its permissions."""

    name: str
    concurrency: int = 16
    """Maximum number of events that one worker handles concurrently."""
    groups: int | None = None
    """Number of groups into which agents are divided; None for no groups. The events of a group are handled one at a
    time.
    """
    handlers: dict[type[Event], EventHandler] = field(default_factory=dict)
    together: set[type[Event]] = field(default_factory=set)
    """Kinds of events whose handler takes several events at once and returns one outcome for each."""
    query_handlers: dict[type[Query], QueryHandler] = field(default_factory=dict)
    """Handlers of queries and of commands. Only that of a command may return `Performed`."""
    background: Callable[[Resources], Awaitable[None]] | None = None
    """Function that runs for as long as the service, in addition to its handlers; None for none."""
    also_emits: tuple[type[Event], ...] = ()
    """Kinds of events that the background work appends."""
    consumes_client_events: bool = False
    """True if the service consumes all client events. It stores undecodable ones as dead letters."""
    agent_id: str | None = None
    """The only agent whose events the service appends; None for a service that works for all agents."""
    capabilities: frozenset[Capability] = frozenset()
    """Permissions that the service needs in addition to consuming and appending its events."""
    rights: Callable[[Any], Rights] | None = None
    """Function from the namespace's `Permissions` to further rights, for processes of extensions; None for none."""
    lag_per_replica: int = 50
    """Number of pending events per replica at which the autoscaler starts another replica."""

    def handles(self, *kinds: type[Event]) -> Callable[[R], R]:
        """Return a decorator that makes a function the handler of events of these kinds.

        The decorator raises ValueError if one of the kinds has a handler already.
        """

        def declare(function: R) -> R:
            if twice := self.handlers.keys() & set(kinds):
                raise ValueError(f"{self.name} handles {', '.join(each.__name__ for each in twice)} twice")
            self.handlers.update(dict.fromkeys(kinds, function))
            return function

        return declare

    def handles_together(self, kind: type[ClientEvent]) -> Callable[[G], G]:
        """Return a decorator that makes a function the handler of events of this kind of one client, many at a time.

        The function returns one outcome for each event. If it raises an error, it is called again with each event
        alone. It must not call a model. The decorator raises ValueError as `handles` does.
        """

        def declare(function: G) -> G:
            self.handles(kind)(cast("EventHandler", function))
            self.together.add(kind)
            return function

        return declare

    def answers(self, kind: type[Query]) -> Callable[[A], A]:
        """Return a decorator that makes a function the handler of queries, or of commands, of this kind."""

        def declare(function: A) -> A:
            self.query_handlers[kind] = function
            return function

        return declare

    def emits(self) -> frozenset[type[Event]]:
        """Return the kinds of events that the service appends.

        They are the kinds in the return types of its handlers of events and commands and the kinds in `also_emits`. A
        service with event handlers also appends `ReactionFailed`.
        """
        handlers = (*self.handlers.values(), *self.query_handlers.values())
        returned = (get_type_hints(each)["return"] for each in handlers)
        said = reduce(frozenset.union, map(_events_in, returned), frozenset(self.also_emits))
        return said | {ReactionFailed} if self.handlers else said

    def query_topics(self) -> tuple[tuple[type[Query], str], ...]:
        """Return the kinds of queries that the service answers, each with its topic.

        A service with event handlers also performs `RetryEvent`.
        """
        retried = ((RetryEvent, f"{RetryEvent.name}.{self.name}"),) if self.handlers else ()
        return (*((kind, kind.name) for kind in self.query_handlers), *retried)

    def durables(self, subjects: Subjects) -> tuple[Durable, ...]:
        """Return the durable consumers of the service: one, or with `groups` one for each group; none without event
        handlers.
        """
        if not self.handlers:
            return ()
        if self.groups is None:
            said = [each for each in self.handlers if not (self.consumes_client_events and each.stream == "client")]
            clients = (subjects.clients,) if self.consumes_client_events else ()
            return (Durable(self.name, (*clients, *_subjects(subjects, said)), self.concurrency, WORKERS, MAX_PUT_OFF),)
        return tuple(
            Durable(
                f"{self.name}-{group}", _subjects(subjects, self.handlers, range(group, PARTITIONS, self.groups)), 1
            )
            for group in range(self.groups)
        )


def _events_in(returned: Any) -> frozenset[type[Event]]:
    """Return the event classes in a type annotation, also those nested in other types."""
    if isinstance(returned, type) and get_origin(returned) is None:
        return frozenset({returned} if issubclass(returned, Event) else ())
    return reduce(frozenset.union, map(_events_in, get_args(returned)), frozenset[type[Event]]())


def _subjects(
    subjects: Subjects, kinds: Iterable[type[Event]], partitions: Iterable[int] | None = None
) -> tuple[str, ...]:
    chosen = None if partitions is None else tuple(partitions)
    return tuple(subject for kind in kinds for subject in subjects.of_kind(kind, chosen))


class GaveUpError(Exception):
    """The service has given up the event and will not try it again."""

    def __init__(self, tried: DeliveryAttempts, attempt: int | None) -> None:
        reason, fault = tried.give_up_reason() or (tried.error, tried.fault)
        super().__init__(reason)
        self.fault = fault
        self.faults = tried.faults
        self.attempt = attempt
        """Number of the attempt of the event's task; None if the event belongs to no task."""


@dataclass(slots=True)
class EventProcessor:
    """Runs the handlers of a service for events and queries, and applies the rules in this module's docstring."""

    service: Service
    resources: Resources
    _one_suspect: asyncio.Lock = field(default_factory=asyncio.Lock)
    _groups: EventGroups = field(init=False)
    _waiters: FairSlots = field(
        default_factory=lambda: FairSlots(
            16 * MAX_WAITING_QUERIES, share=MAX_WAITING_QUERIES, max_queue=0, patient=False
        )
    )
    """Slots of the queries that wait for the projections. They are separate, so waiting queries do not block the
    others.
    """

    def __post_init__(self) -> None:
        """Let the groups be handled by the handlers of the service."""
        self._groups = EventGroups(self._outcomes)

    async def process(self, event: Event, delivery: int = 1) -> None:
        """Handle an event and append the events that the handler returns. Does nothing if the service has no handler
        for it.

        Waits until the projections contain everything before the event. `delivery` is the number of this delivery, from
        1. Raises one of `OUTAGE_ERRORS` if a dependency is missing, `GaveUpError` if the event's attempts are
        exhausted, and any other error for a fault that may be transient.

        Events that may have killed a worker are handled one at a time, and an attempt is counted only when the handling
        begins. So only the event that really kills its worker is given up.
        """
        if type(event) not in self.service.handlers:
            return
        tries, place = self.resources.delivery_attempts, (self.service.name, event.sequence or 0, delivery)
        tried = await tries.of(*place)
        async with self._one_suspect if tried.suspect else nullcontext():
            await tries.begin(*place, tried)
            if tried.give_up_reason() is not None:
                raise GaveUpError(tried, await self._give_up(event, tried))
            async with self._attempt(event, tried):
                await self._process(event, alone=tried.suspect or type(event) not in self.service.together)

    @asynccontextmanager
    async def _attempt(self, event: Event, tried: DeliveryAttempts) -> AsyncIterator[None]:
        """Count the model calls of an attempt at an event, and note its failure or give the event up."""
        budgets, limits = self.resources.call_budgets, partial(limits_of, event, self.resources)
        spent = budgets.of(self.service.name, event, tried.calls, limits)
        waits = False
        try:
            with count_replies(spent):
                yield
        except CrowdedError:
            raise
        except Exception as error:
            after = self._after(error, replace(tried, calls=spent.calls))
            waits = after.faults == tried.faults
            await self._note(event, after)
            if after.give_up_reason() is None:
                raise
            raise GaveUpError(after, await self._give_up(event, after)) from error
        finally:
            budgets.keep(self.service.name, event, spent, waits=waits)

    def _after(self, error: Exception, tried: DeliveryAttempts) -> DeliveryAttempts:
        """Return the delivery attempts after this error: with one more wait, one more failure, or given up."""
        soon = isinstance(error, INCOMPLETE_INPUT_ERRORS) and tried.waited < self.resources.settings.input_patience
        if is_outage(error) and (soon or not isinstance(error, INCOMPLETE_INPUT_ERRORS)):
            return tried.put_off()
        told = (_first_line(error), type(error).__name__)
        return (
            tried.given_up(*told) if isinstance(error, (SpentError, *INCOMPLETE_INPUT_ERRORS)) else tried.failed(*told)
        )

    async def _note(self, event: Event, tried: DeliveryAttempts) -> None:
        await self.resources.delivery_attempts.note(self.service.name, event.sequence or 0, tried)

    async def _process(self, event: Event, *, alone: bool = True) -> None:
        if isinstance(event, ClientEvent) and not alone:
            outcome = await self._groups.outcome(event, event.client_id)
        else:
            [outcome] = await self._outcomes([event])
        if tracing.recording():
            await link_joined(outcome.event if isinstance(outcome, ConditionalAppend) else outcome, self.resources)
        if isinstance(outcome, ConditionalAppend):
            await self.resources.log.append(outcome.event, expected=outcome.last)
            return
        for each in (outcome,) if isinstance(outcome, Event) else outcome or ():
            await self.resources.log.append(each)

    async def _outcomes(self, events: Sequence[Event]) -> Sequence[Outcome]:
        """Return the handler's outcome for each of these events of one kind. It is None for an event without effect."""
        kind, last = type(events[0]), max(each.sequence or 0 for each in events)
        with tracing.span("views", sequence=last):
            await self.resources.views.prepare(events)
            effective = [each for each in events if await self._is_effective(each)]
        if not effective:
            return [None] * len(events)
        handler = self.service.handlers[kind]
        with projected_up_to(last):
            if kind not in self.service.together:
                return [await handler(events[0], self.resources)]
            found = await handler(effective, self.resources)
        outcomes = dict(zip((each.sequence for each in effective), cast("Sequence[Event | None]", found), strict=True))
        return [outcomes.get(each.sequence) for each in events]

    async def _is_effective(self, event: Event) -> bool:
        """Return whether the event has an effect: it is the first event with its id, and it is neither erased nor
        parked.
        """
        try:
            return await self.resources.views.is_effective(event)
        except BehindError:
            if (await self.resources.log.parked()).covers(event.event_id, event.sequence or 0):
                return False
            raise

    async def _give_up(self, event: Event, tried: DeliveryAttempts) -> int | None:
        """Log that the event is given up, and append a `ReactionFailed` if the event belongs to a task.

        Returns the number of the task's attempt; None without a task.
        """
        why = (tried.give_up_reason() or (tried.error,))[0]
        logger.error("gave up", service=self.service.name, cause=event.kind, id=str(event.event_id))
        if event.thread is None:
            return None
        attempt = await self.resources.views.attempt_number(event)
        name = self.service.name
        failed = ReactionFailed.following(
            event, nth=name, service=name, cause_kind=event.kind, attempt=attempt, error=why
        )
        await self.resources.log.append(failed)
        return attempt

    async def _retry(self, query: RetryEvent) -> RetriedView | Refusal:
        """Handle an event of the log once more, although it is not being delivered.

        Events that the handler appended before get the same ids again, so they are not duplicated.
        """
        try:
            event = await self.resources.log.at(query.sequence)
        except UndecodableError as error:
            return Refusal(refused=f"message {query.sequence} is not an event: {error}")
        if event is None or type(event) not in self.service.handlers:
            return Refusal(refused=f"{self.service.name} has no handler for message {query.sequence}")
        await self._process(event)
        return RetriedView(kind=event.kind, sequence=query.sequence)

    async def answer(self, kind: type[Query], data: bytes, turns: FairSlots | None = None, asker: str = "") -> bytes:
        """Return the answer to a query as JSON, or a refusal with its reason. Errors become refusals too.

        First the query waits until the projections contain everything up to its `after`. Then it waits for one of the
        slots of `asker`, in `turns`.
        """
        reply, outcome = await self._answer(kind, data, turns or FairSlots(1, share=1, max_queue=0), asker)
        self.resources.metrics.answered.labels(self.service.name, kind.name, outcome).inc()
        return self._fitting(kind, reply.model_dump_json().encode())

    async def _answer(
        self, kind: type[Query], data: bytes, turns: FairSlots, asker: str
    ) -> tuple[Answer | Refusal, str]:
        try:
            query = kind.model_validate_json(data)
            if (refusal := await self._behind(query, asker)) is not None:
                return refusal, "refused"
            async with turns.turn(asker):
                answer = await self._handle(query)
        except ValidationError as error:
            return Refusal(refused=validation_message(error)), "refused"
        except CrowdedError:
            return Refusal(refused="try again later: too many concurrent questions", passing=True), "refused"
        except OUTAGE_ERRORS as error:
            return Refusal(refused=f"try again later: {_first_line(error)}", passing=True), "failed"
        except Exception as error:
            logger.exception("no answer", service=self.service.name, query=kind.name)
            return Refusal(refused=f"{self.service.name} failed: {_first_line(error)}"), "failed"
        return answer, "refused" if isinstance(answer, Refusal) else "answered"

    async def _handle(self, query: Query) -> Answer | Refusal:
        """Return the handler's answer, after the events of a command have been appended. Raises an outage error for a
        command while the log is incomplete.
        """
        if isinstance(query, Command):
            durable, *_ = self.service.durables(self.resources.log.subjects)
            await check_complete(self.resources.log, durable.name)
        if isinstance(query, RetryEvent):
            return await self._retry(query)
        done = await self.service.query_handlers[type(query)](query, self.resources)
        if not isinstance(done, Performed):
            return done
        for event in done.events:
            await self.resources.log.append(event)
        return done.answer

    async def _behind(self, query: Query, asker: str) -> Refusal | None:
        """Wait until the projections contain everything up to the query's `after`.

        Returns a refusal if the log ends before `after`, otherwise None.
        """
        progress = self.resources.views.progress
        if query.after <= progress.sequence:
            return None
        end = await self.resources.log.last_sequence()
        if query.after > end:
            return Refusal(refused=f"after is {query.after}, but the log ends at {end}")
        async with self._waiters.turn(asker):
            await progress.wait(query.after)
        return None

    def _fitting(self, kind: type[Query], reply: bytes) -> bytes:
        """Return the reply, or a refusal if the reply exceeds the server's limit.

        For a message above the limit, the server would close the connection without an error.
        """
        room = self.resources.log.max_event_bytes
        if len(reply) <= room:
            return reply
        logger.error("no answer", service=self.service.name, query=kind.name, bytes=len(reply), room=room)
        refusal = Refusal(refused=f"the answer of {len(reply)} bytes exceeds the limit of {room}; request less")
        return refusal.model_dump_json().encode()


def _first_line(error: BaseException) -> str:
    """Return the first line of an error's message, without characters that cannot be stored."""
    text = str(error).encode(errors="replace").decode().replace("\x00", "").strip()
    return text.splitlines()[0] if text else type(error).__name__
