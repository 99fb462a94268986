"""The rights that a client's hooks need."""

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
from tests.integration.harness import EMBEDDING, opened_log
from tests.integration.restricted_servers import RestrictedServers

pytestmark = pytest.mark.connected

TURN = {"id": "6e656d75-7269-3000-8000-000000000001", "prompt": "Hello", "reply": "", "said_at": "2026-01-18T22:00:00Z"}


async def test_a_hook_uploads_sessions_under_the_clients_name(platform: RestrictedServers, tmp_path: Path) -> None:
    """A hook uploads a session under the client's own name and password without a denied operation."""
    definition = Definition(role="memory", memory="affective")
    before = len(platform.denied())
    async with connected(platform.of("operator"), "cli") as cli:
        await cli.log.append(
            AgentDefined(event_id=uuid4(), agent_id="muse", definition=definition, embedding=EMBEDDING)
        )
        await cli.settle()
    put(str(tmp_path), {"agent": "muse", "session": "s", "ended_at": "2026-01-18T23:00:00Z", "turns": [TURN]})
    with pytest.MonkeyPatch.context() as environment:
        for line in (
            (platform.directory / platform.permissions.client_user("ann") / "nemuri.env").read_text().splitlines()
        ):
            environment.setenv(*line.split("=", 1))
        where = HookSettings(str(tmp_path))
    became = await asyncio.to_thread(flush, where, 30.0)
    assert (became.turns, became.troubles) == (1, [])
    async with opened_log(platform.of("operator")) as log:
        said = await log.newest_on(log.subjects.of_client("ann", TurnOffered))
    assert said.event_id == TURN["id"]
    assert platform.denied()[before:] == []
