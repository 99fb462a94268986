"""Classification of a text by the built-in word vectors: whether it is about work, a decision, the person's life or
nothing in particular.

The weights of the logistic regression are fitted by `python -m bench.categories`.
"""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Category
from nemuri_domain.language.word_table import word_table

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
WEIGHTS: Final = Path(str(resources.files("nemuri_domain.affective"))) / "category_weights.npy"
"""File of the weights, shape (dimension + 1, categories). The last row is the bias."""


def probabilities(text: str) -> dict[Category, float]:
    """Return the probability of each category, 0 to 1. They add up to 1."""
    table, weights = word_table(), _weights()
    scores = table.vectors([table.words(text)])[0] @ weights[:-1] + weights[-1]
    shares = np.exp(scores - scores.max())
    return dict(zip(CATEGORIES, (shares / shares.sum()).tolist(), strict=True))


@cache
def _weights() -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.load(WEIGHTS)
    return found
