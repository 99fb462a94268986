"""Weights of the classifier of concerns, fitted to hand-written sentences, and its accuracy on others.

    python -m bench.concerns [--save]

`bench/concerns.jsonl` has sentences in English and Japanese, each with what it concerns and the part it belongs to. The
weights are fitted to the part `tuning`, and to the sentences about work and life of `bench/categories.jsonl`. Nothing
is fitted to the part `unseen`. `--save` replaces the weights in `domain`. The fit is deterministic. Penalty and
thresholds were chosen by cross-validation on the tuning part.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from bench.categories import SENTENCES as CATEGORIES_FILE
from bench.feelings import labelled as feelings
from bench.feelings import share
from bench.measuring import save_figures, table
from nemuri_contracts.affective import Concern
from nemuri_domain.affective.concern_classifier import CONCERNS, WEIGHTS, concern_of, features
from nemuri_domain.affective.turn_reader import read_turn

SENTENCES: Final = Path(__file__).with_name("concerns.jsonl")
PENALTY: Final = 1e-4
"""Factor of the squared weights in the loss."""
STEPS, RATE = 1_200, 8.0
"""Number of steps of gradient descent, and their size."""
PARTS: Final = 7
"""Number of parts of the cross-validation."""
LIKE: Final[dict[str, Concern]] = {"work": "work", "emotional": "life"}
"""The concern of the sentences of a category in `bench/categories.jsonl`."""

Floats = NDArray[np.float64]


def labelled() -> list[dict[str, Any]]:
    """Return the labelled sentences."""
    return [orjson.loads(line) for line in SENTENCES.read_bytes().splitlines()]


def fitted(texts: Sequence[str], concerns: Sequence[Concern]) -> Floats:
    """Return the weights of a logistic regression in which all concerns count the same, shape (features, concerns)."""
    rows, wanted = features(texts), np.eye(len(CONCERNS))[[CONCERNS.index(concern) for concern in concerns]]
    counts = (wanted * (len(texts) / (len(CONCERNS) * wanted.sum(axis=0)))).sum(axis=1, keepdims=True)
    weights = np.zeros((rows.shape[1], len(CONCERNS)))
    for _ in range(STEPS):
        scores = rows @ weights
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        weights -= RATE * (rows.T @ ((shares - wanted) * counts) / len(texts) + PENALTY * weights)
    return weights


def _training(tuning: Sequence[dict[str, Any]]) -> tuple[list[str], list[Concern]]:
    """Return the sentences to fit to, with those of the categories, and their concerns."""
    others = [orjson.loads(line) for line in CATEGORIES_FILE.read_bytes().splitlines()]
    others = [other for other in others if other["category"] in LIKE]
    texts = [other["text"] for other in (*tuning, *others)]
    return texts, [*(each["concern"] for each in tuning), *(LIKE[other["category"]] for other in others)]


def _held_out(tuning: Sequence[dict[str, Any]], part: int) -> float:
    """Return the accuracy of the best concern on every seventh sentence, with weights fitted to the others."""
    kept = [each for place, each in enumerate(tuning) if place % PARTS != part]
    weights, tested = fitted(*_training(kept)), tuning[part::PARTS]
    best = (features([each["text"] for each in tested]) @ weights).argmax(axis=1)
    return share([CONCERNS[at] == each["concern"] for at, each in zip(best, tested, strict=True)])


def read_as(text: str) -> Concern:
    """Return what a turn with this prompt and a short reply concerns."""
    return read_turn(text, "Done.").concern


def figures(some: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the share that is read rightly, the share found of each concern, and the number wrongly read as it."""
    found = [(each["concern"], read_as(each["text"])) for each in some]
    of = {concern: [wanted == read for wanted, read in found if wanted == concern] for concern in CONCERNS}
    wrong = {
        f"wrong {concern}": float(sum(read == concern != wanted for wanted, read in found)) for concern in CONCERNS
    }
    return {"right": share([wanted == read for wanted, read in found])} | {k: share(v) for k, v in of.items()} | wrong


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights, print the figures of those in use, and save the new weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    chosen = parser.parse_args(arguments)
    every = labelled()
    tuning = [each for each in every if each["part"] == "tuning"]
    if chosen.save:
        np.save(WEIGHTS, fitted(*_training(tuning)).astype(np.float32))
    held = round(float(np.mean([_held_out(tuning, part) for part in range(PARTS)])), 3)
    rows: dict[str, dict[str, float]] = {}
    for part in ("tuning", "unseen"):
        for language in ("en", "ja"):
            some = [each for each in every if each["part"] == part and each["language"] == language]
            rows[f"{part}, {language}"] = figures(some)
    work = [feeling["prompt"] for feeling in feelings() if feeling["category"] == "work"]
    everywhere = share([concern_of(each, "", personal=False) == "user" for each in work])
    sys.stdout.write(f"tuning, held out: {held}; work of feelings.jsonl read as the user: {everywhere}\n")
    sys.stdout.write(table([("part", *rows["unseen, en"]), *((name, *each.values()) for name, each in rows.items())]))
    save_figures("concerns", {"sentences": len(every), "held_out": held, "work_as_user": everywhere} | rows)


if __name__ == "__main__":
    main()
