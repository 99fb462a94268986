"""What an assistant is shown unasked at the start of a session: what holds, open ends, and nothing trivial."""

import pytest

from nemuri.admin import affective
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.affective import TurnOffered
from nemuri_domain.affective.aggregate import AffectMemory
from nemuri_domain.affective.policy import CODING, PROFILES, AffectPolicy
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import assert_verified, until_idle
from tests.integration.test_affective_memory import pass_night, remember_turns, turn
from tests.integration.test_affective_projects import OVEN, SHOP, assistants_platform

pytestmark = pytest.mark.connected

LIFE = "My mother is in hospital, so I may be away a lot. Please fix the login form of the oven."
RULE = "In this project prices are integer cents, never use floats."
RULE_JA = "このプロジェクトではインデントに常にタブを使ってください。"
TRAIT = "Please review the chart module of the oven. I'm colour-blind, so no red and green in charts for me."
LANGUAGE = "今後は日本語で答えて。"
OPEN = "The export of the oven's temperatures is not finished yet, we'll do the rest tomorrow."
WORK = "Rename the class Thermostat in oven.py to HeatControl."
ALL_DAYS = {"aging_days": "all"}


def of_project(project: str | None, *prompts: str, first: int = 0) -> list[TurnOffered]:
    """Return a turn of a project for each prompt."""
    made = [turn(each, number=first + nth) for nth, each in enumerate(prompts)]
    return [each.model_copy(update={"project": project}) for each in made]


async def shown(client: Client, known: dict[str, AffectMemory], project: str, *, quietly: bool = True) -> list[str]:
    """Return the prompts of the memories at the start of a session, in their order."""
    view = await client.affect_brief("diary", project=project, session="s9", quietly=quietly)
    named = {each.memory_id: prompt for prompt, each in known.items()}
    return [named[memory] for memory in view.memories]


async def remembered(resources: Resources, turns: list[TurnOffered]) -> dict[str, AffectMemory]:
    """Let the agent remember turns, and return the memories by prompt."""
    found = {affect_memory.turn_id: affect_memory for affect_memory in await remember_turns(resources, turns)}
    return {event.prompt: found[event.event_id] for event in turns}


async def test_what_holds_for_the_user_leads_in_every_project_and_a_rule_in_its_own(settings: Settings) -> None:
    """What is lastingly said about the user comes first in every project, then the open ends of the project, then its
    rules and its work. A rule, an open end, a matter of the user's life and thanks are shown in no other project.
    """
    async with assistants_platform(settings) as (resources, client):
        here = of_project(OVEN, WORK, LIFE, RULE, RULE_JA, OPEN, TRAIT, "thanks!", LANGUAGE)
        known = await remembered(resources, here)
        order = await shown(client, known, OVEN)
        assert set(order[:2]) == {TRAIT, LANGUAGE}
        assert order[2] == OPEN
        assert set(order[3:5]) == {RULE, RULE_JA}
        assert set(order[5:]) == {WORK, LIFE}
        assert set(await shown(client, known, SHOP)) == {TRAIT, LANGUAGE}
        block = (await client.affect_brief("diary", project=SHOP, quietly=True)).block
        assert "I'm colour-blind, so no red and green in charts for me." in block
        assert "chart module" not in block, "a line tells what holds, not what the turn was about besides"
        asked = await client.affect_recall("diary", "Is my mother still in hospital?", project=SHOP, quietly=True)
        assert LIFE in {each.memory.trigger for each in asked.recalled}


async def test_a_mature_project_does_not_push_out_what_was_said_about_the_user(settings: Settings) -> None:
    """After weeks of work and nights, a preference of another project is the first line, and neither keywords nor
    thanks are lines at all.
    """
    async with assistants_platform(settings) as (resources, client):
        coding = PROFILES[CODING].differing
        await affective.adopt(client, "diary", AffectPolicy.of(coding | {"retention": coding["retention"] | ALL_DAYS}))
        await remembered(resources, of_project(SHOP, TRAIT, LANGUAGE))
        chores = [f"Rename the option --tray{nth} to --rack{nth} in cli{nth}.py." for nth in range(30)]
        await remembered(resources, of_project(OVEN, *chores, "thanks!", "ok, great", first=10))
        await pass_night(resources, days=14)
        await remembered(
            resources, of_project(OVEN, *(f"Sort the list {nth} of trays." for nth in range(30)), first=50)
        )
        levels = [memory.level for memory in (await client.affect_memories("diary", limit=500)).memories]
        assert 3 in levels
        view = await client.affect_brief("diary", project=OVEN, quietly=True)
        lines = [line for line in view.block.splitlines() if line.startswith("- [")]
        assert "I'm colour-blind, so no red and green in charts for me." in f"{lines[0]} {lines[1]}"
        assert LANGUAGE in f"{lines[0]} {lines[1]}"
        assert "[L3]" not in view.block
        assert "thanks!" not in view.block


async def test_a_matter_that_is_shown_without_effect_is_shown_no_more(settings: Settings) -> None:
    """A matter of the user's life is shown at three session starts. A recall brings it back. A statement that holds
    stays, and recorded shows survive a rebuild.
    """
    async with assistants_platform(settings) as (resources, client):
        known = await remembered(resources, of_project(OVEN, LIFE, TRAIT))
        seen = []
        for _ in range(5):
            seen.append(await shown(client, known, OVEN, quietly=False))
            await client.settle()
        assert seen == [[TRAIT, LIFE]] * 3 + [[TRAIT]] * 2
        assert (await client.affect_memory("diary", known[LIFE].label)).idle_shows == 3
        found = await client.affect_recall("diary", "How is my mother in hospital?", project=OVEN)
        assert LIFE in {each.memory.trigger for each in found.recalled}
        await client.settle()
        assert await shown(client, known, OVEN) == [TRAIT, LIFE]
    await assert_verified(settings)


async def test_a_person_says_where_a_memory_matters(settings: Settings) -> None:
    """A memory becomes one of its project, of another project, about the user, or one that is only shown when asked."""
    async with assistants_platform(settings) as (resources, client):
        known = await remembered(resources, of_project(OVEN, TRAIT, WORK))
        label = known[TRAIT].label
        found, changed = await affective.rescope(client, "diary", label, about_user=False)
        assert (changed, found.concern, found.personal) == (True, "rule", False)
        assert not (await affective.rescope(client, "diary", label, about_user=False))[1]
        assert await shown(client, known, SHOP) == []
        await affective.rescope(client, "diary", label, project=SHOP)
        assert await shown(client, known, SHOP) == [TRAIT]
        assert await shown(client, known, OVEN) == [WORK]
        await affective.rescope(client, "diary", label, only_asked=True)
        assert await shown(client, known, SHOP) == []
        asked = await client.affect_recall("diary", "Which colours in charts?", project=SHOP, quietly=True)
        assert {each.memory.trigger for each in asked.recalled} == {TRAIT}
        await affective.rescope(client, "diary", label, about_user=True, only_asked=False)
        assert await shown(client, known, OVEN) == [TRAIT, WORK]
        with pytest.raises(ClientError, match="say whether the memory is about the user"):
            await affective.rescope(client, "diary", label)
        with pytest.raises(ClientError, match="diary has no memory 'mem_1'"):
            await affective.rescope(client, "diary", "mem_1", only_asked=True)
    await assert_verified(settings)


async def test_what_was_said_outside_of_projects_is_shown_there(settings: Settings) -> None:
    """A matter of the user's life from a session in no project is shown in such sessions only, and a note that was
    asked for everywhere.
    """
    async with assistants_platform(settings) as (resources, client):
        note = "Remember this: the meeting room is booked on Mondays."
        known = await remembered(resources, of_project(None, "My sister is getting married on Saturday!", note))
        await until_idle(resources)
        assert await shown(client, known, OVEN) == [note]
        assert set(await shown(client, known, "/")) == set(known)
