"""Tests of the terms of lexical search."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final, Literal
from unicodedata import normalize

import pytest

from nemuri_domain.language.tokenization import (
    HIRAGANA_ALONE,
    PARTICLE,
    TERM_LIMIT,
    stem,
    term_counts,
    terms,
    topic_weight,
)

FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The memories were fading", ["memori", "fade"]),
        ("Don’t use __init__", ["use", "__init__", "init"]),
        ("list.append getUserName", ["list.append", "list", "append", "getusername", "get", "user", "name"]),
        ("C++ and C#, 1,000 items, 3.14", ["c++", "c#", "1000", "item", "3.14"]),
        ("ＡＢＣ ｶﾞｷﾞｸﾞ", ["abc", "ガギ", "ギグ"]),
        ("Pythonの記憶。漢", ["python", "の記", "記憶", "漢"]),
        ("青い箱の鍵", ["青い", "い箱", "箱の", "の鍵", "青", "箱", "鍵"]),
        ("คำตอบ", ["คํ", "ํา", "าต", "ตอ", "อบ"]),
        ("हिन्दी में उत्तर", ["हिन्दी", "में", "उत्तर"]),
        ("שָׁלוֹם וּבְרָכָה", ["שָׁלוֹם", "וּבְרָכָה"]),
        ("Crème brûlée, Zoë’s naïve façade", ["creme", "brule", "zoe", "naiv", "facad"]),
        ("... ___ ！", []),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    """Words are stemmed, identifiers are kept whole and also divided, and CJK text is divided into pairs of
    characters.
    """
    assert terms(text) == expected


def test_inflected_forms_and_widths_meet_in_one_term() -> None:
    """Inflected forms, and full-width and half-width forms, give the same term."""
    assert terms("Running RUNS run") == ["run", "run", "run"]
    assert terms("ﾃﾞｰﾀ") == terms("データ")


def test_counts_are_of_terms() -> None:
    """Each term has its number of occurrences. Terms are in the order of first occurrence."""
    assert term_counts("memory of memories, 記憶記憶") == {"memori": 2, "記憶": 2, "憶記": 1}


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("bread", 1.0),
        ("記憶", 1.0),
        ("データ", 1.0),
        ("鍵", 1.0),
        ("にぎ", HIRAGANA_ALONE),
        ("りは", PARTICLE),
        ("鍵は", 0.0),
        ("の在", 0.0),
        ("教え", 0.0),
        ("どこ", 0.0),
        ("explain", 0.0),
    ],
)
def test_a_term_tells_as_much_as_it_is_about_something(term: str, expected: float) -> None:
    """The topic weight of a term is 1 for content, less than 1 for hiragana, and 0 for question words and mixed pairs
    of characters.
    """
    assert topic_weight(term) == expected


def test_terms_are_bounded() -> None:
    """A megabyte without a space gives one short term."""
    assert terms("a" * 1_000_000) == ["a" * TERM_LIMIT]
    assert max(map(len, terms("a." * 100_000 + "bB" * 1_000))) <= TERM_LIMIT


def test_stop_words_are_told_in_any_case_and_apostrophe() -> None:
    """Stop words are recognised in any case and with both forms of the apostrophe."""
    assert terms("Don’t DON'T The memory") == terms("memory")


def test_stems_are_right_in_many_threads() -> None:
    """Stems are correct when many threads compute them at the same time."""
    words = [f"{letter}unning{number}s" for letter in "abcdefgh" for number in range(200)]
    expected = list(map(stem, words))
    stem.cache_clear()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem, words)) == expected


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("คำตอบ", "นี่คือคำตอบที่ถูกต้อง"),
        ("ຄຳຕອບ", "ນີ້ແມ່ນຄຳຕອບທີ່ຖືກຕ້ອງ"),
        ("စာအုပ်", "ကျွန်တော်စာအုပ်ဖတ်တယ်"),
        ("សៀវភៅ", "ខ្ញុំអានសៀវភៅរាល់ថ្ងៃ"),
        ("उत्तर", "यह सही उत्तर है"),
        ("cafe", "We met at the Café Müller."),
        ("Café", "the cafe is closed"),
        ("resume", "Her résumé is two pages long."),
    ],
)
def test_a_word_is_found_in_a_sentence(word: str, sentence: str) -> None:
    """Vowel signs do not end a word, scripts without spaces are searched by pairs of characters, and accents of Latin
    letters do not count, however they are written.
    """
    for form in FORMS:
        assert set(terms(normalize(form, word))) <= set(terms(sentence))
        assert terms(normalize(form, sentence)) == terms(sentence)
