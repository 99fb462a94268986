"""Provisioning refuses a database whose encoding is not UTF8."""

import asyncio

import psycopg
import pytest
from nats.js.errors import NotFoundError
from sqlalchemy.engine import make_url

from nemuri.cli import provision
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import opened_log
from tests.integration.servers import Servers, fresh_namespace

pytestmark = pytest.mark.connected


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
async def test_another_encoding_is_refused(servers: Servers, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provisioning a database with another encoding fails with one line that names UTF8. Nothing is created on either
    server.
    """
    name = fresh_namespace()
    made = f"CREATE DATABASE \"{name}\" ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    async with await psycopg.AsyncConnection.connect(servers.postgres.url, autocommit=True) as connection:
        await connection.execute(made)
    url = make_url(servers.postgres.url).set(database=name).render_as_string(hide_password=False)
    for variable, value in {"NATS_URL": servers.nats.url, "DATABASE_URL": url, "NEMURI_NAMESPACE": name}.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(SystemExit) as ended:
        await asyncio.to_thread(provision.main)
    line = str(ended.value.code)
    assert line.startswith(f"nemuri: the database has the encoding {encoding}, not UTF8; ")
    assert line.isprintable()
    async with opened_log(Settings(namespace=name).addressed(servers.nats.url, url)) as log:
        with pytest.raises(NotFoundError):
            await log.stream.stream_info(log.subjects.stream)
    async with await psycopg.AsyncConnection.connect(url, client_encoding="UTF8") as connection:
        found = await connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [name])
        assert await found.fetchone() is None
