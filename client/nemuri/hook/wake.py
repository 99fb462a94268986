"""The work of the hooks in the background: a running platform, a prepared agent, and nothing left behind."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from nemuri.admin.affective import prepare
from nemuri.client.connection import connected
from nemuri.hook.journal import folder, write_entry
from nemuri.hook.session_turns import spool_left_behind
from nemuri.hook.session_upload import flush
from nemuri.system_service.installation import is_served
from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.event import OPERATOR
from nemuri_domain.affective.policy import CODING
from nemuri_infra.process.hook_settings import HookSettings, PlatformNotFound

if TYPE_CHECKING:
    from nemuri_infra.runtime.settings import Settings

START_SECONDS = 120.0
"""Maximum number of seconds until a started platform is ready. The first start creates the databases."""
POLL_SECONDS = 0.1


class PlatformNotStarted(Exception):  # noqa: N818 - the name states a fact
    """No platform became ready in time. The message is one line that says where the reason is written."""


def wake_up(settings: "Settings", where: HookSettings) -> None:
    """Start the platform if none runs, define the agent if it does not exist, and upload the turns that wait.

    Errors go to the journal, except those of the turns, which stay in the spool.
    """
    spool_left_behind(where)
    try:
        start_platform(where)
    except PlatformNotStarted as error:
        write_entry(where.data, f"wake: {error}")
        return
    if where.client is None:
        asyncio.run(_prepare(settings, where.agent))
    for trouble in flush(where).troubles:
        write_entry(where.data, f"wake: {trouble}")


def start_platform(where: HookSettings) -> bool:
    """Start the platform if none runs, and return when it is ready: True if this call has started it.

    A platform that starts at this moment is waited for and not started twice, and so is a service that its manager
    starts again after a failure. Raises `PlatformNotStarted`.
    """
    platform = None if where.is_running or is_served(Path(where.data)) else _start(where)
    end = time.monotonic() + START_SECONDS
    while not _is_ready(where):
        if time.monotonic() > end or (platform is not None and platform.poll() is not None):
            told = "`nemuri service status`" if platform is None else _log(where)
            raise PlatformNotStarted(f"no platform could be started; see {told}")
        time.sleep(POLL_SECONDS)  # no event tells when another process is ready
    return platform is not None


def _start(where: HookSettings) -> subprocess.Popen[bytes]:
    """Start a platform that outlives this process. If another one starts at the same time, one of them ends."""
    command = [sys.executable, "-m", "nemuri", "--data", where.data, "up", "--no-window"]
    with open(_log(where), "ab") as log:  # noqa: PTH123 - as in the hooks
        return subprocess.Popen(  # noqa: S603 - our own command
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def _is_ready(where: HookSettings) -> bool:
    try:
        return bool(where.nats_address)
    except PlatformNotFound:
        return False


async def _prepare(settings: "Settings", agent: str) -> None:
    """Define the agent with the profile for coding, if it does not exist."""
    async with connected(settings, OPERATOR) as client:
        if not (await client.log.newest_on(client.log.subjects.of_agent(agent, AgentDefined))).sequence:
            await prepare(client, agent, CODING, (await client.status()).embedding, replace=False)


def _log(where: HookSettings) -> str:
    return os.path.join(folder(where.data), "up.log")  # noqa: PTH118
