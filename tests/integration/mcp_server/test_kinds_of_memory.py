"""A bound MCP server offers only what its agent's kind of memory has, and keeps the projects of a user apart."""

import re
from pathlib import Path

import pytest

from nemuri.admin.affective import protect
from nemuri.mcp_server.server import TOOLS
from nemuri.mcp_server.tool_forms import OF_STRENGTH
from nemuri.web.principals import Principal
from nemuri_infra.runtime.settings import Settings
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import session
from tests.integration.mcp_server.test_http import session as web_session
from tests.integration.web_gateway import running_gateway

pytestmark = pytest.mark.connected

OF_DIARY = {"recall", "memories", "rescope", "status", "forget"}
COMMON = OF_DIARY - {"rescope"}
ALL = {tool.function.__name__ for tool in TOOLS}
OVEN, SHOP = "example.org/ann/oven", "example.org/ann/shop"
ASKED = "sourdough starter"


@pytest.mark.parametrize(
    ("agent", "wanted"),
    [("python", ALL - {"rescope"}), ("diary", OF_DIARY), ("noah", COMMON | {"remember"}), (None, ALL)],
)
async def test_a_server_lists_the_tools_that_its_agent_has(
    platform: Platform, agent: str | None, wanted: set[str]
) -> None:
    """List only tools that the memory of a bound agent has, and name no other tool in instructions and descriptions."""
    async with session(platform.settings, agent) as of:
        tools = (await of.client.list_tools()).tools
        told = of.client.instructions or ""
    assert {tool.name for tool in tools} == wanted
    for text in (told, *(str(tool.model_dump()) for tool in tools)):
        named = set(re.findall(r"`(\w+)`", text))
        assert named & ALL <= wanted
        assert told


async def test_a_tool_has_the_arguments_that_apply(platform: Platform) -> None:
    """Leave out arguments that a kind of memory always refuses."""
    taken = dict[str, set[str]]()
    for agent in ("python", "diary", "noah"):
        async with session(platform.settings, agent) as of:
            [recall] = [tool for tool in (await of.client.list_tools()).tools if tool.name == "recall"]
            taken[agent] = {*recall.input_schema["properties"]}
    assert taken["python"] >= {"project", "domains", "as_of", *OF_STRENGTH}
    assert taken["diary"] == taken["python"] - {"domains", "as_of", *OF_STRENGTH}
    assert taken["noah"] == taken["diary"] - {"project"}


async def test_the_tools_of_a_diary_work(platform: Platform) -> None:
    """Recall, read by id and by label, look up and show the erasure of an affective memory."""
    memory = await platform.client.affect_remember("diary", "The rye needs a longer proof in winter.")
    label = (await platform.client.affect_memory("diary", str(memory))).label
    async with session(platform.settings, "diary") as of:
        found = await of.done("recall", query="how long does the rye proof in winter", explain=True)
        assert str(memory) in [each["memory_id"] for each in found.structured["memories"]]
        for name in (str(memory), str(memory)[:8], label):
            assert "rye" in (await of.done("memories", ids=[name])).text
        assert (await of.done("status", id=str(memory))).structured["what"] == "memory"
        assert "is protected" in await of.refused("forget", id=str(memory))
        await protect(platform.client, "diary", label, protected=False)
        assert (await of.done("forget", id=str(memory))).structured["number"] >= 1


async def test_recall_keeps_projects_apart(platform: Platform) -> None:
    """Recall affective memories of the project that is given, or of the settings, and those about the user."""
    keep = platform.client.affect_remember
    await keep("diary", "The sourdough starter of the oven is fed at six.", project=OVEN)
    await keep("diary", "The sourdough starter of the shop is sold in jars.", project=SHOP)
    await keep("diary", "I prefer answers about the sourdough starter in one sentence.", project=SHOP)

    async def found(settings: Settings, **more: str) -> tuple[set[str], str]:
        async with session(settings, "diary") as of:
            answer = await of.done("recall", query=ASKED, **more)
        known = ("oven", "shop", "one sentence")
        words = " ".join(each["words"] for each in answer.structured["memories"])
        return {each for each in known if each in words}, answer.structured["project"]

    here = platform.settings.model_copy(update={"project": OVEN})
    assert await found(here) == ({"oven", "one sentence"}, OVEN)
    assert await found(here, project=SHOP) == ({"shop", "one sentence"}, SHOP)
    elsewhere, project = await found(platform.settings)
    assert elsewhere == {"one sentence"}
    assert project.startswith("/")
    async with running_gateway(platform.settings) as gateway:
        for address, wanted in ((f"/mcp/diary?project={SHOP}", SHOP), ("/mcp/diary", "/")):
            async with web_session(gateway, Principal("bob"), address) as of:
                answer = await of.done("recall", query=ASKED)
                assert answer.structured["project"] == wanted
                assert ("shop" in answer.text) == (wanted == SHOP)
                assert {tool.name for tool in (await of.client.list_tools()).tools} == OF_DIARY


async def test_the_agent_of_the_hooks_is_known_before_a_platform_runs(tmp_path: Path) -> None:
    """List the tools of affective memory for the agent of the hooks while no platform runs, and all for another one."""
    nowhere = Settings(data=tmp_path / "none")
    for agent, wanted in (("assistant", OF_DIARY), ("python", ALL)):
        async with session(nowhere, agent) as of:
            assert {tool.name for tool in (await of.client.list_tools()).tools} == wanted
