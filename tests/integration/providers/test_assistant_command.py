"""The chat that asks the user's coding assistant by its command line: arguments, replies and failures."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from nemuri_contracts.event import Usage
from nemuri_domain.affective.turn_reader import read_turn
from nemuri_infra.models.assistant_command import CONCURRENT, AssistantChat
from nemuri_infra.models.chat import ChatRequest, Tool
from nemuri_infra.models.factory import build_models
from nemuri_infra.models.failures import ModelFailure, ModelRefused, ModelUnavailable, ModelUnusable
from nemuri_infra.models.jobs.turn_reading import FeelJob
from nemuri_infra.models.json_schema import INTEGER, closed
from nemuri_infra.models.network_guard import ModelCallsForbidden
from nemuri_infra.models.settings import ModelSettings
from tests.integration.harness import eventually
from tests.integration.providers.assistant import FakeAssistant, fake_assistant, options, printed

ASKED = ChatRequest("be brief", "what is nemuri?", 100)


def chat(assistant: FakeAssistant, timeout: float = 30.0) -> AssistantChat:
    """Return a chat with the stand-in."""
    return AssistantChat(command=assistant.command, model="haiku", timeout=timeout, budget=0.05)


async def test_the_command_is_called_without_tools_hooks_and_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command gets the request by a file and standard input, in an empty directory, and nothing of the user's."""
    monkeypatch.setenv("CLAUDECODE", "1")
    assistant = fake_assistant(tmp_path / "bin", printed(" 眠\0り "))

    reply = await chat(assistant).complete(ASKED)

    assert reply.value.text == "眠り"
    spent = {"input_tokens": 1_006, "output_tokens": 40, "cached_tokens": 1_000, "money": 0.012}
    assert reply.usage == Usage.model_validate({"model": "assistant:haiku"} | spent)
    [call] = assistant.calls
    assert (call["system"], call["user"]) == ("be brief", "what is nemuri?")
    assert options(call)["--model"] == "haiku"
    assert options(call)["--output-format"] == "json"
    assert options(call)["--max-budget-usd"] == "0.05"
    assert options(call)["--tools"] == ""
    assert {"--print", "--safe-mode", "--strict-mcp-config", "--no-session-persistence"} <= set(call["arguments"])
    assert "be brief" not in " ".join(call["arguments"])
    assert call["environment"]["NEMURI_HOOKS"] == "off"
    assert "CLAUDECODE" not in call["environment"]
    assert not _exists(call["folder"])


async def test_an_object_by_a_schema_is_structured(tmp_path: Path) -> None:
    """A schema goes to the command, and the object that it prints is the structured value and the text."""
    schema = closed("number", number=INTEGER)
    assistant = fake_assistant(tmp_path, printed("Done.", structured_output={"number": 7}))
    reply = await chat(assistant).complete(ChatRequest("", "seven", 100, schema=schema))
    assert reply.value.structured == {"number": 7}
    assert json.loads(reply.value.text) == {"number": 7}
    assert json.loads(options(assistant.calls[0])["--json-schema"]) == schema.value


async def test_tools_are_described_in_words(tmp_path: Path) -> None:
    """Tools are described in the system message, and a call in the text is read."""
    tool = Tool("search", "Search the memory.", closed("search", number=INTEGER))
    assistant = fake_assistant(tmp_path, printed('{"tool": "search", "arguments": {"number": 3}}'))
    reply = await chat(assistant).complete(ChatRequest("sys", "find", 100, tools=(tool,)))
    [call] = reply.value.tool_calls
    assert (call.name, call.arguments, call.problem) == ("search", {"number": 3}, "")
    assert "Search the memory." in assistant.calls[0]["system"]


@pytest.mark.parametrize(
    ("said", "kind", "reason"),
    [
        (printed("Claude usage limit reached|1764200000", is_error=True), ModelUnavailable, "limit reached"),
        (printed("You've hit your session limit", is_error=True), ModelUnavailable, "limit"),
        (printed("API Error: 529 overloaded_error", is_error=True), ModelUnavailable, "529"),
        (printed(None, is_error=True, subtype="error_during_execution", errors=["Connection error."]),
         ModelUnavailable, "Connection"),
        (printed("Invalid API key · Please run /login", is_error=True), ModelRefused, "/login"),
        (printed(None, is_error=True, subtype="error_max_budget_usd"), ModelRefused, "error_max_budget_usd"),
        (printed(None, is_error=True, subtype="error_max_turns"), ModelRefused, "error_max_turns"),
        ({"complaint": "error: unknown option '--safe-mode'", "code": 1}, ModelRefused, "unknown option"),
        ({"printed": "Update available!"}, ModelUnusable, "unreadable reply"),
        (printed(" "), ModelUnusable, "no text"),
    ],
)  # fmt: skip
async def test_failures_are_told_apart(
    tmp_path: Path, said: dict[str, Any], kind: type[ModelFailure], reason: str
) -> None:
    """A limit of use, an overload and a missing connection pass; other failures are refusals. A message is one line."""
    with pytest.raises(ModelFailure, match=reason) as raised:
        await chat(fake_assistant(tmp_path, said)).complete(ASKED)
    assert type(raised.value) is kind
    assert "\n" not in str(raised.value)
    assert "limit reached" not in raised.value.brief


async def test_the_price_of_a_refused_call_is_known(tmp_path: Path) -> None:
    """A call that was ended by its budget has cost money, and its usage says how much."""
    assistant = fake_assistant(tmp_path, printed(None, is_error=True, subtype="error_max_budget_usd"))
    with pytest.raises(ModelRefused) as raised:
        await chat(assistant).complete(ASKED)
    assert raised.value.usage is not None
    assert raised.value.usage.money == 0.012


async def test_a_missing_command_is_refused(tmp_path: Path) -> None:
    """A command that does not exist is refused in one line that names it."""
    missing = AssistantChat(command=str(tmp_path / "nobody"), model="haiku", timeout=5.0, budget=1.0)
    with pytest.raises(ModelRefused, match="nobody' does not start"):
        await missing.complete(ASKED)


async def test_tests_never_ask_the_users_own_assistant() -> None:
    """While calls are off, a command that is searched for in the PATH is forbidden."""
    with pytest.raises(ModelCallsForbidden):
        await AssistantChat(command="claude", model="haiku", timeout=5.0, budget=1.0).complete(ASKED)


async def test_a_slow_command_is_unavailable(tmp_path: Path) -> None:
    """A command that exceeds its time is ended, and counts as unavailable."""
    with pytest.raises(ModelUnavailable, match=r"within 0\.2 s"):
        await chat(fake_assistant(tmp_path, {"child": True}), timeout=0.2).complete(ASKED)


async def test_a_command_ends_with_its_children(tmp_path: Path) -> None:
    """If nobody waits for a command any more, it is killed together with the processes that it started."""
    assistant = fake_assistant(tmp_path, {"child": True})
    asking = asyncio.create_task(chat(assistant).complete(ASKED))

    async def called() -> list[dict[str, Any]]:
        """Return the calls so far."""
        return assistant.calls

    [call] = await eventually(called)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    async def ended() -> bool:
        """Return whether both processes are gone."""
        return not _runs(call["pid"]) and not _runs(call["child"])

    await eventually(ended)


async def test_few_commands_run_at_once(tmp_path: Path) -> None:
    """Only a few commands run at the same time, because each is a whole program. All calls get their answers."""
    assistant = fake_assistant(tmp_path, printed("yes"))
    asking = chat(assistant)
    replies = await asyncio.gather(*(asking.complete(ASKED) for _ in range(2 * CONCURRENT + 1)))
    assert [reply.value.text for reply in replies] == ["yes"] * (2 * CONCURRENT + 1)


async def test_the_assistant_reads_turns_and_words_replace_it(tmp_path: Path) -> None:
    """The settings choose the assistant as a model. If it refuses, the extractive model of the chain reads the turn."""
    said = {"emotional_intensity": 64, "trigger": "It works.", "content": "The race is gone."}
    assistant = fake_assistant(
        tmp_path, printed("", structured_output=said), printed("Please run /login", is_error=True)
    )
    models = build_models(ModelSettings(providers=("assistant", "extractive"), assistant_command=assistant.command))
    job = FeelJob("It works, finally!", "The race is gone.")
    try:
        by_model, by_words = await models.light.do(job), await models.light.do(job)
    finally:
        await models.aclose()
    assert models.light.name == "assistant:haiku > extractive"
    assert (by_model.value.reading.intensity, by_model.usage.money) == (64, 0.012)
    assert (by_words.value.reading, by_words.usage.model) == (read_turn(job.prompt, job.reply), "lexicon")


def _runs(pid: int) -> bool:
    """Return whether a process exists and is not only waiting to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _exists(path: str) -> bool:
    return Path(path).exists()
