"""Options shared by the society commands."""

from typing import Annotated

import typer


def society_name(written: str | None) -> str | None:
    """Return the text if it is a valid name of a society. Raise `typer.BadParameter` otherwise."""
    from pydantic import TypeAdapter, ValidationError

    from nemuri_society.contracts.society import SocietyName

    try:
        return None if written is None else TypeAdapter(SocietyName).validate_python(written)
    except ValidationError:
        rule = "1 to 48 letters, digits, _ or -, beginning with a letter or digit"
        raise typer.BadParameter(f"{written!r} is not a valid name of a society: {rule}") from None


NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The society.", callback=society_name)]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", metavar="S", min=0.1, help="Duration in simulated seconds. Default: until Ctrl-C."),
]
LimitOption = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=5_000, help="Maximum number of agents in one host.")
]
ParentOption = Annotated[int | None, typer.Option("--parent", hidden=True)]
