"""What a service is: its reactions to events and its answers to questions, and the five rules that hold for all.

One event in, one event out (or the pure consequences of one); derived identities; see the past first; joins from both
sides; waiting is not failing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import structlog
from pydantic import ValidationError

from nemuri_contracts.codec import UndecodableError, complaint
from nemuri_contracts.event import Event
from nemuri_contracts.memory_views import RetriedView
from nemuri_contracts.queries import Answer, Query, Refusal, RetryQuery
from nemuri_contracts.subjects import PARTITIONS, Subjects
from nemuri_contracts.tasks import ReactionFailed
from nemuri_infra.models.call_budget import SpentError, spending
from nemuri_infra.observability import tracing
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.consumer_pauses import check_complete
from nemuri_infra.runtime.fair_turns import CrowdedError, Turns
from nemuri_infra.runtime.outages import SOON, WAITING, is_waiting
from nemuri_infra.runtime.provisioning import Durable
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.span_links import link_joined
from nemuri_infra.stores.delivery_attempts import Tried

__all__ = ["WAITING", "Capability", "ConditionalAppend", "EventProcessor", "GaveUpError", "Outcome", "Service"]
E_co = TypeVar("E_co", bound=Event, covariant=True)


@dataclass(frozen=True, slots=True)
class ConditionalAppend(Generic[E_co]):
    """An event to be appended only if its exact subject still ends where it was decided (0: is still empty)."""

    event: E_co
    last: int


Outcome = Event | ConditionalAppend[Event] | Sequence[Event] | None
EventHandler = Callable[[Any, Resources], Awaitable[Outcome]]
QueryHandler = Callable[[Any, Resources], Awaitable[Answer | Refusal]]
R = TypeVar("R", bound=EventHandler)
A = TypeVar("A", bound=QueryHandler)

logger = structlog.get_logger()
WORKERS = 16
"""So many workers of a service add to each other."""
PUT_OFF = 10_000
"""So many events of a service may be put off while the log hands out further ones."""
WAITERS = 64
"""Questions of one client that wait for the views in one worker; further ones are refused for now."""


class Capability(Enum):
    """What beside its events a service works with: so much is permitted to it, and nothing else."""

    READS_INPUTS = "reads inputs"
    READS_VECTORS = "reads vectors"
    MAKES_VECTORS = "makes vectors"
    TELLS_RESULTS = "tells results"
    READS_CLOCK = "reads the clock"
    SETS_TIMERS = "sets timers"
    PROJECTS = "projects"
    KEEPS_AGENTS = "keeps agents of societies"
    KEEPS_WORLDS = "keeps worlds of societies"


@dataclass(slots=True)
class Service:
    """A consumer of the log."""

    name: str
    at_once: int = 16
    """Events in work at the same time in one worker."""
    groups: int | None = None
    """For a service that handles the events of an agent one at a time: into how many groups agents are divided."""
    handlers: dict[type[Event], EventHandler] = field(default_factory=dict)
    query_handlers: dict[type[Query], QueryHandler] = field(default_factory=dict)
    appending: set[type[Query]] = field(default_factory=lambda: {RetryQuery})
    """The questions whose answers may append an event."""
    background: Callable[[Resources], Awaitable[None]] | None = None
    """Work that goes on as long as the service runs."""
    also_emits: tuple[type[Event], ...] = ()
    """Events that this work appends."""
    consumes_client_events: bool = False
    """Whether all that clients say comes to it, also what nobody understands; then it is who buries that."""
    mind: str | None = None
    """The one agent whose own events it appends; None for a service that works for all."""
    capabilities: frozenset[Capability] = frozenset()
    """What it works with beside its events."""

    def handles(self, *kinds: type[Event]) -> Callable[[R], R]:
        """Declare what the service does about events of these kinds; raises ValueError where it does that already."""

        def declare(function: R) -> R:
            if twice := self.handlers.keys() & set(kinds):
                raise ValueError(f"{self.name} reacts to {', '.join(each.__name__ for each in twice)} twice")
            self.handlers.update(dict.fromkeys(kinds, function))
            return function

        return declare

    def answers(self, kind: type[Query], *, appends: bool = False) -> Callable[[A], A]:
        """Declare how the service answers a question; what `appends` is refused while the log is not complete."""

        def declare(function: A) -> A:
            self.query_handlers[kind] = function
            if appends:
                self.appending.add(kind)
            return function

        return declare

    def emits(self) -> frozenset[type[Event]]:
        """Which events the service appends: those in what its reactions say they return, and its giving up."""
        returned = (get_type_hints(each)["return"] for each in self.handlers.values())
        said = reduce(frozenset.union, map(_events_in, returned), frozenset(self.also_emits))
        return said | {ReactionFailed} if self.handlers else said

    def asked(self) -> tuple[tuple[type[Query], str], ...]:
        """The questions that the service answers, and where each is asked; what reacts can be asked to try again."""
        retried = ((RetryQuery, f"{RetryQuery.name}.{self.name}"),) if self.handlers else ()
        return (*((kind, kind.name) for kind in self.query_handlers), *retried)

    def durables(self, subjects: Subjects) -> tuple[Durable, ...]:
        """The consumers of the log that the service works from."""
        if not self.handlers:
            return ()
        if self.groups is None:
            said = [each for each in self.handlers if not (self.consumes_client_events and each.stream == "client")]
            clients = (subjects.clients,) if self.consumes_client_events else ()
            return (Durable(self.name, (*clients, *_subjects(subjects, said)), self.at_once, WORKERS, PUT_OFF),)
        return tuple(
            Durable(
                f"{self.name}-{group}", _subjects(subjects, self.handlers, range(group, PARTITIONS, self.groups)), 1
            )
            for group in range(self.groups)
        )


def _events_in(returned: Any) -> frozenset[type[Event]]:
    """The classes of events in an annotation, however deep."""
    if isinstance(returned, type) and get_origin(returned) is None:
        return frozenset({returned} if issubclass(returned, Event) else ())
    return reduce(frozenset.union, map(_events_in, get_args(returned)), frozenset[type[Event]]())


def _subjects(
    subjects: Subjects, kinds: Iterable[type[Event]], partitions: Iterable[int] | None = None
) -> tuple[str, ...]:
    chosen = None if partitions is None else tuple(partitions)
    return tuple(subject for kind in kinds for subject in subjects.of_kind(kind, chosen))


class GaveUpError(Exception):
    """The service will not try this event again."""

    def __init__(self, tried: Tried, attempt: int | None) -> None:
        reason, fault = tried.why() or (tried.error, tried.fault)
        super().__init__(reason)
        self.fault = fault
        self.faults = tried.faults
        self.attempt = attempt
        """The attempt of its task that the event belongs to; None where it belongs to none."""


@dataclass(slots=True)
class EventProcessor:
    """Applies the rules of a reaction around a service's own functions."""

    service: Service
    resources: Resources
    _one_suspect: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiters: Turns = field(default_factory=lambda: Turns(16 * WAITERS, share=WAITERS, line=0, patient=False))
    """Questions that wait for the views: no question that could be answered stands behind them."""

    async def react(self, event: Event, delivery: int = 1) -> None:
        """Do what the service does about the event, and append what follows.

        `delivery` counts, from 1, how often the log has handed it to the service. Raises one of `WAITING` when
        something is missing for now, any other error for a fault that may still pass, and `GaveUpError` once its tries
        are exhausted. Of the events that workers may have died of, one is in work at a time, and only what is in work
        is noted: so the one that they do die of is given up alone.
        """
        if type(event) not in self.service.handlers:
            return
        tries, place = self.resources.tries, (self.service.name, event.sequence or 0, delivery)
        tried = await tries.of(*place)
        async with self._one_suspect if tried.suspect else nullcontext():
            await tries.begin(*place, tried)
            await self._try(event, tried)

    async def _try(self, event: Event, tried: Tried) -> None:
        if tried.why() is None:
            spent = self.resources.spendings.of(self.service.name, event, tried.calls)
            waits = False
            try:
                with spending(spent):
                    await self._react(event)
            except Exception as error:
                faults, tried = tried.faults, self._after(error, replace(tried, calls=spent.calls))
                waits = tried.faults == faults
                await self._note(event, tried)
                if tried.why() is None:
                    raise
            else:
                return
            finally:
                self.resources.spendings.keep(self.service.name, event, spent, waits=waits)
        raise GaveUpError(tried, await self._give_up(event, tried))

    def _after(self, error: Exception, tried: Tried) -> Tried:
        """What is known of the tries after this one failed."""
        soon = isinstance(error, SOON) and tried.waited < self.resources.settings.input_patience
        if is_waiting(error) and (soon or not isinstance(error, SOON)):
            return tried.put_off()
        told = (_line(error), type(error).__name__)
        return tried.given_up(*told) if isinstance(error, (SpentError, *SOON)) else tried.failed(*told)

    async def _note(self, event: Event, tried: Tried) -> None:
        await self.resources.tries.note(self.service.name, event.sequence or 0, tried)

    async def _react(self, event: Event) -> None:
        with tracing.span("views", sequence=event.sequence or 0):
            await self.resources.views.since(event)
        if not await self._counts(event):
            return
        outcome = await self.service.handlers[type(event)](event, self.resources)
        if tracing.recording():
            await link_joined(outcome.event if isinstance(outcome, ConditionalAppend) else outcome, self.resources)
        if isinstance(outcome, ConditionalAppend):
            await self.resources.log.append(outcome.event, expected=outcome.last)
            return
        for each in (outcome,) if isinstance(outcome, Event) else outcome or ():
            await self.resources.log.append(each)

    async def _counts(self, event: Event) -> bool:
        """Return whether the event means something: it is the first of its id, and neither erased nor parked."""
        try:
            return await self.resources.views.counts(event)
        except BehindError:
            if (await self.resources.log.parked()).covers(event.event_id, event.sequence or 0):
                return False
            raise

    async def _give_up(self, event: Event, tried: Tried) -> int | None:
        """Say so in the log, where a task may wait for it; the attempt of the task, or None."""
        why = (tried.why() or (tried.error,))[0]
        logger.error("gave up", service=self.service.name, cause=event.kind, id=str(event.event_id))
        if event.thread is None:
            return None
        attempt = await self.resources.views.attempt(event)
        name = self.service.name
        failed = ReactionFailed.following(
            event, nth=name, service=name, cause_kind=event.kind, attempt=attempt, error=why
        )
        await self.resources.log.append(failed)
        return attempt

    async def _retry(self, query: RetryQuery) -> RetriedView | Refusal:
        """React to an event of the log once more, outside of any delivery: what follows has the same ids."""
        try:
            event = await self.resources.log.at(query.sequence)
        except UndecodableError as error:
            return Refusal(refused=f"message {query.sequence} is no event: {error}")
        if event is None or type(event) not in self.service.handlers:
            return Refusal(refused=f"{self.service.name} has nothing to do about message {query.sequence}")
        await self._react(event)
        return RetriedView(kind=event.kind, sequence=query.sequence)

    async def ask(self, kind: type[Query], data: bytes, turns: Turns | None = None, asker: str = "") -> bytes:
        """The answer to a question, or why there is none.

        It is worked on when it is the asker's turn; while it waits for the views, others have theirs.
        """
        reply, outcome = await self._answer(kind, data, turns or Turns(1, share=1, line=0), asker)
        self.resources.metrics.answered.labels(self.service.name, kind.name, outcome).inc()
        return self._fitting(kind, reply.model_dump_json().encode())

    async def _answer(self, kind: type[Query], data: bytes, turns: Turns, asker: str) -> tuple[Answer | Refusal, str]:
        try:
            query = kind.model_validate_json(data)
            if (refusal := await self._behind(query, asker)) is not None:
                return refusal, "refused"
            async with turns.turn(asker):
                if kind in self.service.appending:
                    durable, *_ = self.service.durables(self.resources.log.subjects)
                    await check_complete(self.resources.log, durable.name)
                if isinstance(query, RetryQuery):
                    answer: Answer | Refusal = await self._retry(query)
                else:
                    answer = await self.service.query_handlers[kind](query, self.resources)
        except ValidationError as error:
            return Refusal(refused=complaint(error)), "refused"
        except CrowdedError:
            return Refusal(refused="not now: you ask too many questions at once", passing=True), "refused"
        except WAITING as error:
            return Refusal(refused=f"not now: {_line(error)}", passing=True), "failed"
        except Exception as error:
            logger.exception("no answer", service=self.service.name, query=kind.name)
            return Refusal(refused=f"{self.service.name} failed: {_line(error)}"), "failed"
        return answer, "refused" if isinstance(answer, Refusal) else "answered"

    async def _behind(self, query: Query, asker: str) -> Refusal | None:
        """Wait until the views hold all that the question asks for; a refusal for what the log itself has not."""
        progress = self.resources.views.progress
        if query.after <= progress.sequence:
            return None
        end = await self.resources.log.last_sequence()
        if query.after > end:
            return Refusal(refused=f"after is {query.after}, and the log ends at {end}")
        async with self._waiters.turn(asker):
            await progress.wait(query.after)
        return None

    def _fitting(self, kind: type[Query], reply: bytes) -> bytes:
        """A reply that the server takes: it would cut off whoever tried a larger one, and nobody would be told."""
        room = self.resources.log.room
        if len(reply) <= room:
            return reply
        logger.error("no answer", service=self.service.name, query=kind.name, bytes=len(reply), room=room)
        refusal = Refusal(refused=f"the answer of {len(reply)} bytes is more than the {room} that fit; ask for less")
        return refusal.model_dump_json().encode()


def _line(error: BaseException) -> str:
    """The first line of what an error says, as text that can be recorded."""
    text = str(error).encode(errors="replace").decode().replace("\x00", "").strip()
    return text.splitlines()[0] if text else type(error).__name__
