"""Options and settings that the commands of the group `hook` share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.session import Session, agent_id

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings

AgentOption = Annotated[
    str | None,
    typer.Option("--agent", metavar="AGENT", help="The agent's id. Default: NEMURI_HOOK_AGENT, else `assistant`."),
]


def hook_settings(session: Session, agent: str | None) -> "HookSettings":
    """Return the settings that hooks read, for the session's data directory. Raises `HomeUnusable` for a wrong one."""
    from nemuri_infra.embedded.data_directory import Home
    from nemuri_infra.process.hook_settings import HookSettings

    session.settings()  # reports wrong settings as all commands do
    where = HookSettings(str(session.data) if session.data else None, agent_id(agent) if agent else None)
    Home.existing(Path(where.data))
    return where
