"""A PostgreSQL as others run it: another owner of the extensions, and a role with few rights."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from sqlalchemy.engine import make_url

from nemuri_infra.embedded import postgres
from nemuri_infra.embedded.postgres import DATABASE, EmbeddedPostgres

ROLE = "application"
OPTIONS = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C")
"""Options of `initdb`. Those of the platform's own server are for its version alone."""
PREPARATION = f"""
    REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC;
    CREATE ROLE {ROLE} LOGIN NOSUPERUSER;
    GRANT CONNECT, TEMPORARY ON DATABASE {DATABASE} TO {ROLE};
    CREATE SCHEMA extensions;
    GRANT USAGE ON SCHEMA extensions TO {ROLE};
"""


class Version(NamedTuple):
    """A version of PostgreSQL with pgvector on this machine."""

    number: int
    programs: str
    """Folder of its programs, within the wheel of the embedded server or on the machine."""
    libraries: str = postgres.LIBRARIES
    """Folder of what the programs load."""


VERSION_16, VERSION_18 = Version(16, "pginstall"), Version(18, "pginstall18")
INSTALLED = [
    Version(int(folder.name), str(folder), str(folder / "lib"))
    for folder in sorted(Path("/usr/lib/postgresql").glob("[0-9]*"))
    if (Path("/usr/share/postgresql") / folder.name / "extension" / "vector.control").exists()
]
"""Versions of Debian's packages."""


@dataclass(frozen=True, slots=True)
class ManagedPostgres:
    """A running server with an administrator, and with a role that may neither create schemas nor extensions."""

    administrator: str
    """Address for the administrator."""
    data: Path
    """Directory of the server's data."""

    @property
    def url(self) -> str:
        """Return the address for the role."""
        return make_url(self.administrator).set(username=ROLE).render_as_string(hide_password=False)

    async def administrate(self, *statements: str) -> None:
        """Run statements as the administrator, each one by itself."""
        async with await psycopg.AsyncConnection.connect(self.administrator, autocommit=True) as connection:
            for statement in statements:
                await connection.execute(statement.encode())

    def write(self, name: str, content: bytes) -> None:
        """Write a file that only the server may read into the directory of its data."""
        path, owner = self.data / name, self.data.stat()
        path.touch(mode=0o600)
        os.chown(path, owner.st_uid, owner.st_gid)
        path.write_bytes(content)


@asynccontextmanager
async def managed_postgres(version: Version, port: int | None = None) -> AsyncIterator[ManagedPostgres]:
    """Run a server without pgvector in its database, and yield it. With `port` it is reached on the loopback too."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres, "VERSION", version.number)
        patch.setattr(postgres, "PROGRAMS", version.programs)
        patch.setattr(postgres, "LIBRARIES", version.libraries)
        patch.setattr(postgres, "INITDB_OPTIONS", OPTIONS)
        if port is not None:
            patch.setattr(postgres, "PORT", port)
            patch.setattr(postgres, "SOCKET_NAME", f".s.PGSQL.{port}")
            patch.setitem(postgres.SETTINGS, "listen_addresses", "127.0.0.1")
        server = EmbeddedPostgres(directory)
        try:
            await server.start()
            found = ManagedPostgres(server.url, server.data)
            await found.administrate(PREPARATION)
            yield found
        finally:
            await server.stop()
            shutil.rmtree(directory)
