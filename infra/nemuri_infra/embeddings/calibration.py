"""The calibration of an embedder: the mean of its vectors, and the scale of their cosines.

Vectors of many models lie in a narrow cone: the cosines of e5 are between .76 and .90 for related and unrelated texts
alike. Without their mean, unrelated texts have cosines around 0. How far related texts stand out from them also differs
between models, so it is measured on general questions and the texts that answer them.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from typing import Final, Literal, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from nemuri_infra.embeddings.general_texts import LANGUAGES
from nemuri_infra.embeddings.unit_rows import normalised

Floats = NDArray[np.float32]
Source = Literal["built-in", "measured", "assumed"]

BUILT_IN_RELATED: Final = (0.434, 0.515)
"""By how much the cosines of general questions with the texts that answer them exceed those with other texts, by the
built-in embedder, which has the scale 1; for each of `LANGUAGES`.
"""
LEAST_SCALE: Final = 0.05
"""Minimum of a scale. Related texts hardly stand out with such an embedder."""
HIGHEST: Final = 0.95
"""Maximum of a threshold."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Minimum cosines of centred vectors. The defaults are those of the built-in embedder."""

    relevance: float = 0.22
    """Threshold of a query and a passage of a document that may be relevant to it. It is low, so that few are lost."""
    candidate: float = -0.1
    """Threshold of a prompt and a memory whose text is compared with the prompt."""
    related: float = 0.5
    """Threshold of a turn and an earlier memory to which it may be related."""
    recall: float = 0.66
    """Threshold of a prompt and a memory that is recalled although nobody asked for it and its words do not show that
    it is about the prompt's topic.
    """
    subject: float = 0.41
    """Mean of a prompt and its five nearest memories, from which on the memories often speak of its subject."""
    contrast: float = 0.28
    """Threshold of a prompt and a memory on such a subject, without what all memories have in common."""
    same: float = 0.66
    """Threshold of two statements about the same."""
    topic: float = 0.77
    """Threshold of two turns with the relation `same_topic`. It is higher, because turns are longer than statements and
    so have more in common.
    """


@dataclass(frozen=True)
class Calibration:
    """What makes the vectors of one embedder comparable with those of another."""

    centre: Floats | None
    """Mean of the vectors, shape (dimension,); None if nothing is subtracted."""
    scale: float
    """Distance of related texts from others after centring, as a multiple of the built-in embedder's: a cosine of
    `scale` × c means as much as c with the built-in embedder.
    """
    sample: int
    """Number of distinct texts whose mean was taken."""
    source: Source
    """`built-in`: it comes with the embedder. `measured`: the mean is that of this platform's memories. `assumed`: it
    is that of general texts, because there are not enough memories yet.
    """

    @classmethod
    def of_rows(cls, rows: Floats, asked: Floats, answers: Floats, source: Source) -> Self:
        """Return the calibration by the vectors of distinct texts, shape (n, dimension).

        `asked` and `answers` are the vectors of `GENERAL_QUESTIONS` and `GENERAL_TEXTS`. Rows of zeros are left out.
        Raises `ValueError` if fewer than two rows remain.
        """
        rows = rows[rows.any(axis=1)]
        if len(rows) < 2:
            raise ValueError("a calibration needs the vectors of at least two texts")
        centre = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        found = cls(centre, 1.0, len(rows), source)
        cosines = found.centred(asked) @ found.centred(answers).T
        languages = zip(LANGUAGES, BUILT_IN_RELATED, strict=True)
        scale = max(_standing_out(cosines[language, language]) / usual for language, usual in languages)
        return cls(centre, max(LEAST_SCALE, scale), len(rows), source)

    @classmethod
    def unknown(cls) -> Self:
        """Return the assumption about an embedder without any of its vectors."""
        return cls(None, 1.0, 0, "assumed")

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

    @cached_property
    def thresholds(self) -> Thresholds:
        """Return the thresholds for this scale."""
        every: dict[str, float] = asdict(Thresholds())
        return Thresholds(**{name: min(HIGHEST, value * self.scale) for name, value in every.items()})

    def encoded(self) -> bytes:
        """Return the calibration as JSON, as it is stored."""
        centre = None if self.centre is None else b64encode(self.centre.astype("<f4").tobytes()).decode()
        told = {"centre": centre, "scale": self.scale, "sample": self.sample, "source": self.source}
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
        return cls(centre, float(told["scale"]), int(told["sample"]), told["source"])


def _standing_out(cosines: Floats) -> float:
    """Return by how much the mean of the diagonal exceeds the mean of the other cosines, shape (n, n)."""
    own = np.eye(len(cosines), dtype=np.bool_)
    return float(cosines[own].mean() - cosines[~own].mean())


def distinct(rows: Sequence[Floats]) -> Floats:
    """Return the different rows, shape (n, dimension), in a fixed order: equal texts have equal vectors."""
    found: Floats = np.unique(np.asarray(rows, np.float32), axis=0)
    return found
