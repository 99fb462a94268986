"""The embedded PostgreSQL: what it keeps, who may reach it, what it survives."""

import stat
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from nemuri_infra.embedded.child_processes import Child, ServerFailed, is_living
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from tests.integration.embedded.evidence import insert, processes_in, rows

pytestmark = pytest.mark.connected


def socket_folder(server: EmbeddedPostgres) -> Path:
    """Where the server's socket lies, from its address."""
    return Path(parse_qs(urlsplit(server.url).query)["host"][0])


async def test_a_row_outlives_a_clean_restart_at_the_same_address(directory: Path) -> None:
    """Connection pools find the database where it was, with everything in it."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "眠り")
    before = server.url
    await server.stop()
    assert processes_in(directory) == []
    again = EmbeddedPostgres(directory)
    await again.start()
    assert again.url == before
    assert await rows(again.url) == ["眠り"]
    await again.stop()


async def test_sqlalchemy_takes_the_address_and_vectors_are_there(directory: Path) -> None:
    """The engine of the views needs nothing but the address."""
    server = EmbeddedPostgres(directory)
    await server.start()
    engine = create_async_engine(server.url)
    async with engine.begin() as connection:
        await connection.execute(text("CREATE EXTENSION vector"))
        distance = await connection.scalar(text("SELECT '[1,2]'::vector <-> '[1,4]'::vector"))
        durable = await connection.scalar(text("SHOW fsync"))
    await engine.dispose()
    await server.stop()
    assert (distance, durable) == (2.0, "on")


async def test_what_was_committed_outlives_a_kill_of_its_first_process(directory: Path) -> None:
    """SIGKILL, then a start that recovers."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "committed")
    await server.kill()
    await server.start()
    assert await rows(server.url) == ["committed"]
    await server.stop()
    assert processes_in(directory) == []


async def test_a_living_stranger_in_its_lock_file_does_not_hinder_it(directory: Path) -> None:
    """After a reboot the recorded process id belongs to somebody else, who is left alone."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "kept")
    lock = (server.data / "postmaster.pid").read_text()
    await server.kill()
    stranger = Child("stranger", ["sleep", "600"], directory)
    await stranger.start()
    rest = lock.partition("\n")[2]
    (server.data / "postmaster.pid").write_text(f"{stranger.pid}\n{rest}")
    await server.start()
    assert await rows(server.url) == ["kept"]
    assert stranger.alive
    await server.stop()
    await stranger.stop()


async def test_a_server_left_behind_is_shut_down_first(directory: Path) -> None:
    """One directory, one server: the orphan ends cleanly and the new one serves its data."""
    lost = EmbeddedPostgres(directory)
    await lost.start()
    await insert(lost.url, "kept")
    (directory / "postgres.pid").unlink()
    server = EmbeddedPostgres(directory)
    await server.start()
    assert await lost.wait() == 0
    assert await rows(server.url) == ["kept"]
    await server.stop()


async def test_an_interrupted_initdb_is_repeated(directory: Path) -> None:
    """Data that was only half made never gets to its place."""
    half = directory / "data.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "made")
    await server.stop()
    assert not half.exists()


async def test_a_folder_that_is_no_database_is_refused_untouched(directory: Path) -> None:
    """Somebody's files under our name are not ours to delete."""
    (directory / "data").mkdir()
    (directory / "data" / "letter.txt").write_text("dear")
    with pytest.raises(ServerFailed, match="not a data directory"):
        await EmbeddedPostgres(directory).start()
    assert (directory / "data" / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("name", ["a folder, of 眠り: 100%", "/".join(["long" * 20] * 4)], ids=["special", "long"])
async def test_any_path_can_hold_it(directory: Path, name: str) -> None:
    """The socket moves to a short private folder of its own, stays there over restarts and goes when it ends."""
    server = EmbeddedPostgres(directory / name)
    await server.start()
    await insert(server.url, "kept")
    sockets = socket_folder(server)
    assert not sockets.is_relative_to(directory)
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    await server.kill()
    await server.start()
    assert socket_folder(server) == sockets
    assert await rows(server.url) == ["kept"]
    await server.stop()
    assert not sockets.exists()


async def test_a_path_beyond_its_limits_is_a_clear_error(directory: Path) -> None:
    """PostgreSQL would cut it off somewhere."""
    with pytest.raises(ServerFailed, match="more than 800 bytes"):
        await EmbeddedPostgres(directory.joinpath(*["long" * 30] * 8)).start()


async def test_it_never_runs_as_root_and_only_its_owner_can_connect(directory: Path) -> None:
    """No password is needed because nobody else can reach the socket."""
    server = EmbeddedPostgres(directory)
    await server.start()
    assert psutil.Process(server.pid).uids().effective != 0
    assert stat.S_IMODE(socket_folder(server).stat().st_mode) == 0o700
    await server.stop()


async def test_open_transactions_do_not_hold_up_a_stop(directory: Path) -> None:
    """The shutdown is a fast one."""
    server = EmbeddedPostgres(directory)
    await server.start()
    connection = await psycopg.AsyncConnection.connect(server.url)
    await connection.execute("SELECT 1")
    await server.stop()
    await connection.close()
    assert not server.alive


async def test_a_server_that_ends_at_once_is_an_error_with_its_log(directory: Path) -> None:
    """A damaged setting is named in the message."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await server.stop()
    with (server.data / "postgresql.conf").open("a") as config:
        config.write("no_such_setting = 1\n")
    with pytest.raises(ServerFailed, match="no_such_setting"):
        await server.start()
    assert not server.alive


async def test_a_hanging_rest_of_a_killed_server_is_ended(directory: Path) -> None:
    """A stopped process would hold the shared memory for ever after its server was killed."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "kept")
    orphan = next(child for child in psutil.Process(server.pid).children() if "checkpointer" in child.cmdline()[0])
    orphan.suspend()
    await server.kill()
    await server.start()
    assert not is_living(orphan)
    assert await rows(server.url) == ["kept"]
    await server.stop()
