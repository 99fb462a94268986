"""Tests of the built-in table of the meanings of English words."""

import numpy as np
import pytest

from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.embeddings.word_meanings import MEANING, packed, unpacked, with_meanings, word_meanings


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("a lawyer", "a legal contract", "tomato sauce"),
        ("a doctor", "the hospital", "a guitar"),
        ("buying steel", "procurement of metals", "a recipe for soup"),
    ],
)
def test_words_of_similar_meaning_are_similar(text: str, near: str, far: str) -> None:
    """Texts without a common word are similar if their words mean something similar."""
    said, close, distant = word_meanings().of([text, near, far])

    assert said @ close > 0.3
    assert said @ close > 2 * (said @ distant)


def test_inflections_are_known_and_other_languages_are_not() -> None:
    """A plural has the meaning of its singular if it is not listed. Japanese, numbers and stop words have none."""
    table = word_meanings()

    one, many, *nothing = table.of(["a kettle", "kettles", "請求書の支払い", "42", "of the", ""])

    assert one == pytest.approx(many)
    assert not np.any(nothing)


def test_joined_vectors_are_a_mean_of_both_cosines() -> None:
    """The cosine of joined vectors is the mean of the cosines of spelling and of meaning. A text without a known word
    is its spelling alone.
    """
    texts = ["a lawyer reads", "legal contracts", "請求書の支払い"]
    spelled, meant = HashingEmbedder().rows(texts), word_meanings().of(texts)

    joined = with_meanings(texts, spelled)

    assert np.linalg.norm(joined, axis=1) == pytest.approx(1.0, abs=1e-5)
    expected = (1 - MEANING) * (spelled[0] @ spelled[1]) + MEANING * (meant[0] @ meant[1])
    assert joined[0] @ joined[1] == pytest.approx(expected, abs=1e-5)
    assert joined[2][: spelled.shape[1]] == pytest.approx(spelled[2])


def test_packing_keeps_the_directions() -> None:
    """Four bits for each number keep the cosine of a vector with itself above 0.98."""
    rows = np.random.default_rng(1).standard_normal((200, 128)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    again = unpacked(packed(rows))

    assert (again * rows).sum(axis=1).min() > 0.98
