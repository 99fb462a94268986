"""A task without a perspective gets the one whose memories it is about, after these were used under it."""

import pytest

from nemuri.client.client import Client
from nemuri_contracts.agents import Perspective
from nemuri_contracts.tasks import TaskRouted
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

COST = Perspective(name="cost", keywords=("price", "invoice", "価格"))
TIME = Perspective(name="time", keywords=("deadline", "delay", "納期"))
TAUGHT = {
    "cost": ("Hartmann grants three percent within ten days.", "What does Hartmann grant within ten days?"),
    "time": ("Dockers at Busan strike every autumn.", "When do the dockers at Busan strike?"),
}
TAUGHT_JA = {
    "cost": ("ハルトマン社は十日以内なら三パーセント引く。", "ハルトマン社は十日以内なら何パーセント引くか"),
    "time": ("釜山の港では毎年秋にストライキがある。", "釜山の港のストライキはいつあるか"),
}
OTHER_WORDS = {"cost": "Does Hartmann still take three percent off?", "time": "Will Busan strike again?"}
OTHER_WORDS_JA = {
    "cost": "ハルトマン社は今も三パーセントを守っていますか",
    "time": "釜山でまたストライキが起きそうですか",
}


async def routed_perspective(client: Client, text: str) -> str | None:
    """Ask without a perspective, and return the one under which the agent answered."""
    result = await client.ask(text, settled=True)
    told = await client.routing(result.task_id)
    assert told is not None
    [choice] = told.choices
    return choice.perspective


@pytest.mark.parametrize(("taught", "asked"), [(TAUGHT, OTHER_WORDS), (TAUGHT_JA, OTHER_WORDS_JA)])
async def test_use_under_a_perspective_leads_similar_tasks_to_it(
    settings: Settings, taught: dict[str, tuple[str, str]], asked: dict[str, str]
) -> None:
    """Requests that have no word of a name or keyword get no perspective at first. After the memory that they are about
    was used under a perspective, they get this one, and strengthen the memory there.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("buyer", description="", perspectives=(COST, TIME)))
        await client.settle()
        known = {name: await client.remember("buyer", fact) for name, (fact, _) in taught.items()}
        assert [await routed_perspective(client, text) for text in asked.values()] == [None, None]

        for name, (_, question) in taught.items():
            result = await client.ask(question, perspective=name, settled=True)
            assert known[name] in result.used
        before = {name: await client.memory(each) for name, each in known.items()}

        assert {name: await routed_perspective(client, text) for name, text in asked.items()} == {
            "cost": "cost",
            "time": "time",
        }
        await until_idle(resources)
        for name, each in known.items():
            now = await client.memory(each)
            assert now.strength_by_perspective[name] > before[name].strength_by_perspective[name]
        assert await routed_perspective(client, "Who plays the violin in the orchestra?") is None
        await until_idle(resources)
        routings = [event for event in await effective_events(resources.log) if isinstance(event, TaskRouted)]
        assert len(routings) == 7
    await assert_verified(settings)
