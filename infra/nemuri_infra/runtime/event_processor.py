"""Handling of events by a service: which events count, how often one is tried, and what is appended."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

import structlog

from nemuri_contracts.event import AgentEvent, ClientEvent, Event
from nemuri_contracts.tasks import ReactionFailed
from nemuri_domain.tasks.task_attempts import attempt_of
from nemuri_infra.errors.log_safe import first_line
from nemuri_infra.models.call_budget import SpentError, count_replies
from nemuri_infra.observability import tracing
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.event_groups import EventGroups
from nemuri_infra.runtime.fair_turns import CrowdedError
from nemuri_infra.runtime.outage_errors import INCOMPLETE_INPUT_ERRORS, is_outage
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import ConditionalAppend, Outcome, Service
from nemuri_infra.runtime.span_links import link_joined
from nemuri_infra.runtime.spending_limits import limits_of
from nemuri_infra.stores.delivery_attempts import DeliveryAttempts

logger = structlog.get_logger()


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
    """Runs the event handlers of a service by the rules in `service.py`."""

    service: Service
    resources: Resources
    _one_suspect: asyncio.Lock = field(default_factory=asyncio.Lock)
    _groups: EventGroups = field(init=False)

    def __post_init__(self) -> None:
        """Let the groups be handled by the handlers of the service."""
        self._groups = EventGroups(self._outcomes)

    def is_grouped(self, event: Event) -> bool:
        """Return whether the service handles events of this kind together."""
        return type(event) in self.service.together

    async def is_due(self, event: Event, *, again: bool = False) -> bool:
        """Return whether the service must handle an event: it has a handler, and the event counts.

        Waits until the handler's past is there. For events that are handled together, their group does both. With
        `again`, the event may have been handled before. Raises `BehindError` if the past is not known.
        """
        if type(event) not in self.service.handlers:
            return False
        if again and event.thread is not None:
            self.resources.tasks.forget(event.thread)  # so that the outcomes of earlier deliveries are seen
        return self.is_grouped(event) or bool(await self._counting([event]))

    async def process(
        self, event: Event, delivery: int = 1, slot: AbstractAsyncContextManager[None] | None = None
    ) -> None:
        """Handle an event if it is due, and append the events that the handler returns.

        `slot` is held while the event is handled. Events that are not due need none.

        `delivery` is the number of this delivery, from 1. Raises one of `OUTAGE_ERRORS` if a dependency is missing,
        `GaveUpError` if the event's attempts are exhausted, and any other error for a fault that may be transient.

        Events that may have killed a worker are handled one at a time, and an attempt is counted only when the handling
        begins. So only the event that really kills its worker is given up.
        """
        if await self.is_due(event, again=delivery > 1):
            async with slot or nullcontext():
                await self._try(event, delivery)

    async def _try(self, event: Event, delivery: int) -> None:
        """Handle an event, and count the attempt."""
        tries, key = self.resources.delivery_attempts, (self.service.name, event.sequence or 0, delivery)
        tried = await tries.of(*key)
        async with self._one_suspect if tried.suspect else nullcontext():
            await tries.begin(*key, tried)
            if tried.give_up_reason() is not None:
                raise GaveUpError(tried, await self._give_up(event, tried))
            async with self._attempt(event, tried):
                await self.handle(event, alone=tried.suspect)

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
        told = (first_line(error), type(error).__name__)
        return (
            tried.given_up(*told) if isinstance(error, (SpentError, *INCOMPLETE_INPUT_ERRORS)) else tried.failed(*told)
        )

    async def _note(self, event: Event, tried: DeliveryAttempts) -> None:
        await self.resources.delivery_attempts.note(self.service.name, event.sequence or 0, tried)

    async def handle(self, event: Event, *, alone: bool = True) -> None:
        """Call the handler of an event that is due, and append what it returns.

        Unless `alone`, an event may be handled together with others of its kind, of the same client or agent.
        """
        if not self.is_grouped(event):
            outcome: Outcome = await self.service.handlers[type(event)](event, self.resources)
        elif isinstance(event, ClientEvent | AgentEvent) and not alone:
            party = event.client_id if isinstance(event, ClientEvent) else event.agent_id
            outcome = await self._groups.outcome(event, party)
        else:
            [outcome] = await self._outcomes([event])
        if tracing.recording():
            await link_joined(outcome.event if isinstance(outcome, ConditionalAppend) else outcome, self.resources)
        if isinstance(outcome, ConditionalAppend):
            await self.resources.log.append(outcome.event, expected=outcome.last)
            return
        for event_to_append in (outcome,) if isinstance(outcome, Event) else outcome or ():
            await self.resources.log.append(event_to_append)

    async def _outcomes(self, events: Sequence[Event]) -> Sequence[Event | None]:
        """Return the handler's outcome for each event of a group. It is None for an event that does not count."""
        counting = await self._counting(events)
        if not counting:
            return [None] * len(events)
        found = await self.service.handlers[type(events[0])](counting, self.resources)
        outcomes = dict(zip((event.sequence for event in counting), cast("Sequence[Event | None]", found), strict=True))
        return [outcomes.get(event.sequence) for event in events]

    async def _counting(self, events: Sequence[Event]) -> Sequence[Event]:
        """Return those of these events of one kind that count: the first with its id, neither erased nor parked.

        Waits until the projections contain them, unless the kind is handled from the log only.
        """
        last = max(event.sequence or 0 for event in events)
        with tracing.span("past", sequence=last):
            try:
                if type(events[0]) not in self.service.log_only:
                    await self.resources.views.progress.wait(last)
                counts = await self._counts(events)
            except BehindError:
                parked = await self.resources.log.parked()
                if all(parked.covers(event.event_id, event.sequence or 0) for event in events):
                    return ()
                raise
        return [event for event, does in zip(events, counts, strict=True) if does]

    async def _counts(self, events: Sequence[Event]) -> Sequence[bool]:
        if all(event.in_history for event in events):
            return [await self.resources.tasks.counts(event) for event in events]
        return await self.resources.journal.counting(events)

    async def _give_up(self, event: Event, tried: DeliveryAttempts) -> int | None:
        """Log that the event is given up, and append a `ReactionFailed` if the event belongs to a task.

        Returns the number of the task's attempt; None without a task.
        """
        why = (tried.give_up_reason() or (tried.error,))[0]
        logger.error("gave up", service=self.service.name, cause=event.kind, id=str(event.event_id))
        if event.thread is None:
            return None
        attempt = await self._attempt_number(event)
        name = self.service.name
        failed = ReactionFailed.following(
            event, nth=name, service=name, cause_kind=event.kind, attempt=attempt, error=why
        )
        await self.resources.log.append(failed)
        return attempt

    async def _attempt_number(self, event: Event) -> int:
        """Return the number, from 1, of the task's attempt to which an event belongs.

        It is the attempt of the event's assignment, if any. Otherwise it is the attempt that was running when the event
        was appended.
        """
        history = await self.resources.tasks.of(event)
        if (known := attempt_of(event, history.state)) is not None:
            return known
        return 1 + sum(sequence < (event.sequence or 0) for sequence in history.reopened)
