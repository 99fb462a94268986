"""Weights of succession: when does a newer statement say what now holds of the same thing?

    python -m bench.succession

Fits the weights of `nemuri_domain.strength.succession` by logistic regression and prints them beside those in force.
`bench/succession_pairs.jsonl` was written by hand, apart from the set that judges (`bench/heard.json`): facts that
changed, each with a question. The others of the set that the question finds are examples of statements about something
else, and so are the facts of `bench/word_pairs.jsonl`, found by their questions. Both kinds weigh the same.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped, unused-ignore]

from nemuri_domain.language.relevance import relevance_of
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength import succession
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.query_texts import message_parts
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import SearchTexts
from nemuri_domain.strength.succession import COMPARABLE_RELEVANCE, COMPARED, FITTING, StatementPairs

HERE: Final = Path(__file__).parent
FACTS, QUESTIONS, OTHERS = 300, 150, 5
"""Number of facts of a language, of questions about them, and of other facts that are compared with each."""
REGULARISATION: Final = 3.0

Pair = tuple[str, str, str]
"""Question, older statement, newer statement."""


def lines(name: str) -> list[dict[str, str]]:
    """Return the items of a file in this folder."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def compared(pair: Pair) -> tuple[float, float, float, float]:
    """Return likeness, share of common words, sign of change, and the relevance of the newer statement."""
    question, older, newer = pair
    pairs = StatementPairs.of([word_table().words(older), word_table().words(newer)])
    relevance = min(float(relevance_of(question, [newer])[0]), FITTING)
    return float(pairs.likeness[0, 1]), float(pairs.shared[0, 1]), float(pairs.signs[0, 1]), relevance


class Memory:
    """Statements that are searched as an agent's memories are."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._index = StrengthIndex(word_table().dimension)
        self._index.add([UUID(int=at + 1) for at in range(len(texts))], _rows(texts), texts)

    def found(self, question: str) -> list[int]:
        """Return the places of the statements that a retrieval would compare with each other."""
        parts = message_parts(question)
        asked = SearchTexts.of(parts, _rows([part.text for part in parts]))
        found = self._index.search(asked, floor=RELEVANCE_FLOOR, limit=COMPARED)
        least = COMPARABLE_RELEVANCE * found.relevance.max(initial=0.0)
        return [each.int - 1 for each, value in zip(found.ids, found.relevance, strict=True) if value >= least]


def unrelated(items: Sequence[dict[str, str]]) -> Iterator[Pair]:
    """Yield pairs of what answers a question and of what is about something else but is found too."""
    size, chance = len(items), Random(3)
    memory = Memory([each["older"] for each in items] + [each["newer"] for each in items])
    for place, each in enumerate(items):
        right = each["newer" if each["kind"] == "changed" else "older"]
        for other in memory.found(each["question"]):
            if other % size != place:
                yield each["question"], right, memory.texts[other]
    for language in ("en", "ja"):
        facts = chance.sample(lines("word_pairs.jsonl"), FACTS)
        memory = Memory([each[f"f_{language}"] for each in facts])
        for place, fact in enumerate(facts[:QUESTIONS]):
            found = memory.found(fact[f"q_{language}"])
            others = [other for other in found if other != place] if place in found else []
            for other in chance.sample(others, min(OTHERS, len(others))):
                yield fact[f"q_{language}"], memory.texts[place], memory.texts[other]


def main() -> None:
    """Fit the weights and print them."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    items = lines("succession_pairs.jsonl")
    changed = [
        compared((line["question"], line["older"], line["newer"])) for line in items if line["kind"] == "changed"
    ]
    others = [compared(pair) for pair in unrelated(items)]
    labels = np.repeat([1, 0], [len(changed), len(others)])
    weights = np.repeat([1 / len(changed), 1 / len(others)], [len(changed), len(others)]) * 500
    model = LogisticRegression(C=REGULARISATION).fit(np.array(changed + others), labels, sample_weight=weights)
    now = (succession.COSINE, succession.SHARED, succession.SIGN, succession.RELEVANCE, succession.CONSTANT)
    fitted = (*model.coef_[0].tolist(), float(model.intercept_[0]))
    print(f"{len(changed)} changed, {len(others)} about something else")
    for name, value, present in zip(("likeness", "shared", "sign", "relevance", "constant"), fitted, now, strict=True):
        print(f"{name:10} {value:6.2f}   in force {present:6.2f}")


def _rows(texts: Sequence[str]) -> NDArray[np.float32]:
    table = word_table()
    return table.vectors([table.words(text) for text in texts])


if __name__ == "__main__":
    main()
