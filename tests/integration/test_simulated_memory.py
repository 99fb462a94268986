"""The simulated memory of the benchmarks retrieves what the platform retrieves from the same events."""

from datetime import UTC, datetime, timedelta

import pytest
from bench.simulated_memory import AGENT, CachedEmbedder, SimulatedMemory
from bench.texts import memories, questions

from nemuri_contracts.queries import AffectRecallQuery
from nemuri_domain.affective.policy import CODING, PROFILES
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.runtime.settings import Settings
from nemuri_services.affective_memory.retrieval import select_memories
from tests.integration.harness import running_services, until_idle

pytestmark = pytest.mark.connected

BEGINNING = datetime(2026, 1, 1, 12, tzinfo=UTC)


async def lived_memory() -> SimulatedMemory:
    """Return a memory of twenty-four days with two turns each, some of which were recalled after a week."""
    memory = SimulatedMemory(CachedEmbedder(BuiltInEmbedder()), PROFILES[CODING], BEGINNING)
    texts = list(memories(48))
    for place, text in enumerate(texts):
        at = BEGINNING + timedelta(days=1 + place // 2, minutes=place % 2)
        prompt = f"I decided this: {text}" if place % 2 else text
        await memory.remember(f"session-{place // 2}", prompt, "All right.", at, at)
        if place > 14 and place % 5 == 0:
            await memory.recall(texts[place - 14], at + timedelta(minutes=5))
    return memory


async def test_the_same_blocks_are_selected_by_the_fold_and_by_the_database(settings: Settings) -> None:
    """After weeks with nights and recalls, each prompt gets the same block from both."""
    memory = await lived_memory()
    assert {each.level for each in memory.mind.memories.values()} >= {1, 4}
    async with running_services(settings, ["projector"]) as resources:
        for event in memory.events:
            await resources.log.append(event)
        await until_idle(resources, ["projector"])
        queries = AffectiveQueries(resources.database)
        agent = await queries.agent(AGENT)
        assert agent is not None
        shown = 0
        for prompt in (*memories(12), *questions(12), "What did we decide last time about the pump of Willow?"):
            query = AffectRecallQuery(agent_id=AGENT, prompt=prompt)
            found = await select_memories(query, agent, resources.vectors, queries, resources.indexes)
            assert found.block.text == (await memory.recall(prompt)).block.text
            shown += len(found.block.whole)
        assert shown > 24
