"""The real servers that tests run against, and addresses on them that no other test uses."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from uuid import uuid4

from nemuri.infra.embedded.nats import EmbeddedNats
from nemuri.infra.embedded.postgres import EmbeddedPostgres
from nemuri.infra.settings import Settings


def fresh_namespace() -> str:
    """A namespace that nobody uses."""
    return f"test-{uuid4().hex[:12]}"


@dataclass(frozen=True, slots=True)
class Servers:
    """A nats-server and a PostgreSQL."""

    directory: Path
    nats: EmbeddedNats
    postgres: EmbeddedPostgres

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator[Self]:
        """Both servers for as long as the context lasts; nothing of them stays."""
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        servers = cls(directory, EmbeddedNats(directory / "nats"), EmbeddedPostgres(directory / "postgres"))
        try:
            await servers.nats.start()
            await servers.postgres.start()
            yield servers
        finally:
            await servers.nats.stop()
            await servers.postgres.stop()
            shutil.rmtree(directory)

    def settings(self) -> Settings:
        """A fresh namespace on these servers; the extractive model and the hashing embedder, whatever the keys."""
        chosen = Settings(
            namespace=fresh_namespace(), data=self.directory / "data", providers="extractive", embedder="hashing"
        )
        return chosen.addressed(self.nats.url, self.postgres.url)
