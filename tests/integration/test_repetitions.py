"""The same text told twice: one memory is recalled, the other one stands behind it, and every face says so."""

import asyncio

import pytest

from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, assert_verified, connected_client, running_services
from tests.integration.mind_agreement import assert_minds_agree

pytestmark = pytest.mark.connected
TEXT = "The bakery on Mill Street closes at six."
OTHER = "The bakery on Mill Street closes at seven since May."


async def test_one_of_two_memories_with_the_same_text_is_recalled(settings: Settings) -> None:
    """Told at once or one after the other, what says the same is recalled once. The log, the views and a rebuild agree
    on which one stands.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        told = await asyncio.gather(*(client.remember("python", text) for text in (TEXT, TEXT.upper(), TEXT)))
        again = await client.remember_all("python", [TEXT, OTHER, TEXT])
        views = [await client.memory(each) for each in (*told, *again)]
        [first] = {view.memory_id for view in views if view.status == "active" and view.memory.content != OTHER}
        assert [view.absorbed_by for view in views if view.memory_id not in {first, again[1]}] == [first] * 4
        assert {source.memory_id for source in (await client.memory(first)).sources} == {*told, *again} - {
            first,
            again[1],
        }
        found = (await client.recall("python", "When does the bakery close?")).memories
        assert {memory.candidate.memory_id for memory in found} == {first, again[1]}
        await assert_minds_agree(resources)
        await assert_verified(settings)


async def test_what_is_told_again_comes_first(settings: Settings) -> None:
    """A fact that is told again after its correction comes first, although it is the oldest memory."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        old = await client.remember("python", TEXT)
        new = await client.remember("python", OTHER)
        query = "When does the bakery on Mill Street close?"
        assert [memory.candidate.memory_id for memory in (await client.recall("python", query)).memories] == [new, old]
        await client.remember("python", TEXT)
        assert [memory.candidate.memory_id for memory in (await client.recall("python", query)).memories] == [old, new]
