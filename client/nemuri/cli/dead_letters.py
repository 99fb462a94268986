"""Commands for dead letters: dead list, show, retry, drop."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.id_arguments import read_id, whole_id
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri.admin.dead_letters import DeadLetterPage
    from nemuri.client.client import Client
    from nemuri_infra.stores.dead_letters import StoredDeadLetter

MAX_CHARACTERS = 2_000
"""Maximum number of characters of an original message in text output. JSON output has the whole message."""

Letter = Annotated[
    str | None, typer.Argument(metavar="LETTER", help="The id that `dead list` shows, such as intake/17.")
]
ServiceOption = Annotated[
    str | None, typer.Option("--service", metavar="NAME", help="Only dead letters of this service.")
]
AllOption = Annotated[bool, typer.Option("--all", help="All dead letters, or all of the service.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    about = "Show, retry or drop dead letters: events that a service gave up on."
    group = typer.Typer(no_args_is_help=True, help=about, rich_markup_mode=None)
    group.command("list")(list_letters)
    group.command("show")(show)
    group.command("retry")(retry)
    group.command("drop")(drop)
    app.add_typer(group, name="dead")


def list_letters(
    context: typer.Context,
    service: ServiceOption = None,
    after: Annotated[
        str | None, typer.Option("--after", metavar="LETTER", help="Start after this dead letter.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1_000, help="Maximum number of dead letters.")
    ] = 20,
    json: JsonOption = False,
) -> None:
    """Show the dead letters with their reasons, oldest first."""
    from nemuri.admin.dead_letters import page
    from nemuri.terminal.output import say_json

    session = Session.of(context, json=json)
    _check(service)
    found = session.run(lambda client: page(client, service, after=after, limit=limit))
    if session.json:
        letters = [_known(letter) for letter in found.letters]
        say_json({"total": found.total, "more": found.more, "letters": letters})
    else:
        _list(found, session)


def show(
    context: typer.Context,
    letter: Annotated[str, typer.Argument(metavar="LETTER", help="The id that `dead list` shows, such as intake/17.")],
    json: JsonOption = False,
) -> None:
    """Show a dead letter and its original message."""
    from nemuri.admin.dead_letters import find, original
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)

    async def work(client: "Client") -> tuple["StoredDeadLetter", bytes]:
        buried = await find(client, letter)
        return buried, await original(client, buried)

    buried, data = session.run(work)
    text = data.decode(errors="backslashreplace")
    if session.json:
        say_json(_known(buried) | {"original": text})
        return
    for name, value in _known(buried).items():
        if value is not None and name != "letter":
            say(f"{name:11}  {value}")
    cut = (
        ""
        if len(text) <= MAX_CHARACTERS
        else f"\n… and {len(text) - MAX_CHARACTERS:,} characters more; --json prints all of them"
    )
    say(f"\n{text[:MAX_CHARACTERS]}{cut}" if text else "\nthe message is empty")


def retry(
    context: typer.Context,
    letter: Annotated[
        str | None, typer.Argument(metavar="LETTER", help="The id that `dead list` shows, or the id of a failed TASK.")
    ] = None,
    every: AllOption = False,
    service: ServiceOption = None,
    json: JsonOption = False,
) -> None:
    """Deliver a dead letter again. A task that failed because of it gets a new attempt."""
    from nemuri.admin import dead_letters

    async def one(client: "Client", name: str) -> str:
        try:
            task = read_id(name)
        except WrongUse:
            return await dead_letters.retry(client, name)
        return await dead_letters.reopen(client, await whole_id(client, "task", task))

    _each(Session.of(context, json=json), letter, service, one, every=every)


def drop(
    context: typer.Context,
    letter: Letter = None,
    every: AllOption = False,
    service: ServiceOption = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="Delete the original too, permanently, if it is not an event.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Remove a dead letter. The original message stays in the log."""
    from nemuri.admin import dead_letters

    if erase and every:
        raise WrongUse("--erase takes one LETTER, because it cannot be undone")

    async def one(client: "Client", name: str) -> str:
        await (dead_letters.erase if erase else dead_letters.drop)(client, name)
        return "erased" if erase else "dropped"

    _each(Session.of(context, json=json), letter, service, one, every=every)


def _each(
    session: Session,
    letter: str | None,
    service: str | None,
    act: Callable[["Client", str], Awaitable[str]],
    *,
    every: bool,
) -> None:
    """Run `act` on one dead letter, or on all of them with `every`, and print the results.

    With `every`, a `ClientError` for one dead letter does not stop the others. Raises `WrongUse` unless exactly one of
    `letter` and `every` is given, and `Failure` at the end if dead letters remain.
    """
    from nemuri.admin.dead_letters import all_names
    from nemuri.client.exchange import ClientError
    from nemuri.terminal.output import say, say_json

    if (letter is None) != every or (service is not None and not every):
        raise WrongUse("give one LETTER, or --all with or without --service")
    _check(service)

    async def work(client: "Client") -> list[dict[str, str]]:
        if letter is not None:
            return [{"letter": letter, "done": await act(client, letter)}]
        found: list[dict[str, str]] = []
        for name in await all_names(client, service):
            try:
                found.append({"letter": name, "done": await act(client, name)})
            except ClientError as error:
                found.append({"letter": name, "refused": str(error)})
        return found

    found = session.run(work)
    if session.json:
        say_json(found)
    elif not found:
        say("there are no dead letters")
    for outcome in () if session.json else found:
        say(f"{outcome['letter']}  {outcome.get('done') or outcome['refused']}")
    if refused := sum("refused" in outcome for outcome in found):
        raise Failure(f"{refused} of {len(found)} dead letters remain")


def _check(service: str | None) -> None:
    from nemuri_services.service_registry import SERVICES

    if service is not None and service not in SERVICES:
        raise WrongUse(f"there is no service {service!r}; there are {', '.join(SERVICES)}")


def _list(found: "DeadLetterPage", session: Session) -> None:
    from nemuri.cli.result_lines import next_command
    from nemuri.terminal.output import say, table

    if not found.letters:
        say("there are no dead letters" if not found.total else f"no match; {found.total} dead letters in total")
        return
    say(f"{found.total} dead letters; the oldest on this page is of {found.letters[0].buried_at:%Y-%m-%d %H:%M:%S}")
    table(
        ("letter", "kind", "tries", "task", "reason"),
        [_row(letter) for letter in found.letters],
        numbers=("tries",),
        spare=("tries", "task"),
    )
    if found.more:
        last = found.letters[-1].letter.name
        say(f"next page: `{next_command(session, f'dead list --after {last}')}`")


def _row(each: "StoredDeadLetter") -> Sequence[object]:
    letter = each.letter
    return letter.name, letter.kind or "no event", letter.deliveries, letter.task_id or "", letter.reason


def _known(buried: "StoredDeadLetter") -> dict[str, Any]:
    return {"letter": buried.letter.name, "buried_at": buried.buried_at} | buried.letter.model_dump(mode="json")
