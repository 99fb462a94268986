"""Embedded servers for benchmarks, with temporary data."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from nemuri.platform.serving import prepare
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from nemuri_infra.runtime.settings import Settings


@asynccontextmanager
async def servers(kept: Path | None = None) -> AsyncIterator[Settings]:
    """Start both servers with temporary data, and yield settings with their addresses.

    With `kept` their data stay in this directory. Streams and tables exist; no service runs. The servers are stopped
    after the context.
    """
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as temporary:
        directory = kept or Path(temporary)
        nats, postgres = EmbeddedNats(Path(directory, "nats")), EmbeddedPostgres(Path(directory, "postgres"))
        try:
            await nats.start()
            await postgres.start()
            settings = Settings(embedder="built-in", providers="extractive").addressed(nats.url, postgres.url)
            await prepare(settings)
            yield settings
        finally:
            await nats.stop()
            await postgres.stop()
