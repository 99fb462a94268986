"""Anthropic's memory tool: the same answers as the SDK's own tool on files, and the rules of paths."""

import re
from pathlib import Path
from typing import Any

import anthropic
import pytest
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

from nemuri.adapters.anthropic_memory_tool import AsyncMemoryTool
from nemuri.client.client import Client
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply

NOTE = "Ann likes tea.\nAnn lives in Bergen.\nBob likes tea.\n"
COMMANDS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/none.md"},
    {"command": "create", "path": "/memories/people/ann.md", "file_text": NOTE},
    {"command": "create", "path": "/memories/people/ann.md", "file_text": "again"},
    {"command": "create", "path": "/memories/todo.txt", "file_text": ""},
    {"command": "create", "path": "/memories/a/b/c/deep.txt", "file_text": "é\u2028x"},
    {"command": "create", "path": "/memories/.hidden", "file_text": "x"},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/people"},
    {"command": "view", "path": "/memories/people/ann.md"},
    {"command": "view", "path": "/memories/people/../people/ann.md", "view_range": [2, -1]},
    {"command": "view", "path": "/memories/people/ann.md", "view_range": [2, 2]},
    {"command": "str_replace", "path": "/memories/people/ann.md", "old_str": "likes tea", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/people/ann.md", "old_str": "coffee", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/people/ann.md", "old_str": "in Bergen", "new_str": "in Oslo\nnow"},
    {"command": "str_replace", "path": "/memories/none.md", "old_str": "a", "new_str": "b"},
    {"command": "str_replace", "path": "/memories/people", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": "/memories/people/ann.md", "insert_line": 0, "insert_text": "# Ann\n"},
    {"command": "insert", "path": "/memories/people/ann.md", "insert_line": 5, "insert_text": "last"},
    {"command": "insert", "path": "/memories/people/ann.md", "insert_line": 99, "insert_text": "x"},
    {"command": "insert", "path": "/memories/todo.txt", "insert_line": 0, "insert_text": "buy tea"},
    {"command": "view", "path": "/memories/people/ann.md"},
    {"command": "rename", "old_path": "/memories/people/ann.md", "new_path": "/memories/todo.txt"},
    {"command": "rename", "old_path": "/memories/none.md", "new_path": "/memories/new.md"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/new"},
    {"command": "rename", "old_path": "/memories/people", "new_path": "/memories/friends/close"},
    {"command": "view", "path": "/memories/friends/close/ann.md"},
    {"command": "view", "path": "/memories/people/ann.md"},
    {"command": "delete", "path": "/memories/a"},
    {"command": "delete", "path": "/memories/a"},
    {"command": "delete", "path": "/memories"},
    {"command": "create", "path": "/memories/a/b/c/deep.txt", "file_text": "again"},
    {"command": "view", "path": "/memories/a/b/c/deep.txt"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": "/memories/../etc/passwd"},
    {"command": "delete", "path": "/memories/../../etc"},
    {"command": "rename", "old_path": "/memories/todo.txt", "new_path": "/memories/../todo.txt"},
]


async def answer(tool: BetaAbstractMemoryTool | AsyncMemoryTool, command: dict[str, Any]) -> str:
    """Return the answer of a tool, or what it refuses. Sizes of directories, which file systems set, are left out."""
    try:
        done = tool.call(command)
        said = str(done if isinstance(done, str) else await done)  # type: ignore[misc]
    except ToolError as error:
        said = f"refused: {error}"
    return "\n".join(re.sub(r"^[\d.]+[BKM](?=\t.*(/|/memories|people)$)", "", line) for line in said.split("\n"))


async def test_it_answers_as_the_tool_on_files(client: Client, tmp_path: Path) -> None:
    """Give the answer of the SDK's own tool to each of a series of commands, refusals included."""
    own, files = AsyncMemoryTool("assistant", connection=client), BetaLocalFilesystemMemoryTool(str(tmp_path))
    for command in COMMANDS:
        assert await answer(own, command) == await answer(files, command), command


async def test_files_are_of_one_person_and_no_memories_of_the_agent(client: Client) -> None:
    """Keep the files of a person from others, and from what the agent recalls."""
    ann = AsyncMemoryTool("assistant", person="Ann", connection=client)
    bob = AsyncMemoryTool("assistant", person="Bob", connection=client)
    await ann.call({"command": "create", "path": "/memories/x.txt", "file_text": "Ann likes oolong tea."})
    assert "x.txt" not in str(await bob.call({"command": "view", "path": "/memories"}))
    assert "x.txt" in str(await ann.call({"command": "view", "path": "/memories"}))
    assert not (await client.recall("assistant", "oolong tea", person="Ann")).memories
    await ann.clear_all_memory()
    assert "x.txt" not in str(await ann.call({"command": "view", "path": "/memories"}))


async def test_what_cannot_be_done_is_told_in_a_line(client: Client) -> None:
    """Refuse a file that is too long, a path below a file and a command without a field, and change nothing."""
    tool = AsyncMemoryTool("assistant", connection=client)
    await tool.call({"command": "create", "path": "/memories/a", "file_text": "x"})
    for command, reason in (
        ({"command": "create", "path": "/memories/long", "file_text": "x" * 16_001}, "at most 16,000 fit"),
        ({"command": "create", "path": "/memories/a/b", "file_text": "x"}, "/memories/a is a file"),
        ({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/a/b"}, "into itself"),
        ({"command": "insert", "path": "/memories/a"}, "insert_line"),
    ):
        with pytest.raises(ToolError, match=reason):
            await tool.call(command)
    assert str(await tool.call({"command": "view", "path": "/memories"})).splitlines()[1:] == [
        "1B\t/memories",
        "1B\t/memories/a",
    ]


async def test_a_model_uses_it_by_the_runner_of_the_sdk(client: Client) -> None:
    """Do what the model asks for, and give it the answer."""
    command = {"command": "create", "path": "/memories/ann.md", "file_text": "Ann likes tea."}
    use = {"type": "tool_use", "id": "use_1", "name": "memory", "input": command}
    asked = ScriptedReply(anthropic_reply("", content=[use], stop_reason="tool_use"))
    async with Provider([asked, ScriptedReply(anthropic_reply("Noted."))]) as provider:
        model = anthropic.AsyncAnthropic(api_key="none", base_url=provider.url)
        runner = model.beta.messages.tool_runner(
            model="m",
            max_tokens=99,
            messages=[{"role": "user", "content": "I like tea."}],
            tools=[AsyncMemoryTool("assistant", connection=client)],
        )
        await runner.until_done()
    assert provider.received[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert "created successfully" in str(provider.received[1].body["messages"][-1])
