"""The command `permissions`, which prepares access control of the servers."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from pathlib import Path
from typing import Annotated

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import JsonOption, Session


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(permissions)


def permissions(
    context: typer.Context,
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The directory of the files. Passwords in existing files are kept.")
    ],
    client: Annotated[
        list[str] | None, typer.Option("--client", metavar="ID", help="The name of a client; repeatable.")
    ] = None,
    namespace: Annotated[
        list[str] | None,
        typer.Option("--namespace", metavar="NAME", help="A namespace, instead of the configured one; repeatable."),
    ] = None,
    nats: Annotated[
        str,
        typer.Option(
            "--nats", metavar="URLS", help="Addresses of the NATS servers for all users, separated by commas."
        ),
    ] = "nats://127.0.0.1:4222",
    client_nats: Annotated[
        str | None,
        typer.Option(
            "--client-nats", metavar="URLS", help="Addresses of the NATS servers for clients. Default: --nats."
        ),
    ] = None,
    database: Annotated[
        str, typer.Option("--database", metavar="HOST:PORT/NAME", help="Address of the database.")
    ] = "127.0.0.1:5432/nemuri",
    node: Annotated[
        list[str] | None,
        typer.Option("--node", metavar="HOST", help="The name of a node of a NATS cluster; repeatable."),
    ] = None,
    secrets: Annotated[
        str | None,
        typer.Option("--secrets", metavar="PREFIX", help="Also write them into the Kubernetes secrets PREFIX-…."),
    ] = None,
    mark: Annotated[
        list[str] | None,
        typer.Option("--mark", metavar="KEY", help="A key that each of these secrets gets too; repeatable."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write the access rights to files: NATS accounts, PostgreSQL roles, and an environment file for each user."""
    from nemuri.cli.session import agent_id as identifier
    from nemuri.platform.permission_files import Deployment, write_permissions
    from nemuri.platform.permission_secrets import write_secrets

    session = Session.of(context, json=json)
    clients, spaces = client or (), namespace or [session.settings().namespace]
    for name in (*clients, *spaces):
        identifier(name, "name of a client or a namespace")
    deployment = Deployment(spaces, clients, nats, database, node or (), client_nats)
    if mark and secrets is None:
        raise WrongUse("--mark is for --secrets")
    if secrets is not None:
        names = write_secrets(directory, deployment, secrets, mark or ())
        session.tell(names, f"{len(names)} secrets {secrets}-…")
        return
    written = write_permissions(directory, deployment)
    session.tell(
        [str(path) for path in written],
        f"{len(written)} files in {directory}: nats/ and postgres/ for the servers, USER/nemuri.env for each user",
    )
