"""Both embedded servers after a kill of the platform, and both servers run by an unprivileged user."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from nemuri_infra.embedded.child_processes import Child
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from tests.integration.embedded.stored_data import insert, messages, processes_in, publish, rows, until

pytestmark = pytest.mark.connected

PLATFORM = """
import asyncio, concurrent.futures.thread, encodings.ascii, encodings.idna, os, sys
import psycopg
from pathlib import Path
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres

async def main(home: Path, stays: bool) -> None:
    nats, postgres = EmbeddedNats(home / "nats"), EmbeddedPostgres(home / "postgres")
    await nats.start()
    await postgres.start()
    print(nats.url, postgres.url, flush=True)
    if stays:
        await asyncio.Event().wait()
    await postgres.stop()
    await nats.stop()

if len(sys.argv) > 2:
    os.setgroups([])
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[2]))
asyncio.run(main(Path(sys.argv[1]), len(sys.argv) == 2))
"""


async def test_a_killed_platform_restarts_without_loss(directory: Path) -> None:
    """A platform restarted after SIGKILL ends the orphaned servers, starts new ones at their addresses, and loses no
    data.
    """
    command = [sys.executable, "-c", PLATFORM, str(directory)]
    platform = Child("platform", command, directory)
    await platform.start()
    await until(lambda: "postgresql://" in platform.log_tail())
    nats_url, database_url = platform.log_tail().split()
    await publish(nats_url, "kept")
    await insert(database_url, "kept")
    await platform.kill()
    orphans = processes_in(directory)
    assert {process.name() for process in orphans} == {"nats-server", "postgres"}
    nats, postgres = EmbeddedNats(directory / "nats"), EmbeddedPostgres(directory / "postgres")
    await nats.start()
    await postgres.start()
    assert psutil.wait_procs(orphans, timeout=5)[1] == []
    assert (nats.url, postgres.url) == (nats_url, database_url)
    assert await messages(nats.url) == ["kept"]
    assert await rows(postgres.url) == ["kept"]
    await postgres.stop()
    await nats.stop()
    assert processes_in(directory) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change its user")
def test_an_unprivileged_user_runs_both_servers(directory: Path) -> None:
    """An unprivileged user runs both servers in its own directory.

    The platform gives up root only after its imports, because Python may be installed where only root can read it.
    """
    somebody = pwd.getpwnam("nobody")
    home = directory / "home"
    home.mkdir(mode=0o700)
    os.chown(home, somebody.pw_uid, somebody.pw_gid)
    directory.chmod(0o711)
    for expected in ("made", "kept"):
        done = subprocess.run(
            [sys.executable, "-c", PLATFORM, str(home), str(somebody.pw_uid), str(somebody.pw_gid)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (expected, done.stderr, done.returncode) == (expected, "", 0)
        assert "postgresql://" in done.stdout
    assert {path.stat().st_uid for path in home.rglob("*")} == {somebody.pw_uid}
    assert processes_in(directory) == []
