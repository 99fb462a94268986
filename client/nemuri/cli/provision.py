"""`python -m nemuri.cli.provision`: create what a namespace needs on the NATS server and in the database.

It is run before the services of the namespace start.
"""

import asyncio
import sys

from sqlalchemy.exc import ArgumentError

from nemuri.cli.failures import explain
from nemuri.platform.serving import prepare
from nemuri_infra.bus.connection import UnreachableError
from nemuri_infra.projections.database import DatabaseError
from nemuri_infra.runtime.settings import Settings


def main() -> None:
    """Provision the NATS server at `NATS_URL` and the database at `DATABASE_URL`. A repeated run changes nothing.

    On failure the process exits with one line that gives the reason.
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
