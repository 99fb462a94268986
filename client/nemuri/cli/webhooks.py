"""Commands for webhooks: webhook add, list, test, resume, remove."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.webhooks import NewWebhook, WebhookTestView, WebhookView

Webhook = Annotated[str, typer.Argument(metavar="WEBHOOK", help="The id that `webhook list` shows, or its beginning.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    about = "Send events to an address of yours, as signed HTTP requests."
    group = typer.Typer(no_args_is_help=True, help=about, rich_markup_mode=None)
    group.command("add")(add)
    group.command("list")(list_all)
    group.command("test")(send)
    group.command("resume")(resume)
    group.command("remove")(remove)
    app.add_typer(group, name="webhook")


def add(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the receiver, https://…")],
    kind: Annotated[list[str], typer.Option("--kind", metavar="KIND", help="Kind of events to send. Repeatable.")],
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="AGENT", help="Only events of this agent, or of its tasks.")
    ] = None,
    client: Annotated[
        str | None, typer.Option("--client", metavar="NAME", help="Client who gets the events, with its rights only.")
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow a private address of the receiver, and http://.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Add a webhook, which gets events from now on. Its secret is shown only once."""
    from nemuri.admin.webhooks import add_webhook
    from nemuri.terminal.output import say
    from nemuri_contracts.event import OPERATOR

    session = Session.of(context, json=json)
    owner = OPERATOR if client is None else _named("--client", client)
    about = None if agent is None else _named("--agent", agent)
    wanted = _wanted(url, kind, about, allow_private=allow_private)
    added = session.run(lambda asking: add_webhook(asking, owner, wanted, by_operator=True))
    session.show(added, lambda: say(f"webhook  {added.webhook_id}\nsecret   {added.secret}"))


def list_all(context: typer.Context, json: JsonOption = False) -> None:
    """Show the webhooks of all clients: where to, how far, and why one has stopped."""
    from nemuri.admin.webhooks import list_webhooks
    from nemuri_contracts.event import OPERATOR

    session = Session.of(context, json=json)
    found = session.run(lambda client: list_webhooks(client, OPERATOR))
    session.show(found, lambda: _list(found))


def send(context: typer.Context, webhook: Webhook, json: JsonOption = False) -> None:
    """Send a test message to the receiver, once, and tell the outcome."""
    from nemuri.admin.webhooks import find_webhook, send_test
    from nemuri_contracts.event import OPERATOR

    session = Session.of(context, json=json)

    async def work(client: "Client") -> "WebhookTestView":
        found = await find_webhook(client, OPERATOR, webhook)
        return await send_test(client, OPERATOR, found.webhook_id)

    told = session.run(work)
    if told.accepted or session.json:
        session.tell(told, f"accepted with {told.status} in {told.seconds:.2f} s")
    if not told.accepted:
        raise Failure(f"the test message was not accepted: {told.reason}")


def resume(context: typer.Context, webhook: Webhook, json: JsonOption = False) -> None:
    """Let a paused webhook continue from where it stopped. Nothing is left out."""
    from nemuri.admin.webhooks import find_webhook, resume_webhook
    from nemuri_contracts.event import OPERATOR

    session = Session.of(context, json=json)

    async def work(client: "Client") -> "WebhookView":
        found = await find_webhook(client, OPERATOR, webhook)
        return await resume_webhook(client, OPERATOR, found.webhook_id)

    told = session.run(work)
    session.tell(told, f"resumed {told.webhook_id}")


def remove(context: typer.Context, webhook: Webhook, json: JsonOption = False) -> None:
    """Remove a webhook. Events that were not sent are not sent any more."""
    from nemuri.admin.webhooks import find_webhook, remove_webhook
    from nemuri_contracts.event import OPERATOR

    session = Session.of(context, json=json)

    async def work(client: "Client") -> "WebhookView":
        found = await find_webhook(client, OPERATOR, webhook)
        await remove_webhook(client, OPERATOR, found.webhook_id)
        return found

    gone = session.run(work)
    session.tell({"removed": str(gone.webhook_id)}, f"removed {gone.webhook_id}")


def _wanted(url: str, kinds: list[str], agent: str | None, *, allow_private: bool) -> "NewWebhook":
    from pydantic import ValidationError

    from nemuri_contracts.codec import validation_message
    from nemuri_contracts.webhooks import NewWebhook

    try:
        return NewWebhook(url=url, kinds=tuple(kinds), agent_id=agent, allow_private=allow_private)
    except ValidationError as error:
        raise WrongUse(validation_message(error)) from error


def _named(option: str, name: str) -> str:
    from nemuri_contracts.wire_constants import is_identifier

    if not name or not is_identifier(name):
        raise WrongUse(f"{option}: {name!r} is no name: use letters, digits, `_` and `-`")
    return name


def _list(found: "list[WebhookView]") -> None:
    from nemuri.terminal.output import say, table

    if not found:
        say("no webhooks; `nemuri webhook add URL --kind KIND` adds one")
        return
    rows = [
        (f"{one.webhook_id}", one.client_id, one.state, one.sent, ", ".join(one.kinds), one.url, one.reason or "")
        for one in found
    ]
    table(("webhook", "client", "state", "sent", "kinds", "receiver", "problem"), rows, numbers=("sent",))
