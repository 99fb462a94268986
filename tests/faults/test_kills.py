"""Whichever process dies at whichever moment, nothing acknowledged is lost and nothing recorded is replaced."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri.platform.service_registry import SERVICES
from nemuri_contracts.affective import MemoryCompressed, NightFell, NightPassed, TurnRemembered
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tasks import TaskAnswered, TaskCompleted, TaskFailed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.runtime.resources import Resources, open_resources
from tests.faults.processes import Platform
from tests.integration.scene import (
    agent_defined,
    assert_verified,
    effective,
    eventually,
    patiently,
    quiet,
    recorded,
    visiting,
)
from tests.integration.test_affect import turn

pytestmark = [pytest.mark.connected, pytest.mark.timeout(120), pytest.mark.xdist_group("kills")]

TASKS = 6
PATIENCE = 40.0
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
"""Killed in the same run, at moments of their own: an event in work at that moment waits for another worker."""


async def submit_all(client: Client, rng: random.Random) -> list[UUID]:
    """Submit tasks with a document each, in the rhythm of the seed; all of them acknowledged."""
    known = []
    for number in range(TASKS):
        key = uuid4()
        text = f"Is number {rng.randrange(1, 26)} true, and what of an empty list? ({number})"
        await patiently(lambda text=text, key=key: client.submit(text, documents=[("p.txt", DOCUMENT)], key=key))  # type: ignore[misc]
        known.append(key)
        await asyncio.sleep(rng.uniform(0, 0.1))
    return known


def test_every_process_is_a_victim() -> None:
    """No process is spared, a service that comes later included."""
    assert {name for group in VICTIMS for name in group} == {*SERVICES, "nats", "postgres"}


@pytest.mark.parametrize("victims", VICTIMS, ids="+".join)
async def test_every_task_ends_whoever_is_killed(
    platform: Platform, log: Log, victims: Sequence[str], seed: int
) -> None:
    """Each acknowledged task is answered, once and for good, each session slept over once, and the views are right."""
    rng = random.Random(seed)
    async with visiting(platform.settings) as client:
        async with asyncio.TaskGroup() as group:
            submission = group.create_task(submit_all(client, rng))
            group.create_task(platform.crash_sometime(victims, rng))
        tasks = submission.result()
        results = [await client.result(key, settled=True, timeout=PATIENCE) for key in tasks]
    async with open_resources(platform.settings) as resources:
        await quiet(resources)
    facts = await effective(log)
    assert [each.status for each in results] == ["done"] * TASKS
    assert_answered_for_good(results, await recorded(log), facts)
    assert_slept_once(facts)
    assert_remembered_once(tasks, facts)
    await assert_verified(platform.settings)


async def test_every_turn_is_one_memory_and_every_night_falls_once(platform: Platform, log: Log, seed: int) -> None:
    """Whoever of those is killed who read turns, count nights, find fewer words and fold all that."""
    rng = random.Random(seed)
    offered = [turn(f"The parser of part {number} is broken again, I hate it!", number=number) for number in range(24)]
    await log.append(agent_defined("diary", memory="affective", perspectives=()))

    async def live() -> None:
        for each in offered:
            await patiently(lambda each=each: log.append(each))  # type: ignore[misc]
            await asyncio.sleep(rng.uniform(0, 0.05))

    victims = ("affective-memory", "affective-nightly", "projector")
    async with open_resources(platform.settings) as resources:
        async with asyncio.TaskGroup() as group:
            group.create_task(live())
            group.create_task(platform.crash_sometime(victims, rng))
        await eventually(lambda: all_remembered(resources, len(offered)))
        await resources.clock.advance(timedelta(days=2))
        await platform.crash(rng.choice(victims))
        await eventually(lambda: night_over(resources))
        await quiet(resources)
    facts = await effective(log)
    remembered = Counter(each.turn_id for each in facts if isinstance(each, TurnRemembered))
    assert remembered == Counter(each.event_id for each in offered)
    nights = [each for each in facts if isinstance(each, NightPassed)]
    assert sum(each.nights for each in nights) == sum(each.nights for each in facts if isinstance(each, NightFell)) >= 2
    lowered = {each.memory_id for night in nights for each in night.lowered}
    assert lowered <= {each.memory_id for each in facts if isinstance(each, MemoryCompressed)}
    await assert_verified(platform.settings)


async def all_remembered(resources: Resources, number: int) -> bool:
    """every turn is a memory"""
    return (await AffectiveQueries(resources.database).lived("diary")).remembered == number


async def night_over(resources: Resources) -> bool:
    """the night is over, and what fell is in fewer words"""
    (agent,) = await AffectiveQueries(resources.database).agents("diary")
    lived = await AffectiveQueries(resources.database).lived("diary")
    fell = sum(agent.levels[1:])
    return agent.nights >= 2 and fell > 0 and lived.summaries == fell


def assert_answered_for_good(
    results: Sequence[TaskResult], everything: Sequence[AnyEvent], facts: Sequence[AnyEvent]
) -> None:
    """The first answer recorded for an assignment is the one that clients see, and each task is completed once."""
    first: dict[UUID, str] = {}
    parts: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for event in everything:
        if isinstance(event, TaskAnswered) and event.assignment_id not in first:
            first[event.assignment_id] = event.text
            parts[event.task_id].append(event.assignment_id)
    completed = Counter(each.task_id for each in facts if isinstance(each, TaskCompleted))
    for each in results:
        assert completed[each.task_id] == 1
        said, _, _ = str(each.answer).partition("\n\n(Read: ")  # below it stands what share of the documents was read
        assert [first[part] for part in parts[each.task_id]] == [said]
    assert not [each for each in facts if isinstance(each, TaskFailed)]


def assert_remembered_once(tasks: Sequence[UUID], facts: Sequence[AnyEvent]) -> None:
    """Each task is one session of the orchestrator's own mind."""
    mine = [each for each in facts if isinstance(each, SessionEnded) and each.agent_id == ORCHESTRATOR]
    remembered = Counter(each.thread for each in mine)
    assert [remembered[each] for each in tasks] == [1] * TASKS


def assert_slept_once(facts: Sequence[AnyEvent]) -> None:
    """The sleeps cover exactly the sessions that ended, each once."""
    slept = Counter(session for each in facts if isinstance(each, AgentSlept) for session in each.sessions)
    assert slept == Counter(each.assignment_id for each in facts if isinstance(each, SessionEnded))
