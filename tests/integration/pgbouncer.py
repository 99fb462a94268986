"""PgBouncer before the session's PostgreSQL, as Debian ships it."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from nemuri_infra.embedded.child_processes import Child
from nemuri_infra.embedded.listen_addresses import LOOPBACK, free_port
from nemuri_infra.embedded.os_user import Account, entrances
from nemuri_infra.embedded.postgres import DATABASE, EmbeddedPostgres
from tests.integration.embedded.stored_data import retrying

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
needs_pgbouncer = pytest.mark.skipif(PROGRAM is None, reason="no pgbouncer: `apt-get install pgbouncer`")
SESSIONS = 8
"""Default maximum number of sessions of the server that all clients of a pooler share."""
CONFIGURATION = """
[databases]
* = host={sockets} port={server_port} user={user}
[pgbouncer]
listen_addr = {address}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {sessions}
max_client_conn = 500
server_round_robin = 1
"""
"""Nothing but what is needed; above all no start-up parameter is ignored.

The sessions are given out in turn, so that two transactions of a client seldom get the same one.
"""


@asynccontextmanager
async def pooler(postgres: EmbeddedPostgres, mode: str, sessions: int = SESSIONS) -> AsyncIterator[str]:
    """Run PgBouncer before a server in the pool mode `session`, `transaction` or `statement`, and yield the database's
    URL there.
    """
    url, port = make_url(postgres.url), free_port()
    owner = postgres.data.stat()
    account = Account(owner.st_uid, owner.st_gid) if os.geteuid() == 0 else None  # It refuses to run as root.
    directory = Path(tempfile.mkdtemp(prefix="nemuri-pgbouncer-"))
    with entrances(Path(str(url.query["host"])), account=account) as ((sockets,), inherited):
        known = {"sockets": sockets, "server_port": url.query["port"], "user": url.username, "sessions": sessions}
        configuration = directory / "pgbouncer.ini"
        configuration.write_text(CONFIGURATION.format(**known, address=LOOPBACK, port=port, mode=mode))
        if account is not None:
            for each in (directory, configuration):
                os.chown(each, *account)
        child = Child("pgbouncer", [str(PROGRAM), str(configuration)], directory, user=account, inherited=inherited)
        try:
            await child.start()
            pooled = f"postgresql://{url.username}@{LOOPBACK}:{port}/{DATABASE}"
            async for attempt in retrying():
                with attempt:
                    await (await psycopg.AsyncConnection.connect(pooled)).close()
            yield pooled
        finally:
            await child.stop()
            shutil.rmtree(directory)
