"""The real servers that tests run against."""

import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from uuid import uuid4

import psycopg

from nemuri.platform.serving import prepare
from nemuri_infra.embedded.nats import MAX_STORE_BYTES, EmbeddedNats, EmbeddedNatsCluster
from nemuri_infra.embedded.postgres import DATABASE, EmbeddedPostgres
from nemuri_infra.runtime.resources import open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import retried


def fresh_namespace() -> str:
    """Return a name for a namespace that no other test uses."""
    return f"test-{uuid4().hex[:12]}"


def files_with(directory: Path, *canaries: str) -> dict[str, set[str]]:
    """Return, for each canary text, the files below the directory that contain it.

    If a server renames or removes a file meanwhile, all files are read again. They are read once for all canaries,
    because the servers of a session have tens of thousands.
    """
    while True:
        try:
            suspects = _files_with(directory, canaries, {"."})
            return {canary: _files_with(directory, [canary], suspects) for canary in canaries}
        except FileNotFoundError:
            continue


def _files_with(directory: Path, canaries: Iterable[str], among: set[str]) -> set[str]:
    """Return those of the files, or of the files below the folders, that contain one of the canaries.

    Raises `FileNotFoundError` if a file is gone meanwhile.
    """
    if not among:
        return set()
    options = ("--recursive", "--files-with-matches", "--null", "--text", "--fixed-strings")
    sought = (f"--regexp={canary}" for canary in canaries)
    done = subprocess.run(["grep", *options, *sought, "--", *among], cwd=directory, capture_output=True, check=False)
    failed = 2
    if done.returncode == failed:
        assert b"No such file or directory" in done.stderr, done.stderr
        raise FileNotFoundError(done.stderr)
    return set(filter(None, done.stdout.decode().split("\0")))


def _unsynced_store(directory: Path) -> str:
    """Return the nats-server's store settings, changed so that writes are not synced to the disk one by one."""
    return f'jetstream {{ store_dir: "{directory / "store"}", max_file_store: {MAX_STORE_BYTES} }}'


async def _disable_synchronous_commit(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(f"ALTER DATABASE {DATABASE} SET synchronous_commit = off")


@dataclass(frozen=True, slots=True)
class Servers:
    """A nats-server and a PostgreSQL."""

    directory: Path
    nats: EmbeddedNats
    postgres: EmbeddedPostgres

    @classmethod
    @asynccontextmanager
    async def running(cls, *, careful: bool = True) -> AsyncIterator[Self]:
        """Yield both servers. Stop them and remove their data afterwards.

        If `careful` is false, writes do not wait for the disk. That suffices for tests that kill neither server.
        """
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        nats = EmbeddedNats(directory / "nats", more="" if careful else _unsynced_store(directory / "nats"))
        servers = cls(directory, nats, EmbeddedPostgres(directory / "postgres"))
        try:
            await servers.nats.start()
            await servers.postgres.start()
            if not careful:
                await _disable_synchronous_commit(servers.postgres.url)
            yield servers
        finally:
            if not careful:  # A clean stop of a server with hundreds of namespaces would take half a minute.
                await servers.nats.kill()
            await servers.nats.stop()
            await servers.postgres.stop()
            shutil.rmtree(directory)

    def settings(self) -> Settings:
        """Return settings of a new namespace on these servers, with the extractive model and the built-in embedder."""
        chosen = Settings(
            namespace=fresh_namespace(), data=self.directory / "data", providers="extractive", embedder="built-in"
        )
        return chosen.addressed(self.nats.url, self.postgres.url)


@asynccontextmanager
async def three_nodes() -> AsyncIterator[EmbeddedNatsCluster]:
    """Yield a cluster of three nodes on the loopback; stop it and remove its data afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    cluster = EmbeddedNatsCluster(directory)
    try:
        await cluster.start()
        yield cluster
    finally:
        await cluster.stop()
        shutil.rmtree(directory)


@asynccontextmanager
async def prepared_cluster(servers: Servers) -> AsyncIterator[tuple[EmbeddedNatsCluster, Settings]]:
    """Yield a cluster of three nodes, and the settings of a prepared namespace of which each node has a copy."""
    async with three_nodes() as cluster:
        settings = servers.settings().model_copy(update={"nats_url": ",".join(cluster.urls), "replicas": 3})
        await retried(lambda: prepare(settings))  # a loaded cluster may not create a stream in time
        await retried(lambda: _opened(settings))  # nor have a leader for each new stream
        yield cluster, settings


async def _opened(settings: Settings) -> None:
    """Open everything that services use, and close it."""
    async with open_resources(settings):
        pass
