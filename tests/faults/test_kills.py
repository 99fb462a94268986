"""After a kill of any process no acknowledged task is lost and no recorded answer is replaced."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri_contracts.affective import MemoryCompressed, NightFell, NightPassed, TurnRemembered
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tasks import TaskAnswered, TaskCompleted, TaskFailed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_services.service_registry import SERVICES
from tests.faults.processes import Platform
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    recorded_events,
    retried,
    until_idle,
)
from tests.integration.test_affective_memory import turn

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("kills")]

TASKS = 6
DOCUMENT = "\f".join(
    f"Page {number}. Any object can be tested for truth value. Number {number} is true, and an empty list is false."
    for number in range(1, 26)
)
VICTIMS = (
    ("projector", "intake", "specialist", "query-api"),
    ("orchestrator", "attribution", "strength-sleep", "routing-memory", "trainer", "tutor"),
    ("nats",),
    ("postgres",),
    (*SERVICES, "nats", "postgres"),
)
"""Groups of processes; all processes of a group are killed in one run, each at a random time."""


async def submit_all(client: Client, rng: random.Random) -> list[UUID]:
    """Submit tasks with one document each, at random intervals, and return their ids once acknowledged."""
    known = []
    for number in range(TASKS):
        key = uuid4()
        text = f"Is number {rng.randrange(1, 26)} true, and what of an empty list? ({number})"
        await retried(lambda text=text, key=key: client.submit(text, documents=[("p.txt", DOCUMENT)], key=key))  # type: ignore[misc]
        known.append(key)
        await asyncio.sleep(rng.uniform(0, 0.1))
    return known


def test_every_process_is_killed_by_some_test() -> None:
    """Every service and both servers are killed by some test."""
    assert {name for group in VICTIMS for name in group} == {*SERVICES, "nats", "postgres"}


@pytest.mark.long
@pytest.mark.parametrize("victims", VICTIMS, ids="+".join)
async def test_every_task_ends_after_kills(platform: Platform, log: Log, victims: Sequence[str], seed: int) -> None:
    """Each acknowledged task is answered once, each session takes part in one sleep, and the views agree with the
    log.
    """
    rng = random.Random(seed)
    async with connected_client(platform.settings) as client:
        async with asyncio.TaskGroup() as group:
            submission = group.create_task(submit_all(client, rng))
            group.create_task(platform.kill_at_random_times(victims, rng))
        tasks = submission.result()
        results = [await client.result(key, settled=True) for key in tasks]
    async with open_resources(platform.settings) as resources:
        await until_idle(resources)
    facts = await effective_events(log)
    assert [result.status for result in results] == ["done"] * TASKS
    assert_answered_once(results, await recorded_events(log), facts)
    assert_slept_once(facts)
    assert_remembered_once(tasks, facts)
    await assert_verified(platform.settings)


@pytest.mark.long
async def test_every_turn_becomes_one_memory_and_every_night_passes_once(
    platform: Platform, log: Log, seed: int
) -> None:
    """Each turn becomes one memory and each nightly job runs once, while services of affective memory are killed."""
    rng = random.Random(seed)
    offered = [turn(f"The parser of part {number} is broken again, I hate it!", number=number) for number in range(24)]
    await log.append(agent_defined("diary", memory="affective", perspectives=()))

    async def offer_turns() -> None:
        for each in offered:
            await retried(lambda each=each: log.append(each))  # type: ignore[misc]
            await asyncio.sleep(rng.uniform(0, 0.05))

    victims = ("affective-memory", "affective-nightly", "projector")
    async with open_resources(platform.settings) as resources:
        async with asyncio.TaskGroup() as group:
            group.create_task(offer_turns())
            group.create_task(platform.kill_at_random_times(victims, rng))
        await eventually(lambda: all_remembered(resources, len(offered)))
        await resources.clock.advance(timedelta(days=2))
        await platform.kill_and_restart(rng.choice(victims))
        await eventually(lambda: night_over(resources))
        await until_idle(resources)
    facts = await effective_events(log)
    remembered = Counter(fact.turn_id for fact in facts if isinstance(fact, TurnRemembered))
    assert remembered == Counter(event.event_id for event in offered)
    nights = [fact for fact in facts if isinstance(fact, NightPassed)]
    assert sum(each.nights for each in nights) == sum(fact.nights for fact in facts if isinstance(fact, NightFell)) >= 2
    lowered = {each.memory_id for night in nights for each in night.lowered}
    assert lowered <= {fact.memory_id for fact in facts if isinstance(fact, MemoryCompressed)}
    await assert_verified(platform.settings)


async def all_remembered(resources: Resources, number: int) -> bool:
    """Return True once `number` turns have become memories."""
    return (await AffectiveQueries(resources.database).turn_counts("diary")).remembered == number


async def night_over(resources: Resources) -> bool:
    """Return True once two nightly jobs are done and every memory at a lower level is compressed."""
    (agent,) = await AffectiveQueries(resources.database).agents("diary")
    lived = await AffectiveQueries(resources.database).turn_counts("diary")
    fell = sum(agent.levels[1:])
    return agent.nights >= 2 and fell > 0 and lived.summaries == fell


def assert_answered_once(
    results: Sequence[TaskResult], everything: Sequence[AnyEvent], facts: Sequence[AnyEvent]
) -> None:
    """Assert that each task completed once and its result holds the first recorded answers of its assignments."""
    first: dict[UUID, str] = {}
    parts: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for event in everything:
        if isinstance(event, TaskAnswered) and event.assignment_id not in first:
            first[event.assignment_id] = event.text
            parts[event.task_id].append(event.assignment_id)
    completed = Counter(fact.task_id for fact in facts if isinstance(fact, TaskCompleted))
    for result in results:
        assert completed[result.task_id] == 1
        answer, _, _ = str(result.answer).partition(
            "\n\n(Read: "
        )  # The result may end with a note on the share of the documents that was read.
        assert [first[part] for part in parts[result.task_id]] == [answer]
    assert not [fact for fact in facts if isinstance(fact, TaskFailed)]


def assert_remembered_once(tasks: Sequence[UUID], facts: Sequence[AnyEvent]) -> None:
    """Assert that each task is exactly one session in the orchestrator's memory."""
    mine = [fact for fact in facts if isinstance(fact, SessionEnded) and fact.agent_id == ORCHESTRATOR]
    remembered = Counter(fact.thread for fact in mine)
    assert [remembered[task] for task in tasks] == [1] * TASKS


def assert_slept_once(facts: Sequence[AnyEvent]) -> None:
    """Assert that every ended session takes part in exactly one sleep."""
    slept = Counter(session for fact in facts if isinstance(fact, AgentSlept) for session in fact.sessions)
    assert slept == Counter(fact.assignment_id for fact in facts if isinstance(fact, SessionEnded))
