"""Principles: memories that are part of every context while the agent's definition names them."""

from uuid import uuid4

import pytest

from nemuri.client.exchange import ClientError
from nemuri_contracts.agents import PolicyAdopted, ScopedPrinciple
from nemuri_contracts.client_events import MemoryContent, MemoryOffered, Scope
from nemuri_contracts.strength import MemoryEncoded, MemoryRefused
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    retrieval_of,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

UNRELATED_QUESTION = "How many moons of Jupiter did Galileo see through his telescope?"
FORGETFUL_POLICY = {
    "daily_decay_targets": [1e-6, 1, 1e-6, 1e-6, 1e-6, 1e-6],
    "consolidation_thresholds": [0, 1, 2, 3, 4, 5],
    "fading": "tasks",
    "expected_tasks_per_day": 1,
}
"""A policy under which each session archives the memories that it did not use."""


async def test_a_client_cannot_create_a_principle(settings: Settings) -> None:
    """A memory that has the tag of a principle is refused by the client and by intake."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        with pytest.raises(ClientError, match="only an agent's definition creates principles"):
            await client.remember("python", "Every amount is a Decimal.", tags=["principle"])
        told = MemoryContent(content="Every amount is a Decimal.", tags=("Principle",))
        await resources.log.append(MemoryOffered(event_id=uuid4(), agent_id="python", memory=told, client_id="rogue"))
        await until_idle(resources)
        events = await effective_events(resources.log)
        assert ["only an agent's" in event.reason for event in events if isinstance(event, MemoryRefused)] == [True]
        found = await client.recall("python", "Every amount is a Decimal.")
        assert (found.memories, found.principles) == ((), ())
    await assert_verified(settings)


async def test_a_recall_returns_the_principles(settings: Settings) -> None:
    """A recall returns the same principles as the context of a task, even if nothing else is relevant."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await until_idle(resources)
        foreign = await client.recall("python", UNRELATED_QUESTION)
        assert foreign.memories == ()
        assert [principle.memory.content for principle in foreign.principles] == ["Truth values come before operators."]
        asked = await client.ask(UNRELATED_QUESTION, settled=True)
        there = (await client.recall("python", UNRELATED_QUESTION)).principles
        assert (
            tuple(principle.memory_id for principle in there)
            == (await retrieval_of(resources, asked.task_id)).principles
        )


async def test_a_removed_principle_fades_and_returns_with_its_definition(settings: Settings) -> None:
    """A principle that is removed from the definition fades like any memory. It returns when it is defined again."""
    text = "Truth values come before operators."
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined(principles=(text,)))
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=FORGETFUL_POLICY))
        await client.settle()
        await until_idle(resources)
        [kept] = (await client.recall("python", UNRELATED_QUESTION)).principles
        assert (await client.memory(kept.memory_id)).principle
        await resources.log.append(agent_defined())
        await client.settle()
        assert (await client.recall("python", UNRELATED_QUESTION)).principles == ()
        assert [memory.candidate.memory_id for memory in (await client.recall("python", text)).memories] == [
            kept.memory_id
        ]
        assert not (await client.memory(kept.memory_id)).principle
        for _ in range(3):
            await client.ask(UNRELATED_QUESTION, settled=True)
            await until_idle(resources)
        assert (await client.memory(kept.memory_id)).status == "archived"
        await resources.log.append(agent_defined(principles=(text,)))
        await client.settle()
        assert [
            principle.memory_id for principle in (await client.recall("python", UNRELATED_QUESTION)).principles
        ] == [kept.memory_id]
        await client.ask(UNRELATED_QUESTION, settled=True)
        await until_idle(resources)
        back = await client.memory(kept.memory_id)
        assert (back.principle, back.status) == (True, "active")
    await assert_verified(settings)


async def test_a_new_principle_begins_with_the_policys_strength(settings: Settings) -> None:
    """A new principle begins with the initial strength of the policy in force."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await resources.log.append(
            PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={"initial_strength": 3.0})
        )
        await client.ask(UNRELATED_QUESTION, settled=True)
        await until_idle(resources)
        await resources.log.append(agent_defined(principles=("Truth values come before operators.",)))
        await until_idle(resources)
        [encoded] = [
            event
            for event in await effective_events(resources.log)
            if isinstance(event, MemoryEncoded) and event.source == "definition"
        ]
        assert encoded.strength == 3.0


async def test_a_scoped_principle_holds_in_its_scope_only(settings: Settings) -> None:
    """A principle with a scope is part of every context in its project or domain, and of no other."""
    euro = ScopedPrinciple(text="Every amount is in euro.", scope=Scope(level="project", name="bank"))
    vat = ScopedPrinciple(text="Every amount is without tax.", scope=Scope(level="domain", name="trade"))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined(principles=("Be brief.", euro, vat)))
        await until_idle(resources)
        for where, held in (
            ({}, {"Be brief."}),
            ({"project": "shop"}, {"Be brief."}),
            ({"project": "bank"}, {"Be brief.", euro.text}),
            ({"domains": ["trade"]}, {"Be brief.", vat.text}),
        ):
            found = (await client.recall("python", UNRELATED_QUESTION, **where)).principles
            assert {principle.memory.content for principle in found} == held
        asked = await client.ask(UNRELATED_QUESTION, project="bank", settled=True)
        kept = (await retrieval_of(resources, asked.task_id)).principles
        assert {(await client.memory(principle)).memory.content for principle in kept} == {"Be brief.", euro.text}
        assert [memory.principle for memory in await client.memories("python") if memory.source == "definition"] == [
            True
        ] * 3
        await resources.log.append(agent_defined(principles=("Be brief.", euro.text)))
        await until_idle(resources)
        defined = {
            memory.memory.content: memory.memory.scope for memory in await client.memories("python") if memory.principle
        }
        assert defined == {"Be brief.": Scope(), euro.text: Scope()}
    await assert_verified(settings)
