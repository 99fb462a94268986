"""Every session is part of exactly one sleep, with any number of workers and concurrent events.

A sleep follows the end of sessions; it lets memories decay and archives the weakest.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

import pytest

from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, MemoriesUsed, MemoryEncoded, SessionEnded, Use
from nemuri_domain.strength import sleep
from nemuri_infra.bus.event_log import ConflictError, Log
from nemuri_infra.runtime.event_processor import EventProcessor
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import ConditionalAppend
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_key
from nemuri_services.strength_sleep.handlers import service
from tests.integration.harness import (
    agent_defined,
    append_all,
    assert_verified,
    effective_events,
    eventually,
    recorded_events,
    retried,
    running_services,
)
from tests.integration.servers import Servers, prepared_cluster

pytestmark = pytest.mark.connected

WORKERS = 8
SESSIONS = 64


def traffic(rng: random.Random) -> list[Event]:
    """Return ends of sessions, new memories and uses of one agent in random order."""
    sessions: list[Event] = [
        SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()) for _ in range(SESSIONS)
    ]
    memories = [
        MemoryEncoded(
            event_id=uuid4(),
            agent_id="python",
            memory=MemoryContent(content=f"fact {number}"),
            vector=vector_key("nemuri-words-3", 256, f"fact {number}"),
            source="manual",
            strength=rng.uniform(0.1, 2.0),
            perspectives=("semantics", "pitfalls"),
        )
        for number in range(60)
    ]
    uses = [
        MemoriesUsed(
            event_id=uuid4(),
            agent_id="python",
            assignment_id=uuid4(),
            perspective="semantics",
            uses=tuple(Use(memory_id=memory.memory_id, method="citation") for memory in rng.sample(memories, 4)),
        )
        for _ in range(80)
    ]
    events = [*sessions, *memories, *uses]
    rng.shuffle(events)
    return events


async def append_slowly(log: Log, events: Sequence[Event], rng: random.Random) -> None:
    """Append events in groups of random size with random pauses between them."""
    rest = list(events)
    while rest:
        size = rng.randint(1, 12)
        await append_all(log, rest[:size])
        rest = rest[size:]
        await asyncio.sleep(rng.uniform(0, 0.03))


def slept_sessions(events: Sequence[Event]) -> Counter[UUID]:
    """Return for each session the number of recorded sleeps that it is part of."""
    return Counter(session for event in events if isinstance(event, AgentSlept) for session in event.sessions)


def ended_sessions(events: Sequence[Event]) -> set[UUID]:
    """Return the ids of the ended sessions."""
    return {event.assignment_id for event in events if isinstance(event, SessionEnded)}


async def assert_each_slept_once(resources: Resources) -> None:
    """Assert that every session is part of exactly one recorded sleep."""
    facts = await effective_events(resources.log)
    assert len(ended_sessions(facts)) == SESSIONS
    assert slept_sessions(facts) == Counter(ended_sessions(facts))
    assert slept_sessions(await recorded_events(resources.log)) == slept_sessions(facts)


def all_slept(resources: Resources) -> Callable[[], Awaitable[bool]]:
    """Return a condition that is true once the views count every session as part of a sleep."""

    async def condition() -> bool:
        """Return True if every session was part of a sleep."""
        agent = await resources.views.agent("python")
        return agent is not None and agent.slept == SESSIONS and not agent.awake

    return condition


async def test_eight_workers_sleep_over_each_session_once(settings: Settings, seed: int) -> None:
    """With eight sleep workers, every session of one agent is part of exactly one sleep while events are appended."""
    rng = random.Random(seed)
    async with AsyncExitStack() as stack:
        resources = await stack.enter_async_context(running_services(settings, ["projector"]))
        for _ in range(WORKERS):
            await stack.enter_async_context(running_services(settings, ["strength-sleep"]))
        await resources.log.append(agent_defined())
        await append_slowly(resources.log, traffic(rng), rng)
        await eventually(all_slept(resources))
        await assert_each_slept_once(resources)
    await assert_verified(settings)


async def test_one_of_two_sleeps_on_the_same_state_is_refused(settings: Settings, seed: int) -> None:
    """If two sleeps are decided on the same state, the log accepts the first and refuses the second."""
    async with running_services(settings, ["projector"]) as resources:
        await resources.log.append(agent_defined())
        await append_slowly(resources.log, traffic(random.Random(seed)), random.Random(seed))
        facts = [event for event in await effective_events(resources.log) if isinstance(event, SessionEnded)]
        await resources.views.wait_for(facts[-1])
        one, other = [await service.handlers[SessionEnded](fact, resources) for fact in facts[:2]]
        assert isinstance(one, ConditionalAppend)
        assert isinstance(other, ConditionalAppend)
        assert one.event.event_id != other.event.event_id
        await resources.log.append(one.event, expected=one.last)
        with pytest.raises(ConflictError):
            await resources.log.append(other.event, expected=other.last)


async def test_concurrent_sleeps_of_an_agent_happen_once(settings: Settings, seed: int) -> None:
    """If eight handlers work for one agent at the same time, every session is part of exactly one sleep."""
    rng = random.Random(seed)
    async with running_services(settings, ["projector"]) as resources:
        await resources.log.append(agent_defined())
        events = traffic(rng)
        await append_slowly(resources.log, events, rng)
        facts = [event for event in await effective_events(resources.log) if isinstance(event, SessionEnded)]
        await asyncio.gather(*(sleep_racing(resources, facts, rng.random()) for _ in range(WORKERS)))
        await eventually(all_slept(resources))
        await assert_each_slept_once(resources)
    await assert_verified(settings)


async def sleep_racing(resources: Resources, sessions: Sequence[SessionEnded], seed: float) -> None:
    """Handle the sessions in a random order, each again and again until its append does not conflict."""
    processor, rest = EventProcessor(service, resources), list(sessions)
    rng = random.Random(seed)
    while rest:
        event = rest.pop(rng.randrange(len(rest)))
        try:
            await processor.process(event)
        except ConflictError:
            rest.append(event)


async def test_a_sleep_that_exceeds_one_event_is_continued(
    settings: Settings, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a sleep has more changes than one event can hold, further sleeps continue it until the capacity is not
    exceeded.
    """
    monkeypatch.setattr(sleep, "CHANGES_PER_SLEEP", 7)
    rng = random.Random(seed)
    async with AsyncExitStack() as stack:
        resources = await stack.enter_async_context(running_services(settings, ["projector"]))
        await resources.log.append(agent_defined())
        await resources.log.append(
            PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={"max_active_memories": 5})
        )
        events = traffic(rng)
        await append_slowly(resources.log, [event for event in events if not isinstance(event, SessionEnded)], rng)
        await append_all(resources.log, [event for event in events if isinstance(event, SessionEnded)])
        for _ in range(WORKERS):
            await stack.enter_async_context(running_services(settings, ["strength-sleep"]))
        await eventually(all_slept(resources))

        async def roomy() -> bool:
            """Return True once the agent has no more active memories than its capacity."""
            agent = await resources.views.agent("python")
            return agent is not None and sum(agent.active) <= 5

        await eventually(roomy)
        await assert_each_slept_once(resources)
        slept = [event for event in await effective_events(resources.log) if isinstance(event, AgentSlept)]
        assert max(len(event.pruned) for event in slept) == sleep.CHANGES_PER_SLEEP
        assert any(event.sessions == () for event in slept)
        again = [await service.handlers[AgentSlept](event, resources) for event in slept]
        assert again == [None] * len(slept)
    await assert_verified(settings)


@pytest.mark.long
async def test_a_cluster_that_loses_a_node_sleeps_over_each_session_once(servers: Servers, seed: int) -> None:
    """On a cluster whose node is killed and restarted, every session is part of exactly one sleep."""
    rng = random.Random(seed)
    async with prepared_cluster(servers) as (cluster, settings), AsyncExitStack() as stack:
        resources = await stack.enter_async_context(running_services(settings, ["projector"]))
        for _ in range(WORKERS):
            await stack.enter_async_context(running_services(settings, ["strength-sleep"]))
        await retried(lambda: resources.log.append(agent_defined()))
        events, victim = traffic(rng), rng.randrange(3)
        for step, start in enumerate(range(0, len(events), 8)):
            if step == 8:
                await cluster.kill(victim)
            if step == 16:
                await cluster.restart(victim)
            await asyncio.gather(*(append_retried(resources.log, event) for event in events[start : start + 8]))
        await eventually(all_slept(resources))
        await retried(lambda: assert_each_slept_once(resources))
        await retried(lambda: assert_verified(settings))


async def append_retried(log: Log, event: Event) -> int:
    """Append an event, repeating the call until it is acknowledged, and return its sequence."""
    return await retried(lambda: log.append(event))
