"""The rules of a reaction: see the past first, one outcome, waiting is not failing."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest
from nats.errors import NoRespondersError

from nemuri_contracts.event import Event
from nemuri_contracts.tasks import ReactionFailed, TaskCompleted, TaskRouted, TaskSummarised
from nemuri_domain.tasks.routing import assignments
from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.models.protocol import ModelUnavailable
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import ConditionalAppend, EventProcessor, GaveUpError, Outcome, Service
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


def reactor(past: PastAndLog, answer: Callable[[], Outcome]) -> EventProcessor:
    """A reactor of a service that answers a summary so."""
    service = Service("clerk")

    @service.handles(TaskSummarised)
    async def react(event: TaskSummarised, resources: Resources) -> Outcome:
        past.asked.append(f"react {event.kind}")
        return answer()

    return EventProcessor(service, cast("Resources", past))


async def test_the_past_is_seen_before_anything_is_done() -> None:
    """Then the one outcome is appended."""
    past = PastAndLog()

    await reactor(past, lambda: ROUTED).react(CAUSE)

    assert past.asked == ["since task_summarised", "counts task_summarised", "react task_summarised"]
    assert past.appended == [(ROUTED, None)]


async def test_what_does_not_count_leads_to_nothing() -> None:
    """The second of an id; the model is not even asked."""
    past = PastAndLog(first=False)

    await reactor(past, lambda: ROUTED).react(CAUSE)

    assert past.asked[-1].startswith("counts")
    assert past.appended == []


async def test_outcomes_are_nothing_one_several_or_one_against_the_present_end() -> None:
    """In their order."""
    assert isinstance(ROUTED, TaskRouted)
    several = assignments(ROUTED)
    slept = EXAMPLES["agent_slept"]
    expected: list[tuple[Outcome, list[tuple[Event, int | None]]]] = [
        (None, []),
        ([], []),
        (ROUTED, [(ROUTED, None)]),
        (several, [(each, None) for each in several]),
        (ConditionalAppend(slept, 7), [(slept, 7)]),
    ]
    for outcome, appended in expected:
        past = PastAndLog()
        await reactor(past, lambda outcome=outcome: outcome).react(CAUSE)  # type: ignore[misc]
        assert past.appended == appended


@pytest.mark.parametrize(
    "missing",
    [NoRespondersError(), ConflictError("old"), ModelUnavailable("429"), BehindError("behind")],
    ids=lambda each: type(each).__name__,
)
async def test_waiting_is_not_failing(missing: Exception) -> None:
    """However often: no server, no model, an old view, another sleep."""
    past = PastAndLog()
    waiting = reactor(past, raising(missing))

    for delivery in range(1, 3 * MAX_MISSING_OUTCOMES):
        with pytest.raises(type(missing)):
            await waiting.react(CAUSE, delivery)

    assert past.appended == []
    assert past.tried.faults == 0


async def test_views_that_are_behind_are_waited_for() -> None:
    """Nothing is done meanwhile."""
    past = PastAndLog(behind=True)

    with pytest.raises(BehindError):
        await reactor(past, lambda: ROUTED).react(CAUSE)

    assert past.asked == ["since task_summarised"]


async def test_faults_of_the_event_itself_are_counted_and_then_given_up() -> None:
    """With a fact that says who gave up on what, and why, in one storable line."""
    past = PastAndLog()
    failing = reactor(past, raising(ValueError("no such\x00 part \ud800\nand a traceback")))

    for delivery in range(1, MAX_FAULTS):
        with pytest.raises(ValueError, match="no such"):
            await failing.react(CAUSE, delivery)
    assert past.appended == []
    with pytest.raises(GaveUpError, match="no such part") as given_up:
        await failing.react(CAUSE, MAX_FAULTS)
    assert (given_up.value.fault, given_up.value.faults, given_up.value.attempt) == ("ValueError", MAX_FAULTS, 2)

    (failed, expected) = past.appended[0]
    assert isinstance(failed, ReactionFailed)
    assert (failed.service, failed.cause_kind, failed.error) == ("clerk", "task_summarised", "no such part ?")
    assert (failed.correlation_id, failed.causation_id, expected) == (CAUSE.correlation_id, CAUSE.event_id, None)
    assert failed.attempt == 2


async def test_giving_up_is_one_fact_however_often_it_happens() -> None:
    """Two workers give up on the same event under the same id; another service has its own."""
    ids = []
    for name in ("clerk", "clerk", "other"):
        past = PastAndLog()
        failing = reactor(past, raising(ValueError("no")))
        failing.service.name = name
        for _ in range(MAX_FAULTS):
            with pytest.raises((ValueError, GaveUpError)):
                await failing.react(CAUSE)
        ids.append(past.appended[0][0].event_id)

    assert ids[0] == ids[1] != ids[2]


async def test_faults_are_counted_over_all_workers() -> None:
    """Each of them a process of its own, or the same one started again."""
    past = PastAndLog()
    for delivery in range(1, MAX_FAULTS):
        with pytest.raises(ValueError, match="no"):
            await reactor(past, raising(ValueError("no"))).react(CAUSE, delivery)

    with pytest.raises(GaveUpError):
        await reactor(past, raising(ValueError("no"))).react(CAUSE, MAX_FAULTS)


async def test_what_ends_its_workers_is_given_up_without_another_try() -> None:
    """Of which nobody hears but by the deliveries that nothing was said of; those that waited are none of them."""
    past = PastAndLog(tried=DeliveryAttempts(begun=MAX_MISSING_OUTCOMES + 6, ended=7))

    await reactor(past, lambda: ROUTED).react(CAUSE)
    with pytest.raises(GaveUpError, match="10 deliveries ended without an outcome"):
        await reactor(past, lambda: ROUTED).react(CAUSE)

    assert [type(each) for each, _ in past.appended] == [TaskRouted, ReactionFailed]


async def test_what_the_service_does_not_react_to_is_passed_over() -> None:
    """It may hear more than that: not even the past is waited for."""
    past = PastAndLog()

    await reactor(past, lambda: ROUTED).react(EXAMPLES["feedback_given"])

    assert (past.asked, past.appended) == ([], [])


async def test_giving_up_waits_for_the_log_too() -> None:
    """The event is given up as soon as that can be recorded, without five more tries."""
    past = PastAndLog()
    failing = reactor(past, raising(ValueError("no")))
    for _ in range(MAX_FAULTS - 1):
        with pytest.raises(ValueError, match="no"):
            await failing.react(CAUSE)
    past.broken = NoRespondersError()
    with pytest.raises(NoRespondersError):
        await failing.react(CAUSE)
    past.broken = None
    tries = len(past.asked)

    with pytest.raises(GaveUpError):
        await failing.react(CAUSE)

    assert len(past.appended) == 1
    assert len(past.asked) == tries


async def test_what_belongs_to_no_task_is_given_up_without_a_fact() -> None:
    """The dead letter tells of it."""
    past = PastAndLog()
    failing = reactor(past, raising(ValueError("no")))
    outside = CAUSE.model_copy(update={"correlation_id": None})
    for _ in range(MAX_FAULTS):
        with pytest.raises((ValueError, GaveUpError)):
            await failing.react(outside)

    assert past.appended == []


async def test_of_what_workers_may_have_died_of_one_is_in_work_at_a_time() -> None:
    """The others wait without being noted, so that they are not held to account for its end; fresh events go on."""
    past, at_work, let_go = PastAndLog(tried=DeliveryAttempts(begun=SUSPECT_MISSING_OUTCOMES)), [], asyncio.Event()
    service = Service("clerk")

    @service.handles(TaskSummarised)
    async def react(event: TaskSummarised, resources: Resources) -> None:
        at_work.append(event.sequence)
        await let_go.wait()

    clerk = EventProcessor(service, cast("Resources", past))
    suspects = [asyncio.ensure_future(clerk.react(CAUSE, 9)) for _ in range(3)]
    while not at_work:  # noqa: ASYNC110 - nothing announces how far the others get
        await asyncio.sleep(0)
    noted = past.tried.begun
    past.tried = DeliveryAttempts()
    fresh = asyncio.ensure_future(clerk.react(CAUSE))
    while len(at_work) < 2:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0)
    assert (noted, len(at_work)) == (SUSPECT_MISSING_OUTCOMES + 1, 2)

    let_go.set()
    await asyncio.gather(fresh, *suspects)

    assert len(at_work) == 4


def test_a_service_reacts_to_a_kind_of_event_once() -> None:
    """Of two reactions to the same kind one would silently never run."""
    service = Service("test")

    async def react(event: Event, resources: Resources) -> Outcome:
        return None

    service.handles(TaskCompleted)(react)
    with pytest.raises(ValueError, match="test handles TaskCompleted twice"):
        service.handles(TaskRouted, TaskCompleted)(react)
    assert set(service.handlers) == {TaskCompleted}
