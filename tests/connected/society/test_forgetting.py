"""An agent of a society is forgotten after the society, in whose states and checkpoints its words lie."""

import pytest

from nemuri.contracts.society import Society
from nemuri.face.operations.erasure import lives_nowhere
from nemuri.face.operations.workshop import OperationError
from nemuri.face.society.residents import residents
from nemuri.infra.log import Log
from nemuri.infra.stores.states import SOCIETY, States
from nemuri.infra.views.lineage import Thing


async def test_who_lives_somewhere_is_not_forgotten(log: Log) -> None:
    """Who lives somewhere is not forgotten, somebody of a like name is."""
    society = Society(name="old-town", seed=1, agents=residents("old-town", 3, seed=1))
    states = await States.create(log, society.name)
    await states.write({SOCIETY: society.model_dump_json().encode()}, {})
    with pytest.raises(OperationError, match="nemuri society delete old-town"):
        await lives_nowhere(log, [Thing("agent", "old-town-0002")])
    await lives_nowhere(
        log, [Thing("agent", "old-town-0003"), Thing("agent", "old-town"), Thing("agent", "new-town-1")]
    )
    await states.delete()
    await lives_nowhere(log, [Thing("agent", "old-town-0002")])
