"""Erasure of agents that belonged to societies."""

import pytest

from nemuri.operations.erasure import forget, resume
from nemuri.operations.session import OperationError
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import Society
from nemuri_society.operations.erasure import check_erasable
from nemuri_society.operations.lifecycle import create_society, delete_society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.stores.society_states import States
from tests.integration.servers import Servers, files_with


async def test_an_agent_of_a_society_cannot_be_forgotten(log: Log) -> None:
    """An agent of an existing society cannot be erased. Agents with similar ids can."""
    society = Society(name="old-town", seed=1, agents=generate_residents("old-town", 3, seed=1))
    states = await States.create(log, society)
    with pytest.raises(OperationError, match="nemuri society delete old-town"):
        await check_erasable(log, [Thing("agent", "old-town-0002")])
    await check_erasable(
        log, [Thing("agent", "old-town-0003"), Thing("agent", "old-town"), Thing("agent", "new-town-1")]
    )
    await states.delete()
    await check_erasable(log, [Thing("agent", "old-town-0002")])


async def test_no_file_contains_the_text_of_a_forgotten_agent(servers: Servers, settings: Settings, log: Log) -> None:
    """No file contains the text of an erased agent once all societies are deleted. Until then the result of the erasure
    names the remaining society.
    """
    for name in ("village", "town"):
        states = await create_society(log, Society(name=name, seed=1, agents=generate_residents(name, 3, seed=1)))
        known = await states.write({"agent.0.x.goals": b"to see a quaggaphone"}, {})
        await (await Checkpoints.open(log, name)).make(states)
        await states.write({"agent.0.x.goals": b"to rest"}, known)
    assert files_with(servers.directory, "quaggaphone")["quaggaphone"]
    await delete_society(log, "village")
    (told,) = (await forget(settings, [Thing("agent", "village-0001")])).remaining_notes
    assert "society town may hold its bytes" in told
    await delete_society(log, "town")
    assert (await resume(settings)).remaining_notes == ()
    assert files_with(servers.directory, "quaggaphone") == {"quaggaphone": set()}
