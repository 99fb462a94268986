"""The platform behind PgBouncer, whose sessions change between transactions and belong to others too."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from nats.js.errors import NotFoundError
from sqlalchemy import text

from nemuri.operations.erasure import forget
from nemuri.operations.views import rebuild
from nemuri.platform.platform import run_platform
from nemuri.platform.serving import prepare
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.projections.database import Database, DatabaseError
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.maintenance_lock import check_held, exclusive_maintenance
from nemuri_infra.projections.snapshots import make_snapshot
from nemuri_infra.runtime.resources import open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    eventually,
    opened_log,
    running_services,
    until_idle,
)
from tests.integration.pgbouncer import SESSIONS, needs_pgbouncer, pooler
from tests.integration.servers import Servers

pytestmark = [pytest.mark.connected, needs_pgbouncer]
MODES = {"transaction": SESSIONS, "session": 60}
"""Number of the server's sessions in each mode. In session mode every connection takes one."""
REPEATS = 12
"""Uses of a statement, more than the driver's default before it prepares one."""


def settings_at(servers: Servers, url: str) -> Settings:
    """Return settings of a new namespace whose database is at this URL."""
    return servers.settings().model_copy(update={"database_url": url})


async def stranger(url: str, statement: str = "SHOW search_path") -> list[str]:
    """Return what another program gets for a statement in many sessions of the pooler."""
    found = list[str]()
    for _ in range(2 * SESSIONS):
        async with await psycopg.AsyncConnection.connect(url, prepare_threshold=None) as connection:
            row = await (await connection.execute(statement)).fetchone()
            found.append(row[0] if row else "")
    return found


@pytest.mark.parametrize(
    "mode", [pytest.param(mode, marks=() if mode == "transaction" else pytest.mark.long) for mode in MODES]
)
async def test_the_platform_works_behind_a_pooler(servers: Servers, mode: str) -> None:
    """Do tasks, recall, take snapshots, rebuild and erase through a pooler, and leave its sessions as they were."""
    async with pooler(servers.postgres, mode, MODES[mode]) as url:
        settings = settings_at(servers, url)
        before = set(await stranger(url))
        await prepare(settings)
        async with running_services(settings) as resources, connected_client(settings) as client:
            await resources.log.append(agent_defined())
            await client.settle()
            facts = [await client.remember("python", f"Lantern {each} is blue.") for each in range(REPEATS)]
            tasks = [await client.submit(f"Which colour has lantern {each}?") for each in range(REPEATS)]
            for task in tasks:
                assert (await client.result(task, settled=True)).status == "done"
            [found] = (await client.recall("python", "Which colour has lantern 3?", top=1)).memories
            assert found.candidate.memory_id in facts
            assert await make_snapshot(resources.projection, resources.log, 1) is not None
            await rebuild(settings)
            erased = await forget(settings, [Thing("memory", facts[0])])
            assert erased.remaining_notes == ()
            await until_idle(resources)
            assert (await client.status()).halted is None
        await assert_verified(settings)
        assert set(await stranger(url)) == before
        assert set(await stranger(url, "SHOW synchronous_commit")) == {"off"}  # as the test's database has it


async def test_what_others_leave_in_a_session_does_no_harm(servers: Servers) -> None:
    """Read and write the own schema although another program has set the search path of every session."""
    async with pooler(servers.postgres, "transaction") as url:
        await stranger(url, "SELECT set_config('search_path', 'pg_catalog', false)")
        database = Database.at(url, settings_at(servers, url).namespace)
        try:
            await database.create()
            await database.check()
            for _ in range(REPEATS):
                async with database.reading() as connection:
                    assert (await connection.execute(text("SELECT count(*) FROM memory"))).scalar_one() == 0
                await database.empty(["memory"])
        finally:
            await database.close()


async def test_statement_mode_is_refused_before_anything_is_made(servers: Servers) -> None:
    """Refuse a pooler without transactions in one line. Nothing is created on either server."""
    async with pooler(servers.postgres, "statement") as url:
        settings = settings_at(servers, url)
        with pytest.raises(DatabaseError) as refused:
            await prepare(settings)
    assert "transaction blocks not allowed in statement pooling mode" in str(refused.value)
    assert str(refused.value).isprintable()
    async with opened_log(settings) as log:
        with pytest.raises(NotFoundError):
            await log.stream.stream_info(log.subjects.stream)
    async with await psycopg.AsyncConnection.connect(servers.postgres.url) as connection:
        found = await connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [settings.namespace])
        assert await found.fetchone() is None


async def test_a_refused_pooler_leaves_no_data_directory(servers: Servers, tmp_path: Path) -> None:
    """Refuse the database before a server of the platform's own is started, so that no directory is made."""
    data = tmp_path / "data"
    async with pooler(servers.postgres, "statement") as url:
        settings = Settings(data=data, database_url=url, providers="extractive", embedder="built-in")
        with pytest.raises(DatabaseError, match="statement pooling mode"):
            await run_platform(settings, processes=False, stop=asyncio.Event(), ready=lambda _: None)
    assert not data.exists()


async def test_the_maintenance_lock_holds_behind_a_pooler(servers: Servers) -> None:
    """Let the second of two maintenance works wait for the first, although both change their sessions."""
    async with pooler(servers.postgres, "transaction") as url:
        database, held = Database.at(url, settings_at(servers, url).namespace), list[str]()
        await database.create()

        async def second() -> None:
            async with exclusive_maintenance(database):
                held.append("second")

        async def waits() -> bool:
            """Return True once a session of the server waits for the lock."""
            query = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
            async with database.reading() as connection:
                return bool((await connection.execute(query)).scalar_one())

        try:
            async with exclusive_maintenance(database) as lock:
                waiting = asyncio.create_task(second())
                await eventually(waits)
                await stranger(url)
                await check_held(lock)
                held.append("first")
            await waiting
        finally:
            await database.close()
    assert held == ["first", "second"]


async def test_a_snapshot_is_not_completed_without_the_lock(settings: Settings) -> None:
    """Fail the check of the lock, on which a snapshot depends, if the server has ended the session that holds it."""
    async with open_resources(settings) as resources:

        async def lost() -> None:
            async with exclusive_maintenance(resources.database) as lock:
                pid = (await lock.execute(text("SELECT pg_backend_pid()"))).scalar_one()
                async with resources.database.reading() as connection:
                    await connection.execute(text(f"SELECT pg_terminate_backend({pid}, 5000)"))
                await check_held(lock)
                raise AssertionError("the lock is not held")

        with pytest.raises(OUTAGES):
            await lost()


async def test_an_idle_lock_keeps_no_deleted_row(settings: Settings) -> None:
    """Hold the maintenance lock in a transaction that sees no rows, so that deleted ones can be removed physically."""
    async with open_resources(settings) as resources, exclusive_maintenance(resources.database) as lock:
        pid = (await lock.execute(text("SELECT pg_backend_pid()"))).scalar_one()
        query = text(f"SELECT state, backend_xmin, backend_xid FROM pg_stat_activity WHERE pid = {pid}")
        async with resources.database.reading() as connection:
            assert (await connection.execute(query)).one() == ("idle in transaction", None, None)


async def test_a_session_of_our_own_needs_one_round_trip(settings: Settings) -> None:
    """Without a pooler, read outside of a transaction, and prepare statements that are repeated."""
    async with open_resources(settings) as resources:
        for _ in range(REPEATS):
            async with resources.database.reading() as connection:
                driver = (await connection.get_raw_connection()).driver_connection
                assert driver is not None
                assert driver.autocommit
                await connection.execute(text("SELECT count(*) FROM memory"))
        async with resources.database.reading() as connection:
            prepared = text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%FROM memory'")
            assert (await connection.execute(prepared)).scalar_one() == 1
