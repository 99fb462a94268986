"""Embedders as the platform would calibrate them on the texts of a benchmark."""

import random
from collections.abc import Sequence

from nemuri_infra.embeddings.calibrated import CalibratedEmbedder, calibrate
from nemuri_infra.embeddings.calibration import distinct
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.projections.vector_sample import SAMPLE


async def measured_on(embedder: Embedder, texts: Sequence[str]) -> CalibratedEmbedder:
    """Return the embedder with its own calibration, or else with one measured on a sample of the texts."""
    if embedder.calibration is not None:
        return CalibratedEmbedder.of(embedder)
    some = random.Random(1).sample(list(texts), min(SAMPLE, len(texts)))
    rows = distinct(list(await embedder.embed_documents(some)))
    return CalibratedEmbedder(embedder, await calibrate(embedder, rows, "measured"))
