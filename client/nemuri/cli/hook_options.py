"""Options and settings that the commands of the group `hook` share."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure
from nemuri.cli.session import Session, agent_id

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings

AgentOption = Annotated[
    str | None,
    typer.Option("--agent", metavar="AGENT", help="The agent's id. Default: NEMURI_HOOK_AGENT, else `assistant`."),
]


def hook_settings(session: Session, agent: str | None) -> "HookSettings":
    """Return the settings that hooks read, for the session's data directory. Raises `Failure` if it cannot be used."""
    from nemuri_infra.process.hook_settings import HookSettings

    session.settings()  # reports wrong settings as all commands do
    where = HookSettings(str(session.data) if session.data else None, agent_id(agent) if agent else None)
    if os.path.exists(where.data) and not os.path.isdir(where.data):  # noqa: PTH110, PTH112
        raise Failure(f"{where.data} is not a directory")
    if os.path.exists(where.data) and not os.access(where.data, os.R_OK | os.W_OK | os.X_OK):  # noqa: PTH110
        raise Failure(f"{where.data} is not writable by this user")
    return where
