"""The ids of tasks, memories and courses as arguments: whole, or as much of one as tells it from the others."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import Session

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.id_prefix import Named


def read_id(text: str) -> UUID | str:
    """A whole id, or the beginning of one; raises `WrongUse` for what is neither."""
    from nemuri_contracts.id_prefix import beginning

    try:
        return UUID(text)
    except ValueError:
        pass
    try:
        return beginning(text)
    except ValueError as error:
        raise WrongUse(str(error)) from error


def id_argument(of: "Named", about: str, metavar: str | None = None) -> Any:
    """An argument that is such an id; the command gets the whole of it."""
    return typer.Argument(metavar=metavar or of.upper(), help=about, parser=read_id, callback=_whole(of))


def id_option(of: "Named", name: str, about: str) -> Any:
    """The same as an option."""
    return typer.Option(name, metavar=of.upper(), help=about, parser=read_id, callback=_whole(of))


async def whole_id(client: "Client", of: "Named", given: UUID | str) -> UUID:
    """The id that was given; the platform is asked only where it is not whole."""
    return given if isinstance(given, UUID) else await client.whole_id(of, given)


def _whole(of: "Named") -> Callable[[typer.Context, UUID | str | None], UUID | None]:
    def found(context: typer.Context, given: UUID | str | None) -> UUID | None:
        if given is None or isinstance(given, UUID):
            return given
        return Session.of(context).run(lambda client: whole_id(client, of, given))

    return found
