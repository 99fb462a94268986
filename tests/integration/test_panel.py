"""A panel of agents with different perspectives gives a merged answer with the dissent, and the answers side by
side.
"""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri_contracts.agents import Perspective
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested
from nemuri_contracts.tasks import TaskAssigned, TaskCompleted
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.answer_merge import MergeJob
from nemuri_infra.models.jobs.panel_rebuttal import RebutJob
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import Job
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.spending_queries import spent_by_agent
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers, files_with
from tests.unit.infra.models.test_prompted import Parrot

pytestmark = pytest.mark.in_memory

QUESTION = "At which temperature does the boiler of the north hall run?"
MEMORIES = {
    "heating": ("cost", "The boiler of the north hall runs at a temperature of 70 degrees."),
    "safety": ("risk", "The boiler of the north hall runs at a temperature of 70 degrees."),
    "history": ("past", "The boiler of the north hall runs at a temperature of 90 degrees."),
}


async def define_agents(resources: Resources, client: Client) -> None:
    """Define three agents. Two of them have memories of the same content, the third has a contrary memory."""
    for agent, (perspective, _) in MEMORIES.items():
        words = (Perspective(name=perspective, keywords=("boiler",)),)
        await resources.log.append(agent_defined(agent, description="boiler hall temperature", perspectives=words))
    await client.settle()
    for agent, (_, memory) in MEMORIES.items():
        await client.remember(agent, memory)


async def test_a_panel_is_merged_with_its_dissent(settings: Settings) -> None:
    """Each agent answers under its own perspective. One merge makes a common answer that states the dissent."""
    model = CountingModel()
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        await define_agents(resources, client)
        result = await client.ask(QUESTION, panel=3, settled=True)
        await until_idle(resources)
        assigned = [event for event in await effective_events(resources.log) if isinstance(event, TaskAssigned)]
    assert result.panel is not None
    assert {(event.agent_id, event.perspective) for event in assigned} == {
        (name, known[0]) for name, known in MEMORIES.items()
    }
    assert {(voice.agent_id, voice.perspective) for voice in result.panel.voices} == {
        (name, known[0]) for name, known in MEMORIES.items()
    }
    assert "70 degrees" in result.panel.merged
    assert "90 degrees" not in result.panel.merged
    assert [cost.step for cost in result.costs] == ["answer", "learnings", "panel"]
    [dissent] = result.panel.dissent
    assert (dissent.agent_id, dissent.perspective) == ("history", MEMORIES["history"][0])
    assert "90 degrees" in dissent.text
    assert result.answer is not None
    merged, _, beside = result.answer.partition("## Side by side")
    assert result.panel.merged in merged
    assert dissent.text in merged
    assert "[m1]" not in merged
    assert all(f"{known[1]} [m1]" in beside for known in MEMORIES.values())
    assert beside.count("###") == 2
    assert "without a language model" in merged
    assert result.panel.usage.model == "extractive"
    assert {name: number for name, number in model.calls.items() if name.startswith("merge")} == {
        f"merge {QUESTION}": 1
    }
    assert len(result.used) == 3
    await assert_verified(settings)


async def test_a_panel_answers_in_japanese(settings: Settings) -> None:
    """A panel's headings and statements are in the language of the question."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        for agent, perspective, memory in (
            ("keiri", "費用", "暖房の温度は20度です。"),
            ("anzen", "危険", "暖房の温度は25度です。"),
        ):
            await resources.log.append(agent_defined(agent, perspectives=(Perspective(name=perspective),)))
            await client.settle()
            await client.remember(agent, memory)
        result = await client.ask("暖房の温度は何度ですか？", panel=2)
    assert result.panel is not None
    assert {dissent.agent_id: dissent.text for dissent in result.panel.dissent} == {
        "keiri": "暖房の温度は20度です。",
        "anzen": "暖房の温度は25度です。",
    }
    assert result.answer is not None
    assert "## 異論" in result.answer
    assert "## それぞれの回答" in result.answer


async def test_an_agent_takes_one_seat_per_perspective(settings: Settings) -> None:
    """An agent can take one seat for each of its perspectives. A panel with a single seat fails with a reason."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        both = await client.ask(QUESTION, panel=5)
        assert both.panel is not None
        assert sorted(str(voice.perspective) for voice in both.panel.voices) == ["pitfalls", "semantics"]
        single = await client.ask(QUESTION, panel=2, perspective="semantics")
        assert single.status == "failed"
        assert "two seats" in str(single.reason)
        with pytest.raises(ClientError):
            await client.submit(QUESTION, panel=9)


async def test_a_panel_without_relevant_memories_says_so_once(settings: Settings) -> None:
    """A panel without relevant memories says so only once. A citation that the answers share is listed once."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        nothing = await client.ask(QUESTION, panel=2, settled=True)
        known = await client.remember("python", MEMORIES["heating"][1])
        found = await client.ask(QUESTION, panel=2, settled=True)
    assert str(nothing.answer).count("nothing relevant") == 1
    assert len(str(nothing.answer).splitlines()) == 1
    assert found.citations == found.used == (known,)
    assert len({each.text for each in found.dropped}) == len(found.dropped)
    assert str(found.answer).count(MEMORIES["heating"][1]) == 2


async def test_a_panel_answers_every_item_in_each_voice(settings: Settings) -> None:
    """In a panel about several items each agent answers every item."""
    items = "\n".join(f"{number}. Is boiler number {number} of the north hall safe?" for number in range(1, 26))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agents(resources, client)
        task = await client.submit(items, panel=2)
        assert (await client.result(task)).status == "negotiation"
        await client.answer(task, "all")
        result = await client.result(task)
        assigned = [event for event in await effective_events(resources.log) if isinstance(event, TaskAssigned)]
    assert len(assigned) == 6
    assert result.panel is not None
    assert len(result.panel.voices) == 2
    for voice in result.panel.voices:
        for number in range(1, 26):
            assert f"Is boiler number {number} of the north hall safe?" in voice.answer


async def test_a_language_model_merges_the_voices(settings: Settings) -> None:
    """A language model merges the agents' answers. If its reply cannot be parsed, the answers are given side by
    side.
    """
    chat = Parrot('```json\n{"merged": "70, says most of us [m1].", "dissent": {"v3": "It is 90."}}\n```')
    async with (
        running_services(settings, models=Models(MergingModel(chat), CountingModel())) as resources,
        connected_client(settings) as client,
    ):
        await define_agents(resources, client)
        read = await client.ask(QUESTION, panel=3)
        chat.emits = "I would rather not say."
        unread = await client.ask(QUESTION, panel=3)
    assert read.panel is not None
    assert read.panel.merged == "70, says most of us."
    assert [(dissent.agent_id, dissent.text) for dissent in read.panel.dissent] == [
        (read.panel.voices[2].agent_id, "It is 90.")
    ]
    assert read.panel.usage.model == "parrot:1"
    assert unread.panel is not None
    assert unread.panel.dissent == ()
    assert all(voice.agent_id in unread.panel.merged for voice in unread.panel.voices)
    assert "[m1]" not in chat.heard[0][1]


@pytest.mark.connected
async def test_members_hear_each_other_once_before_the_merge(servers: Servers, settings: Settings) -> None:
    """Each member reads the answers of the others once: one revises, one stands, one is refused. Then they are merged.

    The result keeps the first answers too, and an erased task takes the revisions along.
    """
    chat = Debater("")
    model = RebuttingModel(chat)
    async with (
        running_services(settings, models=Models(model, CountingModel())) as resources,
        connected_client(settings) as client,
    ):
        await define_agents(resources, client)
        result = await client.ask(QUESTION, panel=3, rebuttal=True, settled=True)
        assert result.panel is not None
        voices = {voice.agent_id: voice for voice in result.panel.voices}
        said = {name: each.revision for name, each in voices.items() if each.revision}
        assert {name: each.stands for name, each in said.items()} == {"heating": True, "safety": True, "history": False}
        assert said["history"].takes_over in {
            f"70 degrees, from {one}, {other}: quorbelite"
            for one, other in permutations(["heating · cost", "safety · risk"])
        }
        assert said["heating"].contradicts == "history · past: 90 degrees"
        assert "refused" in said["safety"].problem
        assert "90 degrees" in voices["history"].answer
        assert "70 degrees" in said["history"].answer
        assert said["heating"].answer == voices["heating"].answer
        assert result.panel.dissent == ()
        assert "90 degrees" not in str(result.answer)
        assert [cost.step for cost in result.costs if cost.model == "parrot:1"] == ["rebuttal"]
        spent = await spent_by_agent(resources.database, "history", datetime.min.replace(tzinfo=UTC))
        assert spent.tokens == said["history"].usage.tokens > 0, "the agent's budget for a day counts its rebuttal"
        for _, user in chat.heard:
            assert "[m1]" not in user
            assert "boiler" in user.partition("<m1 ")[2].partition("</m1")[0], "the member has its own memory at hand"
        events = await effective_events(resources.log)
        counts = Counter(type(event) for event in events)
        assert (counts[RebuttalRequested], counts[AnswerRevised], counts[TaskCompleted]) == (3, 3, 1)
        assert model.calls[f"merge {QUESTION}"] == 1
        assert max(number for name, number in model.calls.items() if name.startswith("rebut")) == 1
        await assert_verified(settings)
        await forget(settings, [Thing("task", result.task_id)])
        await until_idle(resources)
        assert not files_with(servers.directory, "quorbelite")["quorbelite"]

        with pytest.raises(ClientError, match="a rebuttal needs a panel"):
            await client.submit(QUESTION, rebuttal=True)


async def test_without_a_language_model_every_member_stands(settings: Settings) -> None:
    """Without a language model the members stand by their answers, the result says why, and the panel is merged."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agents(resources, client)
        result = await client.ask(QUESTION, panel=2, rebuttal=True)
    assert result.panel is not None
    assert [(voice.revision.stands, voice.revision.answer) for voice in result.panel.voices if voice.revision] == [
        (True, voice.answer) for voice in result.panel.voices
    ]
    assert all("without a language model" in voice.revision.problem for voice in result.panel.voices if voice.revision)


async def test_a_panel_without_a_merge_stands_side_by_side(settings: Settings) -> None:
    """If the merge is refused, the panel completes with the answers side by side."""
    async with (
        running_services(settings, models=Models(RefusingModel(), CountingModel())) as resources,
        connected_client(settings) as client,
    ):
        await define_agents(resources, client)
        result = await client.ask(QUESTION, panel=2)
        await until_idle(resources)
        ends = [event for event in await effective_events(resources.log) if isinstance(event, TaskCompleted)]
    assert result.panel is not None
    assert all(voice.agent_id in result.panel.merged for voice in result.panel.voices)
    assert len(ends) == 1


class MergingModel(CountingModel):
    """A model that answers by quoting its input and merges answers with a chat model."""

    def __init__(self, chat: Parrot) -> None:
        super().__init__()
        self.chat = PromptedModel(chat)

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Merge the answers with the chat model."""
        return await (self.chat.do(job) if isinstance(job, MergeJob) else super().do(job))


class Debater(Parrot):
    """A chat that takes part in a rebuttal, and knows only what its prompt says."""

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Take over what most others say, or stand by the own answer. Refuse under the perspective of risk."""
        own = re.findall(r"<yours \w+>(.*?)</yours", request.user, re.DOTALL)[0]
        others = re.findall(r"<v\d+ \w+>\n\(From: (.*?)\)(.*?)</v", request.user, re.DOTALL)
        if "perspective: risk" in request.user:
            raise ModelRefused("no")
        against = ", ".join(name for name, answer in others if ("90" in answer) != ("90" in own))
        said = {"position": "stands", "answer": "", "takes_over": "", "contradicts": f"{against}: 90 degrees"}
        if "90" in own:
            taken = f"70 degrees, from {against}: quorbelite"
            said = {"position": "revised", "answer": MEMORIES["heating"][1], "takes_over": taken, "contradicts": ""}
        self.emits = json.dumps(said)
        return await super().complete(request)


class RebuttingModel(CountingModel):
    """A model that answers by quoting its input and reads the answers of others with a chat model."""

    def __init__(self, chat: Parrot) -> None:
        super().__init__()
        self.chat = PromptedModel(chat)

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Count the call and weigh the answers of the others with the chat model."""
        reply = await super().do(job)
        return await self.chat.do(job) if isinstance(job, RebutJob) else reply


class RefusingModel(CountingModel):
    """A model that refuses to merge answers."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Raise `ModelRefused` at a merge."""
        if isinstance(job, MergeJob):
            raise ModelRefused("no")
        return await super().do(job)
