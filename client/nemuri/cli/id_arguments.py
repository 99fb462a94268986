"""Arguments for ids of tasks, memories and courses: the whole id, or a unique prefix of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import Session

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.abbreviated_id import Named


def read_id(text: str) -> UUID | str:
    """Return a whole id as a UUID, or the prefix of an id as text. Raise `WrongUse` for any other text."""
    from nemuri_contracts.abbreviated_id import beginning

    try:
        return UUID(text)
    except ValueError:
        pass
    try:
        return beginning(text)
    except ValueError as error:
        raise WrongUse(str(error)) from error


def id_argument(of: "Named", about: str, metavar: str | None = None) -> Any:
    """Return a positional argument that accepts an id or its prefix. The command receives the whole id."""
    return typer.Argument(metavar=metavar or of.upper(), help=about, parser=read_id, callback=_whole(of))


def id_option(of: "Named", name: str, about: str) -> Any:
    """Return an option that accepts an id or its prefix. The command receives the whole id."""
    return typer.Option(name, metavar=of.upper(), help=about, parser=read_id, callback=_whole(of))


async def whole_id(client: "Client", of: "Named", given: UUID | str) -> UUID:
    """Return the whole id. The platform is asked only if a prefix was given."""
    return given if isinstance(given, UUID) else await client.whole_id(of, given)


def _whole(of: "Named") -> Callable[[typer.Context, UUID | str | None], UUID | None]:
    def found(context: typer.Context, given: UUID | str | None) -> UUID | None:
        if given is None or isinstance(given, UUID):
            return given
        return Session.of(context).run(lambda client: whole_id(client, of, given))

    return found
