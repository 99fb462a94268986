"""`python -m nemuri.face.provision`: make what a namespace needs on both servers, before any of its services starts."""

import asyncio
import sys

from sqlalchemy.exc import ArgumentError

from nemuri.face.cli.failures import explain
from nemuri.face.serving import prepare
from nemuri.infra.bus.connection import UnreachableError
from nemuri.infra.settings import Settings
from nemuri.infra.views.database import DatabaseError


def main() -> None:
    """Provision the servers at `NATS_URL` and `DATABASE_URL`; doing it again changes nothing.

    Exits with one line that says why when it cannot be done.
    """
    settings = Settings()
    if not settings.nats_url or not settings.database_url:
        sys.exit("nemuri: set NATS_URL and DATABASE_URL")
    try:
        asyncio.run(prepare(settings))
    except (UnreachableError, DatabaseError, ArgumentError) as error:
        sys.exit(explain(error)[0])


if __name__ == "__main__":
    main()
