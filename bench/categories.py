"""Weights of the classifier of categories, fitted to hand-written sentences, and its accuracy on other turns.

    python -m bench.categories [--save]

`bench/categories.jsonl` has sentences in English and Japanese, each with its category. The judge is
`bench/feelings.jsonl`, which was written apart from them, and to which nothing is fitted. `--save` replaces the weights
in `domain`. The fit is deterministic. The penalty was chosen by five-fold cross-validation on the sentences.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from bench.feelings import labelled, share
from bench.measuring import table
from nemuri_contracts.affective import Category
from nemuri_domain.affective.category_classifier import CATEGORIES, WEIGHTS
from nemuri_domain.language.word_table import word_table

SENTENCES: Final = Path(__file__).with_name("categories.jsonl")
PENALTY: Final = 5e-4
"""Factor of the squared weights in the loss."""
STEPS, RATE = 2_000, 20.0
"""Number of steps of gradient descent, and their size."""
PARTS: Final = 5
"""Number of parts of the cross-validation."""

Floats = NDArray[np.float64]


def features(texts: Sequence[str]) -> Floats:
    """Return the vectors of texts with a one for the bias, shape (texts, dimension + 1)."""
    words = word_table()
    rows = words.vectors([words.words(text) for text in texts]).astype(np.float64)
    return np.hstack([rows, np.ones((len(rows), 1))])


def fitted(texts: Sequence[str], categories: Sequence[Category]) -> Floats:
    """Return the weights of a logistic regression in which all categories count the same, shape (dimension + 1,
    categories).
    """
    rows, wanted = features(texts), np.eye(len(CATEGORIES))[[CATEGORIES.index(category) for category in categories]]
    counts = (wanted * (len(texts) / (len(CATEGORIES) * wanted.sum(axis=0)))).sum(axis=1, keepdims=True)
    weights = np.zeros((rows.shape[1], len(CATEGORIES)))
    for _ in range(STEPS):
        gradient = rows.T @ ((predicted(rows, weights) - wanted) * counts) / len(texts) + PENALTY * weights
        weights -= RATE * gradient
    return weights


def predicted(rows: Floats, weights: Floats) -> Floats:
    """Return the probabilities of the categories, shape (texts, categories)."""
    scores = rows @ weights
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = shares / shares.sum(axis=1, keepdims=True)
    return found


def accuracy(weights: Floats, texts: Sequence[str], categories: Sequence[Category]) -> float:
    """Return the share of texts whose most probable category is the labelled one."""
    best = predicted(features(texts), weights).argmax(axis=1)
    return share([CATEGORIES[at] == each for at, each in zip(best, categories, strict=True)])


def _held_out(texts: Sequence[str], categories: Sequence[Category], part: int) -> float:
    """Return the accuracy on every fifth text, from `part` on, with weights that are fitted to the others."""
    others = [at for at in range(len(texts)) if at % PARTS != part]
    weights = fitted([texts[at] for at in others], [categories[at] for at in others])
    return accuracy(weights, texts[part::PARTS], categories[part::PARTS])


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights, print the accuracies, and save the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    chosen = parser.parse_args(arguments)
    sentences = [orjson.loads(line) for line in SENTENCES.read_bytes().splitlines()]
    texts, labels = [sentence["text"] for sentence in sentences], [sentence["category"] for sentence in sentences]
    held = [_held_out(texts, labels, part) for part in range(PARTS)]
    weights, judged = fitted(texts, labels), labelled()
    rows: list[tuple[object, ...]] = [("texts", "accuracy"), ("sentences, held out", round(float(np.mean(held)), 3))]
    for language in ("en", "ja"):
        some = [each for each in judged if each["language"] == language]
        found = accuracy(weights, [each["prompt"] for each in some], [each["category"] for each in some])
        rows.append((f"feelings.jsonl, {language}", found))
    sys.stdout.write(table(rows))
    if chosen.save:
        np.save(WEIGHTS, weights.astype(np.float32))


if __name__ == "__main__":
    main()
