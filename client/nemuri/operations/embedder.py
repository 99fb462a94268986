"""The configured embedder and its calibration: show it, and measure it on the memories of the platform."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from nemuri.operations.configured_embedder import configured_embedder
from nemuri.operations.session import OperationContext, OperationError, ignore_progress, open_operation
from nemuri_contracts.agents import Embedding
from nemuri_contracts.memory_views import CalibrationView
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.projections.rebuilder import Advance
from nemuri_infra.projections.vector_sample import sample_vectors
from nemuri_infra.retrieval.self_calibration import measure
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.calibration_view import calibration_view
from nemuri_infra.stores.vectors import Vectors

LEAST = 20
"""Minimum number of distinct texts for a calibration on request. Fewer say little about unrelated texts."""


@dataclass(frozen=True, slots=True)
class EmbedderState:
    """The configured embedder and how its vectors are compared."""

    embedding: Embedding
    calibration: CalibrationView


async def show_embedder(settings: Settings, on_progress: Advance = ignore_progress) -> EmbedderState:  # noqa: ARG001
    """Return the configured embedder with the calibration in force. Raises `OperationError`."""
    async with _opened(settings, None) as (_, vectors):
        return await _state(vectors)


async def calibrate_embedder(
    settings: Settings,
    on_progress: Advance = ignore_progress,  # noqa: ARG001 - it takes less than a second
    *,
    embedder: Embedder | None = None,
) -> EmbedderState:
    """Measure the configured embedder, or `embedder`, on a sample of the memories, and return its new state.

    Running processes follow within half a minute and make their indexes again. Raises `OperationError` if the embedder
    has a calibration of its own, or if fewer than `LEAST` different texts have its vectors.
    """
    async with _opened(settings, embedder) as (at, vectors):
        if vectors.embedder.calibration is not None:
            raise OperationError(f"{vectors.embedder.model} comes with its calibration; nothing is to be measured")
        measured = await measure(partial(sample_vectors, at.projection.database), vectors, LEAST)
        if measured is None:
            raise OperationError(
                f"fewer than {LEAST} different texts have vectors of {vectors.embedder.model}; remember more, or run "
                "`nemuri reembed` first"
            )
        await vectors.calibrations.put(vectors.embedder, measured)
        return await _state(vectors)


@asynccontextmanager
async def _opened(settings: Settings, embedder: Embedder | None) -> AsyncIterator[tuple[OperationContext, Vectors]]:
    async with open_operation(settings) as at, configured_embedder(settings, embedder) as chosen:
        yield at, await Vectors.open(at.log, chosen)


async def _state(vectors: Vectors) -> EmbedderState:
    return EmbedderState(vectors.embedding, calibration_view(await vectors.calibrated()))
