"""Claude Code itself, as it comes with its Agent SDK, beside a stand-in for its model on this machine."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nemuri
from nemuri_infra.models.assistant_command import AssistantChat
from nemuri_infra.models.chat import ChatRequest
from tests.condition_waits import wait_until
from tests.e2e.conftest import SCRIPT, SHARED_PLATFORM, CommandLine, environment
from tests.integration.providers.provider import Provider
from tests.integration.providers.streams import anthropic_stream

sdk = pytest.importorskip("claude_agent_sdk", reason="the extra claude-agent is not installed")
from nemuri.adapters.claude_agent import memory_options  # noqa: E402
from nemuri.adapters.connection import Connection  # noqa: E402

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]

PROGRAM = Path(sdk.__file__).with_name("_bundled") / "claude"
ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorials" / "assistant-memory.md"
NOWHERE = "http://127.0.0.1:9"
"""A proxy that nobody serves: whatever the program asks of another machine ends there."""
PEANUTS = "Ann is allergic to peanuts."
CERTIFICATE = "The certificate of the cluster has expired; I renewed it."


def surroundings(home: Path, model: Provider) -> dict[str, str]:
    """Return the variables with which the program has an empty home, and this model and nothing else to talk to."""
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "HTTPS_PROXY": NOWHERE,
        "HTTP_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
    }


def texts(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of the messages of a request to the model."""
    for message in request["messages"]:
        content = message["content"]
        for part in [{"text": content}] if isinstance(content, str) else content:
            yield str(part.get("text", part.get("content", "")))


async def test_the_agent_sdk_runs_with_a_memory(tmp_path: Path) -> None:
    """The options of the adapter, in a real session: a prompt comes with what is remembered, the model sees and calls
    the tools, and what was said is learned.
    """
    call = ("mcp__nemuri__recall_memories", ['{"query": "allergic"}'])
    replies = [anthropic_stream(["I look."], call=call), anthropic_stream(["Take apricots, which grow in Malatya."])]
    async with nemuri.in_memory() as platform, Provider(replies) as model:
        await platform.define("assistant", role="assistant")
        client = platform.client("ann")
        await client.remember("assistant", PEANUTS, person="Ann")
        connection = Connection(client)
        given = sdk.ClaudeAgentOptions(cwd=tmp_path, env=surroundings(tmp_path, model))
        options = memory_options(given, "assistant", person="Ann", connection=connection)
        prompt = "Am I allergic to peanuts? I plan a picnic on the lake."
        told = [message async for message in sdk.query(prompt=prompt, options=options)]
        assert told[-1].result == "Take apricots, which grow in Malatya."
        first, second = (request.body for request in model.received)
        assert any(PEANUTS in text and "nemuri-memory" in text for text in texts(first))
        assert {"mcp__nemuri__recall_memories", "mcp__nemuri__remember"} <= {tool["name"] for tool in first["tools"]}
        assert PEANUTS in [*texts(second)][-1]
        assert await asyncio.to_thread(connection.drain, 10)
        await platform.services.settle()
        learned = str([memory.memory.content for memory in await client.memories("assistant", source="conversation")])
        assert "picnic" in learned
        assert "Malatya" in learned


async def claude(home: Path, platform: CommandLine, model: Provider, *words: str, folder: Path) -> str:
    """Run the program in a folder, and return what it prints."""
    mine = {"NEMURI_DATA": str(platform.data), "NEMURI_COMMAND": str(SCRIPT), "NEMURI_HOOK_START": "on"}
    process = await asyncio.create_subprocess_exec(
        PROGRAM,
        *words,
        cwd=folder,
        env=environment(**mine, **surroundings(home, model)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode().strip()


async def test_the_plugin_remembers_from_session_to_session(nemuri: CommandLine, tmp_path: Path) -> None:
    """After the commands of the tutorial, the next session is told the turns of the one before, and the MCP server is
    connected.
    """
    installing = re.findall(r"^\$ claude (.+)$", TUTORIAL.read_text(encoding="utf-8"), re.MULTILINE)
    assert installing
    said = "The login fails since we moved to the new cluster, and I am desperate!"
    async with Provider([anthropic_stream([CERTIFICATE])]) as model:
        run = partial(claude, tmp_path, nemuri, model)
        for command in installing:
            await run(*command.split(), folder=ROOT)
        assert await run("--print", said, folder=tmp_path) == CERTIFICATE
        wait_until(lambda: CERTIFICATE[:20] in nemuri("affect", "assistant", "list", "--json").out)
        await run("--print", "Why did the login fail on the new cluster?", folder=tmp_path)
        assert any("<memories" in text and CERTIFICATE in text for text in texts(model.received[-1].body))
        assert "Connected" in await run("mcp", "list", folder=tmp_path)


async def test_it_is_a_model_for_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider `assistant` starts the real program: it takes the options, and its result can be read."""
    monkeypatch.setattr("nemuri_infra.models.network_guard.ALLOW_MODEL_CALLS", False)
    async with Provider([anthropic_stream(["A memory that sleeps."])]) as model:
        for name, value in surroundings(tmp_path, model).items():
            monkeypatch.setenv(name, value)
        chat = AssistantChat(command=str(PROGRAM), model="haiku", timeout=60.0, budget=0.05)
        reply = await chat.complete(ChatRequest("be brief", "what is nemuri?", 100))
        assert reply.value.text == "A memory that sleeps."
        assert reply.usage is not None
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (12, 7)
        [request] = model.received
        assert "haiku" in request.body["model"]
        assert not request.body.get("tools")
        assert "be brief" in json.dumps(request.body["system"])
        assert "what is nemuri?" in "".join(texts(request.body))
