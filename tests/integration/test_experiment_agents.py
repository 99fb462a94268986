"""An agent of the experiments and an agent of the platform with the same memories retrieve the same memories."""

import random

import pytest

from nemuri.experiments.corpus import CorpusTask, memories, stream
from nemuri.experiments.in_memory_agent import InMemoryAgent, TextVectors
from nemuri_contracts.client_events import Setting
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.strength import Candidate, MemoryEncoded
from nemuri_domain.counterfactual.mind_index import index_of
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_infra.retrieval.agent_indexes import AgentIndexes
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import effective_events, running_services, until_idle

pytestmark = pytest.mark.connected
PASSAGES, TASKS = 60, 8


def equal_candidates(one: Candidate, two: Candidate) -> bool:
    """Return True if two candidates are equal, except for the rounding of float32 sums."""
    if (one.memory_id, one.archived, one.yields_to) != (two.memory_id, two.archived, two.yields_to):
        return False
    numbers = (one.similarity, one.score, *one.features)
    return numbers == pytest.approx((two.similarity, two.score, *two.features), abs=1e-6)


async def test_an_experiments_agent_retrieves_as_the_platform_does(settings: Settings) -> None:
    """An agent of the experiments retrieves the same candidates, features and scores as the platform, except for
    rounding.
    """
    chance = random.Random("both")
    world = memories(chance, PASSAGES)
    living = await InMemoryAgent.remembering(world, "use", TextVectors())
    tasks = list(stream(chance, world[:10], TASKS, "recurring"))
    for task in tasks:
        await living.process(task)
    living.tasks_processed = 10_000  # A thousand days: later than the log's own time.
    stranger = CorpusTask("xqzvw plmrt kwrrt", world[0])
    async with running_services(settings, ["projector"]) as resources:
        for event in living.history:
            unsaid: dict[str, object] = {"sequence": None, "recorded_at": None}
            if isinstance(event, MemoryEncoded):
                unsaid["vector"] = resources.vectors.key(embedded_text(event.memory))
            await resources.log.append(event.model_copy(update=unsaid))
        await until_idle(resources, ["projector"])
        living.mind = Mind()
        for known in await effective_events(resources.log):
            assert isinstance(known, AnyAgentEvent)
            living.mind = evolve(living.mind, known)
        texts = {memory_id: embedded_text(content.memory) for memory_id, content in living.mind.contents.items()}
        rows = await living.vectors.of([*texts.values()])
        living.index = index_of(living.mind, dict(zip(texts, rows, strict=True)), living.vectors.embedder.dimension)
        agent = await resources.views.agent(living.agent.agent_id)
        assert agent is not None
        minds = AgentIndexes()
        found = []
        for task in (*tasks, stranger):
            here = await living.recall(task)
            there = await minds.recall(
                resources, agent, task.query, perspective=task.needed.area, setting=Setting(), now=living.now
            )
            found.append((here.candidates, there.candidates))
    assert all(len(here) == len(there) and all(map(equal_candidates, here, there)) for here, there in found)
    assert all(here for here, _ in found[:-1])
    assert not found[-1][0]
