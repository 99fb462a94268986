"""A service: the declaration of its event handlers, its query handlers, and the rules that hold for all services.

1. A handler answers one event with at most one event, or with several that are computed from one logged event alone.
2. Ids of events are derived, so a repeated delivery appends nothing new.
3. A handler sees its past: the histories of tasks in the log, and projections that contain the event it handles.
4. Each of two joined events triggers the handler, so arrival order does not matter.
5. A missing dependency delays an event and never counts as a failure.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from nemuri_contracts.event import AgentEvent, ClientEvent, Event
from nemuri_contracts.queries import Answer, Query, Refusal, RetryEvent
from nemuri_contracts.subjects import Subjects
from nemuri_contracts.tasks import ReactionFailed
from nemuri_infra.runtime.provisioning import Durable
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.rights import Rights

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

WORKERS = 16
"""Number of workers of a service that can be busy at the same time."""
MAX_PUT_OFF = 10_000
"""Maximum number of a service's events that wait for redelivery. At this number the log delivers no further ones."""


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
    SENDS_WEBHOOKS = "sends webhooks"


@dataclass(slots=True)
class Service:
    """A consumer of the log: its handlers, its background work and its permissions."""

    name: str
    concurrency: int = 16
    """Maximum number of events that one worker handles concurrently."""
    one_per_agent: bool = False
    """True if a worker handles at most one event of an agent at a time.

    Two workers may handle two events of an agent at the same time. Then `ConditionalAppend` lets one of them win.
    """
    handlers: dict[type[Event], EventHandler] = field(default_factory=dict)
    log_only: set[type[Event]] = field(default_factory=set)
    """Kinds of events whose handler is called although the projections may not contain the event yet."""
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

    def handles(self, *kinds: type[Event], log_only: bool = False) -> Callable[[R], R]:
        """Return a decorator that makes a function the handler of events of these kinds.

        The function is called when the projections contain the event. With `log_only` it is called at once: it reads
        histories of tasks only, or waits itself before it reads projections. The decorator raises ValueError if one of
        the kinds has a handler already.
        """

        def declare(function: R) -> R:
            if twice := self.handlers.keys() & set(kinds):
                raise ValueError(f"{self.name} handles {', '.join(kind.__name__ for kind in twice)} twice")
            self.handlers.update(dict.fromkeys(kinds, function))
            self.log_only.update(kinds if log_only else ())
            return function

        return declare

    def handles_together(self, kind: type[ClientEvent | AgentEvent]) -> Callable[[G], G]:
        """Return a decorator that makes a function the handler of events of this kind, of one client or one agent, many
        at a time.

        The function returns one outcome for each event. If it raises an error, it is called again with each event
        alone, unless no model answers. The decorator raises ValueError as `handles` does.
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
        returned = (get_type_hints(handler)["return"] for handler in handlers)
        said = reduce(frozenset.union, map(_events_in, returned), frozenset(self.also_emits))
        return said | {ReactionFailed} if self.handlers else said

    def query_topics(self) -> tuple[tuple[type[Query], str], ...]:
        """Return the kinds of queries that the service answers, each with its topic.

        A service with event handlers also performs `RetryEvent`.
        """
        retried = ((RetryEvent, f"{RetryEvent.name}.{self.name}"),) if self.handlers else ()
        return (*((kind, kind.name) for kind in self.query_handlers), *retried)

    def durable(self, subjects: Subjects) -> Durable | None:
        """Return the durable consumer of the service, which all its workers share; None without event handlers."""
        if not self.handlers:
            return None
        kinds = [kind for kind in self.handlers if not (self.consumes_client_events and kind.stream == "client")]
        clients = (subjects.clients,) if self.consumes_client_events else ()
        filters = (subject for kind in kinds for subject in subjects.of_kind(kind))
        return Durable(self.name, (*clients, *filters), self.concurrency, WORKERS, MAX_PUT_OFF)


def _events_in(returned: Any) -> frozenset[type[Event]]:
    """Return the event classes in a type annotation, also those nested in other types."""
    if isinstance(returned, type) and get_origin(returned) is None:
        return frozenset({returned} if issubclass(returned, Event) else ())
    return reduce(frozenset.union, map(_events_in, get_args(returned)), frozenset[type[Event]]())
