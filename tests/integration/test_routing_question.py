"""A task that fits no agent: the client is asked, the operator's generalist takes it, or a light model decides."""

import json

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.tasks import ChunkReady, NegotiationOpened, TaskRouted
from nemuri_infra.models import network_guard
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)
from tests.integration.providers.provider import Provider, ScriptedReply, openai_reply
from tests.integration.test_prompts import models, prompts

pytestmark = pytest.mark.in_memory

HAMLET = "Who wrote Hamlet?"


async def define_agents(resources: Resources, client: Client) -> None:
    """Define a buyer of steel and a cook."""
    await resources.log.append(agent_defined("buyer", role="Buyer", description="Steel, offers, suppliers."))
    await resources.log.append(agent_defined("cook", role="Cook", description="Soups, sauces, recipes."))
    await client.settle()


async def test_a_client_chooses_the_agent_for_a_task_that_fits_none(settings: Settings) -> None:
    """A task that fits no agent waits for its client. The chosen agent answers it, and learns: after good feedback it
    gets similar tasks.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agents(resources, client)
        asked = await client.ask(HAMLET)
        assert (asked.status, asked.agent_id, asked.items) == ("negotiation", None, ())
        assert {option.name for option in asked.options} == {"agent:buyer", "agent:cook"}
        assert asked.reason is not None
        end = await resources.log.last_sequence()
        for wrong in ("all", "agent:nobody", "cook"):
            with pytest.raises(ClientError, match="option"):
                await client.answer(asked.task_id, wrong)
        assert await resources.log.last_sequence() == end
        await client.answer(asked.task_id, "agent:cook")
        done = await client.result(asked.task_id, settled=True)
        assert (done.status, done.agent_id, done.reason) == ("done", "cook", None)
        await client.feedback(done.task_id, "helpful", result="success")
        await until_idle(resources)
        again = await client.ask("When did Shakespeare write Hamlet?", settled=True)
        assert (again.status, again.agent_id) == ("done", "cook")
        found = await effective_events(resources.log)
        assert len([event for event in found if isinstance(event, NegotiationOpened)]) == 1
        [first, second] = [event for event in found if isinstance(event, TaskRouted)]
        assert (first.decided_by, second.decided_by) == ("request", "fit")
        assert second.confidence is not None
        assert second.recalled
        await until_idle(resources)
    await assert_verified(settings)


async def test_long_documents_are_not_read_for_nobody(settings: Settings) -> None:
    """If the request alone shows that no agent fits, the client is asked before a hundred pages are read. They are read
    after the choice. A request that only says what to do with the documents is routed by what they say.
    """
    pages = "\f".join(f"Page {page}: soups and sauces need salt, says recipe {page}." for page in range(100))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agents(resources, client)
        asked = await client.ask(HAMLET, documents=[("book.txt", pages)])
        assert (asked.status, {option.name for option in asked.options}) == (
            "negotiation",
            {"agent:buyer", "agent:cook"},
        )
        await until_idle(resources)
        assert not [event for event in await effective_events(resources.log) if isinstance(event, ChunkReady)]
        await client.answer(asked.task_id, "agent:buyer")
        done = await client.result(asked.task_id, settled=True)
        assert (done.status, done.agent_id) == ("done", "buyer")
        read = [event for event in await effective_events(resources.log) if isinstance(event, ChunkReady)]
        assert len(read) == 10
        summary = await client.ask("Summarise this.", documents=[("book.txt", pages)], settled=True)
        assert (summary.status, summary.agent_id) == ("done", "cook")
        inside = await client.ask("Which steel do suppliers offer?", documents=[("book.txt", pages)], settled=True)
        assert (inside.status, inside.agent_id) == ("done", "buyer")
        await until_idle(resources)
    await assert_verified(settings)


async def test_the_generalist_takes_a_task_that_fits_none(settings: Settings) -> None:
    """If the operator named a generalist, nobody is asked."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agents(resources, client)
        await resources.log.append(agent_defined("anyone", role="Generalist", description="", generalist=True))
        await client.settle()
        assert (await client.ask(HAMLET, settled=True)).agent_id == "anyone"
        assert (await client.ask("Which steel do suppliers offer?", settled=True)).agent_id == "buyer"
        await until_idle(resources)
    await assert_verified(settings)


@pytest.mark.parametrize(("said", "agent"), [("a2", "cook"), ("none", None), ("what?", None)])
async def test_a_light_model_decides_what_fits_nobody(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, said: str, agent: str | None
) -> None:
    """A light model that is shown the request and the agents decides what fits nobody, or says that nobody fits.

    If its reply names no agent, the fit decides.
    """
    monkeypatch.setattr(network_guard, "ALLOW_MODEL_CALLS", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    question = HAMLET
    reply = openai_reply(json.dumps({"agent": said, "confidence": 0.7}))
    async with (
        Provider([ScriptedReply(reply)]) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        await define_agents(resources, client)
        result = await client.ask(question)
        await until_idle(resources)
        shown = prompts(provider, "which colleague should work on a request")
        routed = [event for event in await effective_events(resources.log) if isinstance(event, TaskRouted)]
    assert len(shown) == 1
    assert question in shown[0]["user"]
    assert "Field: Soups, sauces, recipes." in shown[0]["user"]
    assert result.agent_id == agent
    assert result.status == ("done" if agent else "negotiation")
    if said == "a2":
        assert (routed[0].decided_by, routed[0].confidence) == ("model", 0.7)
