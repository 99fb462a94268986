"""Recall from past states: what an agent would have been given for a query at a position of the log."""

import pytest

from nemuri.operations.erasure import forget
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.past_recall import recall_as_of
from nemuri.operations.session import OperationError
from nemuri_contracts.client_events import Scope
from nemuri_contracts.queries import RecallOptions
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, running_services, until_idle

pytestmark = pytest.mark.connected

QUERY = "How long does rye bread keep?"
FACTS = (
    "Rye bread keeps for a week.",
    "White bread keeps for two days.",
    "Rye grows on poor soil.",
    "Bread is baked at 220 degrees.",
)


async def test_the_present_recalled_from_the_log_is_the_present(settings: Settings) -> None:
    """Return the same memories, scores and ranking as the running services, for the end of the log."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        for fact in FACTS:
            await client.remember("python", fact)
        await client.remember("python", "Rye bread is sold at the harbour.", scope=Scope(level="project", name="shop"))
        task = await client.ask(QUERY, agent="python", settled=True)
        assert task.used
        await until_idle(resources)
        for project in (None, "shop"):
            now = await client.recall("python", QUERY, top=5, project=project)
            past = await recall_as_of(
                client.log, settings, "python", LogPosition(), RecallOptions(query=QUERY, top=5, project=project)
            )
            assert [memory.memory.content for memory in past.view.memories] == [
                each.memory.content for each in now.memories
            ]
            assert past.view.ranking == now.ranking
            for then, each in zip(past.view.memories, now.memories, strict=True):
                assert then.candidate.similarity == pytest.approx(each.candidate.similarity, abs=1e-5)
                assert then.candidate.score == pytest.approx(each.candidate.score, abs=1e-3)


async def test_a_past_state_knows_nothing_of_later_memories(settings: Settings) -> None:
    """Recall only what was remembered up to the position, and nothing that was erased since."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        first = await client.remember("python", FACTS[0])
        place = LogPosition("then", sequence=await client.log.last_sequence())
        await client.remember("python", FACTS[1])
        await until_idle(resources)

        async def recalled(where: LogPosition) -> list[str]:
            found = await recall_as_of(client.log, settings, "python", where, RecallOptions(query=QUERY, top=5))
            return [memory.memory.content for memory in found.view.memories]

        assert await recalled(place) == [FACTS[0]]
        assert set(await recalled(LogPosition())) == {FACTS[0], FACTS[1]}
        await forget(settings, [Thing("memory", first)])
        assert FACTS[0] not in await recalled(LogPosition())
        assert FACTS[0] not in await recalled(place)


async def test_another_kind_of_memory_has_no_past_recall(settings: Settings) -> None:
    """Refuse an agent with another kind of memory in one line."""
    async with running_services(settings, ["projector", "query-api"]) as resources:
        await resources.log.append(agent_defined("noah", memory="tiered", perspectives=()))
        await until_idle(resources, ["projector", "query-api"])
        with pytest.raises(OperationError, match="noah"):
            await recall_as_of(resources.log, settings, "noah", LogPosition(), RecallOptions(query=QUERY, top=5))
