"""Pages about minds: agents, memories, and what a night changed."""

import re
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio
from pydantic import JsonValue

from nemuri.admin.agent_definitions import AgentFile, add_agent
from nemuri.operations.erasure import forget
from nemuri.platform.serving import prepare
from nemuri.web.principals import Principal
from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.strength import AgentSlept
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import EMBEDDING, connected_client, effective_events, until_idle
from tests.integration.servers import Servers
from tests.integration.window.sample_platform import INJECTIONS, SamplePlatform, sample_platform

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("mind-pages")]
QUICK: dict[str, JsonValue] = {"fading": "tasks", "expected_tasks_per_day": 0.1, "archive_threshold": 0.9}
"""A policy under which one task is enough to forget what was not used."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def sample(servers: Servers) -> AsyncIterator[SamplePlatform]:
    """A platform with agents of all kinds, and one that has forgotten something."""
    settings: Settings = servers.settings()
    await prepare(settings)
    async with sample_platform(settings) as running, connected_client(settings, OPERATOR) as client:
        definition = Definition(role="forgets quickly", perspectives=(Perspective(name="all"),))
        await add_agent(client, AgentFile("sieve", definition, QUICK), EMBEDDING)
        await client.remember("sieve", "The garden gate needs oil before winter.", tags=["house"])
        for question in ("Which port is free?", "Which port is taken?"):
            await client.ask(question, agent="sieve", settled=True)
        await until_idle(running.resources)
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def page(sample: SamplePlatform) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser that has entered as the operator."""
    async with sample.gateway.browser() as browser:
        yield browser


async def read(page: httpx2.AsyncClient, path: str) -> str:
    """Return the text of a page or part. It must be there, and no injected markup may be in it."""
    answer = await page.get(path)
    assert answer.status_code == 200, answer.text
    assert not any(injection in answer.text for injection in INJECTIONS if "<" in injection)
    return answer.text


async def test_the_list_of_agents_leads_to_each_kind(page: httpx2.AsyncClient) -> None:
    """Link every agent, with its kind of memory."""
    text = await read(page, "/agents")
    for name in ("python", "diary", "noah", "sieve"):
        assert f'href="/agents/{name}"' in text
    assert "affective" in text
    assert "tiered" in text


async def test_an_agent_shows_its_memories_and_filters_them(page: httpx2.AsyncClient) -> None:
    """List memories by strength, and only those that meet the conditions."""
    whole = await read(page, "/agents/python")
    assert "Compare with None" in whole
    assert "garden gate" in whole
    narrowed = await read(page, "/agents/python?tag=house")
    assert "garden gate" in narrowed
    assert "Compare with None" not in narrowed
    assert "Compare with None" in await read(page, "/agents/python?containing=NONE+compare")
    assert "No memory meets" in await read(page, "/agents/python?containing=elephant")


async def test_the_list_of_memories_is_paged_by_key(page: httpx2.AsyncClient, sample: SamplePlatform) -> None:
    """Reach every memory by the links to the next page, none twice."""
    async with connected_client(sample.resources.settings) as client:
        await client.remember_all("python", [MemoryContent(content=f"Number {n} is a number.") for n in range(60)])
    path: str | None = "/agents/python"
    found = list[str]()
    while path is not None:
        text = await read(page, path)
        found += re.findall(r'<tr data-href="/memories/([0-9a-f-]+)">', text)
        following = re.search(r'<a href="([^"]+)" hx-get="[^"]+">Next page', text)
        path = following[1].replace("&amp;", "&") if following else None
    assert len(found) == len(set(found)) > 60


async def test_a_search_shows_scores(page: httpx2.AsyncClient) -> None:
    """Show what the agent would be given for a query."""
    text = await read(page, "/agents/python/recall?query=How+do+I+compare+with+None")
    assert "Compare with None" in text
    assert "Nothing relevant" in await read(page, "/agents/python/recall?query=xyzzy")


async def test_the_parts_of_an_agent_are_there(page: httpx2.AsyncClient) -> None:
    """Show contents, health, scorer and policy; the policy with what differs from the defaults."""
    assert "truth" in await read(page, "/agents/python/contents")
    assert "mean level" in await read(page, "/agents/python/health")
    assert "similarity to the query" in await read(page, "/agents/python/scorer")
    assert "expected_tasks_per_day" in (await read(page, "/agents/sieve/policy")).partition("All parameters")[0]


async def test_a_memory_can_be_added_corrected_and_pinned(page: httpx2.AsyncClient) -> None:
    """Store a memory from the page, correct its words, and pin it."""
    stored = await page.post("/agents/python/memories", data={"text": "A set has no order.", "tags": "lists, sets"})
    assert stored.status_code == 200, stored.text
    address = re.findall(r"/memories/[0-9a-f-]{36}", stored.text)[0]
    assert "A set has no order." in await read(page, address)
    corrected = await page.post(f"{address}/words", data={"text": "A set keeps no order."})
    newer = re.findall(r"/memories/[0-9a-f-]{36}", corrected.text)[0]
    assert "A set keeps no order." in await read(page, newer)
    assert "Pinned" in (await page.post(f"{newer}/standing/pin")).text
    assert "pinned" in await read(page, newer)
    assert "supersedes" in await read(page, f"{newer}/relations")
    assert (await page.post(f"{newer}/standing/praise")).status_code == 404
    assert (await page.post("/agents/python/memories", data={"text": " "})).status_code == 422
    said = "Ann: My parrot is called Ada.\nassistant: Nice!\nShe talks all day."
    learned = await page.post("/agents/python/conversations", data={"messages": said, "person": "Ann"})
    assert "3 new messages" in learned.text
    assert "My parrot is called Ada." in learned.text
    assert "parrot" in await read(page, "/agents/python?person=Ann&source=conversation&kind=")
    for filters in ("kind=plan", "subject=Ada", "until=2001-01-01", "metadata=team=blue", "source=task"):
        shown = await read(page, f"/agents/python?person=Ann&{filters}")
        assert "No memory meets these conditions." in shown, filters
        assert "parrot" not in shown, filters
    assert "parrot" in await read(page, "/agents/python/recall?query=my+parrot&person=Ann&deep=true&kind=")
    assert "parrot" not in await read(page, "/agents/python/recall?query=my+parrot&person=Ann&kind=plan")
    for wrong in ("kind=joke", "until=May", "metadata=blue", "colour=blue"):
        assert (await page.get(f"/agents/python?{wrong}")).status_code == 422, wrong
    assert (await page.post("/agents/python/conversations", data={"messages": " "})).status_code == 422


async def test_a_memory_shows_its_life(page: httpx2.AsyncClient, sample: SamplePlatform) -> None:
    """Show every event that changed a memory with links to the log, and how it would fade."""
    address = f"/memories/{sample.memory}"
    assert "told by a client" in await read(page, address)
    text = await read(page, f"{address}/life")
    assert "used in an answer" in text
    assert 'href="/log/' in text
    assert "archived after about" in text
    assert "data-chart" in text
    assert await read(page, f"{address}/relations")


async def test_what_was_forgotten_is_on_the_first_screen(page: httpx2.AsyncClient) -> None:
    """Name the agents that slept, and for each what it forgot in its last night."""
    assert 'hx-get="/sleep/last/sieve"' in await read(page, "/sleep")
    text = await read(page, "/sleep/last/sieve")
    assert "Archived" in text
    assert "The garden gate needs oil before winter." in text
    assert "consolidat" not in await read(page, "/sleep/last/diary")


async def test_a_night_shows_memories_before_and_after(page: httpx2.AsyncClient, sample: SamplePlatform) -> None:
    """Show one sleep with the strength of what it archived, and the list of nights newest first."""
    slept = [
        event
        for event in await effective_events(sample.resources.log)
        if isinstance(event, AgentSlept) and event.agent_id == "sieve" and event.archived
    ]
    text = await read(page, f"/sleep/{slept[0].sequence}")
    assert "garden gate" in text
    assert re.search(r"strength [\d.]+ → 0\.", text)
    listed = re.findall(r'<tr data-href="/sleep/(\d+)">', await read(page, "/sleep?agent=sieve"))
    assert [int(each) for each in listed] == sorted(map(int, listed), reverse=True)
    assert str(slept[0].sequence) in listed


async def test_time_travel_shows_two_moments_and_their_difference(
    page: httpx2.AsyncClient, sample: SamplePlatform
) -> None:
    """Show a mind before and after a sleep, and what changed, for every kind of memory."""
    [slept, *_] = [
        event
        for event in await effective_events(sample.resources.log)
        if isinstance(event, AgentSlept) and event.agent_id == "sieve" and event.archived
    ]
    text = await read(page, f"/time?agent=sieve&from={(slept.sequence or 0) - 1}&to={slept.sequence}")
    assert "Archived (" in text
    assert "garden gate" in text
    for name in ("diary", "noah", "python"):
        assert "What changed between them" in await read(page, f"/time?agent={name}")
        assert "Earlier" in await read(page, f"/time/{name}/moments?earlier=1&later=3")


async def test_another_policy_is_compared_with_the_record(page: httpx2.AsyncClient) -> None:
    """Show what a lower threshold would have kept, and refuse a policy that is none."""
    text = await read(page, "/time/sieve/what-if?parameter=archive_threshold&value=0.001")
    assert "Archived only as recorded (1)" in text
    assert "garden gate" in text
    for wrong in (
        "",
        "?parameter=archive_threshold&value=-1",
        "?parameter=nonsense&value=1",
        "?parameter=fading&value=x",
    ):
        assert (await page.get(f"/time/sieve/what-if{wrong}")).status_code == 422
    assert (await page.get("/time/sieve/what-if?parameter=fading&value=clock&since=soon")).status_code == 422


async def test_affective_memory_shows_levels_mood_and_protection(page: httpx2.AsyncClient) -> None:
    """Show the memories with their retention, search them, and protect one."""
    assert (await page.get("/agents/diary")).headers["location"] == "/agents/diary/affect"
    text = await read(page, "/agents/diary/affect")
    assert "furious" in text
    assert "data-chart" in text
    label = re.findall(r"/affect/protection/(mem_\w+)/protect", text)[0]
    assert "/release" in (await page.post(f"/agents/diary/affect/protection/{label}/protect")).text
    assert "port" in await read(page, "/agents/diary/affect/recall?query=Which+port+does+the+database+use")
    assert await read(page, "/agents/diary/affect/archive")
    memory = re.findall(r'href="(/memories/[0-9a-f-]+)"', text)[0]
    assert "a night passed" in await read(page, memory) or "remembered" in await read(page, memory)


async def test_tiered_memory_shows_both_layers_and_consolidates(page: httpx2.AsyncClient) -> None:
    """Show short-term and long-term memory, search them, and consolidate on request."""
    text = await read(page, "/agents/noah/tiers")
    assert "The wolves attacked at night!" in text
    memory = re.findall(r'href="(/memories/[0-9a-f-]+)"', text)[0]
    assert "wall" in await read(page, "/agents/noah/tiers/recall?query=the+wall&module=planning")
    done = await page.post("/agents/noah/tiers/consolidation")
    assert "Consolidated memories: 3" in done.text
    assert "not there any more" in await read(page, memory)
    assert "Merged into another memory" in await read(page, "/sleep/last/noah")


async def test_unknown_things_are_not_found(page: httpx2.AsyncClient) -> None:
    """Answer 404 for unknown agents, memories and nights, in one line."""
    for path in (
        "/agents/nobody",
        f"/memories/{uuid4()}",
        "/memories/x",
        "/sleep/999999",
        "/sleep?agent=nobody",
        "/time?agent=nobody",
    ):
        answer = await page.get(path)
        assert answer.status_code == 404, path
        assert "Traceback" not in answer.text
    assert (await page.get("/agents/python?after=nonsense")).status_code == 404


async def test_another_client_does_not_read_the_log(sample: SamplePlatform) -> None:
    """Show a memory to another client, and refuse it what is in the log."""
    async with sample.gateway.program(Principal("ann")) as program:
        assert (await program.get(f"/memories/{sample.memory}")).status_code == 200
        for path in (f"/memories/{sample.memory}/life", "/sleep", "/sleep/last/sieve", "/agents/sieve/policy"):
            assert (await program.get(path)).status_code == 403


async def test_what_was_forgotten_for_ever_is_in_no_past_state(
    page: httpx2.AsyncClient, sample: SamplePlatform
) -> None:
    """Show an erased memory neither in a night nor in a past mind, although both were shown before."""
    settings = sample.resources.settings
    places = ("/sleep/last/sieve", "/time/sieve/moments?earlier=3&later=99")
    for path in places:
        assert "garden gate" in await read(page, path)
    async with connected_client(settings, OPERATOR) as client:
        [memory] = [each for each in await client.memories("sieve", status="all") if "garden" in each.memory.content]
    await forget(settings, [Thing("memory", memory.memory_id)])
    for path in places:
        assert "garden gate" not in await read(page, path)
    assert (await page.get(f"/memories/{memory.memory_id}")).status_code == 404
