"""`python -m nemuri.cli.provision`: make what a namespace needs on both servers, before any of its services starts."""

import asyncio
import sys

from sqlalchemy.exc import ArgumentError

from nemuri.cli.failures import explain
from nemuri.platform.serving import prepare
from nemuri_infra.bus.connection import UnreachableError
from nemuri_infra.projections.database import DatabaseError
from nemuri_infra.runtime.settings import Settings


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
