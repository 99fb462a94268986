"""Affective memories of several projects: what is recalled where, merged projects, pages and the start of a session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unicodedata import normalize
from uuid import uuid4

import pytest

from nemuri.admin import affective_memories
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.affective import ContextShown, TurnMatters
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, effective_events, running_services, until_idle
from tests.integration.test_affective_memory import remember_turns, turn

pytestmark = pytest.mark.connected

OVEN, SHOP = "example.org/ann/oven", "example.org/ann/shop"
CRASH = "The sourdough oven controller crashes on startup with a KeyError in config.py."
PRICES = "The sourdough price list of the shop is wrong for rye bread in config.py."
PREFERS = "I prefer answers about sourdough config.py in one sentence."
ASKED = "Does the sourdough controller in config.py start?"


@asynccontextmanager
async def assistants_platform(settings: Settings) -> AsyncIterator[tuple[Resources, Client]]:
    """Run all services with the agent `diary`, and yield their resources and an operator's client."""
    async with running_services(settings) as resources, connected_client(settings, OPERATOR) as client:
        await resources.log.append(agent_defined("diary", memory="affective", perspectives=()))
        await client.settle()
        yield resources, client


async def recalled(client: Client, project: str | None) -> set[str]:
    """Return the beginnings of the memories that a prompt brings up in a project."""
    view = await client.affect_recall("diary", ASKED, project=project, quietly=True)
    return {each.memory.trigger.split()[0] + " " + each.memory.trigger.split()[2] for each in view.recalled}


async def test_memories_are_recalled_in_their_project(settings: Settings) -> None:
    """A project recalls its own memories and those about the user; without a project, all are recalled. A merged
    project recalls those of both.
    """
    async with assistants_platform(settings) as (resources, client):
        offered = [turn(CRASH, number=0), turn(PRICES, number=1), turn(PREFERS, number=2)]
        projects = (OVEN, SHOP, SHOP)
        given = [each.model_copy(update={"project": name}) for each, name in zip(offered, projects, strict=True)]
        await remember_turns(resources, given)
        assert await recalled(client, OVEN) == {"The oven", "I answers"}
        assert await recalled(client, SHOP) == {"The price", "I answers"}
        assert await recalled(client, "/elsewhere") == {"I answers"}
        assert await recalled(client, None) == {"The oven", "The price", "I answers"}
        assert await affective_memories.merge_project(client, "diary", SHOP, OVEN)
        assert not await affective_memories.merge_project(client, "diary", SHOP, OVEN)
        assert await recalled(client, OVEN) == await recalled(client, SHOP) == {"The oven", "The price", "I answers"}
        [count] = (await client.affect("diary")).projects
        assert (count.project, count.memories) == (OVEN, 3)
        assert await affective_memories.merge_project(client, "diary", OVEN, SHOP)
        [count] = (await client.affect("diary")).projects
        assert (count.project, count.memories) == (SHOP, 3)
        with pytest.raises(ClientError, match="no memories of the project 'none'"):
            await affective_memories.merge_project(client, "diary", "none", OVEN)


async def test_a_session_begins_with_the_lines_of_its_project(settings: Settings) -> None:
    """The block at the start of a session has one line for each memory that matters in its project: what is about
    the user first, then the project's, protected ones first. That they were shown is recorded; it is no recall.
    """
    async with assistants_platform(settings) as (resources, client):
        offered = [turn(CRASH, number=0), turn(f"Remember this: {PRICES}", number=1), turn(PREFERS, number=2)]
        given = [each.model_copy(update={"project": OVEN}) for each in offered[:2]]
        known = await remember_turns(resources, [*given, offered[2].model_copy(update={"project": SHOP})])
        await until_idle(resources)  # The memory that was asked for is protected after it is remembered.
        view = await client.affect_brief("diary", project=OVEN, session="s1")
        assert [
            known.index(affect_memory)
            for one in view.memories
            for affect_memory in known
            if affect_memory.memory_id == one
        ] == [2, 1, 0]
        assert len([line for line in view.block.splitlines() if line.startswith("- [")]) == 3
        assert len(view.block) <= 4_000
        elsewhere = await client.affect_brief("diary", project="/elsewhere", quietly=True)
        assert elsewhere.memories == (known[2].memory_id,)
        [shown] = await affective_memories.shown_context(client, "diary", 10)
        assert (shown.occasion, shown.session, shown.project) == ("session_start", "s1", OVEN)
        assert shown.memories == view.memories
        assert shown.labels == tuple(known[place].label for place in (2, 1, 0))
        events = [event for event in await effective_events(resources.log) if isinstance(event, ContextShown)]
        assert len(events) == 1
        assert (await client.affect("diary")).recalls == 0


async def test_memories_are_listed_by_pages_and_words(settings: Settings) -> None:
    """Memories are listed newest first, by pages without repetition, by words, by project and by protection. Files,
    commands and errors of a turn are among its words.
    """
    async with assistants_platform(settings) as (resources, client):
        matters = TurnMatters(files=("src/oven.py",), commands=("pytest -q",), errors=("Exit code 1",))
        first = turn(CRASH, number=0).model_copy(update={"project": OVEN, "matters": matters})
        await remember_turns(resources, [first, *(turn(f"Question number {nth}", number=nth) for nth in range(1, 5))])
        seen, last = list[str](), None
        while True:
            page = await client.affect_memories("diary", older_than=last, limit=2)
            seen += [memory.trigger for memory in page.memories]
            last = page.older
            if last is None:
                break
        assert seen == [*(f"Question number {nth}" for nth in range(4, 0, -1)), CRASH]
        [found] = (await client.affect_memories("diary", containing="oven.py PYTEST code")).memories
        assert found.content.endswith("Files: src/oven.py\nCommands: pytest -q\nErrors: Exit code 1")
        assert (found.project, found.personal) == (OVEN, False)
        assert (await client.affect_memories("diary", project=OVEN)).memories == (found,)
        assert (await client.affect_memories("diary", archived=True)).memories == ()
        cafe = "The Café Müller closes at six."
        await remember_turns(resources, [turn(cafe, number=5)])
        for words in ("cafe muller", "CAFÉ", normalize("NFD", "Müller")):
            assert [
                memory.trigger for memory in (await client.affect_memories("diary", containing=words)).memories
            ] == [cafe]
        kept, view = await affective_memories.remember(client, "diary", "Deploys go out on Tuesdays.", SHOP)
        assert (kept.project, view.protected <= 1) == (SHOP, True)
        await client.affect_memory("diary", kept.label)
        with pytest.raises(ClientError, match="no-agent"):
            await client.affect_remember("no-agent", "x")
        assert (await client.affect_memories("diary", older_than=uuid4())).memories == ()


async def test_a_search_hears_other_words(settings: Settings) -> None:
    """A search finds a memory by other words and in the other language, as a recall does. It finds nothing for what no
    memory is about, and no active memory in the archive.
    """
    async with assistants_platform(settings) as (resources, client):
        told = [
            "The landlord raised the rent of our flat.",
            "The baker sells fresh bread at dawn.",
            "猫が獣医を嫌がる。",
        ]
        await remember_turns(resources, [turn(each, number=nth) for nth, each in enumerate(told)])

        async def found(text: str, *, archived: bool = False) -> list[str]:
            page = await client.affect_memories("diary", containing=text, archived=archived)
            return [memory.trigger for memory in page.memories]

        assert await found("rent") == [told[0]]
        assert await found("rental price of the apartment") == [told[0]]
        assert await found("アパートの家賃") == [told[0]]
        assert await found("the cat and the veterinarian") == [told[2]]
        assert await found("compiler warnings in the kernel driver") == []
        assert await found("rental price of the apartment", archived=True) == []
