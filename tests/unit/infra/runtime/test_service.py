"""Tests of the rules of event handling: projections first, one outcome, and delays for missing dependencies."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import cast
from uuid import uuid4

import pytest
from nats.errors import NoRespondersError

from nemuri_contracts.client_events import MemoryOffered
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryRefused
from nemuri_contracts.tasks import ReactionFailed, TaskCompleted, TaskRouted, TaskSummarised
from nemuri_domain.tasks.routing import assignments
from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.event_processor import EventProcessor, GaveUpError
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import ConditionalAppend, Outcome, Service
from nemuri_infra.stores.delivery_attempts import (
    MAX_FAULTS,
    MAX_MISSING_OUTCOMES,
    SUSPECT_MISSING_OUTCOMES,
    DeliveryAttempts,
)
from tests.contracts.examples import EXAMPLES
from tests.unit.infra.past import PastAndLog, raising

CAUSE = EXAMPLES["task_summarised"]
ROUTED = EXAMPLES["task_routed"]


def processor(past: PastAndLog, answer: Callable[[], Outcome]) -> EventProcessor:
    """Return the event processor of a service whose handler for `TaskSummarised` returns `answer()`."""
    service = Service("clerk")

    @service.handles(TaskSummarised)
    async def react(event: TaskSummarised, resources: Resources) -> Outcome:
        past.asked.append(f"react {event.kind}")
        return answer()

    return EventProcessor(service, cast("Resources", past))


async def test_the_handler_runs_after_the_event_is_known_to_be_effective() -> None:
    """The handler runs after the event is known to be effective, and its outcome is appended."""
    past = PastAndLog()

    await processor(past, lambda: ROUTED).process(CAUSE)

    assert past.asked == ["wait 0", "counts task_summarised", "react task_summarised"]
    assert past.appended == [(ROUTED, None)]


async def test_a_handler_of_the_log_does_not_wait_for_the_projections() -> None:
    """A handler that is declared `log_only` runs at once, also while the projections lack its event."""
    past, service = PastAndLog(), Service("clerk")

    @service.handles(TaskSummarised, log_only=True)
    async def react(event: TaskSummarised, resources: Resources) -> TaskRouted:
        past.asked.append(f"react {event.kind}")
        return cast("TaskRouted", ROUTED)

    await EventProcessor(service, cast("Resources", past)).process(CAUSE)

    assert past.asked == ["counts task_summarised", "react task_summarised"]


async def test_only_an_event_that_counts_takes_a_slot() -> None:
    """An event takes its slot after its past is known, and an event that does not count takes none."""
    for first, expected in ((True, ["wait", "counts", "slot", "react"]), (False, ["wait", "counts"])):
        past = PastAndLog(first=first)

        @asynccontextmanager
        async def slot(past: PastAndLog = past) -> AsyncIterator[None]:
            past.asked.append("slot taken")
            yield

        await processor(past, lambda: None).process(CAUSE, 1, slot())

        assert [asked.split()[0] for asked in past.asked] == expected


async def test_an_invalid_event_is_not_handled() -> None:
    """An event that repeats an id is skipped before its handler can ask a model."""
    past = PastAndLog(first=False)

    await processor(past, lambda: ROUTED).process(CAUSE)

    assert past.asked[-1].startswith("counts")
    assert past.appended == []


async def test_an_outcome_is_nothing_events_or_a_conditional_append() -> None:
    """A handler returns nothing, events or a conditional append. Several events are appended in order."""
    assert isinstance(ROUTED, TaskRouted)
    several = assignments(ROUTED)
    slept = EXAMPLES["agent_slept"]
    expected: list[tuple[Outcome, list[tuple[Event, int | None]]]] = [
        (None, []),
        ([], []),
        (ROUTED, [(ROUTED, None)]),
        (several, [(assignment, None) for assignment in several]),
        (ConditionalAppend(slept, 7), [(slept, 7)]),
    ]
    for outcome, appended in expected:
        past = PastAndLog()
        await processor(past, lambda outcome=outcome: outcome).process(CAUSE)  # type: ignore[misc]
        assert past.appended == appended


@pytest.mark.parametrize(
    "missing",
    [NoRespondersError(), ConflictError("old"), ModelUnavailable("429"), BehindError("behind")],
    ids=lambda each: type(each).__name__,
)
async def test_a_missing_dependency_delays_without_limit(missing: Exception) -> None:
    """A missing server or model, projections that are behind, and a conflicting append delay the event and never count
    as failures.
    """
    past = PastAndLog()
    waiting = processor(past, raising(missing))

    for delivery in range(1, 3 * MAX_MISSING_OUTCOMES):
        with pytest.raises(type(missing)):
            await waiting.process(CAUSE, delivery)

    assert past.appended == []
    assert past.tried.faults == 0


async def test_the_handler_waits_for_projections_that_are_behind() -> None:
    """The handler does not run while the projections are behind the event."""
    past = PastAndLog(behind=True)

    with pytest.raises(BehindError):
        await processor(past, lambda: ROUTED).process(CAUSE)

    assert past.asked == ["wait 0"]


async def test_failures_of_the_event_are_counted_up_to_a_dead_letter() -> None:
    """Failures of a handler are counted. The last one appends `reaction_failed` with service, event and reason in one
    line.
    """
    past = PastAndLog()
    failing = processor(past, raising(ValueError("no such\x00 part \ud800\nand a traceback")))

    for delivery in range(1, MAX_FAULTS):
        with pytest.raises(ValueError, match="no such"):
            await failing.process(CAUSE, delivery)
    assert past.appended == []
    with pytest.raises(GaveUpError, match="no such part") as given_up:
        await failing.process(CAUSE, MAX_FAULTS)
    assert (given_up.value.fault, given_up.value.faults, given_up.value.attempt) == ("ValueError", MAX_FAULTS, 2)

    (failed, expected) = past.appended[0]
    assert isinstance(failed, ReactionFailed)
    assert (failed.service, failed.cause_kind, failed.error) == ("clerk", "task_summarised", "no such part ?")
    assert (failed.correlation_id, failed.causation_id, expected) == (CAUSE.correlation_id, CAUSE.event_id, None)
    assert failed.attempt == 2


async def test_giving_up_appends_one_event() -> None:
    """Two workers that give up on the same event append the same event id. Another service has another id."""
    ids = []
    for name in ("clerk", "clerk", "other"):
        past = PastAndLog()
        failing = processor(past, raising(ValueError("no")))
        failing.service.name = name
        for _ in range(MAX_FAULTS):
            with pytest.raises((ValueError, GaveUpError)):
                await failing.process(CAUSE)
        ids.append(past.appended[0][0].event_id)

    assert ids[0] == ids[1] != ids[2]


async def test_failures_are_counted_over_all_workers() -> None:
    """Failures in other processes, and before a restart, count too."""
    past = PastAndLog()
    for delivery in range(1, MAX_FAULTS):
        with pytest.raises(ValueError, match="no"):
            await processor(past, raising(ValueError("no"))).process(CAUSE, delivery)

    with pytest.raises(GaveUpError):
        await processor(past, raising(ValueError("no"))).process(CAUSE, MAX_FAULTS)


async def test_an_event_that_kills_its_workers_is_given_up_without_another_attempt() -> None:
    """An event whose deliveries often have no recorded end is given up without another attempt, because it kills its
    workers.

    Deliveries that only waited do not count.
    """
    past = PastAndLog(tried=DeliveryAttempts(begun=MAX_MISSING_OUTCOMES + 6, ended=7))

    await processor(past, lambda: ROUTED).process(CAUSE)
    with pytest.raises(GaveUpError, match="10 deliveries ended without an outcome"):
        await processor(past, lambda: ROUTED).process(CAUSE)

    assert [type(each) for each, _ in past.appended] == [TaskRouted, ReactionFailed]


async def test_an_event_without_a_handler_is_acknowledged() -> None:
    """An event without a handler is acknowledged at once, without waiting for the projections."""
    past = PastAndLog()

    await processor(past, lambda: ROUTED).process(EXAMPLES["feedback_given"])

    assert (past.asked, past.appended) == ([], [])


async def test_giving_up_waits_for_the_log() -> None:
    """If the log is down when an event is given up, that is recorded as soon as the log is back. No further attempt is
    made.
    """
    past = PastAndLog()
    failing = processor(past, raising(ValueError("no")))
    for _ in range(MAX_FAULTS - 1):
        with pytest.raises(ValueError, match="no"):
            await failing.process(CAUSE)
    past.broken = NoRespondersError()
    with pytest.raises(NoRespondersError):
        await failing.process(CAUSE)
    past.broken = None
    tries = past.asked.count("react task_summarised")

    with pytest.raises(GaveUpError):
        await failing.process(CAUSE)

    assert len(past.appended) == 1
    assert past.asked.count("react task_summarised") == tries


async def test_an_event_without_a_task_is_given_up_without_an_event() -> None:
    """Giving up on an event that belongs to no task writes a dead letter but appends no event."""
    past = PastAndLog()
    failing = processor(past, raising(ValueError("no")))
    outside = CAUSE.model_copy(update={"correlation_id": None})
    for _ in range(MAX_FAULTS):
        with pytest.raises((ValueError, GaveUpError)):
            await failing.process(outside)

    assert past.appended == []


async def test_one_suspect_is_handled_at_a_time() -> None:
    """Only one suspect (an event that may kill its worker) is handled at a time.

    Other suspects wait without a recorded delivery, so that a crash does not count for them. New events are handled
    meanwhile.
    """
    past, at_work, let_go = PastAndLog(tried=DeliveryAttempts(begun=SUSPECT_MISSING_OUTCOMES)), [], asyncio.Event()
    service = Service("clerk")

    @service.handles(TaskSummarised)
    async def react(event: TaskSummarised, resources: Resources) -> None:
        at_work.append(event.sequence)
        await let_go.wait()

    clerk = EventProcessor(service, cast("Resources", past))
    suspects = [asyncio.ensure_future(clerk.process(CAUSE, 9)) for _ in range(3)]
    while not at_work:  # noqa: ASYNC110 - nothing announces how far the others get
        await asyncio.sleep(0)
    noted = past.tried.begun
    past.tried = DeliveryAttempts()
    fresh = asyncio.ensure_future(clerk.process(CAUSE))
    while len(at_work) < 2:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0)
    assert (noted, len(at_work)) == (SUSPECT_MISSING_OUTCOMES + 1, 2)

    let_go.set()
    await asyncio.gather(fresh, *suspects)

    assert len(at_work) == 4


def test_a_kind_of_event_has_at_most_one_handler() -> None:
    """A second handler for the same kind of event is refused."""
    service = Service("test")

    async def react(event: Event, resources: Resources) -> Outcome:
        return None

    service.handles(TaskCompleted)(react)
    with pytest.raises(ValueError, match="test handles TaskCompleted twice"):
        service.handles(TaskRouted, TaskCompleted)(react)
    assert set(service.handlers) == {TaskCompleted}


@pytest.mark.parametrize(("tried", "together"), [(DeliveryAttempts(), 2), (DeliveryAttempts(begun=3), 1)])
async def test_events_of_a_kind_are_handled_together(tried: DeliveryAttempts, together: int) -> None:
    """A handler of several events gets those that arrive together, and each outcome is appended. An event that may have
    killed a worker is handled alone.
    """
    past = PastAndLog(tried=tried)
    clerk, sizes = Service("clerk"), list[int]()

    @clerk.handles_together(MemoryOffered)
    async def react(events: Sequence[MemoryOffered], resources: Resources) -> Sequence[MemoryRefused]:
        sizes.append(len(events))
        return [MemoryRefused.following(each, reason=str(each.event_id)) for each in events]

    offers = [EXAMPLES["memory_offered"].model_copy(update={"event_id": uuid4(), "sequence": 7 + n}) for n in range(2)]
    handling = EventProcessor(clerk, cast("Resources", past))
    await asyncio.gather(*(handling.process(offer, 2) for offer in offers))

    assert max(sizes) == together
    found = [event for event, _ in past.appended if isinstance(event, MemoryRefused)]
    assert {each.reason for each in found} == {str(offer.event_id) for offer in offers}
