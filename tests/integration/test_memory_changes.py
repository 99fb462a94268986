"""Changes of a memory's standing: pins, other scopes and confirmations, as events with history."""

import pytest

from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import forget
from nemuri.operations.past_states import steps_of
from nemuri_contracts.client_events import MemoryChangeRequested, Scope
from nemuri_contracts.strength import MemoryAmended, MemoryRefused
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

pytestmark = pytest.mark.connected

QUERY = "Who owns the build?"


async def test_a_person_changes_a_memory_and_its_history_says_who(settings: Settings) -> None:
    """A pin and another scope are in force at once, also in an index that was made before. The history names who asked.
    Another client's request is refused, and changes nothing.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        memory = await client.remember("python", "Ann is the owner of the build.", tags=["build"])
        assert [each.candidate.memory_id for each in (await client.recall("python", QUERY)).memories] == [memory]

        await client.pin_memory(memory)
        await client.rescope_memory(memory, Scope(level="project", name="bridge"))

        view = await client.memory(memory)
        assert (view.pinned, view.memory.scope.name) == (True, "bridge")
        assert (await client.recall("python", QUERY)).memories == ()
        there = await client.recall("python", QUERY, project="bridge")
        assert [each.candidate.memory_id for each in there.memories] == [memory]
        with pytest.raises(ClientError, match="is not pinned: it is pinned already"):
            await client.pin_memory(memory)
        async with connected_client(settings, client_id="bob") as other:
            with pytest.raises(ClientError, match="only its client or an operator"):
                await other.pin_memory(memory, pinned=False)
        await until_idle(resources)
        steps = await steps_of(client.log, "python", memory)
        notes = [step.note for step in steps if step.kind == MemoryAmended.kind_of()]
        assert notes == ["pin by client ann", "rescope to project bridge by client ann"]
        facts = await effective_events(resources.log)
        assert len([fact for fact in facts if isinstance(fact, MemoryRefused)]) == 2
    await assert_verified(settings)
    await forget(settings, [Thing("memory", memory)])
    async with running_services(settings) as resources:
        facts = await effective_events(resources.log)
        assert not [fact for fact in facts if isinstance(fact, MemoryAmended | MemoryChangeRequested)]
    await assert_verified(settings)
