"""Tests of the table of word vectors in English and Japanese."""

import os
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.word_table import LONGEST_TEXT, WordTable, word_table

TABLE = word_table()
TRANSLATIONS = (
    ("dog", "犬"),
    ("cat", "猫"),
    ("water", "水"),
    ("key", "鍵"),
    ("school", "学校"),
    ("doctor", "医者"),
    ("bread", "パン"),
    ("winter", "冬"),
)
TEXTS = ("The dog is called Rex.", "鍵は入口の棚にあります。", "xqzvwk halvorsenx 3.14", "")
DIGEST = """
from hashlib import sha256
from nemuri_domain.language.word_table import word_table
table = word_table()
rows = table.vectors([table.words(text) for text in {texts!r}])
print(sha256(rows.tobytes()).hexdigest())
"""


def places(text: str) -> list[int]:
    """Return the words of a text."""
    return [int(word) for word in TABLE.words(text)]


def cosine(one: str, other: str) -> float:
    """Return the cosine of the vectors of two texts."""
    first, second = TABLE.vectors([TABLE.words(one), TABLE.words(other)])
    return float(first @ second)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("私は犬を飼っています", ("私", "は", "犬", "を")),
        ("鍵は入口の棚にあります。", ("鍵", "は", "入口", "の", "棚", "に")),
        ("日本語の文章", ("日本語", "の", "文章")),
    ],
)
def test_japanese_is_divided_into_words(text: str, words: tuple[str, ...]) -> None:
    """Japanese, which has no spaces, is divided into its words."""
    assert places(text)[: len(words)] == [place for word in words for place in places(word)]
    assert all(len(places(word)) == 1 for word in words)


def test_a_text_of_both_languages_has_the_words_of_both() -> None:
    """Japanese and English words of one text follow each other, with or without spaces between them."""
    assert places("犬dog犬") == places("犬 dog 犬") == [*places("犬"), *places("dog"), *places("犬")]


@pytest.mark.parametrize(
    ("text", "same"),
    [("ＤＯＧ", "dog"), ("Dog", "dog"), ("ﾊﾟｽﾜｰﾄﾞ", "パスワード"), ("can’t", "can't"), ("dog, key!", "dog key")],
)
def test_the_form_of_letters_and_punctuation_do_not_count(text: str, same: str) -> None:
    """Wide and narrow forms, upper and lower case and kinds of apostrophes are the same. Punctuation is no word."""
    assert places(text) == places(same) != []


def test_translations_are_nearest_to_each_other() -> None:
    """Among words of both languages, each is nearest to its translation, and much nearer than to the others."""
    english, japanese = (TABLE.vectors([TABLE.words(pair[side]) for pair in TRANSLATIONS]) for side in (0, 1))
    cosines = english @ japanese.T

    assert cosines.argmax(axis=0).tolist() == cosines.argmax(axis=1).tolist() == list(range(len(TRANSLATIONS)))
    assert np.diagonal(cosines).mean() > np.median(cosines) + 0.4


@pytest.mark.parametrize(("word", "near", "far"), [("doctor", "physician", "bread"), ("car", "automobile", "invoice")])
def test_synonyms_are_near_each_other(word: str, near: str, far: str) -> None:
    """A word is nearer to a synonym than to another word."""
    assert cosine(word, near) > cosine(word, far) + 0.2


def test_an_unknown_word_is_like_itself_only() -> None:
    """A word that is not in the table has a vector of its own, far from those of all other words."""
    [unknown] = places("xqzvwk")

    assert unknown < 0
    assert cosine("xqzvwk", "XQZVWK") == pytest.approx(1)
    for other in ("xqzvwj", "halvorsenx", "犬", "dog", "zzqq7"):
        assert abs(cosine("xqzvwk", other)) < 0.35
    assert not TABLE.directions(TABLE.words("xqzvwk")).any()


def test_an_unknown_word_counts_beside_known_ones() -> None:
    """Texts about the same unknown name are more alike than texts about different ones."""
    assert cosine("the invoice of xqzvwk", "xqzvwk is here") > cosine("the invoice of xqzvwk", "vkqjzx is here") + 0.1


def test_words_that_say_little_have_little_importance() -> None:
    """Words of grammar are less important than nouns. An unknown word has the importance of a noun."""
    the, key, name = TABLE.importance(TABLE.words("the key xqzvwk"))
    no, box = TABLE.importance(TABLE.words("の箱"))

    assert the < key / 2
    assert no < box / 2
    assert name > 2 * the


@given(st.text(max_size=200))
def test_any_text_has_a_vector_of_length_1_or_0(text: str) -> None:
    """A text has a finite vector of length 1, or of zeros if it has no words."""
    [row] = TABLE.vectors([TABLE.words(text)])

    assert float(np.linalg.norm(row)) == pytest.approx(1 if places(text) else 0, abs=1e-4)


@given(st.permutations(["dog", "鍵", "xqzvwk", "the", "invoices"]))
def test_the_order_of_words_does_not_count(words: list[str]) -> None:
    """The vector of a text is exactly the same in any order of its words."""
    expected = TABLE.vectors([TABLE.words("dog 鍵 xqzvwk the invoices")])

    np.testing.assert_array_equal(TABLE.vectors([TABLE.words(" ".join(words))]), expected)


def test_fewer_coordinates_have_a_vector_of_length_1_too() -> None:
    """With a smaller dimension, the first coordinates make the vector."""
    words = [TABLE.words(text) for text in TEXTS[:3]]
    whole, part = TABLE.vectors(words), TABLE.vectors(words, 32)

    assert part.shape == (3, 32)
    np.testing.assert_allclose(np.linalg.norm(part, axis=1), 1, rtol=1e-5)
    beginning = whole[:, :32] / np.linalg.norm(whole[:, :32], axis=1, keepdims=True)
    np.testing.assert_allclose(part, beginning, atol=1e-5)


def test_equal_texts_have_equal_vectors_in_every_process() -> None:
    """The vectors are the same to the last bit in a process with another seed for hashes."""
    mine = sha256(TABLE.vectors([TABLE.words(text) for text in TEXTS]).tobytes()).hexdigest()

    for seed in ("1", "2"):
        command = [sys.executable, "-c", DIGEST.format(texts=TEXTS)]
        told = subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert told.stdout.strip() == mine


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    """Characters after `LONGEST_TEXT` are ignored, in both languages."""
    for word in ("dog ", "犬"):
        beginning = (word * LONGEST_TEXT)[:LONGEST_TEXT]
        assert places(beginning + " invoice") == places(beginning)
        assert places(beginning[: LONGEST_TEXT - 100] + " invoice")[-1] == places("invoice")[0]


def test_a_run_of_japanese_is_divided_the_same_with_and_without_the_cache() -> None:
    """A long run, which is not cached, begins with the same words as a short one."""
    run = "私は犬を飼っています"

    assert places(run * 10) == places(run) * 10
    assert isinstance(TABLE, WordTable)
