"""The query of the index of affective memories: the vectors of a prompt, and the parameters of a retrieval."""

from dataclasses import dataclass
from typing import Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Category, Emotion

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class PromptVectors:
    """The centred vectors of the parts of a prompt."""

    rows: Floats
    """Shape (parts, dimension)."""
    weights: Floats
    """Factor on the cosine with each part, 0 to 1, shape (parts,)."""
    contrasted: bool = False
    """True if the candidates are also compared without what all memories have in common."""

    @classmethod
    def of(cls, row: Floats) -> Self:
        """Return the vector of a text that is not divided, shape (dimension,)."""
        return cls(row[None, :], np.ones(1, np.float32))


@dataclass(frozen=True, slots=True)
class AffectiveRetrieval:
    """The parameters of a retrieval from affective memory."""

    top: int
    relevance: float
    revival: float
    """Minimum similarity at which an archived memory is returned regardless of its priority."""
    mood: Emotion | None
    archive: bool
    newest: bool = False
    category: Category | None = None
    """Category of which there are candidates too, beside those of all categories."""
    fill: bool = False
    """True if memories below the minimum similarity are returned too."""
    projects: tuple[str, ...] = ()
    """Names of the project whose memories are wanted, with those that matter everywhere; empty for all memories."""
    without: tuple[UUID, ...] = ()
    """Ids of turns whose memories are not wanted."""
