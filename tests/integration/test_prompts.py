"""Prompts that the running platform sends, recorded by a fake provider on the loopback."""

from typing import Any
from uuid import uuid4

import pytest

from nemuri_contracts.agents import EVERYWHERE, PolicyAdopted
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.strength import MemoryEncoded, Origin, Relation, SessionEnded
from nemuri_infra.models import network_guard
from nemuri_infra.models.factory import Models
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import vector_key
from tests.integration.harness import agent_defined, connected_client, running_services, until_idle
from tests.integration.providers.provider import Provider, ScriptedReply, openai_reply

pytestmark = pytest.mark.in_memory

BELIEF = "Our guide forbids comparing a value to True with ==."
LESSON = "Write the value alone as the condition."
OTHER = "An exception hides the comparison."


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Permit model calls to the loopback only."""
    monkeypatch.setattr(network_guard, "ALLOW_MODEL_CALLS", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def models(provider: Provider) -> Models:
    """Return the platform's two models, both with this provider."""
    model = PromptedModel(OpenAIChat(api_key="k", base_url=f"{provider.url}/v1", model="stand-in", timeout=10))
    return Models(model, model)


def prompts(provider: Provider, beginning: str) -> list[dict[str, str]]:
    """Return the messages, by role, of each call whose system prompt contains `beginning`."""
    calls = [{each["role"]: each["content"] for each in one.body["messages"]} for one in provider.received]
    return [call for call in calls if beginning in call["system"] + call["user"]]


def memory_encoded(content: str, *, scope: Scope = EVERYWHERE, **fields: Any) -> MemoryEncoded:
    """Return the event that encodes a memory of the agent."""
    return MemoryEncoded(
        event_id=uuid4(), agent_id="python", memory=MemoryContent(content=content, scope=scope), source="manual",
        vector=vector_key("nemuri-words-3", 256, content), strength=1.0,
        perspectives=("semantics", "pitfalls"), **fields,
    )  # fmt: skip


async def test_a_prompt_shows_a_memorys_learning_and_strength(settings: Settings) -> None:
    """A prompt shows a memory with its strength and with the learning for the task's perspective. The usage judge gets
    the same.
    """
    policy = PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={"use_detection": "judge"})
    async with (
        Provider([ScriptedReply(openai_reply("No, it is forbidden [m1]."))]) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await resources.log.append(policy)
        await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
        await until_idle(resources)
        await client.remember("python", BELIEF, tags=["style"], learnings={"semantics": LESSON, "pitfalls": OTHER})
        done = await client.ask("May I compare a value to True?", perspective="semantics")
        await until_idle(resources)
        [answering] = prompts(provider, "You work as")[:1]
        judging = prompts(provider, "which memories an answer really drew on")
    assert done.status == "done"
    shown = answering["user"]
    assert f"{BELIEF}\n\nWhat it taught (semantics): {LESSON}" in shown
    assert OTHER not in shown
    assert "put in by client ann; told: somebody said so; remembered since " in shown
    assert "; fresh, not used yet)" in shown
    assert "how strong it is" in answering["system"]
    for each in judging:
        assert LESSON in each["user"]
    assert judging


async def test_a_prompt_tells_what_an_inferred_and_outdated_memory_yields_to(settings: Settings) -> None:
    """A prompt marks a memory that the agent inferred, and quotes the newer memory that contradicts it, if that one is
    not in the context. A newer memory of another project is not quoted.
    """
    old = memory_encoded(BELIEF, origin=Origin(provenance="inferred"))
    contrary = (Relation(older=old.memory_id, sort="contradicts"),)
    newer = memory_encoded("Giraffes sleep standing.", relations=contrary)
    secret = memory_encoded("Rebus.", relations=contrary, scope=Scope(level="project", name="rebus"))
    async with (
        Provider([ScriptedReply(openai_reply("Yes [m1]."))]) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        for each in (agent_defined(), old, newer, secret):
            await resources.log.append(each)
        await until_idle(resources)
        await client.ask("May I compare a value to True?")
        await until_idle(resources)
        [answering] = prompts(provider, "You work as")[:1]
    shown = answering["user"]
    assert "inferred: you concluded it without material, and nobody has confirmed it; remembered since" in shown
    assert "a newer memory contradicts this: Giraffes sleep standing." in shown
    assert "Rebus" not in shown


async def test_an_answer_that_stops_at_the_token_limit_is_continued_or_marked(settings: Settings) -> None:
    """An answer that stops at the token limit is continued. If it does not end, the task is done with what came, and
    the answer says that it is cut off.
    """
    parts = ["It is", " forbidden,", " as the guide says,", " and so", " on"]
    async with (
        Provider([ScriptedReply(openai_reply(part, "length")) for part in parts]) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        done = await client.ask("May I compare a value to True?")
    assert done.status == "done"
    assert str(done.answer).startswith("It is forbidden, as the guide says, and so on")
    assert "(This answer is cut off: it reached the model's token limit.)" in str(done.answer)
    [cost] = [each for each in done.costs if each.step == "answer"]
    made_of = ("answer", "answer_asking", "answer_signs", "continuation")
    assert cost.prompts == tuple(prompt(each).label for each in made_of)
    assert cost.output_tokens == 5 * len(parts)


async def test_a_prompt_states_the_share_of_the_documents_read(settings: Settings) -> None:
    """A prompt states the share of the documents that is quoted in it."""
    page = "A value is true unless its class says otherwise. " * 30
    pages = "\n\n".join(f"Chapter {number}. {page}" for number in range(60))
    async with (
        Provider([ScriptedReply(openai_reply("It is not in what I read."))]) as provider,
        running_services(settings, models=models(provider)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        done = await client.ask("Who built the boiler?", documents=[("book.txt", pages)])
        await until_idle(resources)
        [answering] = prompts(provider, "% of the documents")
        learning = prompts(provider, "Note what is worth remembering")
    assert done.share_read is not None
    assert f"{round(100 * done.share_read)} % of the documents" in answering["user"]
    assert f"passages from {done.chunks_read} of their {done.chunks} parts" in answering["user"]
    assert "(Read: " in str(done.answer)
    assert all("(Read: " not in each["user"] for each in learning)
    assert all(each["user"].count("<d") <= 8 for each in learning)
