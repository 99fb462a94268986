"""The vectors by which a prompt is compared with the memories of an agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select

from nemuri_domain.affective.aggregate import AffectAgent
from nemuri_infra.embeddings.unit_rows import normalised
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.stores.vectors import Vectors

FEW: Final = 50
"""Number of memories whose mean counts half."""
MAX_COMMON: Final = 64
"""Maximum number of agents whose common vector is kept in memory."""

Floats = NDArray[np.float32]

_common = dict[tuple[object, ...], Floats | None]()


@dataclass(frozen=True, slots=True, eq=False)
class PromptVectors:
    """The centred vectors of the parts of a prompt."""

    rows: Floats
    """Shape (parts, dimension)."""
    weights: Sequence[float]
    """Factor on the cosine with each part, 0 to 1."""
    common: Floats | None = None
    """What the agent's memories have in common, shape (dimension,) (`common_vector`)."""

    @classmethod
    def of(cls, row: Floats) -> Self:
        """Return the vector of a text that is not divided, shape (dimension,)."""
        return cls(row[None, :], (1.0,))

    @property
    def apart(self) -> Floats:
        """The vectors without `common`, of length 1, shape (parts, dimension)."""
        if self.common is None:
            return self.rows
        return normalised(np.where(self.rows.any(axis=1, keepdims=True), self.rows - self.common, 0))


async def common_vector(database: Database, agent: AffectAgent, vectors: Vectors) -> Floats | None:
    """Return what the vectors of an agent's memories have in common: their mean, shape (dimension,).

    An agent that always talks about the same things has memories that are all alike; without the mean, they differ by
    what is special about each. None if the vectors are centred already, or without memories. It is computed again after
    a night, and when the number of memories has grown by an eighth.
    """
    if vectors.comparing.calibration.centre is not None:
        return None
    number = agent.number + agent.protected
    grown = number >> max(0, number.bit_length() - 4)
    key = (database.url, database.schema, agent.agent_id, vectors.generation, agent.nights, number.bit_length(), grown)
    if key not in _common:
        vector = tables.memory_vector.c
        query = select(func.avg(vector.vector, type_=vector.vector.type).label("mean"), func.count().label("number"))
        of = (vector.agent_id == agent.agent_id, vector.model == vectors.generation)
        async with database.reading() as connection:
            row = (await connection.execute(query.where(*of))).one()
        if len(_common) >= MAX_COMMON:
            _common.clear()
        _common[key] = shrunk(row.mean.to_numpy(), row.number) if row.number else None
    return _common[key]


def shrunk(mean: Floats, number: int) -> Floats:
    """Return the mean of `number` vectors, shape (dimension,), shrunk towards zero if they are few."""
    found: Floats = (mean * (number / (number + FEW))).astype(np.float32)
    return found
