"""A language model takes steps before it answers: each is one event, and the loop ends within its bounds."""

import json
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from nemuri.operations.erasure import forget
from nemuri_contracts.agents import AgentDefined, Perspective, PolicyAdopted
from nemuri_contracts.clarifications import ClarificationRequest
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import SessionEnded
from nemuri_infra.models import network_guard
from nemuri_infra.models.anthropic import AnthropicChat
from nemuri_infra.models.chat import Chat
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.factory import Models
from nemuri_infra.models.openai import OpenAIChat
from nemuri_infra.models.prompted import PromptedModel
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
from tests.integration.providers.provider import (
    Provider,
    ReceivedRequest,
    ScriptedReply,
    anthropic_reply,
    openai_reply,
)
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.in_memory

QUESTION = "Which torque and which gasket does the flange of pump P7 need?"
KIND = "The flange of pump P7 is of kind zirkonite."
TORQUE = "Kind zirkonite is tightened with forty metres."
GASKET = "Pump P7 gets a gasket of velvetine."
GREASE = ClarificationRequest(
    question="Is the thread greased?", assumption="The thread is dry.", options=("yes, it is greased",)
)


@pytest.fixture(autouse=True)
def stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Permit model calls to the loopback only."""
    monkeypatch.setattr(network_guard, "ALLOW_MODEL_CALLS", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


class Worker(Provider):
    """A model that knows only what its prompt says. It answers when it knows everything that it was asked for."""

    def __init__(self) -> None:
        super().__init__([])

    def call(self, said: str, tools: set[str]) -> tuple[str, dict[str, str]] | None:
        """Return the call of a tool for what a prompt does not say yet; None if it says everything or nothing helps."""
        return _next_call(said, tools)

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        self.received.append(request)
        said = json.dumps(request.body, ensure_ascii=False)
        anthropic = "system" in request.body
        tools = {each.get("name") or each["function"]["name"] for each in request.body.get("tools", ())}
        choice = request.body.get("tool_choice")
        may_call = choice in ({"type": "auto"}, "auto")
        call = self.call(said, tools) if may_call else None
        if call is None:
            text = _answer(said)
            return ScriptedReply(anthropic_reply(text) if anthropic else openai_reply(text))
        name, arguments = call
        if anthropic:
            used = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
            return ScriptedReply(anthropic_reply("", content=[used], stop_reason="tool_use"))
        function = {"name": name, "arguments": json.dumps(arguments)}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        }
        choices = [{"index": 0, "message": message, "finish_reason": "tool_calls"}]
        return ScriptedReply(openai_reply(None, choices=choices))


class ClumsyReader(Worker):
    """A model that first calls a tool that does not exist, then one without its argument, and then reads."""

    def call(self, said: str, tools: set[str]) -> tuple[str, dict[str, str]] | None:  # noqa: ARG002 - as of a worker
        """Return the next call: what the prompt says of the earlier ones decides."""
        if "there is no tool" not in said:
            return "browse", {"url": "http://example.org"}
        if "not carried out" not in said.partition("there is no tool")[2]:
            return "read", {"page": "7"}
        return ("read", {"query": "zirkonite tightened metres"}) if "tightened with" not in said else None


class Asker(Worker):
    """A worker that asks the client as soon as it knows the torque, if its prompt lets it ask."""

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        said = json.dumps(request.body, ensure_ascii=False)
        if "tightened with" not in said or "You may ask the person one question" not in said:
            return super()._next(request)
        self.received.append(request)
        return ScriptedReply(openai_reply(json.dumps({"clarification": GREASE.model_dump()})))


def _next_call(said: str, tools: set[str]) -> tuple[str, dict[str, str]] | None:
    """Return the call of a tool for what a prompt does not say yet; None if it says everything or nothing helps."""
    kind = re.search(r"of kind (\w+)", said)
    if "recall" in tools and kind and "tightened with" not in said:
        return "recall", {"query": f"kind {kind[1]}"}
    listed = re.search(r"<(sealer) ", said)
    if "consult" in tools and listed and "gasket of" not in said:
        return "consult", {"colleague": listed[1], "question": "Which gasket does pump P7 get?"}
    return None


def _answer(said: str) -> str:
    """Return the sentences about torque and gasket that the prompt contains, each with the label of its source."""
    sources = re.findall(r"<([mcd]\d+) [0-9a-f]{24}>(.*?)</\1 ", said)
    known = re.compile(r"(Kind \w+ is tightened with[^.]*|Pump P7 gets a gasket of[^.]*)\.")
    found = [f"{sentence} [{label}]." for label, text in sources for sentence in known.findall(text)]
    return " ".join(dict.fromkeys(found)) or "The sources do not say it."


def _anthropic(provider: Provider) -> Chat:
    return AnthropicChat(api_key="k", base_url=provider.url, model="stand-in", timeout=10)


def _openai(provider: Provider) -> Chat:
    return OpenAIChat(api_key="k", base_url=f"{provider.url}/v1", model="stand-in", timeout=10)


def experts(**parameters: Any) -> list[AgentDefined | PolicyAdopted | SessionEnded]:
    """Return the events that define two agents. The first one gets a single memory with its question."""
    fitter = agent_defined(
        "fitter", role="fitter", description="pump flange torque", perspectives=(Perspective(name="torque"),)
    )
    sealer = agent_defined("sealer", role="sealer", description="seals", perspectives=(Perspective(name="seals"),))
    policy = PolicyAdopted(event_id=uuid4(), agent_id="fitter", parameters={"top_k_results": 1} | parameters)
    return [fitter, sealer, policy, SessionEnded(event_id=uuid4(), agent_id="fitter", assignment_id=uuid4())]


@pytest.mark.connected
@pytest.mark.parametrize(
    "chat", [pytest.param(_anthropic, marks=pytest.mark.long), _openai], ids=["anthropic", "openai"]
)
async def test_a_model_recalls_and_consults_until_it_can_answer(
    servers: Servers, settings: Settings, chat: Callable[[Provider], Chat]
) -> None:
    """The answer needs a memory that only a second recall finds, and the answer of a colleague. Each step is one event.

    Memories of a step are candidates, those of the answer are used, and the colleague remembers by use too. An erased
    memory of the colleague takes along the task with its steps.
    """
    async with Worker() as provider:
        models = Models(PromptedModel(chat(provider)), ExtractiveModel())
        async with running_services(settings, models=models) as resources, connected_client(settings) as client:
            for event in experts():
                await resources.log.append(event)
            await until_idle(resources)
            first = await client.remember("fitter", KIND)
            second = await client.remember("fitter", TORQUE)
            await client.remember("fitter", "Nothing else is known about zebras.")
            gasket = await client.remember("sealer", GASKET, tags=["gasket", "pump"])
            done = await client.ask(QUESTION, agent="fitter", settled=True)

            assert [(step.tool, step.problem) for step in done.steps] == [("recall", ""), ("consult", "")]
            recalled, consulted = done.steps
            assert second in recalled.memories
            assert (consulted.colleague, consulted.answer) == ("sealer", GASKET)
            assert done.answer is not None
            assert "forty metres [m2]" in done.answer
            assert "velvetine [c1]" in done.answer
            assert done.citations == (second,)
            assert {each.memory_id for each in done.retrieved} >= {first, second}
            assert sum(cost.step == "answer" for cost in done.costs) == 1
            await until_idle(resources)
            by_id = {each: await client.memory(each) for each in (second, gasket)}
            assert [(each.candidate_count, each.access_count) for each in by_id.values()] == [(1, 1), (1, 1)]
            asked, again, told = await client.why(done.task_id)
            assert [(explanation.agent_id, explanation.step) for explanation in (asked, again, told)] == [
                ("fitter", None), ("fitter", 1), ("sealer", None),
            ]  # fmt: skip
            assert again.query == "kind zirkonite"
            rows = {
                candidate.candidate.memory_id: (candidate.label, candidate.standing) for candidate in again.candidates
            }
            assert rows[second] == ("m2", "used")
            assert rows[first] == ("m1", "in context before")
            await client.feedback(done.task_id, "helpful")
            await until_idle(resources)
            scores = [(await client.memory(each)).impact_score for each in (second, gasket)]
            assert scores == [2.0, 2.0], "the colleague shares the credit"
            kinds = [type(event) for event in await effective_events(resources.log)]
            assert kinds.count(AssignmentStepped) == 2
            assert kinds.count(ConsultationEnded) == 1
            assert sum("tools" in each.body for each in provider.received) == 3, (
                "each model call of the asking agent has its outcome in one event"
            )
            await assert_verified(settings)

            await forget(settings, [Thing("memory", gasket)])
            await until_idle(resources)
            assert not files_with(servers.directory, "velvetine")["velvetine"]
            assert (await client.memory(second)).access_count == 1
        await assert_verified(settings)


async def test_the_last_call_must_answer(settings: Settings) -> None:
    """After the number of steps in the policy, the model gets no further call. It says what it could not find."""
    async with Worker() as provider:
        models = Models(PromptedModel(_openai(provider)), ExtractiveModel())
        async with running_services(settings, models=models) as resources, connected_client(settings) as client:
            for event in experts(max_steps=1):
                await resources.log.append(event)
            await until_idle(resources)
            await client.remember("fitter", KIND)
            await client.remember("fitter", TORQUE)
            await client.remember("sealer", GASKET, tags=["gasket", "pump"])
            done = await client.ask(QUESTION, agent="fitter")
            assert [step.tool for step in done.steps] == ["recall"]
            assert "velvetine" not in (done.answer or "")
            choices = [each.body["tool_choice"] for each in provider.received if "tools" in each.body]
            assert choices == ["auto", "none"]
    await assert_verified(settings)


async def test_a_model_is_told_what_is_wrong_with_a_call_and_reads_on(settings: Settings) -> None:
    """A tool that does not exist and a missing argument are steps with a problem. Then the model answers from the
    passage that says it in other words, and cites it.
    """
    checked = "torque and gasket of the flange of pump P7 were checked in week"
    pages = [f"Report {number}: {checked} {number}. " * 8 for number in range(40)]
    pages.insert(30, f"{TORQUE} This holds for every hall.")
    async with ClumsyReader() as provider:
        models = Models(PromptedModel(_openai(provider)), ExtractiveModel())
        async with running_services(settings, models=models) as resources, connected_client(settings) as client:
            for event in experts():
                await resources.log.append(event)
            await until_idle(resources)
            await client.remember("fitter", KIND)
            document = ("reports.txt", "\f".join(pages))
            done = await client.ask(QUESTION, agent="fitter", documents=[document])
            unknown, empty, *read = done.steps
            assert "there is no tool 'browse'" in unknown.problem
            assert empty.problem
            assert all((each.tool, each.problem) == ("read", "") for each in read)
            assert "forty metres [d" in (done.answer or "")
            [cited] = [passage for passage in done.passages if passage.cited]
            first_page, last_page = cited.detail.pages or (0, 0)
            assert first_page <= 31 <= last_page
    await assert_verified(settings)


async def test_an_agent_asks_its_client_between_two_steps(settings: Settings) -> None:
    """The model recalls, asks the client, consults a colleague and answers. The first step is not repeated after the
    question, and what it found can still be cited.
    """
    async with Asker() as provider:
        models = Models(PromptedModel(_openai(provider)), ExtractiveModel())
        async with running_services(settings, models=models) as resources, connected_client(settings) as client:
            for event in experts():
                await resources.log.append(event)
            await until_idle(resources)
            await client.remember("fitter", KIND)
            torque = await client.remember("fitter", TORQUE)
            await client.remember("sealer", GASKET, tags=["gasket", "pump"])
            waiting = await client.ask(QUESTION, agent="fitter")
            assert waiting.clarification is not None
            assert waiting.clarification.request == GREASE
            assert [step.tool for step in waiting.steps] == ["recall"]
            await client.answer_question(waiting.task_id, "The thread is greased with talgol.")
            done = await client.result(waiting.task_id, settled=True)
            await until_idle(resources)
    assert [step.tool for step in done.steps] == ["recall", "consult"]
    assert torque in done.citations
    assert "velvetine [c1]" in (done.answer or "")
    said = [json.dumps(each.body, ensure_ascii=False) for each in provider.received if "tools" in each.body]
    assert ["talgol" in each for each in said] == [False, False, True, True], (
        "two calls before the client's answer and two after it"
    )
    assert ["You may ask the person" in each for each in said] == [True, True, False, False]
    await assert_verified(settings)
