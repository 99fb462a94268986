"""The learned scorer is trained from the log when training is due. It ranks only while it is better than the linear
score.
"""

import numpy as np
import pytest

from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.event import Event, derive
from nemuri_contracts.scorers import HeldOut, ScorerTrained
from nemuri_contracts.strength import AgentSlept, ImpactCredited, MemoriesRetrieved, MemoriesUsed, SessionEnded, Use
from nemuri_contracts.tasks import TaskAssigned
from nemuri_domain.strength import scorer
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.trainer import handlers
from nemuri_services.trainer.retrieval_log_cache import Pasts
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    effective_events,
    opened_log,
    running_services,
    until_idle,
)
from tests.unit.domain.strength.schooling import AGENT, World, by_impact, by_relevance, retrieved, used

pytestmark = pytest.mark.connected

TRAINING_SERVICES = ("projector", "trainer")


def assignment_events(number: int, world: World) -> list[Event]:
    """Return the events of an assignment up to the use of its memories, without the end of its session."""
    rng = np.random.default_rng(number)
    event = retrieved(number, rng)
    envelope = {"correlation_id": event.task_id, "agent_id": AGENT}
    return [
        TaskAssigned(event_id=event.assignment_id, part=0, perspective=None, attempt=1, **envelope),
        event,
        MemoriesUsed(
            event_id=derive(number, "memories_used"),
            assignment_id=event.assignment_id,
            perspective=None,
            uses=tuple(Use(memory_id=each, method="citation") for each in used(event, world, rng)),
            **envelope,
        ),
    ]


def session_ended(number: int) -> SessionEnded:
    """Return the end of an assignment's session."""
    return SessionEnded(
        event_id=derive(number, "session_ended"),
        correlation_id=derive(number, "task"),
        agent_id=AGENT,
        assignment_id=derive(number, "task_assigned"),
    )


def helpful_credit(number: int) -> ImpactCredited:
    """Return the credit for an assignment whose answer was helpful."""
    return ImpactCredited(
        event_id=derive(number, "impact_credited"),
        correlation_id=derive(number, "task"),
        agent_id=AGENT,
        assignment_id=derive(number, "task_assigned"),
        reason="helpful",
        points=2.0,
        memory_ids=(),
    )


async def append_assignments(log: Log, numbers: range, world: World) -> None:
    """Append the events of these assignments, and the end of the last one's session."""
    for number in numbers:
        for event in assignment_events(number, world):
            await log.append(event)
    await log.append(session_ended(numbers[-1]))


async def trained_scorers(resources: Resources) -> list[ScorerTrained]:
    """Wait until all services are idle, and return the events of all trained scorers."""
    await until_idle(resources, TRAINING_SERVICES)
    return [event for event in await effective_events(resources.log) if isinstance(event, ScorerTrained)]


async def test_a_scorer_is_trained_with_enough_samples_and_serves_while_better(settings: Settings) -> None:
    """A scorer is trained after 100 samples, and again after 30 more. It ranks only while it is better."""
    async with running_services(settings, TRAINING_SERVICES) as resources:
        await resources.log.append(agent_defined(AGENT))
        await append_assignments(resources.log, range(8), by_impact)
        assert await trained_scorers(resources) == [], "too few samples"
        await append_assignments(resources.log, range(8, 80), by_impact)
        [first] = await trained_scorers(resources)
        assert (first.number, first.serves, first.held_out.tasks >= 10) == (1, True, True)
        assert first.held_out.learned - first.held_out.linear > 0.05
        await append_assignments(resources.log, range(80, 82), by_impact)
        assert len(await trained_scorers(resources)) == 1, "too few new samples"
        await append_assignments(resources.log, range(82, 160), by_relevance)
        second = (await trained_scorers(resources))[-1]
        assert (second.number, second.serves) == (2, False), "the newest tasks follow another rule"
        known = await resources.views.agents.scorer(AGENT)
        assert known is not None
        assert (known.number, known.weights, known.serves) == (2, second.weights, False)
    await assert_verified(settings)


async def test_feedback_on_an_old_assignment_trains_again_once(settings: Settings) -> None:
    """Feedback on an old assignment causes one more training, unless the assignment keeps its value."""
    async with running_services(settings, TRAINING_SERVICES) as resources:
        await resources.log.append(agent_defined(AGENT))
        await append_assignments(resources.log, range(60), by_impact)
        [first] = await trained_scorers(resources)
        await resources.log.append(helpful_credit(7))
        [_, second] = await trained_scorers(resources)
        assert (second.number, second.causation_id) == (2, helpful_credit(7).event_id)
        assert second.weights != first.weights
        succeeded = helpful_credit(7).model_copy(
            update={"event_id": derive(7, "success"), "reason": "success", "points": 1.5}
        )
        await resources.log.append(succeeded)
        assert len(await trained_scorers(resources)) == 2
        failed = helpful_credit(7).model_copy(
            update={"event_id": derive(7, "failure"), "reason": "failure", "points": 0.0}
        )
        await resources.log.append(failed)
        third = (await trained_scorers(resources))[-1]
        assert (third.number, third.causation_id) == (3, failed.event_id), "the newest feedback decides"
    await assert_verified(settings)


async def test_the_policy_sets_the_samples_for_another_training(settings: Settings) -> None:
    """The policy's `retrain_after` is the number of new samples after which the scorer is trained again."""
    async with running_services(settings, TRAINING_SERVICES) as resources:
        await resources.log.append(agent_defined(AGENT))
        await resources.log.append(
            PolicyAdopted(event_id=derive("test", "policy"), agent_id=AGENT, parameters={"retrain_after": 1})
        )
        slept = AgentSlept(event_id=derive("test", "slept"), agent_id=AGENT, sessions=(derive("test", "session"),))
        await resources.log.append(slept)
        await append_assignments(resources.log, range(60), by_impact)
        assert [event.number for event in await trained_scorers(resources)] == [1]
        await append_assignments(resources.log, range(60, 62), by_impact)
        assert [event.number for event in await trained_scorers(resources)] == [1, 2]


async def test_events_are_not_trained_on_again(settings: Settings) -> None:
    """Events that a scorer was trained on cause no further training, even if the trainer has lost its cache."""
    async with running_services(settings, TRAINING_SERVICES) as resources:
        await resources.log.append(agent_defined(AGENT))
        await append_assignments(resources.log, range(60), by_impact)
        before = await trained_scorers(resources)
        assert len(before) == 1
        handlers.pasts.known = Pasts().known
        for event in await effective_events(resources.log):
            if isinstance(event, SessionEnded):
                assert await handlers.train(event, resources) is None
        assert await trained_scorers(resources) == before


async def test_the_scorer_ranks_while_it_serves(settings: Settings) -> None:
    """A retrieval names the scorer that ranked it. A scorer that is not better, or that the policy disables, is not
    used.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        log = resources.log
        await log.append(agent_defined(AGENT))
        await client.settle()
        await client.remember(AGENT, "The truth value of an empty list is false.", tags=["list"])
        await client.remember(AGENT, "The truth value of a number is false for zero.", tags=["number"])

        async def ranking() -> str:
            await client.settle()
            return (await client.recall(AGENT, "truth value")).ranking

        assert await ranking() == "linear-1"
        await log.append(_scorer(1, serves=True))
        assert await ranking() == "scorer-1"
        asked = await client.ask("What is the truth value of an empty list?", settled=True)
        events = await effective_events(log)
        [retrieval] = [event for event in events if isinstance(event, MemoriesRetrieved)]
        assert (retrieval.task_id, retrieval.ranking) == (asked.task_id, "scorer-1")
        await log.append(_scorer(2, serves=False))
        assert await ranking() == "linear-1"
        await log.append(_scorer(3, serves=True))
        await log.append(
            PolicyAdopted(event_id=derive("test", "policy"), agent_id=AGENT, parameters={"ranking": "linear"})
        )
        await client.ask("What is the truth value of zero?", settled=True)
        await until_idle(resources)
        assert await ranking() == "linear-1", "the policy is in force since the sleep"
    await assert_verified(settings)


async def test_sessions_that_end_at_once_cause_one_training(settings: Settings) -> None:
    """Sixty sessions that end at the same time cause one training."""
    async with opened_log(settings) as log:
        await log.append(agent_defined(AGENT))
        for number in range(60):
            for event in assignment_events(number, by_impact):
                await log.append(event)
        await append_all(log, [session_ended(number) for number in range(60)])
    async with running_services(settings, TRAINING_SERVICES) as resources, running_services(settings, ("trainer",)):
        assert len(await trained_scorers(resources)) == 1


def _scorer(number: int, *, serves: bool) -> ScorerTrained:
    return ScorerTrained(
        event_id=derive(number, "scorer_trained"),
        agent_id=AGENT,
        number=number,
        weights=scorer.copy_of_linear(),
        samples=100,
        tasks=40,
        until=1,
        held_out=HeldOut(tasks=12, learned=0.5, linear=0.4, error=0.05),
        serves=serves,
    )
