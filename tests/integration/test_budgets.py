"""Tests of budgets of tasks and agents, and of answers that are shown while they are written."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from nemuri.client.exchange import ClientError
from nemuri_contracts.affective import TurnRemembered
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.strength import SessionEnded
from nemuri_infra.models.factory import Models, build_models
from nemuri_infra.models.settings import ModelSettings, Price
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, effective_events, running_services, until_idle
from tests.integration.providers.assistant import fake_assistant, printed
from tests.integration.providers.provider import Provider, ScriptedReply, openai_reply
from tests.integration.providers.streams import openai_stream
from tests.unit.domain.affective import turns

pytestmark = pytest.mark.in_memory

QUESTION = "May I compare a value to True?"
SAID = "No, it is forbidden."
NOTE = "Not every step was done by a language model"


def models(provider: Provider, **prices: Price) -> Models:
    """Return the platform's models with this provider and prices."""
    return build_models(
        ModelSettings.model_validate(
            {"providers": ("openai",), "openai_base_url": f"{provider.url}/v1", "openai_model": "large"}
            | {"openai_light_model": "small", "prices": prices}
        )
    )


async def test_a_task_without_budget_left_is_answered_without_a_model(settings: Settings) -> None:
    """Call no model if the budget of a task does not cover the prompt, and say so in the answer and the result."""
    async with (
        Provider([ScriptedReply(openai_reply(SAID))]) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await until_idle(resources)
        await client.remember("python", "Our guide forbids comparing a value to True.")
        done = await client.ask(QUESTION, budget_tokens=20, settled=True)
        paid = await client.ask(QUESTION, budget_money=1.0, settled=True)
    assert provider.received == []
    assert done.status == paid.status == "done"
    assert NOTE in (done.answer or "")
    assert "a budget of 20 tokens" in (done.over_budget or "")
    assert "price of the model is not known" in (paid.over_budget or "")
    assert {cost.model for cost in done.costs} == {"extractive"}


async def test_what_was_spent_counts_for_later_steps(settings: Settings) -> None:
    """Write the answer with the model, and learn without it, because the answer has used up the budget of money."""
    price = Price(input=1_000_000.0, output=0.0)
    async with (
        Provider([ScriptedReply(openai_reply(SAID))]) as provider,
        running_services(settings, models=models(provider, large=price, small=price)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await until_idle(resources)
        done = await client.ask(QUESTION, budget_money=11.0, settled=True)
    assert len(provider.received) == 1
    assert done.answer == SAID
    assert {cost.step: cost.money for cost in done.costs} == {"answer": 11.0, "learnings": None}
    assert "a budget of 11, of which 11 is spent" in (done.over_budget or "")


async def test_an_agent_has_a_budget_for_a_day(settings: Settings) -> None:
    """Count what an agent has spent in earlier tasks of the day, by its policy."""
    limit = PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={"daily_tokens": 2_000})
    reply = openai_reply(SAID, usage={"prompt_tokens": 1_990, "completion_tokens": 5})
    async with (
        Provider([ScriptedReply(reply)]) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await resources.log.append(limit)
        await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
        await until_idle(resources)
        first = await client.ask(QUESTION, settled=True)
        second = await client.ask(QUESTION, settled=True)
    assert first.answer == SAID
    assert "the agent python for today has a budget of 2,000 tokens" in (second.over_budget or "")
    assert len(provider.received) == 1


@pytest.mark.connected
async def test_a_client_sees_the_answer_while_it_is_written(settings: Settings) -> None:
    """Send the pieces of an answer to the waiting client, and store only the whole answer."""
    written: list[str] = []
    replies = [openai_stream(["No, ", "it is ", "forbidden."]), ScriptedReply(openai_reply("{}"))]
    async with (
        Provider(replies) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await until_idle(resources)
        done = await client.ask(QUESTION, on_draft=written.append, agent="python")
    assert written == ["No, ", "No, it is ", SAID]
    assert done.answer == SAID
    assert provider.received[0].body["stream"] is True


async def test_an_invalid_budget_is_refused(settings: Settings) -> None:
    """Refuse a budget of nothing before a task is submitted."""
    async with running_services(settings, []), connected_client(settings) as client:
        with pytest.raises(ClientError, match="tokens: it must be at least 1"):
            await client.submit(QUESTION, budget_tokens=0)
        with pytest.raises(ClientError, match="money: it must be above 0"):
            await client.submit(QUESTION, budget_money=0.0)


@pytest.mark.connected
async def test_memories_of_an_assistant_have_a_budget_for_a_day(settings: Settings, tmp_path: Path) -> None:
    """Read turns with the user's own assistant until the day's money is spent, and with the lexicon after that.

    The compression of a memory counts too.
    """
    said = json.dumps({"emotional_intensity": 64, "trigger": "It works.", "content": "The race is gone."})
    assistant = fake_assistant(tmp_path, printed(said))
    chosen = ModelSettings(providers=("assistant",), assistant_command=assistant.command)
    limit = PolicyAdopted(event_id=uuid4(), agent_id="diary", parameters={"spending": {"daily_money": 0.02}})
    services = ("projector", "intake", "affective-memory")
    async with running_services(settings, services, models=build_models(chosen)) as resources:
        await resources.log.append(agent_defined("diary", memory="affective", perspectives=()))
        await resources.log.append(limit)
        for number in range(3):
            await resources.log.append(turns.offered(uuid4(), f"It works! Number {number}.", agent_id="diary"))
            await until_idle(resources)
        read = [event for event in await effective_events(resources.log) if isinstance(event, TurnRemembered)]
    assert [event.read_by for event in read] == ["assistant:haiku", "assistant:haiku", "lexicon"]
    assert read[2].usage is not None
    assert "the agent diary for today has a budget of 0.02, of which 0.024" in (read[2].usage.over_budget or "")
    assert len(assistant.calls) == 2
