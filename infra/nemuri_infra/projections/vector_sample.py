"""Samples of the stored vectors of all memories, from which an embedder is calibrated."""

from typing import Final

import numpy as np
from sqlalchemy import Text, cast, func, select

from nemuri_infra.embeddings.calibration import Floats, distinct
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

SAMPLE: Final = 1_000
"""Maximum number of memories in a sample. Their cosines take 20 ms."""


async def has_vectors(database: Database, generation: str, least: int) -> bool:
    """Return whether at least `least` memories have a vector of this generation."""
    some = select(tables.memory_vector.c.memory_id).where(tables.memory_vector.c.model == generation).limit(least)
    async with database.reading() as connection:
        return (await connection.execute(select(func.count()).select_from(some.subquery()))).scalar_one() >= least


async def sample_vectors(database: Database, generation: str) -> Floats:
    """Return the different vectors of at most `SAMPLE` memories, shape (n, dimension), without rows of zeros.

    The sample depends only on the ids of the memories, so every process draws the same one.
    """
    vector = tables.memory_vector.c
    order = func.md5(cast(vector.memory_id, Text))
    query = select(vector.vector).where(vector.model == generation).order_by(order, vector.agent_id).limit(SAMPLE)
    async with database.reading() as connection:
        rows = [found.to_numpy() for found in (await connection.execute(query)).scalars()]
    if not rows:
        return np.zeros((0, 0), np.float32)
    found = distinct(rows)
    return found[found.any(axis=1)]
