"""An agent of a society is forgotten after the society, in whose states and checkpoints its words lie."""

import pytest

from nemuri.contracts.society import Society
from nemuri.face.operations import forget, resume
from nemuri.face.operations.erasure import lives_nowhere
from nemuri.face.operations.workshop import OperationError
from nemuri.face.society.residents import residents
from nemuri.face.society.running import begin, end_of
from nemuri.infra.log import Log
from nemuri.infra.settings import Settings
from nemuri.infra.stores.states import States
from nemuri.infra.views.lineage import Thing
from nemuri.services.society.checkpoints import Checkpoints
from tests.connected.servers import Servers, files_with


async def test_who_lives_somewhere_is_not_forgotten(log: Log) -> None:
    """Who lives somewhere is not forgotten, somebody of a like name is."""
    society = Society(name="old-town", seed=1, agents=residents("old-town", 3, seed=1))
    states = await States.create(log, society)
    with pytest.raises(OperationError, match="nemuri society delete old-town"):
        await lives_nowhere(log, [Thing("agent", "old-town-0002")])
    await lives_nowhere(
        log, [Thing("agent", "old-town-0003"), Thing("agent", "old-town"), Thing("agent", "new-town-1")]
    )
    await states.delete()
    await lives_nowhere(log, [Thing("agent", "old-town-0002")])


async def test_what_a_society_wrote_is_in_no_byte_once_its_agents_are_forgotten(
    servers: Servers, settings: Settings, log: Log
) -> None:
    """What was overwritten too, as soon as nobody else lives in the same bucket; until then it is told."""
    for name in ("village", "town"):
        states = await begin(log, Society(name=name, seed=1, agents=residents(name, 3, seed=1)))
        known = await states.write({"agent.0.x.goals": b"to see a quaggaphone"}, {})
        await (await Checkpoints.open(log, name)).make(states)
        await states.write({"agent.0.x.goals": b"to rest"}, known)
    assert files_with(servers.directory, "quaggaphone")["quaggaphone"]
    await end_of(log, "village")
    (told,) = (await forget(settings, [Thing("agent", "village-0001")])).left
    assert "society town may hold its bytes" in told
    await end_of(log, "town")
    assert (await resume(settings)).left == ()
    assert files_with(servers.directory, "quaggaphone") == {"quaggaphone": set()}
