"""The embedder of the settings, opened for an operation."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nemuri.operations.session import OperationError
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.runtime.settings import Settings


@asynccontextmanager
async def configured_embedder(settings: Settings, embedder: Embedder | None = None) -> AsyncIterator[Embedder]:
    """Yield the configured embedder and close it, or yield `embedder`, which is not closed. Raises `OperationError`."""
    if embedder is not None:
        yield embedder
        return
    try:
        built = build_embedder(settings.embedding_settings())
    except (ValueError, ModuleNotFoundError) as error:
        raise OperationError(str(error)) from error
    try:
        yield built
    finally:
        await built.aclose()
