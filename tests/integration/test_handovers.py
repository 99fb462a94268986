"""Memories reach another agent by a handover or a clone, by events, and are erased with their originals."""

from uuid import uuid4

import pytest

from nemuri.client.exchange import ClientError
from nemuri.operations.agent_clone import clone_agent
from nemuri.operations.erasure import forget
from nemuri.operations.erasure import lineage as would_go
from nemuri.operations.session import OperationError
from nemuri.operations.views import rebuild
from nemuri_contracts.agents import AgentDefined, Perspective, PolicyAdopted
from nemuri_contracts.colleagues import MemoriesHandedOver, MemoryCopied
from nemuri_contracts.event import OPERATOR
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.connected
DOCKERS = "The pelicanite flange is tightened with forty newton metres."
RULE = "Never tighten twice."


def fitter(name: str = "fitter") -> AgentDefined:
    """Return the definition of an agent that tightens flanges."""
    return agent_defined(
        name,
        role="fitter of flanges",
        description="pelicanite flange tightened newton metres gasket",
        perspectives=(Perspective(name="torque", keywords=("newton",)),),
        principles=(RULE,),
    )


async def test_a_handover_passes_on_what_the_other_does_not_know(servers: Servers, settings: Settings) -> None:
    """The receiver gets what it needs once, told by the source, and recalls it. A dry run changes nothing. What it
    knows is left out. If the source's memory is erased, so is what was passed on, in every byte.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await resources.log.append(fitter())
        await client.settle()
        fact = await client.remember("python", DOCKERS, tags=["flange"])
        shared = "A gasket of a pelicanite flange is used once."
        await client.remember("python", shared, tags=["flange"])
        known = await client.remember("fitter", shared)
        await client.remember("python", "An empty gabionette is false.")

        planned = await client.handover("python", "fitter", dry_run=True)
        assert [memory.original for memory in planned.memories] == [fact]
        assert [(left_out.reason, left_out.by) for left_out in planned.left_out] == [("known", known)]
        assert len(await client.memories("fitter")) == 2

        done = await client.handover("python", "fitter", topic="FLANGE", key="first")
        assert await client.handover("python", "fitter", topic="FLANGE", key="first") == done
        [passed] = done.memories
        view = await client.memory(passed.memory_id)
        assert (view.source, view.strength, view.links) == ("handover", 1.0, (fact,))
        assert (view.origin.agent_id, view.origin.memory_id, view.origin.provenance) == ("python", fact, "told")
        [first, *_] = (await client.recall("fitter", "How is a flange tightened?")).memories
        assert first.candidate.memory_id == passed.memory_id
        again = await client.handover("python", "fitter", query="newton metres and gasket of a pelicanite flange")
        assert again.memories == ()
        assert {each.by for each in again.left_out} == {passed.memory_id, known}
        assert (await client.handover("fitter", "python")).memories == (), "nothing goes back to where it came from"

        with pytest.raises(ClientError, match="there is no agent 'nobody'"):
            await client.handover("python", "nobody")
        with pytest.raises(ClientError, match="cannot hand over memories to itself"):
            await client.handover("python", "python")
        with pytest.raises(ClientError, match="there is no task"):
            await client.handover("python", "fitter", task_id=uuid4())

        await assert_verified(settings)
        assert files_with(servers.directory, "forty newton")["forty newton"]
        await forget(settings, [Thing("agent", "python")])
        await until_idle(resources)
        found = files_with(servers.directory, "forty newton", "empty gabionette is false")
        assert not any(found.values()), found
        with pytest.raises(ClientError, match="was erased"):
            await client.memory(passed.memory_id)
        assert [memory.memory_id for memory in await client.memories("fitter") if not memory.principle] == [known]
        left = await effective_events(resources.log)
        assert [event for event in left if isinstance(event, MemoriesHandedOver) and event.memories] == []
    await assert_verified(settings)


async def test_a_clone_goes_its_own_way(servers: Servers, settings: Settings) -> None:
    """A clone recalls with the strengths of its original and learns alone. Only an operator clones. Cloning again
    completes an interrupted call. If the original's memory is erased, so is the copy.
    """
    async with running_services(settings) as resources, connected_client(settings, OPERATOR) as client:
        await resources.log.append(fitter())
        await resources.log.append(
            PolicyAdopted(event_id=uuid4(), agent_id="fitter", parameters={"expected_tasks_per_day": 1})
        )
        await client.settle()
        fact = await client.remember("fitter", DOCKERS)
        old = await client.remember("fitter", "A gasket is used twice, sapristine.")
        await client.edit_memory(old, "A gasket is used once.")
        asked = await client.ask("How is the pelicanite flange tightened?", agent="fitter", settled=True)
        assert fact in asked.used
        await until_idle(resources)

        cloned = await clone_agent(client, "fitter", "fitter-2")
        assert cloned.memories == cloned.copied == len(await client.memories("fitter", status="all"))
        before = {memory.memory.content: memory for memory in await client.memories("fitter", status="all")}
        after = {memory.memory.content: memory for memory in await client.memories("fitter-2", status="all")}
        assert before.keys() == after.keys()
        for text, each in after.items():
            whole = before[text]
            assert each.strength == pytest.approx(whole.strength)
            assert each.strength_by_perspective == pytest.approx(whole.strength_by_perspective)
            assert (each.access_count, each.level, each.principle) == (
                whole.access_count,
                whole.level,
                whole.principle,
            )
            assert len(each.yields_to) == len(whole.yields_to)
            assert each.origin.memory_id == whole.memory_id
        assert sum(each.principle for each in after.values()) == 1
        [recalled, *_] = (await client.recall("fitter-2", "How is the pelicanite flange tightened?")).memories
        assert recalled.candidate.memory_id == after[DOCKERS].memory_id

        twice = await clone_agent(client, "fitter", "fitter-2")
        assert (twice.memories, twice.copied) == (cloned.memories, 0)
        with pytest.raises(OperationError, match="exists already and is no clone of fitter-2"):
            await clone_agent(client, "fitter-2", "fitter")
        with pytest.raises(OperationError, match="there is no agent 'nobody'"):
            await clone_agent(client, "nobody", "somebody")

        alone = await client.ask("How is the pelicanite flange tightened?", agent="fitter-2", settled=True)
        assert after[DOCKERS].memory_id in alone.used
        await until_idle(resources)
        assert (await client.memory(fact)).access_count == before[DOCKERS].access_count
        state = [(memory.memory_id, memory.strength, memory.level) for memory in await client.memories("fitter-2")]
        await assert_verified(settings)
        await rebuild(settings)
        assert [
            (memory.memory_id, memory.strength, memory.level) for memory in await client.memories("fitter-2")
        ] == state

        copies = {event.event_id for event in await effective_events(resources.log) if isinstance(event, MemoryCopied)}
        gone = set((await would_go(settings, [Thing("memory", old)])).of("memory"))
        assert len(gone & copies) == 2, "the copies of the memory and of its correction"
        await forget(settings, [Thing("memory", old)])
        await until_idle(resources)
        assert not files_with(servers.directory, "sapristine")["sapristine"]
        assert (
            len(await client.memories("fitter-2", status="all"))
            == len(await client.memories("fitter", status="all")) + 0
        )
    await assert_verified(settings)
