"""Calibration of an embedder by the memories of the platform, the first time that there are enough of them."""

from collections.abc import Awaitable, Callable
from typing import Final

from nemuri_domain.strength.aggregate import Agent
from nemuri_infra.embeddings.calibrated import calibrate
from nemuri_infra.embeddings.calibration import Calibration, Floats
from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors

ENOUGH: Final = 100
"""Number of distinct texts from which an embedder is calibrated without being asked."""
VectorSample = Callable[[str, int], Awaitable[Floats]]
"""Function like `Views.vector_sample`."""


async def calibrated_vectors(resources: Resources, agent: Agent | None) -> Vectors:
    """Return the vector store with the embedder of an agent, or with the platform's for None, and its calibration.

    While that is an assumption, the memories are counted now and then, and measured when there are enough. Only
    services that may write vectors can call this.
    """
    vectors = resources.vectors if agent is None else resources.vectors.with_embedder_of(agent.embedding)
    found = await vectors.calibrated()
    if found.comparing.calibration.source != "assumed" or not vectors.calibrations.may_count(vectors.generation):
        return found
    return await calibrated_by_memories(found, resources.views.vector_sample)


async def calibrated_by_memories(vectors: Vectors, sample: VectorSample) -> Vectors:
    """Return the store with the calibration in force. If that is an assumption and there are enough memories, they are
    measured first; the first process that does this does it for all. While the embedder does not answer, the assumption
    stays.
    """
    found = await vectors.calibrated()
    if found.comparing.calibration.source != "assumed":
        return found
    try:
        measured = await measure(sample, vectors, ENOUGH)
    except (ModelUnavailable, ModelUnusable):
        return found
    if measured is None:
        return found
    await vectors.calibrations.settle(vectors.embedder, measured)
    return await vectors.calibrated()


async def measure(sample: VectorSample, vectors: Vectors, least: int) -> Calibration | None:
    """Return the calibration by a sample of the memories' vectors; None with fewer than `least` distinct texts.

    Raises as the embedder does.
    """
    rows = await sample(vectors.generation, least)
    return await calibrate(vectors.embedder, rows, "measured") if len(rows) >= least else None
