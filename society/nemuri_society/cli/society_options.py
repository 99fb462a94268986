"""Options shared by the society commands, and their connection to the log."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import Session

if TYPE_CHECKING:
    from nemuri_society.contracts.residents import Budget


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
AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="Name or id of the agent.")]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", metavar="S", min=0.1, help="Duration in simulated seconds. Default: until Ctrl-C."),
]


def budget_of(written: str) -> "Budget":
    """Return the budget in a text: a number of tokens, or `tokens=N`, `money=X` or both, divided by a comma.

    Raises `typer.BadParameter` for anything else.
    """
    from pydantic import ValidationError

    from nemuri_society.contracts.residents import Budget

    parts = [part.strip().partition("=") for part in written.split(",")]
    given = {name if equals else "tokens": value if equals else name for name, equals, value in parts}
    try:
        return Budget.model_validate(given)
    except ValidationError:
        raise typer.BadParameter(
            f"{written!r} is no budget; write a number of tokens above 0, or tokens=N, money=X or both with a comma"
        ) from None


BudgetOption = Annotated[
    Any,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        parser=budget_of,
        help="What models may use before thinking pauses: tokens, or `money=X` by the price list, or both.",
    ),
]


def checked_line(what: str, text: str) -> str:
    """Return a text if it is a line that says something. Raise `WrongUse` otherwise."""
    from pydantic import TypeAdapter, ValidationError

    from nemuri_society.contracts.residents import Line

    try:
        return TypeAdapter(Line).validate_python(text)
    except ValidationError:
        raise WrongUse(f"{what} must have 1 to 1,000 characters, not only blanks, and no control characters") from None


LimitOption = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=5_000, help="Maximum number of agents in one host.")
]
ParentOption = Annotated[int | None, typer.Option("--parent", hidden=True)]


def with_log(session: Session, work: Any, *, start: bool) -> Any:
    """Return what the coroutine function `work` returns for the log and the settings. With `start`, start a server on
    the data directory if none runs.
    """
    import asyncio

    from nemuri_society.operations.nats_server import society_server

    async def main() -> Any:
        async with society_server(session.settings(), start=start) as (settings, log):
            return await work(log, settings)

    session.disable_logging()
    return asyncio.run(main())
