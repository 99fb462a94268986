"""The embedded PostgreSQL: durability, access and restarts."""

import os
import stat
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from nemuri_infra.embedded.child_processes import Child, ServerFailed, is_running
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from tests.integration.embedded.stored_data import insert, processes_in, rows

pytestmark = pytest.mark.connected


def socket_folder(server: EmbeddedPostgres) -> Path:
    """Return the directory of the server's socket."""
    return Path(parse_qs(urlsplit(server.url).query)["host"][0])


def belong_to_root(*folders: Path) -> None:
    """Give the folders with everything in them to root."""
    for folder in folders:
        for path in (*folder.rglob("*"), folder):
            os.chown(path, 0, 0)


async def test_a_row_survives_a_clean_restart(directory: Path) -> None:
    """A row and the server's address survive a clean restart."""
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


async def test_sqlalchemy_connects_and_vectors_are_available(directory: Path) -> None:
    """SQLAlchemy connects to the server's address, the vector extension is available, and fsync is on."""
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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")
async def test_data_that_root_copied_are_served(directory: Path) -> None:
    """A server starts on data that belong to root in every part, as after files were restored by root."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "kept")
    await server.stop()
    belong_to_root(server.data, socket_folder(server))
    await server.start()
    assert await rows(server.url) == ["kept"]
    await server.stop()


async def test_a_committed_row_survives_a_kill(directory: Path) -> None:
    """A committed row survives SIGKILL of the server's first process."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "committed")
    await server.kill()
    await server.start()
    assert await rows(server.url) == ["committed"]
    await server.stop()
    assert processes_in(directory) == []


async def test_a_reused_process_id_in_the_lock_file_is_ignored(directory: Path) -> None:
    """A server starts although its lock file names a living process of another program, which keeps running."""
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


async def test_an_orphaned_server_is_shut_down_first(directory: Path) -> None:
    """A server that an earlier run left is shut down cleanly before a new one starts on its data."""
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
    """A data directory that initdb did not complete is removed and made again."""
    half = directory / "data.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "made")
    await server.stop()
    assert not half.exists()


async def test_a_directory_of_other_files_is_refused(directory: Path) -> None:
    """A directory with other files is refused as data directory, and is not changed."""
    (directory / "data").mkdir()
    (directory / "data" / "letter.txt").write_text("dear")
    with pytest.raises(ServerFailed, match="not a data directory"):
        await EmbeddedPostgres(directory).start()
    assert (directory / "data" / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("name", ["a folder, of 眠り: 100%", "/".join(["long" * 20] * 4)], ids=["special", "long"])
async def test_any_path_can_hold_the_data(directory: Path, name: str) -> None:
    """If the path of the data is long or unusual, the socket is in another private directory.

    That directory survives restarts and is removed at the end.
    """
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


async def test_a_path_that_is_too_long_is_refused(directory: Path) -> None:
    """A path of more than 800 bytes is refused, because PostgreSQL would truncate it."""
    with pytest.raises(ServerFailed, match="more than 800 bytes"):
        await EmbeddedPostgres(directory.joinpath(*["long" * 30] * 8)).start()


async def test_the_server_is_not_root_and_only_its_owner_can_connect(directory: Path) -> None:
    """The server does not run as root, and only its owner can reach the socket."""
    server = EmbeddedPostgres(directory)
    await server.start()
    assert psutil.Process(server.pid).uids().effective != 0
    assert stat.S_IMODE(socket_folder(server).stat().st_mode) == 0o700
    await server.stop()


async def test_open_transactions_do_not_hold_up_a_stop(directory: Path) -> None:
    """A stop does not wait for open transactions."""
    server = EmbeddedPostgres(directory)
    await server.start()
    connection = await psycopg.AsyncConnection.connect(server.url)
    await connection.execute("SELECT 1")
    await server.stop()
    await connection.close()
    assert not server.alive


async def test_the_error_of_a_failed_start_quotes_the_log(directory: Path) -> None:
    """The error of a server that ends at once quotes the log line about the invalid setting."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await server.stop()
    with (server.data / "postgresql.conf").open("a") as config:
        config.write("no_such_setting = 1\n")
    with pytest.raises(ServerFailed, match="no_such_setting"):
        await server.start()
    assert not server.alive


async def test_a_suspended_process_of_a_killed_server_is_ended(directory: Path) -> None:
    """A suspended process of a killed server is ended at the next start, because it would hold the shared memory."""
    server = EmbeddedPostgres(directory)
    await server.start()
    await insert(server.url, "kept")
    orphan = next(child for child in psutil.Process(server.pid).children() if "checkpointer" in child.cmdline()[0])
    orphan.suspend()
    await server.kill()
    await server.start()
    assert not is_running(orphan)
    assert await rows(server.url) == ["kept"]
    await server.stop()
