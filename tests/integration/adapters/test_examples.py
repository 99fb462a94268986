"""The examples for frameworks, run without a key: on a platform in memory, with a model on the loopback."""

import os
import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nemuri.client.client import Client
from tests.integration.adapters.test_model_clients import response_reply
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply
from tests.integration.providers.streams import anthropic_stream

EXAMPLES = Path(__file__).parents[3] / "examples" / "frameworks"
NOTED, ANSWER = ScriptedReply(response_reply("Noted.")), ScriptedReply(response_reply("On Tuesdays."))
CREATE = {"command": "create", "path": "/memories/ann.md", "file_text": "Ann likes tea."}
USE = {"type": "tool_use", "id": "use_1", "name": "memory", "input": CREATE}
NEEDED = {
    "langgraph_store": "langgraph.store",
    "langchain_retriever": "langchain_core",
    "openai_agents_session": "agents",
    "llama_index_block": "llama_index.core",
    "google_adk_service": "google.adk",
    "claude_agent_options": "claude_agent_sdk",
    "pydantic_ai_toolset": "pydantic_ai",
}
"""The module that an example needs, if it is of a framework that may be missing."""
CASES: dict[str, tuple[Sequence[ScriptedReply], str, str]] = {
    "openai_client": ((NOTED, ANSWER), "Noted.\nOn Tuesdays.", "allergic to peanuts"),
    "anthropic_client": ((anthropic_stream(["Noted."]), anthropic_stream(["Rice."])), "Noted.\nRice.", "to peanuts"),
    "anthropic_memory_tool": (
        (
            ScriptedReply(anthropic_reply("", content=[USE], stop_reason="tool_use")),
            ScriptedReply(anthropic_reply("!")),
        ),
        "1\tAnn likes tea.",
        "created successfully",
    ),
    "langgraph_store": ((), "with peanuts.\nAnn rows on the lake on Tuesdays.", ""),
    "langchain_retriever": ((), "Ann rows on the lake on Tuesdays. ['sport']", ""),
    "openai_agents_session": ((NOTED, ANSWER), "Noted.\nOn Tuesdays.\n4 items", "I row on Tuesdays."),
    "llama_index_block": ((), "Ann rows on Tuesdays.", ""),
    "google_adk_service": ((), "I row on Tuesdays.", ""),
    "claude_agent_options": ((), "mcp__nemuri__remember UserPromptSubmit Stop", ""),
    "pydantic_ai_toolset": ((), '{"recall_memories":"Nothing is remembered about it."}', ""),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
async def test_an_example_runs(
    name: str, client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Print what the example says, and send its last request with what was remembered."""
    if name in NEEDED:
        pytest.importorskip(NEEDED[name], reason="the framework is not installed")
    replies, printed, sent = CASES[name]
    options: dict[str, Any] = {}
    if name == "pydantic_ai_toolset":
        from pydantic_ai.models.test import TestModel

        options["model"] = TestModel(call_tools=["recall_memories"])
    async with Provider(replies) as provider:
        for variable in ("OPENAI", "ANTHROPIC"):
            monkeypatch.setitem(os.environ, f"{variable}_API_KEY", "none")
            suffix = "/v1" if variable == "OPENAI" else ""
            monkeypatch.setitem(os.environ, f"{variable}_BASE_URL", provider.url + suffix)
        await runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](client, **options)
        assert sent in str([request.body for request in provider.received[-1:]])
    assert printed in capsys.readouterr().out
