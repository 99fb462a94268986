"""The calibration of an embedder: the mean of its vectors, how far unrelated texts scatter, and thresholds from both.

Vectors of many models lie in a narrow cone: the cosines of e5 are between .76 and .90 for related and unrelated texts
alike. Without their mean, unrelated texts have cosines around 0, and related ones stand out by multiples of the spread.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Final, Literal, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from nemuri_infra.embeddings.unit_rows import normalised

Floats = NDArray[np.float32]
Source = Literal["built-in", "measured", "assumed"]

MULTIPLES: Final = {
    "relevance": 2.0, "candidate": 0.0, "related": 4.5, "recall": 6.0, "subject": 3.7, "contrast": 2.5, "same": 6.0,
    "topic": 7.0,
}  # fmt: skip
"""The thresholds as multiples of the spread."""
HIGHEST: Final = 0.95
"""Maximum of a threshold. A model whose vectors scatter widely would otherwise find nothing alike."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Minimum cosines of centred vectors."""

    relevance: float
    """Of a query and a memory that may be relevant to it. It is low, so that hardly any relevant memory is lost."""
    candidate: float
    """Of a prompt and a memory whose text is compared with the prompt."""
    related: float
    """Of a turn and an earlier memory to which it may be related."""
    recall: float
    """Of a prompt and a memory that is recalled although nobody asked for it. A memory that is about the prompt's topic
    by its text does not need it.
    """
    subject: float
    """Mean of a prompt and its five nearest memories, from which the memories often speak of its subject."""
    contrast: float
    """Of a prompt and a memory on such a subject, without what all memories have in common."""
    same: float
    """Of two statements about the same."""
    topic: float
    """Of two turns for the relation `same_topic`. Turns are longer than statements, so they have more in common."""


@dataclass(frozen=True, slots=True)
class GivenThresholds:
    """Thresholds that the operator set. They replace those of an embedder that is not built in."""

    relevance: float | None = None


NONE_GIVEN: Final = GivenThresholds()


@dataclass(frozen=True)
class Calibration:
    """What makes the vectors of one embedder comparable."""

    centre: Floats | None
    """Mean of the vectors, shape (dimension,); None if nothing is subtracted."""
    spread: float
    """Standard deviation of the cosine of unrelated texts after centring, without the direction in which they differ
    most. That is usually the language: otherwise memories in two languages would seem to scatter twice as far.
    """
    sample: int
    """Number of distinct texts that it was measured on."""
    source: Source
    """`built-in`: it comes with the embedder. `measured`: from this platform's memories. `assumed`: from general texts,
    or from the dimension alone, because there are not enough memories yet.
    """
    tuned: Thresholds | None = None
    """Thresholds that were measured for the embedder itself. They replace the multiples of the spread."""

    @classmethod
    def of_rows(cls, rows: Floats, source: Source) -> Self:
        """Return the calibration by the vectors of distinct texts, shape (n, dimension), of which most pairs are
        unrelated.

        Rows of zeros are left out. Raises `ValueError` with fewer than two other rows.
        """
        rows = rows[rows.any(axis=1)]
        if len(rows) < 2:
            raise ValueError("a calibration needs the vectors of at least two texts")
        centre = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        found = cls(centre, 0.0, len(rows), source)
        return cls(centre, _spread(found.centred(rows)), len(rows), source)

    @classmethod
    def of_dimension(cls, dimension: int) -> Self:
        """Return the assumption without any vector: cosines of random directions scatter by 1/√dimension."""
        return cls(None, float(dimension**-0.5), 0, "assumed")

    @property
    def length(self) -> float:
        """Return the length of the centre, 0 to 1: the share of all vectors that is common to them."""
        return 0.0 if self.centre is None else float(np.linalg.norm(self.centre))

    @cached_property
    def digest(self) -> str:
        """Return a name of the centre, 16 hexadecimal digits; "raw" without one. Only rows with equal names may be
        compared.
        """
        return "raw" if self.centre is None else sha256(self.centre.astype("<f4").tobytes()).hexdigest()[:16]

    def centred(self, rows: Floats) -> Floats:
        """Return the rows, shape (n, dimension), without the mean, scaled to length 1. Rows of zeros stay zeros."""
        if self.centre is None or not len(rows):
            return rows
        found: Floats = normalised(rows - self.centre)
        found[~rows.any(axis=1)] = 0
        return found

    def thresholds(self, given: GivenThresholds = NONE_GIVEN) -> Thresholds:
        """Return the thresholds in force. Those given by the operator do not apply to a built-in embedder."""
        if self.tuned is not None:
            return self.tuned
        found = {name: min(HIGHEST, times * self.spread) for name, times in MULTIPLES.items()}
        if self.source != "built-in":
            found |= {"relevance": given.relevance} if given.relevance is not None else {}
        return Thresholds(**found)

    def encoded(self) -> bytes:
        """Return the calibration as JSON, as it is stored."""
        centre = None if self.centre is None else b64encode(self.centre.astype("<f4").tobytes()).decode()
        told = {"centre": centre, "spread": self.spread, "sample": self.sample, "source": self.source}
        return orjson.dumps(told)

    @classmethod
    def decoded(cls, data: bytes, dimension: int) -> Self:
        """Return the calibration of `encoded`. Raises `ValueError` or `KeyError` if the data are damaged or of another
        dimension.
        """
        told = orjson.loads(data)
        centre = None
        if told["centre"] is not None:
            centre = np.frombuffer(b64decode(told["centre"]), "<f4")
            if centre.shape != (dimension,) or not np.isfinite(centre).all():
                raise ValueError("the centre has another dimension")
        return cls(centre, float(told["spread"]), int(told["sample"]), told["source"])


def _spread(rows: Floats) -> float:
    """Return the standard deviation of the cosines of centred rows, without their direction of greatest variance."""
    apart = rows - rows.mean(axis=0)
    largest = np.linalg.eigh((apart @ apart.T).astype(np.float64))[1][:, -1]
    direction = largest.astype(np.float32) @ apart
    length = float(np.linalg.norm(direction))
    if length > 0:
        direction /= length
        rows = normalised(rows - np.outer(rows @ direction, direction))
    cosines = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    return float(cosines.std(dtype=np.float64))


def distinct(rows: Sequence[Floats]) -> Floats:
    """Return the different rows, shape (n, dimension), in a fixed order: equal texts have equal vectors."""
    found: Floats = np.unique(np.asarray(rows, np.float32), axis=0)
    return found
