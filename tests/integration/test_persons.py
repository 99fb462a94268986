"""Memories of persons within one agent: each person's are found by requests for this person only."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from nemuri.client.client import Client
from nemuri_contracts.client_events import MemoryFilter
from nemuri_domain.strength.memory_filter import meets
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, assert_verified, connected_client, running_services, until_idle

IN_BOTH = pytest.mark.parametrize("where", [pytest.param("in memory", marks=pytest.mark.in_memory), "on servers"])
CANARIES = {
    None: "The canary sings in the morning.",
    "Ann": "Ann's canary sings at noon.",
    "Bob": "Bob's canary sings at night.",
}
LONG_AGO, YESTERDAY = datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC) - timedelta(days=1)


async def _remember_canaries(client: Client) -> None:
    for person, text in CANARIES.items():
        await client.remember("python", text, person=person)


async def _recalled(client: Client, query: str = "When does the canary sing?", **options: Any) -> set[str]:
    return {memory.memory.content for memory in (await client.recall("python", query, **options)).memories}


@IN_BOTH
async def test_a_person_never_sees_the_memories_of_another(settings: Settings, where: str) -> None:
    """A request for a person finds the agent's own memories and this person's; one for nobody the agent's own."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await _remember_canaries(client)
        for person in (None, "Ann", "Bob", "Eve"):
            expected = {CANARIES[None], CANARIES.get(person, CANARIES[None])}
            assert await _recalled(client, person=person) == expected
            assert await _recalled(client, person=person, deep=True) == expected
        listed = await client.memories("python", person="Ann")
        assert [memory.memory.content for memory in listed] == [CANARIES["Ann"]]
    await assert_verified(settings)


@pytest.mark.in_memory
async def test_a_task_of_a_person_learns_for_this_person(settings: Settings) -> None:
    """What is learned in a task of a person belongs to it, and another person's answer is not made of it."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await _remember_canaries(client)
        told = await client.ask("When does the canary sing?", agent="python", person="Ann", settled=True)
        assert "noon" in (told.answer or "")
        other = await client.ask("When does the canary sing?", agent="python", person="Bob", settled=True)
        assert "noon" not in (other.answer or "")
        learned = [memory for memory in await client.memories("python", status="all") if memory.source == "task"]
        assert {memory.memory.person for memory in learned} <= {"Ann", "Bob"}
        assert not any("noon" in memory.memory.content for memory in learned if memory.memory.person != "Ann")
    await assert_verified(settings)


@pytest.mark.in_memory
async def test_the_same_words_of_two_persons_are_two_memories(settings: Settings) -> None:
    """Only what the same person says again is a repetition."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        ids = [await client.remember("python", "I like rye bread.", person=person) for person in ("Ann", "Bob", "Ann")]
        views = [await client.memory(memory_id) for memory_id in ids]
        assert [view.absorbed_by for view in views] == [None, None, ids[0]]


@pytest.mark.in_memory
async def test_a_conversation_of_a_person_is_remembered_for_this_person(settings: Settings) -> None:
    """Two persons may use the same name of a conversation."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        for person, city in (("Ann", "Bergen"), ("Bob", "Kyoto")):
            learned = await client.converse("python", [f"I live in {city}."], conversation="chat", person=person)
            assert [fact.memory.person for fact in learned.facts] == [person]
        assert await _recalled(client, "Where do I live?", person="Ann") == {"I live in Bergen."}
        assert await _recalled(client, "Where do I live?", person="Bob") == {"I live in Kyoto."}
        assert await _recalled(client, "Where do I live?") == set()
    await assert_verified(settings)


FILTERED: list[tuple[str, dict[str, Any]]] = [
    ("bread one", {"kind": "plan", "tags": ["kitchen"], "metadata": {"team": "red", "rank": 3}}),
    ("bread two", {"kind": "event", "tags": ["kitchen", "oven"], "subject": "Ann", "valid_from": LONG_AGO}),
    ("bread three", {"metadata": {"labels": ["a", "b"], "team": "blue"}, "said_at": LONG_AGO}),
    ("bread four", {"valid_from": LONG_AGO, "until": YESTERDAY, "subject": "Bob"}),
    ("bread five", {"kind": "preference", "valid_from": LONG_AGO}),
]


CONDITIONS: list[dict[str, Any]] = [
    {"kinds": ["plan", "event"]},
    {"tags": ["kitchen"]},
    {"tags": ["kitchen", "oven"]},
    {"subject": "Bob"},
    {"source": "task"},
    {"source": "manual"},
    {"since": YESTERDAY},
    {"until": LONG_AGO + timedelta(days=1)},
    {"since": LONG_AGO, "until": YESTERDAY},
    {"metadata": {"team": "red", "rank": 3}},
    {"metadata": {"labels": "b"}},
    {"metadata": {"labels": ["b", "a"]}},
    {"metadata": {"labels": ["b", "c"]}},
    {"kinds": ["event"], "tags": ["oven"], "subject": "Ann", "until": YESTERDAY},
]


@IN_BOTH
async def test_recall_and_list_find_what_meets_the_conditions(
    settings: Settings, where: str, subtests: pytest.Subtests
) -> None:
    """Both return the memories that meet all conditions (`meets`), for a person and for nobody."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        ids = [
            await client.remember("python", f"{text} {person}", person=person, **about)
            for person in (None, "Ann")
            for text, about in FILTERED
        ]
        known = await resources.views.memories_by_id(ids)
        for wanted in CONDITIONS:
            with subtests.test(**wanted):
                asked = MemoryFilter.model_validate(wanted)
                expected = {content.memory.content for content, _ in known.values() if meets(content, asked)}
                assert await _recalled(client, "bread", top=50, person="Ann", **wanted) == expected
                assert await _recalled(client, "bread", top=50, **wanted) == {
                    text for text in expected if "None" in text
                }
                assert {memory.memory.content for memory in await client.memories("python", **wanted)} == expected


@pytest.mark.in_memory
async def test_a_memory_is_found_at_the_times_at_which_it_holds(settings: Settings) -> None:
    """With a time, only what held then is found. Without one, what has expired is not."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        may, june, july = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 6, 7))
        await client.remember("python", "The build was green.", until=june)
        await client.remember("python", "The build is red.", valid_from=june, expires_at=june + timedelta(days=2))
        await client.remember("python", "The build is made of brick.")
        build = "What about the build?"
        always = "The build is made of brick."
        assert await _recalled(client, build) == {always, "The build was green."}
        assert await _recalled(client, build, at=may) == {always, "The build was green."}
        assert await _recalled(client, build, at=june) == {always, "The build is red."}
        assert await _recalled(client, build, at=june - timedelta(seconds=1)) == {always, "The build was green."}
        assert await _recalled(client, build, at=july) == {always}


@pytest.mark.in_memory
async def test_at_a_time_the_fact_of_then_is_found(settings: Settings) -> None:
    """A fact that was superseded leads at a time before, and its successor is not found then."""
    may, june, july = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 6, 7))
    old, new = "Ann lives in Bergen.", "Ann has moved to Oslo and lives there now."
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.remember("python", old, said_at=may)
        changed = await client.remember("python", new, said_at=july)
        await until_idle(resources)
        assert [relation.sort for relation in (await client.memory(changed)).relations] == ["supersedes"]
        where = "Where does Ann live?"
        assert [memory.memory.content for memory in (await client.recall("python", where)).memories] == [new, old]
        assert await _recalled(client, where, at=june) == {old}
        then = [memory.memory.content for memory in (await client.recall("python", where, at=july)).memories]
        assert then == [new, old]
