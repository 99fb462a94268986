"""The resources of the MCP server, and its documentation."""

import re
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from nemuri_contracts.strength import AgentSlept
from tests.integration.harness import effective_events, eventually
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import Session, session

pytestmark = pytest.mark.connected

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "mcp.md"
FACT = "A generator can be read only once."


async def read(of: Session, uri: str) -> str:
    """Return the text of a resource."""
    found = await of.client.read_resource(uri)
    [content] = found.contents
    assert isinstance(content, TextResourceContents)
    return content.text


async def test_resources_tell_what_an_agent_knows(platform: Platform) -> None:
    """Read the table of contents, a memory, a task and the sleep after it."""
    async with session(platform.settings, "python") as of:
        stored = await of.done("remember", content=FACT, tags=["generators"])
        asked = await of.done("ask", request="How often can a generator be read?")
        contents = await read(of, "nemuri://agents/python/contents")
        assert "generators" in contents
        memory = await read(of, f"nemuri://agents/python/memories/{stored.structured['memory_id']}")
        assert f"> {FACT}" in memory
        assert FACT in await read(of, f"nemuri://tasks/{asked.structured['task_id']}")

        async def slept() -> bool:
            """Return True if the agent has slept."""
            return any(isinstance(event, AgentSlept) for event in await effective_events(platform.resources.log))

        await eventually(slept)
        assert "The last night of python ended on" in await read(of, "nemuri://agents/python/sleep")


async def test_resources_of_other_kinds_of_memory(platform: Platform) -> None:
    """Read the contents and the last night or consolidation of affective and tiered memory."""
    async with session(platform.settings) as of:
        assert "remembers 0 turns" in await read(of, "nemuri://agents/diary/contents")
        assert "has not slept yet" in await read(of, "nemuri://agents/diary/sleep")
        assert "in short-term" in await read(of, "nemuri://agents/noah/contents")
        assert "has not slept yet" in await read(of, "nemuri://agents/noah/sleep")


async def test_a_resource_that_cannot_be_read_says_why(platform: Platform) -> None:
    """Answer with one line for an unknown agent, an unknown task, and another agent than the bound one."""
    async with session(platform.settings, "python") as of:
        for uri, line in (
            ("nemuri://agents/noah/contents", "bound to agent 'python'"),
            ("nemuri://tasks/0123456789", "there is no task"),
            ("nemuri://tasks/never", "is not an id"),
        ):
            with pytest.raises(MCPError, match=line):
                await of.client.read_resource(uri)


async def test_the_past_is_recalled(platform: Platform) -> None:
    """Recall by `as_of` what was known then, and refuse a place outside the log."""
    async with session(platform.settings, "python") as of:
        await of.done("remember", content="The north gate opens at dawn.", key="north")
        then = await platform.resources.log.last_sequence()
        await of.done("remember", content="The south gate opens at noon.", key="south")
        now = await of.done("recall", query="When does the gate open?")
        past = await of.done("recall", query="When does the gate open?", as_of=then, explain=True)
        assert {each["words"] for each in now.structured["memories"]} == {
            "The north gate opens at dawn.",
            "The south gate opens at noon.",
        }
        assert [each["words"] for each in past.structured["memories"]] == ["The north gate opens at dawn."]
        assert past.structured["as_of"] in past.text
        assert "beyond the end of the log" in await of.refused("recall", query="gate", as_of=10**9)
        assert "is not a position in the log" in await of.refused("recall", query="gate", as_of="yesterday")
    async with session(platform.settings) as other:
        assert "leave out 'as_of'" in await other.refused("recall", agent="noah", query="gate", as_of="1h")


async def test_the_documentation_lists_the_tools_and_resources(platform: Platform) -> None:
    """List in the documentation every tool with whether it writes, and every resource, in the server's order."""
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \| (yes|no) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    templates = re.findall(r"^\| `(nemuri://[^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    async with session(platform.settings) as of:
        tools = (await of.client.list_tools()).tools
        known = (await of.client.list_resource_templates()).resource_templates
    hints = {tool.name: tool.annotations for tool in tools}
    assert [name for name, _ in rows] == list(hints)
    for name, writes in rows:
        hint = hints[name]
        assert hint is not None
        assert hint.read_only_hint is (writes == "no")
        assert hint.destructive_hint is (name == "forget")
    assert templates == [template.uri_template for template in known]


async def test_every_tool_explains_itself(platform: Platform) -> None:
    """Give each tool a title, a description, a closed list of described arguments and an output schema."""
    async with session(platform.settings) as of:
        for tool in (await of.client.list_tools()).tools:
            assert tool.title
            assert tool.description
            assert len(tool.description) > 100
            assert tool.output_schema is not None
            assert tool.input_schema["additionalProperties"] is False
            for name, argument in tool.input_schema["properties"].items():
                assert argument.get("description"), (tool.name, name)
