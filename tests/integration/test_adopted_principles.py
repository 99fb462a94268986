"""Principles that are proposed from repeated corrections, and that a person adopts for an agent or for all."""

import pytest

from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri.operations.session import OperationError
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
from tests.integration.reading_model import ReadingModel
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.in_memory

CANARY = "zorblatt"
CORRECTIONS = (
    f"Quote prices of {CANARY} steel in yen.",
    f"Prices of {CANARY} steel are quoted in yen.",
    f"Quote {CANARY} steel in yen.",
)


@pytest.mark.connected
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
            event.correlation_id: len(event.principles)
            for event in await effective_events(resources.log)
            if isinstance(event, MemoriesRetrieved)
        }
        assert (contexts[task.task_id], contexts[other_task.task_id]) == (2, 1)
        held = (await client.recall("buyer", "Where is Oslo?")).principles
        assert [principle.memory.content for principle in held] == ["Say who delivers."]
        assert ORGANISATION not in {agent.agent_id for agent in await client.agents()}

        await client.retire_principle(ORGANISATION, shared)
        assert (await client.recall("buyer", "Where is Oslo?")).principles == ()
        lesson = proposal.lessons[0]
    await assert_verified(settings)
    await forget(settings, [Thing("memory", lesson)])
    async with running_services(settings) as resources, connected_client(settings, client_id="cli") as client:
        assert "python" not in await client.principles()
        log = [event.model_dump_json() for event in await effective_events(resources.log)]
        assert not [each for each in log if "principle" in each and CANARY in each]
    await assert_verified(settings)


async def test_a_prompt_says_whose_principle_it_is_and_what_was_believed(settings: Settings) -> None:
    """The model is shown the organisation's principle and who adopted it, and with a correction the answer that was
    wrong.
    """
    async with (
        ReadingModel() as model,
        running_services(settings, models=model.models()) as resources,
        connected_client(settings, client_id="cli") as client,
    ):
        await resources.log.append(agent_defined("buyer"))
        await client.settle()
        await client.adopt_principle(ORGANISATION, text="Say who delivers.")
        task = await client.ask("What does steel cost?", agent="buyer", settled=True)
        await client.feedback(task.task_id, "unhelpful", correction="Steel costs nine yen.")
        await until_idle(resources)
        await client.ask("What does steel cost now?", agent="buyer", settled=True)

        prompts = [user for calls in model.prompts.values() for _, user in calls]
        assert any("Say who delivers." in prompt and "a principle of the organisation" in prompt for prompt in prompts)
        wrong = f"of your answer, which was wrong: “{' '.join(str(task.answer).split())}”"
        assert any("Steel costs nine yen." in prompt and wrong in prompt for prompt in prompts), prompts[-1]


@pytest.mark.connected
async def test_an_erased_agent_takes_its_share_of_principles_along(servers: Servers, settings: Settings) -> None:
    """A principle of the organisation that rests on a correction of an erased agent is erased in every byte, with the
    decision on it. The organisation itself cannot be erased, and adopts other principles as before.
    """
    async with running_services(settings) as resources, connected_client(settings, client_id="cli") as client:
        for name in ("passing", "staying"):
            await resources.log.append(agent_defined(name))
        await client.settle()
        alike = "Prices of steel are quoted in yen."
        for name, text in (("staying", alike), ("passing", "Quote quollyen steel in yen."), ("staying", alike)):
            task = await client.ask(f"What does steel cost in {name}?", agent=name, settled=True)
            await client.feedback(task.task_id, "unhelpful", correction=text)
        await until_idle(resources)
        [proposed] = (await client.principles())[ORGANISATION]
        assert proposed.agents == ("staying", "passing")
        await client.adopt_principle(ORGANISATION, proposed.principle_id, text="Quote quollyen, as numbatadvised.")
        await until_idle(resources)
        assert (await client.recall("staying", "steel")).principles
        with pytest.raises(OperationError, match="cannot be erased as a whole"):
            await forget(settings, [Thing("agent", ORGANISATION)])

        await forget(settings, [Thing("agent", "passing")])

        await until_idle(resources)
        held = files_with(servers.directory, "quollyen", "numbatadvised", "quoted in yen")
        assert [bool(file) for file in held.values()] == [False, False, True]
        assert await client.principles() == {}
        assert (await client.recall("staying", "steel")).principles == ()
        await client.adopt_principle(ORGANISATION, text="Say who delivers.")
        assert [principle.memory.content for principle in (await client.recall("staying", "steel")).principles]
    await assert_verified(settings)
