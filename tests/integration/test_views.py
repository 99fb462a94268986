"""The projections in PostgreSQL and those in memory give the same answers after the same events."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri_contracts.agents import ORCHESTRATOR, PolicyAdopted
from nemuri_contracts.client_events import Scope, Setting
from nemuri_contracts.erasure import MemoriesErased, TaskErased
from nemuri_contracts.event import Event
from nemuri_contracts.queries import JournalQuery, MemoriesQuery, TasksQuery
from nemuri_contracts.strength import MemoriesRetrieved, MemoryEncoded, SessionEnded
from nemuri_contracts.tasks import TaskAssigned
from nemuri_domain.strength.sleep import SleepInput
from nemuri_infra.in_memory.event_log import InMemoryLog
from nemuri_infra.projections.indexed_tables import LAST_ID, ChangesWanted
from nemuri_infra.projections.views import Views
from nemuri_infra.retrieval.strength_recall import STRENGTH
from nemuri_infra.runtime.settings import Settings
from tests.in_memory import client_of, in_memory_settings, platform_of, running_in_memory
from tests.integration.harness import ALL_SERVICES, agent_defined, running_services, until_idle

pytestmark = pytest.mark.connected
PROJECT = Setting(project="boiler")
FORGETFUL = {"archive_threshold": 0.6, "base_decay": 1.2, "expected_tasks_per_day": 1, "fading": "tasks"}


async def lived(settings: Settings) -> InMemoryLog:
    """Let two agents answer, remember, be judged, sleep and forget in memory, and return the log."""
    platform = platform_of(settings)
    assert platform is not None
    async with running_in_memory(platform, ALL_SERVICES, None):
        await platform.log.append(agent_defined())
        await platform.log.append(agent_defined("cook", description="soup bread oven", perspectives=()))
        await platform.log.append(PolicyAdopted(event_id=uuid4(), agent_id="cook", parameters=FORGETFUL))
        ann, bob = client_of(platform, "ann"), client_of(platform, "bob")
        await ann.settle()
        await _taught(ann)
        told = await ann.remember("python", "The value of a set is false if it is empty.")
        asked = await ann.ask("Which value has an empty list in a truth test?", conversation="c", settled=True)
        await ann.ask("And an empty dictionary?", conversation="c", settled=True)
        await bob.ask("How long does bread stay in the oven?", settled=True)
        await ann.feedback(asked.task_id, "helpful")
        await bob.feedback(asked.task_id, "unhelpful")
        gone = await ann.ask("What is an operator?", agent="python", settled=True)
        await ann.submit("Please answer:\n" + "\n".join(f"{n}. What does lamp {n} cost?" for n in range(1, 40)))
        await platform.settled()
        await platform.log.append(TaskErased(event_id=uuid4(), correlation_id=gone.task_id))
        await platform.log.append(MemoriesErased(event_id=uuid4(), agent_id="python", memory_ids=(told,)))
        await platform.settled()
    return platform.log


async def _taught(client: Client) -> None:
    await client.remember("python", "An empty list is false in a truth test.", tags=["list"])
    await client.remember("python", "An empty list is false in a truth test.", tags=["list"])
    await client.remember("python", "An operator may return one of its operands.")
    await client.remember("python", "The boiler runs Python 3.11.", scope=Scope(level="project", name="boiler"))
    await client.remember("cook", "Bread stays in the oven for forty minutes.")


Call = tuple[str, tuple[Any, ...], dict[str, Any]]
"""A method of the views, with its arguments."""
MEMORY_LISTS: tuple[dict[str, Any], ...] = (
    {}, {"containing": "truth EMPTY"}, {"tags": ["list"]}, {"person": "Ann"}, {"since": "2030-01-01T00:00:00Z"},
    {"status": "all"}, {"limit": 2}, {"order": "newest"}, {"order": "newest", "limit": 2, "status": "all"},
)  # fmt: skip
TASK_LISTS: tuple[dict[str, Any], ...] = (
    {}, {"status": "waiting"}, {"client": "bob"}, {"agent": "python"}, {"containing": "EMPTY"}, {"limit": 2},
)  # fmt: skip
JOURNALS: tuple[dict[str, Any], ...] = (
    {}, {"kinds": ("task_assigned",)}, {"limit": 3}, {"oldest_first": True}, {"before": 9}, {"beyond": 9},
)  # fmt: skip


async def about_tasks(views: Views, tasks: Iterable[UUID]) -> AsyncIterator[Call]:
    """Yield the calls about tasks."""
    for task in sorted(tasks, key=str):
        yield "next_turn", (task,), {}
        yield "sequences_of_kind", (TaskAssigned,), {"task_id": task}
        if (known := (await views.task(task)).task) is not None:
            yield "earlier_turns", (known, 5), {}
    for options in TASK_LISTS:
        yield "task_page", (TasksQuery.model_validate(options),), {}


async def about_agents(views: Views) -> AsyncIterator[Call]:
    """Yield the calls about the agents, one of which does not exist."""
    for agent in ("python", "cook", ORCHESTRATOR, "nobody"):
        yield "agent", (agent,), {}
        for since in (0, 25):
            yield "index_changes", (STRENGTH, ChangesWanted(agent, "", since, (since, LAST_ID))), {}
        yield "sequences_of_kind", (SessionEnded,), {"agent_id": agent}
        yield "newest_lessons", (agent, 5), {}
        yield "spent_by_agent", (agent, datetime.min.replace(tzinfo=UTC)), {}
        yield "recorded_at", (agent, range(1, 40)), {}
        yield "absent", ("agent", agent), {}
        if (known := await views.agent(agent)) is not None:
            yield "sleep_input", (known,), {}
            for setting in (Setting(), PROJECT):
                yield "strongest_memories", (known, setting), {}
            for options in MEMORY_LISTS:
                yield "memory_page", (known, MemoriesQuery.model_validate({"agent_id": agent, **options})), {}


def about_all(events: Sequence[Event]) -> Iterator[Call]:
    """Yield the calls about memories, the journal, and everything together."""
    memories = [event.memory_id for event in events if isinstance(event, MemoryEncoded)]
    for memory in memories:
        yield "sources_of", (memory,), {}
        yield "absent", ("memory", memory), {}
    for name in ("tasks_with_open_questions", "waiting_tasks", "workloads", "totals", "everything_erased"):
        yield name, (), {}
    yield "memories_by_id", (memories,), {}
    yield "sequences_by_id", ([*(event.event_id for event in events), UUID(int=1)],), {}
    yield "sequences_of_kind", (MemoriesRetrieved,), {}
    yield "erased_of", ([*memories, *(event.event_id for event in events), "python"],), {}
    yield "newest_lessons", (None, 5), {}
    for setting in (Setting(), PROJECT):
        yield "judged_tasks", (setting,), {}
    for options in JOURNALS:
        yield "journal_page", (JournalQuery.model_validate({"agent": "python", **options}),), {}


async def answers(views: Views, events: Sequence[Event]) -> dict[str, Any]:
    """Return the answers of the views about these events, by the number and the name of the call."""
    calls = [*about_all(events)]
    calls += [call async for call in about_tasks(views, {event.thread for event in events if event.thread is not None})]
    calls += [call async for call in about_agents(views)]
    return {
        f"{number} {name}": _in_order(await getattr(views, name)(*given, **more))
        for number, (name, given, more) in enumerate(calls)
    }


def _in_order(answer: Any) -> Any:
    """Return an answer whose memories are in the order of their ids, where their order means nothing."""
    if not isinstance(answer, SleepInput):
        return answer
    touched, faded = (sorted(some, key=lambda memory: memory.memory_id) for some in (answer.touched, answer.faded))
    return replace(answer, touched=tuple(touched), faded=tuple(faded))


async def test_both_kinds_of_projections_give_the_same_answers(settings: Settings) -> None:
    """Every answer about two agents' lives is the same from the tables and from memory: their tasks, memories, sleeps,
    feedback, lists, and what was erased.
    """
    memory = await in_memory_settings()
    log = await lived(memory)
    platform = platform_of(memory)
    assert platform is not None
    events = [event async for batch in log.read(0, log.last) for event in batch.events]
    async with running_services(settings, ["projector"]) as resources:
        for event in events:
            plain = event.model_copy(update={"sequence": None, "recorded_at": None})
            assert await resources.log.append(plain, recorded_at=event.recorded_at) == event.sequence
        await until_idle(resources, ["projector"])
        here = await answers(platform.resources.views, events)
        there = await answers(resources.views, events)
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []
    assert sum(bool(answer) for answer in here.values()) > len(here) // 2
