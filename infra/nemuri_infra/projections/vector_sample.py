"""Samples of the stored vectors of all memories, from which an embedder is calibrated."""

from typing import Final

import numpy as np
from sqlalchemy import Text, cast, func, select

from nemuri_infra.embeddings.calibration import Floats, distinct
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database

SAMPLE: Final = 1_000
"""Maximum number of memories in a sample. Their cosines take 20 ms."""


async def sample_vectors(database: Database, generation: str, least: int) -> Floats:
    """Return the different vectors of at most `SAMPLE` memories, shape (n, dimension), without rows of zeros. There are
    none if fewer than `least` memories have a vector of the generation.

    The sample depends only on the ids of the memories, so every process draws the same one.
    """
    vector = tables.memory_vector.c
    some = select(vector.memory_id).where(vector.model == generation).limit(least)
    count = select(func.count()).select_from(some.subquery())
    order = func.md5(cast(vector.memory_id, Text))
    query = select(vector.vector).where(vector.model == generation).order_by(order, vector.agent_id).limit(SAMPLE)
    async with database.reading() as connection:
        if (await connection.execute(count)).scalar_one() < least:
            return np.zeros((0, 0), np.float32)
        rows = [found.to_numpy() for found in (await connection.execute(query)).scalars()]
    if not rows:
        return np.zeros((0, 0), np.float32)
    found = distinct(rows)
    return found[found.any(axis=1)]
