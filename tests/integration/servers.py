"""The real servers that tests run against, and addresses on them that no other test uses."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from uuid import uuid4

import psycopg

from nemuri_infra.embedded.nats import MAX_STORE_BYTES, EmbeddedNats, EmbeddedNatsCluster
from nemuri_infra.embedded.postgres import DATABASE, EmbeddedPostgres
from nemuri_infra.runtime.settings import Settings


def fresh_namespace() -> str:
    """A namespace that nobody uses."""
    return f"test-{uuid4().hex[:12]}"


def files_with(directory: Path, *canaries: str) -> dict[str, set[str]]:
    """Of each canary, every file below the directory that has it in its bytes; each file is read once for them all.

    Where a server has renamed or removed a file meanwhile, all are read again.
    """
    while True:
        found: dict[str, set[str]] = {each: set() for each in canaries}
        try:
            for path in directory.rglob("*"):
                if path.is_file() and not path.is_symlink():
                    read = path.read_bytes()
                    for each in canaries:
                        if each.encode() in read:
                            found[each].add(str(path.relative_to(directory)))
        except FileNotFoundError:
            continue
        return found


def _hasty(directory: Path) -> str:
    """What of the settings of a nats-server is left out: to write through to the disk always."""
    return f'jetstream {{ store_dir: "{directory / "store"}", max_file_store: {MAX_STORE_BYTES} }}'


async def _hurry(url: str) -> None:
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
        """Both servers for as long as the context lasts; nothing of them stays.

        Unless `careful`, nothing they say waits for the disk: quicker, and as good for a test that kills neither.
        """
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        nats = EmbeddedNats(directory / "nats", more="" if careful else _hasty(directory / "nats"))
        servers = cls(directory, nats, EmbeddedPostgres(directory / "postgres"))
        try:
            await servers.nats.start()
            await servers.postgres.start()
            if not careful:
                await _hurry(servers.postgres.url)
            yield servers
        finally:
            if not careful:  # to end in order takes a server of hundreds of namespaces half a minute
                await servers.nats.kill()
            await servers.nats.stop()
            await servers.postgres.stop()
            shutil.rmtree(directory)

    def settings(self) -> Settings:
        """A fresh namespace on these servers; the extractive model and the hashing embedder, whatever the keys."""
        chosen = Settings(
            namespace=fresh_namespace(), data=self.directory / "data", providers="extractive", embedder="hashing"
        )
        return chosen.addressed(self.nats.url, self.postgres.url)


@asynccontextmanager
async def three_nodes() -> AsyncIterator[EmbeddedNatsCluster]:
    """A cluster on the loopback for as long as the context lasts."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    cluster = EmbeddedNatsCluster(directory)
    try:
        await cluster.start()
        yield cluster
    finally:
        await cluster.stop()
        shutil.rmtree(directory)
