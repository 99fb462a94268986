"""The files of the table."""

from pathlib import Path
from typing import Any

import marisa_trie
import numpy as np
from numpy.typing import NDArray

from bench.word_table.vocabulary import Vocabulary
from nemuri_domain.language.word_table import MEDIAN_IMPORTANCE


def write(folder: Path, vocabulary: Vocabulary, vectors: NDArray[np.float32]) -> str:
    """Write the table of these vectors, shape (words, dimension), and return its size in words.

    The coordinates are turned so that the first ones hold most, by the principal components. A row is stored as 8-bit
    levels, its length as a weight; the median importance is `MEDIAN_IMPORTANCE`.
    """
    trie: Any = marisa_trie.Trie(list(vocabulary.words))
    order = np.argsort([trie[word] for word in vocabulary.words])
    rows = vectors[order]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    turned = rows @ np.linalg.svd(unit[::5], full_matrices=False)[2].T
    levels = np.rint(turned / np.abs(turned).max(axis=1, keepdims=True) * 127).astype(np.int8)
    sizes = np.linalg.norm(turned, axis=1) / np.median(np.linalg.norm(turned, axis=1)) * MEDIAN_IMPORTANCE
    weights = np.rint(sizes / np.linalg.norm(levels.astype(np.float64), axis=1)).clip(1, 65_535).astype(np.uint16)
    folder.mkdir(parents=True, exist_ok=True)
    trie.save(str(folder / "new.trie"))
    Path(folder, "new.trie").replace(folder / "words.trie")  # a process may have mapped the old file
    for name, rows in (("vectors", levels), ("weights", weights), ("costs", vocabulary.costs[order])):
        np.save(folder / "new.npy", rows)
        Path(folder, "new.npy").replace(folder / f"{name}.npy")
    size = sum(path.stat().st_size for path in folder.iterdir() if path.suffix in {".trie", ".npy"})
    return f"{folder}: {len(order)} words of {levels.shape[1]} numbers, {size / 1e6:.1f} MB"
