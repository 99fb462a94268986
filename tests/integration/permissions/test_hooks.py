"""What the hooks of a client may do under its own account: ask, and say in its own name."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from nemuri.client.connection import connected
from nemuri.hook.session_upload import flush
from nemuri.hook.spool import put
from nemuri_contracts.affective import TurnOffered
from nemuri_contracts.agents import AgentDefined, Definition
from nemuri_infra.process.hook_settings import HookSettings
from tests.integration.guarded import Guarded
from tests.integration.scene import EMBEDDING, logged

pytestmark = pytest.mark.connected

TURN = {"id": "6e656d75-7269-3000-8000-000000000001", "prompt": "Hello", "reply": "", "said_at": "2026-01-18T22:00:00Z"}


async def test_a_client_hands_over_sessions_in_its_own_name(platform: Guarded, tmp_path: Path) -> None:
    """Over a plain socket, with the name and the password that its address holds, and nobody complains."""
    definition = Definition(role="memory", memory="affective")
    before = len(platform.denied())
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(
            AgentDefined(event_id=uuid4(), agent_id="muse", definition=definition, embedding=EMBEDDING)
        )
        await cli.settle()
    put(str(tmp_path), {"agent": "muse", "session": "s", "ended_at": "2026-01-18T23:00:00Z", "turns": [TURN]})
    with pytest.MonkeyPatch.context() as environment:
        for line in (platform.directory / f"{platform.permissions.client_user('ann')}.env").read_text().splitlines():
            environment.setenv(*line.split("=", 1))
        where = HookSettings(str(tmp_path))
    became = await asyncio.to_thread(flush, where, 30.0)
    assert (became.turns, became.troubles) == (1, [])
    async with logged(platform.of("operator")) as log:
        said = await log.newest_on(log.subjects.of_client("ann", TurnOffered))
    assert said.event_id == TURN["id"]
    assert platform.denied()[before:] == []
