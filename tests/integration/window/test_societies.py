"""The pages of societies: the map, the minds of agents, checkpoints, and what is sent while a society runs."""

from collections.abc import AsyncIterator

import httpx2
import orjson
import pytest
import pytest_asyncio

from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Act, Acts, Do, Percept, Percepts, Position, Say
from nemuri_society.operations.lifecycle import create_society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.world_lease import world_entries
from nemuri_society.world.forum import Forum
from nemuri_society.world.society_world import joined_dump
from tests.integration.harness import opened_log, running_services
from tests.integration.web_gateway import Gateway, running_gateway
from tests.integration.window.sample_society import found_village

pytestmark = [pytest.mark.connected]
INJECTION = "<img src=x onerror=alert(1)>"


@pytest_asyncio.fixture(loop_scope="session")
async def gateway(settings: Settings) -> AsyncIterator[Gateway]:
    """A gateway beside a society that is not running, with a checkpoint in which an agent had another goal."""
    async with running_services(settings, ["projector", "query-api"]), running_gateway(settings) as served:
        async with opened_log(settings) as log:
            await found_village(log, intent=INJECTION)
        yield served


async def test_a_society_shows_places_minds_and_friends(gateway: Gateway) -> None:
    """Show the map with every agent, who likes whom, and the mind of an agent with its goals and its decision."""
    async with gateway.browser() as browser:
        assert 'href="/societies/village"' in (await browser.get("/societies")).text
        page = (await browser.get("/societies/village")).text
        assert page.count('"x":') == 3
        assert '"value":4.0' in page.replace(" ", "")
        mind = (await browser.get("/societies/village/agents/village-0000")).text
        assert "build a house" in mind
        assert "friend" in mind
        assert INJECTION not in page + mind


async def test_a_world_without_space_shows_what_stands_in_it(gateway: Gateway, settings: Settings) -> None:
    """A forum has no map: its newest posts are listed, and no markup of theirs is rendered."""
    agents = generate_residents("debate", 2, seed=1, towns=0)
    society = Society(name="debate", seed=1, world="forum", agents=agents)
    forum = Forum.create(society)
    for nth, agent in enumerate(agents):
        forum.join(agent.id, agent.name)
        forum.step([Act(agent_id=agent.id, act_id="1", act=Do(command=f"post {nth} {INJECTION}"))], 1.0)
    async with opened_log(settings) as log:
        states = await create_society(log, society)
        await states.write(world_entries(joined_dump(b"{}", forum.dump())), {})
    async with gateway.browser() as browser:
        assert "<td>forum</td>" in (await browser.get("/societies")).text
        page = (await browser.get("/societies/debate")).text
        assert f"2 {agents[1].name} (0 votes): 1 " in page
        assert page.index("(0 votes): 1 ") < page.index("(0 votes): 0 ")
        assert "squares are towns" not in page
        assert INJECTION not in page


async def test_a_checkpoint_shows_the_past(gateway: Gateway) -> None:
    """Show the goals at the checkpoint that the slider or the address names."""
    async with gateway.browser() as browser:
        moment = (await browser.get("/societies/village/moment?step=1")).text
        assert "Checkpoint" in moment
        name = moment.partition("?checkpoint=")[2].partition('"')[0]
        mind = (await browser.get(f"/societies/village/agents/village-0000?checkpoint={name}")).text
        assert "find water" in mind
        assert "build a house" not in mind
        assert "Now" in (await browser.get("/societies/village/moment?step=2")).text


async def test_the_record_is_replayed_by_time_and_by_agent(gateway: Gateway) -> None:
    """Show where the agents were at a second and what happened before it, in a range of time, of all or of one."""
    async with gateway.browser() as browser:
        whole = "/societies/village/replay/moment?span=600"
        page = (await browser.get("/societies/village/replay")).text
        assert 'max="91"' in page
        assert "Held wood for the first time." in page
        assert "Who has seen water?" not in page  # That was longer ago than a minute.
        every = (await browser.get(whole)).text
        assert "Who has seen water?" in every
        assert '"x": 1, "z": 1' in every
        early = (await browser.get(f"{whole}&second=10")).text
        assert "Who has seen water?" in early
        assert "Held wood" not in early
        assert '"x": 1, "z": 1' not in early
        alone = (await browser.get(f"{whole}&agent=village-0001")).text
        assert "Held wood" in alone
        assert "Who has seen water?" not in alone


async def test_a_running_society_sends_places_and_speech(gateway: Gateway) -> None:
    """Send what the world and the hosts publish to the page, as it comes."""
    async with gateway.browser() as browser, browser.stream("GET", "/societies/village/live") as stream:
        news = (orjson.loads(line[6:]) async for line in stream.aiter_lines() if line.startswith("data: "))
        assert (await anext(news))["places"] == {}
        async with opened_log(gateway.settings) as log:
            percept = Percept(second=7, position=Position(x=11, y=64, z=13))
            said = Acts(host="h", acts=(Act(agent_id="village-0001", act_id="a", act=Say(text=INJECTION)),))
            percepts = Percepts(second=7, percepts={"village-0000": percept})
            await log.connection.publish(
                SocietySubjects(log.subjects.namespace).percepts("village", "h"), percepts.model_dump_json().encode()
            )
            await log.connection.publish(
                SocietySubjects(log.subjects.namespace).acts("village"), said.model_dump_json().encode()
            )
            await log.connection.flush()
        places, speech = dict[str, list[int]](), list[dict[str, str]]()
        while not (places and speech):
            came = await anext(news)
            places |= came["places"]
            speech += came["speech"]
        assert places == {"village-0000": [11, 13]}
        assert speech[0]["text"] == INJECTION


async def test_unknown_societies_agents_and_checkpoints_are_not_found(gateway: Gateway) -> None:
    """Answer 404 for what is not there, and 403 to a client that may not read the states."""
    async with gateway.browser() as browser:
        for path in (
            "/societies/nowhere",
            "/societies/nowhere/live",
            "/societies/nowhere/replay",
            "/societies/village/replay?agent=nobody",
            "/societies/village/agents/nobody",
            "/societies/village?checkpoint=never",
        ):
            assert (await browser.get(path)).status_code == 404, path
    async with gateway.program(Principal("ann")) as program:
        assert (await program.get("/societies")).status_code == 403


async def test_a_platform_without_societies_says_how_to_start_one(settings: Settings) -> None:
    """Name the command that starts a society."""
    async with (
        running_services(settings, ["projector", "query-api"]),
        running_gateway(settings) as gateway,
        gateway.program(Principal(OPERATOR)) as program,
    ):
        answer: httpx2.Response = await program.get("/societies")
        assert "nemuri society run" in answer.text
