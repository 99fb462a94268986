"""Principles that are proposed from repeated corrections, and that a person adopts for an agent or for all."""

import pytest

from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri_contracts.agents import ORGANISATION
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected

CANARY = "zorblatt"
CORRECTIONS = (
    f"Quote prices of {CANARY} steel in yen.",
    f"Prices of {CANARY} steel are quoted in yen.",
    f"Quote {CANARY} steel in yen.",
)


async def test_repeated_corrections_propose_a_principle_that_a_person_adopts(settings: Settings) -> None:
    """The third similar correction proposes a principle. Only an operator adopts it; then it is in each context. The
    organisation's principles are in every agent's context. An erased correction takes the proposed words with it.
    """
    async with running_services(settings) as resources, connected_client(settings, client_id="cli") as client:
        for name in ("python", "buyer"):
            await resources.log.append(agent_defined(name))
        await client.settle()
        for text in CORRECTIONS:
            result = await client.ask("What does steel cost?", agent="python", settled=True)
            await client.feedback(result.task_id, "unhelpful", correction=text)
        await until_idle(resources)

        [proposal] = (await client.principles())["python"]
        assert (proposal.standing, len(proposal.lessons)) == ("proposed", 3)
        async with connected_client(settings) as other:
            with pytest.raises(ClientError, match="only an operator"):
                await other.adopt_principle("python", proposal.principle_id)
        await client.adopt_principle("python", proposal.principle_id)
        shared = await client.adopt_principle(ORGANISATION, text="Say who delivers.")
        await until_idle(resources)

        task = await client.ask("Where is Oslo?", agent="python", settled=True)
        other_task = await client.ask("Where is Oslo?", agent="buyer", settled=True)
        contexts = {
            each.correlation_id: len(each.principles)
            for each in await effective_events(resources.log)
            if isinstance(each, MemoriesRetrieved)
        }
        assert (contexts[task.task_id], contexts[other_task.task_id]) == (2, 1)
        held = (await client.recall("buyer", "Where is Oslo?")).principles
        assert [each.memory.content for each in held] == ["Say who delivers."]
        assert ORGANISATION not in {each.agent_id for each in await client.agents()}

        await client.retire_principle(ORGANISATION, shared)
        assert (await client.recall("buyer", "Where is Oslo?")).principles == ()
        lesson = proposal.lessons[0]
    await assert_verified(settings)
    await forget(settings, [Thing("memory", lesson)])
    async with running_services(settings) as resources, connected_client(settings, client_id="cli") as client:
        assert "python" not in await client.principles()
        log = [each.model_dump_json() for each in await effective_events(resources.log)]
        assert not [each for each in log if "principle" in each and CANARY in each]
    await assert_verified(settings)
