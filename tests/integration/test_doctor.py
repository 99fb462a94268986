"""The doctor measures the health of an agent's memory and gives advice that can be applied."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from nemuri.admin import advice_adoption
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.agents import Perspective, PolicyAdopted
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.education import ChapterRead
from nemuri_contracts.event import derive
from nemuri_contracts.health_views import Advice, AgentHealth, Finding
from nemuri_contracts.strength import (
    AgentSlept,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryEncoded,
    Seen,
    SessionEnded,
    Use,
)
from nemuri_domain.strength.memory_content import principle_key
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_key
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected

DAYS = 20
MEMORIES = 40
ARCHIVED = 25
RETRIEVALS = 51


async def append_forgetful_agent(log: Log, *, days: int = DAYS, ago: int = 0) -> list[UUID]:
    """Append the events of an agent that is `days` old and archived most of its memories `ago` days ago.

    Return the ids of all its memories.
    """
    then = datetime.now(UTC) - timedelta(days=days)
    await log.append(agent_defined(principles=("fact 0",)), recorded_at=then)
    await log.append(
        PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={"top_k_results": 7}), recorded_at=then
    )
    memories = [
        MemoryEncoded(
            event_id=uuid4() if number else derive(principle_key("python", "fact 0"), MemoryEncoded.kind_of()),
            agent_id="python",
            memory=MemoryContent(content=f"fact {number}"),
            vector=vector_key("nemuri-words-3", 256, f"fact {number}"),
            source="manual" if number else "definition",
            strength=1.0,
            perspectives=("semantics", "pitfalls"),
        )
        for number in range(MEMORIES)
    ]
    for memory in memories:
        await log.append(memory, recorded_at=then)
    ids = [memory.memory_id for memory in memories]
    gone = tuple(Seen(memory_id=each, revision=0) for each in ids[-ARCHIVED:])
    slept = AgentSlept(event_id=uuid4(), agent_id="python", sessions=(uuid4(),), archived=gone)
    await log.append(slept, recorded_at=datetime.now(UTC) - timedelta(days=ago))
    return ids


def retrieved(memory_ids: list[UUID]) -> MemoriesRetrieved:
    """Return an event that records the retrieval of these memories."""
    return MemoriesRetrieved.model_validate(
        {
            "event_id": uuid4(), "agent_id": "python", "assignment_id": uuid4(), "query": "?", "terms": [],
            "expansions": {}, "vector": "none", "perspective": None, "setting": {}, "seed": 0, "ranking": "linear-1",
            "candidates": [], "selected": memory_ids,
        }
    )  # fmt: skip


def finding_of(health: AgentHealth, measure: str) -> Finding:
    """Return the doctor's finding about a measure."""
    return next(finding for finding in health.findings if finding.measure == measure)


def advice_of(health: AgentHealth, measure: str) -> Advice:
    """Return the doctor's advice in the finding about a measure."""
    advice = finding_of(health, measure).advice
    assert advice is not None
    return advice


async def adopted_policies(resources: Resources) -> list[dict[str, object]]:
    """Return the parameters of every adopted policy, in order."""
    return [
        dict(event.parameters) for event in await effective_events(resources.log) if isinstance(event, PolicyAdopted)
    ]


async def test_applied_advice_is_in_force_after_the_next_sleep(settings: Settings) -> None:
    """Applied advice appends one policy, which is in force after the next sleep. Applying it a second time changes
    nothing.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await append_forgetful_agent(resources.log)
        await client.settle()
        [health] = await client.health("python")
        assert finding_of(health, "archive_rate").value == pytest.approx(ARCHIVED / MEMORIES * 30 / DAYS, rel=0.01)
        advice = advice_of(health, "archive_rate")
        assert (advice.parameter, advice.present, advice.proposed, advice.direction) == (
            "archive_threshold", 0.1, 0.08, "lower",
        )  # fmt: skip
        assert finding_of(health, "hit_rate").verdict == "early"
        applied = await advice_adoption.apply(client, health)
        assert applied.changed == {"archive_threshold": 0.08}
        assert await adopted_policies(resources) == [
            {"top_k_results": 7},
            {"top_k_results": 7, "archive_threshold": 0.08},
        ]
        [waiting] = await client.health("python")
        assert waiting.waiting == {"top_k_results": 7, "archive_threshold": 0.08}
        assert advice_of(waiting, "archive_rate").present == 0.1, "not in force before the sleep"
        assert (await advice_adoption.apply(client, waiting)).changed == {}
        assert len(await adopted_policies(resources)) == 2, "advice without a change appends nothing"
        await sleep_once(resources, client)
        [after] = await client.health("python")
        assert after.waiting is None
        assert advice_of(after, "archive_rate").present == 0.08
    await assert_verified(settings)


async def sleep_once(resources: Resources, client: Client) -> None:
    """End a session, and wait until the agent has slept."""
    before = (await client.agents("python"))[0].sessions_slept
    await resources.log.append(
        SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4(), correlation_id=uuid4())
    )
    await until_idle(resources)
    assert (await client.agents("python"))[0].sessions_slept == before + 1


async def test_a_memory_retrieved_often_and_never_used_is_named(settings: Settings) -> None:
    """The doctor names a memory that is often retrieved and never used. It names neither principles nor used
    memories.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        principle, useless, useful, *_ = await append_forgetful_agent(resources.log)
        for _ in range(RETRIEVALS):
            await resources.log.append(retrieved([principle, useless, useful]))
        use = (Use(memory_id=useful, method="citation"),)
        await resources.log.append(
            MemoriesUsed(
                event_id=uuid4(),
                correlation_id=uuid4(),
                agent_id="python",
                assignment_id=uuid4(),
                perspective=None,
                uses=use,
            )
        )
        await until_idle(resources, ("projector",))
        await client.settle()
        [health] = await client.health("python")
        assert health.never_used == (useless,)
        assert finding_of(health, "never_used").value == 1
        usage = finding_of(health, "usage_ratio")
        assert usage.value == pytest.approx(1 / RETRIEVALS / 2)
        assert usage.verdict == "early", "two memories are too few for a verdict"


async def test_hit_rate_and_tasks_per_day_are_measured(settings: Settings) -> None:
    """The doctor measures the share of successful retrievals and the tasks per day of the last week."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        then = datetime.now(UTC) - timedelta(days=DAYS)
        # The agent has no keywords, so expansions of the query find nothing more than the question itself.
        plain = agent_defined(perspectives=(Perspective(name="semantics"),))
        await resources.log.append(plain, recorded_at=then)
        await client.settle()
        await client.remember("python", "The truth value of an empty list is false.", tags=["truth"])
        for text in ("What is the truth value of an empty list?", "Wie spät ist es?"):
            await client.ask(text, settled=True)
        await until_idle(resources)
        [health] = await client.health("python")
        assert finding_of(health, "hit_rate").value == 0.5
        pace = finding_of(health, "tasks_per_day")
        assert pace.value == pytest.approx(2 / 7)
        assert advice_of(health, "tasks_per_day").proposed == pytest.approx(2 / 7, rel=0.01)
        assert [each.agent_id for each in await client.health()] == ["orchestrator", "python"]


async def test_the_archive_rate_counts_recent_archiving(settings: Settings) -> None:
    """The archive rate counts memories archived recently. The retrieval of an archived memory does not make it
    recent.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        ids = await append_forgetful_agent(resources.log, days=60, ago=40)
        await resources.log.append(retrieved(ids[-ARCHIVED:]))
        await until_idle(resources, ("projector",))
        await client.settle()
        [health] = await client.health("python")
        assert finding_of(health, "archive_rate").value == 0
        gone = await client.memory(ids[-1])
        assert (gone.status, gone.candidate_count) == ("archived", 1)
        assert gone.archived_at is not None
        assert (datetime.now(UTC) - gone.archived_at).days in {39, 40}
        assert (await client.memory(ids[0])).archived_at is None
    await assert_verified(settings)


async def test_a_chapter_is_one_session(settings: Settings) -> None:
    """A read chapter counts as one session of the week."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined(), recorded_at=datetime.now(UTC) - timedelta(days=DAYS))
        await client.settle()
        read = ChapterRead(event_id=uuid4(), agent_id="python", course_id=uuid4(), chapter=0, sections=())
        await resources.log.append(read)
        await until_idle(resources)
        events = await effective_events(resources.log)
        assert [event.assignment_id for event in events if isinstance(event, SessionEnded)] == [read.session_id]
        [health] = await client.health("python")
        assert finding_of(health, "tasks_per_day").value == pytest.approx(1 / 7)


async def test_a_retrieved_principle_is_not_a_hit(settings: Settings) -> None:
    """A retrieved principle does not count as a hit, because every context contains it."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        fact = "The truth value of an empty list is false."
        await resources.log.append(agent_defined(perspectives=(Perspective(name="semantics"),), principles=(fact,)))
        await until_idle(resources)
        told = await client.ask("What is the truth value of an empty list?", settled=True)
        assert told.retrieved
        await until_idle(resources)
        [health] = await client.health("python")
        assert finding_of(health, "hit_rate").value == 0


async def test_the_health_of_an_unknown_agent_is_refused(settings: Settings) -> None:
    """The health of an unknown agent is refused in one line."""
    async with running_services(settings), connected_client(settings) as client:
        assert await client.health() == ()
        with pytest.raises(ClientError, match="there is no agent 'ghost'"):
            await client.health("ghost")
