"""Lists of tasks and of memories, which are paged by key."""

from uuid import UUID, uuid4

import pytest

import nemuri
from nemuri.client.client import Client
from nemuri_contracts.client_events import MemoryContent, TaskSubmitted
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import MemoryView
from nemuri_contracts.tasks import TaskFailed
from nemuri_infra.projections import memory_pages, task_pages
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, running_services, until_idle

pytestmark = pytest.mark.connected


async def all_tasks(client: Client, /, **conditions: object) -> list[UUID]:
    """Return the ids of all tasks that meet the conditions, page by page."""
    page = await client.tasks(**conditions)  # type: ignore[arg-type]
    found = [task.task_id for task in page.tasks]
    while page.following is not None:
        page = await client.tasks(**conditions, following=page.following)  # type: ignore[arg-type]
        found += [task.task_id for task in page.tasks]
    return found


async def all_memories(client: Client, **conditions: object) -> list[MemoryView]:
    """Return all memories that meet the conditions, page by page."""
    page = await client.memory_page("python", **conditions)  # type: ignore[arg-type]
    found = [*page.memories]
    while page.following is not None:
        page = await client.memory_page("python", **conditions, following=page.following)  # type: ignore[arg-type]
        found += page.memories
    return found


async def test_tasks_are_listed_newest_first_and_by_condition(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of any size hold every task that meets the conditions once, the newest first, also if a page stops early
    because it searched enough texts.
    """
    names = ["projector", "query-api"]
    async with running_services(settings, names) as resources, connected_client(settings) as client:
        texts = [f"Is steel number {number} hard?" for number in range(10)] + ["Who ate the 50% Apple_Pie?"] * 3
        ids = [await submitted(resources, text, f"c{number % 2}") for number, text in enumerate(texts)]
        for each in ids[:4]:
            await resources.log.append(
                TaskFailed(event_id=derive(each, "task_failed"), correlation_id=each, attempt=1, reason="no agent")
            )
        await until_idle(resources, names)
        newest = ids[::-1]
        for limit in (1, 3, 50):
            assert await all_tasks(client, limit=limit) == newest
            assert await all_tasks(client, limit=limit, status="failed") == ids[3::-1]
            assert await all_tasks(client, limit=limit, client="c1", status="open") == ids[11:4:-2]
            assert await all_tasks(client, limit=limit, containing="pie 50%") == ids[:9:-1]
        assert await all_tasks(client, containing="_ie") == []
        assert await all_tasks(client, agent="python") == []
        assert await all_tasks(client, status="waiting") == []
        monkeypatch.setattr(task_pages, "MAX_SCANNED", 4)
        assert await all_tasks(client, limit=2, containing="number 1") == [ids[1]]
        [line] = (await client.tasks(limit=1, containing="apple_pie")).tasks
        assert (line.beginning, line.client_id, line.status, line.attempt) == (texts[-1], "c0", "open", 1)


async def submitted(resources: Resources, text: str, client_id: str) -> UUID:
    """Append a submitted task and return its id."""
    event = TaskSubmitted(event_id=uuid4(), text=text, client_id=client_id)
    await resources.log.append(event)
    return event.event_id


async def test_a_task_is_listed_with_the_agents_that_work_on_it(settings: Settings) -> None:
    """A task is listed with its agents and found by them, and it has its end."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        task = await client.ask("What is truth value testing?", perspective="semantics")
        await client.settle()
        [line] = (await client.tasks(agent="python", status="done")).tasks
        assert (line.task_id, line.agents, line.perspective) == (task.task_id, ("python",), "semantics")
        assert line.ended_at is not None
        assert (await client.tasks(agent="cook")).tasks == ()


@pytest.mark.long
async def test_memories_are_listed_by_strength_and_by_age_however_small_the_pages(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of any size hold every memory that meets the conditions once, in order, also with a scan that stops."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        contents = [
            MemoryContent(
                content=f"Rule {number} of {'Café' if number % 2 else 'steel'}",
                tags=("odd",) if number % 2 else (),
                learnings={"semantics": "falsehood"} if number == 4 else {},
            )
            for number in range(23)
        ]
        await client.remember_all("python", contents)
        for number in (3, 8, 17):
            await client.ask(f"Rule {number} of steel?", agent="python", settled=True)
        await until_idle(resources)
        everything = {memory.memory_id: memory for memory in await client.memories("python", status="all")}
        ranked = sorted(everything.values(), key=lambda each: (-each.strength, str(each.memory_id)))
        assert len({each.strength for each in ranked}) > 1
        offered = [each.memory.content for each in everything.values() if each.source == "manual"]
        assert len(offered) == len(contents)
        for limit in (1, 4, 300):
            strongest = await all_memories(client, limit=limit)
            assert [memory.memory_id for memory in strongest] == [each.memory_id for each in ranked]
            newest = await all_memories(client, limit=limit, order="newest")
            assert [memory.created_at for memory in newest] == sorted((e.created_at for e in newest), reverse=True)
            assert {memory.memory_id for memory in newest} == {*everything}
            for conditions, wanted in (
                ({"containing": "CAFÉ rule"}, [each for each in ranked if "Café" in each.memory.content]),
                (
                    {"containing": "falsehood"},
                    [each for each in ranked if "falsehood" in each.memory.learnings.values()],
                ),
                ({"tags": ["odd"]}, [each for each in ranked if "odd" in each.memory.tags]),
                ({"source": "task"}, [each for each in ranked if each.source == "task"]),
                ({"status": "archived"}, [each for each in ranked if each.status == "archived"]),
            ):
                found = await all_memories(client, limit=limit, **conditions)
                assert [memory.memory_id for memory in found] == [each.memory_id for each in wanted], conditions
        monkeypatch.setattr(memory_pages, "MAX_SCANNED", 2)
        for order in ("strongest", "newest"):
            assert len(await all_memories(client, limit=3, tags=["odd"], order=order)) == 11
        with pytest.raises(nemuri.ClientError, match="there is no agent"):
            await client.memory_page("cook")


async def test_a_sleep_between_two_pages_changes_no_order(settings: Settings) -> None:
    """An agent that sleeps between two pages neither hides a memory nor shows one twice, although levels fade apart."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember_all("python", [MemoryContent(content=f"Truth rule {number}") for number in range(12)])
        for _ in range(6):
            await client.ask("Which truth rule is the first?", agent="python", settled=True)
        await until_idle(resources)
        before = [memory.memory_id for memory in await client.memories("python")]
        page = await client.memory_page("python", limit=4)
        seen = [memory.memory_id for memory in page.memories]
        slept = (await client.agents("python"))[0].sessions_slept
        await client.ask("What colour has the sky over Paris?", agent="python", settled=True)
        await until_idle(resources)
        assert (await client.agents("python"))[0].sessions_slept > slept
        while page.following is not None:
            page = await client.memory_page("python", limit=4, following=page.following)
            seen += [memory.memory_id for memory in page.memories]
        assert len(seen) == len({*seen})
        assert {*before} <= {*seen}


async def test_wrong_bounds_of_a_page_are_refused(settings: Settings) -> None:
    """An empty agent has an empty page. A size out of range and a journal of nothing are refused in one line."""
    async with running_services(settings, ["projector", "query-api"]) as resources:
        await resources.log.append(agent_defined())
        async with connected_client(settings) as client:
            await client.settle()
            page = await client.memory_page("python")
            assert (page.memories, page.following) == ((), None)
            with pytest.raises(nemuri.ClientError, match="limit"):
                await client.memory_page("python", limit=301)
            with pytest.raises(nemuri.ClientError, match="give a task, an agent or ids"):
                await client.journal()
