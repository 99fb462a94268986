"""What a service is: its reactions to events and its answers to questions, and the five rules that hold for all.

One event in, one event out (or the pure consequences of one); derived identities; see the past first; joins from both
sides; waiting is not failing.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

import structlog
from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError
from pydantic import ValidationError

from nemuri.contracts.event import Event
from nemuri.contracts.log import complaint
from nemuri.contracts.queries import Answer, Query, Refusal
from nemuri.contracts.subjects import PARTITIONS, Subjects
from nemuri.contracts.tasks import ReactionFailed
from nemuri.infra.log import ConflictError
from nemuri.infra.models.protocol import ModelUnavailable
from nemuri.infra.provisioning import Durable
from nemuri.infra.resources import Resources
from nemuri.infra.views.database import OUTAGES
from nemuri.infra.views.progress import BehindError

E_co = TypeVar("E_co", bound=Event, covariant=True)


@dataclass(frozen=True, slots=True)
class Against(Generic[E_co]):
    """An event to be appended only if its exact subject still ends where it was decided (0: is still empty)."""

    event: E_co
    last: int


Outcome = Event | Against[Event] | Sequence[Event] | None
Reaction = Callable[[Any, Resources], Awaitable[Outcome]]
Answering = Callable[[Any, Resources], Awaitable[Answer | Refusal]]
R = TypeVar("R", bound=Reaction)
A = TypeVar("A", bound=Answering)

WAITING: tuple[type[BaseException], ...] = (
    *OUTAGES, NatsError, JetStreamError, BehindError, ConflictError, ModelUnavailable,
)  # fmt: skip
"""What only says that something is missing for now: tried again without limit."""
FAULTS = 5
"""So many faults of the event itself, seen by one worker, and it is given up."""

logger = structlog.get_logger()


@dataclass(slots=True)
class Service:
    """A consumer of the log."""

    name: str
    at_once: int = 16
    """Events in work at the same time, over all its workers."""
    groups: int | None = None
    """For a service that handles the events of an agent one at a time: into how many groups agents are divided."""
    reactions: dict[type[Event], Reaction] = field(default_factory=dict)
    answers: dict[type[Query], Answering] = field(default_factory=dict)
    background: Callable[[Resources], Awaitable[None]] | None = None
    """Work that goes on as long as the service runs."""
    also_says: tuple[type[Event], ...] = ()
    """Events that this work appends."""

    def reaction(self, *kinds: type[Event]) -> Callable[[R], R]:
        """Declare what the service does about events of these kinds; raises ValueError where it does that already."""

        def declare(function: R) -> R:
            if twice := self.reactions.keys() & set(kinds):
                raise ValueError(f"{self.name} reacts to {', '.join(each.__name__ for each in twice)} twice")
            self.reactions.update(dict.fromkeys(kinds, function))
            return function

        return declare

    def answer(self, kind: type[Query]) -> Callable[[A], A]:
        """Declare how the service answers a question."""

        def declare(function: A) -> A:
            self.answers[kind] = function
            return function

        return declare

    def says(self) -> frozenset[type[Event]]:
        """Which events the service appends: those in what its reactions say they return, and its giving up."""
        returned = (get_type_hints(each)["return"] for each in self.reactions.values())
        said = reduce(frozenset.union, map(_events_in, returned), frozenset(self.also_says))
        return said | {ReactionFailed} if self.reactions else said

    def durables(self, subjects: Subjects) -> tuple[Durable, ...]:
        """The consumers of the log that the service works from."""
        if not self.reactions:
            return ()
        if self.groups is None:
            return (Durable(self.name, _subjects(subjects, self.reactions), self.at_once),)
        return tuple(
            Durable(
                f"{self.name}-{group}", _subjects(subjects, self.reactions, range(group, PARTITIONS, self.groups)), 1
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


@dataclass(slots=True)
class Reactor:
    """Applies the rules of a reaction around a service's own functions."""

    service: Service
    resources: Resources
    faults: Counter[UUID] = field(default_factory=Counter)

    async def react(self, event: Event) -> None:
        """Do what the service does about the event, and append what follows.

        Raises one of `WAITING` when something is missing for now, any other error for a fault that may still pass,
        and `GaveUpError` once the faults of this event are exhausted.
        """
        try:
            await self._react(event)
        except WAITING:
            raise
        except Exception as error:
            self.faults[event.event_id] += 1
            if self.faults[event.event_id] < FAULTS:
                raise
            await self._give_up(event, error)
            raise GaveUpError(_line(error)) from error
        self.faults.pop(event.event_id, None)

    async def _react(self, event: Event) -> None:
        await self.resources.views.since(event)
        if not await self.resources.views.counts(event):
            return
        outcome = await self.service.reactions[type(event)](event, self.resources)
        if isinstance(outcome, Against):
            await self.resources.log.append(outcome.event, expected=outcome.last)
            return
        for each in (outcome,) if isinstance(outcome, Event) else outcome or ():
            await self.resources.log.append(each)

    async def _give_up(self, event: Event, error: Exception) -> None:
        logger.error("gave up", service=self.service.name, cause=event.kind, id=str(event.event_id), error=_line(error))
        if event.thread is not None:
            failed = ReactionFailed.following(
                event, nth=self.service.name, service=self.service.name, cause_kind=event.kind, error=_line(error)
            )
            await self.resources.log.append(failed)
        del self.faults[event.event_id]

    async def ask(self, kind: type[Query], data: bytes) -> bytes:
        """The answer to a question, or why there is none."""
        try:
            query = kind.model_validate_json(data)
            await self.resources.views.progress.wait(query.after)
            answer = await self.service.answers[kind](query, self.resources)
        except ValidationError as error:
            answer = Refusal(refused=complaint(error))
        except WAITING as error:
            answer = Refusal(refused=f"not now: {_line(error)}", passing=True)
        except Exception as error:
            logger.exception("no answer", service=self.service.name, query=kind.name)
            answer = Refusal(refused=f"{self.service.name} failed: {_line(error)}")
        return self._fitting(kind, answer.model_dump_json().encode())

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
