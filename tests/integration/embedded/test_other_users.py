"""Other users of the machine cannot reach a platform, and directories above its data keep their permissions."""

import asyncio
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
import pytest_asyncio

from nemuri_infra.bus.access import Access, options
from nemuri_infra.embedded import os_user
from nemuri_infra.embedded.data_directory import Addresses, Home
from nemuri_infra.embedded.nats import EmbeddedNats, EmbeddedNatsCluster, kept_url
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from tests.integration.embedded.stored_data import messages, publish

pytestmark = pytest.mark.connected
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")

CONNECT = """
import socket, sys
host, port = sys.argv[1].split(":")
line = socket.create_connection((host, int(port)), 5)
line.recv(4096)
line.sendall(b'CONNECT {"verbose":false}\\r\\nPING\\r\\n')
print(line.recv(4096))
"""
HTTP_GET = """
import socket, sys
line = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
line.sendall(b"GET " + sys.argv[2].encode() + b" HTTP/1.0\\r\\n\\r\\n")
print(line.recv(4096))
"""
CONNECT_UNIX = """
import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])
"""


@pytest.fixture
def directory() -> Iterator[Path]:
    """A directory inside a directory that only its owner may enter."""
    above = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    (above / "data").mkdir(mode=0o755)
    yield above / "data"
    shutil.rmtree(above)


@pytest_asyncio.fixture(loop_scope="session")
async def nats(directory: Path) -> AsyncIterator[EmbeddedNats]:
    """An embedded nats-server with one message on a stream."""
    server = EmbeddedNats(directory / "nats")
    await server.start()
    try:
        await publish(server.url, "private")
        yield server
    finally:
        await server.stop()


def run_as_nobody(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the standard library as the user `nobody`."""
    known = pwd.getpwnam("nobody")
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    command = [python, "-I", "-c", program, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd="/", user=known.pw_uid, group=known.pw_gid,
        extra_groups=[],
    )  # fmt: skip


def modes(path: Path) -> dict[Path, int]:
    """Return the permissions of a directory and of all directories above it."""
    return {each: stat.S_IMODE(each.stat().st_mode) for each in (path, *path.parents)}


@needs_root
async def test_other_users_cannot_connect_to_nats(nats: EmbeddedNats) -> None:
    """A connection without password is refused, and the monitoring port answers every page with 404."""
    address = f"127.0.0.1:{urlsplit(nats.url).port}"
    done = await asyncio.to_thread(run_as_nobody, CONNECT, address)
    assert "Authorization Violation" in done.stdout, done
    assert await messages(nats.url) == ["private"]
    for path in ("/", "/varz", "/connz?subs=1", "/jsz?streams=1", "/healthz"):
        done = await asyncio.to_thread(run_as_nobody, HTTP_GET, str(monitoring_port(nats)), path)
        assert "404" in done.stdout, done


def monitoring_port(nats: EmbeddedNats) -> int:
    """Return the server's second listening port."""
    found = psutil.Process(nats.pid).net_connections()
    ports = {connection.laddr.port for connection in found if connection.status == psutil.CONN_LISTEN}
    [other] = ports - {urlsplit(nats.url).port}
    return int(other)


async def test_the_password_is_private_and_survives_a_restart(nats: EmbeddedNats, directory: Path) -> None:
    """The password is stored in files of mode 0600 and survives a restart. A damaged password is replaced."""
    known, secret = nats.url, directory / "nats" / "secret"
    assert stat.S_IMODE(secret.parent.stat().st_mode) == 0o700
    for each in (secret, directory / "nats" / "nats.conf"):
        assert stat.S_IMODE(each.stat().st_mode) == 0o600
        assert str(urlsplit(known).password) in each.read_text()
    assert str(urlsplit(known).password) not in (directory / "nats" / "nats.log").read_text()
    await nats.stop()
    await nats.start()
    assert nats.url == known == kept_url(directory / "nats")
    await nats.stop()
    secret.write_text("")
    await nats.start()
    assert urlsplit(nats.url).password != urlsplit(known).password
    assert await messages(nats.url) == ["private"]


def test_the_file_of_addresses_is_private(tmp_path: Path) -> None:
    """The file of addresses gets mode 0600 even if it existed with other permissions."""
    home = Home(tmp_path)
    for name in ("addresses.json", "addresses.json.new"):
        (tmp_path / name).touch(mode=0o644)
    with home.lock():
        home.write_addresses(Addresses(nats_url="nats://nemuri:x@h:1", database_url="postgresql://", pid=1))
        assert stat.S_IMODE((tmp_path / "addresses.json").stat().st_mode) == 0o600


async def test_all_nodes_of_a_cluster_share_a_password(directory: Path) -> None:
    """All nodes of a cluster accept the same password."""
    cluster = EmbeddedNatsCluster(directory)
    try:
        await cluster.start()
        assert len({urlsplit(url).password for url in cluster.urls}) == 1
        assert options(",".join(cluster.urls), Access())["password"] == urlsplit(cluster.urls[2]).password
        await publish(cluster.urls[2], "private")
    finally:
        await cluster.stop()


@needs_root
async def test_other_users_cannot_connect_to_postgres(directory: Path) -> None:
    """Another user is refused at the database's socket. Directories above the data keep their permissions, also after a
    kill.
    """
    before = modes(directory)
    assert before[directory.parent] == 0o700
    server = EmbeddedPostgres(directory / "postgres")
    try:
        await server.start()
        assert modes(directory) == before
        socket = f"{directory}/postgres/run/.s.PGSQL.5432"
        done = await asyncio.to_thread(run_as_nobody, CONNECT_UNIX, socket)
        assert "PermissionError" in done.stderr, done
        directory.parent.chmod(0o755)
        done = await asyncio.to_thread(run_as_nobody, CONNECT_UNIX, socket)
        assert "PermissionError" in done.stderr, done
        directory.parent.chmod(0o700)
        async with await psycopg.AsyncConnection.connect(server.url) as connection:
            await connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        await server.kill()
        assert modes(directory) == before
        again = EmbeddedPostgres(directory / "postgres")
        await again.start()
        try:
            async with await psycopg.AsyncConnection.connect(again.url) as connection:
                assert await (await connection.execute("SELECT number FROM kept")).fetchone() == (7,)
        finally:
            await again.stop()
        assert modes(directory) == before
    finally:
        await server.stop()


@needs_root
def test_unreachable_programs_are_copied(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that other users cannot reach are copied once, and the originals keep their permissions."""
    with tempfile.TemporaryDirectory() as open_to_all:
        Path(open_to_all).chmod(0o755)
        monkeypatch.setattr(os_user, "COPIES_FOLDER", Path(open_to_all) / "copies")
        root = directory / "site"
        for name in ("wheel/pg/bin", "wheel.libs"):
            (root / name).mkdir(mode=0o700, parents=True)
        program = root / "wheel/pg/bin/postgres"
        program.write_text("#!/bin/sh\necho started\n")
        program.chmod(0o700)
        (root / "wheel.libs/lib.so").touch(mode=0o600)
        before = modes(program)
        found = [os_user.reachable_programs(root, root / "wheel/pg", root / "wheel.libs") for _ in range(2)]
        assert found[0] == found[1] != root / "wheel/pg"
        assert modes(program) == before
        known = pwd.getpwnam("nobody")
        output = subprocess.run(
            [found[0] / "bin/postgres"], capture_output=True, text=True, check=True, cwd="/", user=known.pw_uid
        )
        assert output.stdout == "started\n"
        assert not [path for path in (Path(open_to_all) / "copies").iterdir() if path.suffix == ".new"]
        unchanged = os_user.reachable_programs(Path(open_to_all), found[0], found[0].parent.parent / "wheel.libs")
        assert unchanged == found[0]
