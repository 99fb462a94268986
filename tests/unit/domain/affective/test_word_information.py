"""Tests of how much words tell."""

import pytest

from nemuri_domain.affective.word_information import TELLING, divided, word_information


@pytest.mark.parametrize("word", ["the", "because", "wird", "nicht", "avec", "сказал", "problem", "table", "schedule"])
def test_a_frequent_word_tells_little(word: str) -> None:
    """A word that is frequent in some language tells nothing alone."""
    assert word_information(word) < TELLING


@pytest.mark.parametrize("word", ["raghunathan", "bipolar", "salary", "divorce", "wiesengrund", "кутепов"])
def test_a_rare_word_or_a_name_tells_something(word: str) -> None:
    """A word that is rare in every language tells something alone."""
    assert word_information(word) >= TELLING


@pytest.mark.parametrize(
    ("run", "words", "telling"),
    [
        ("田中さんは来月退職予定", "田中 さん は 来月 退職 予定", {"田中", "来月", "退職"}),
        ("张晓楠下个月要离职", "张 晓 楠 下个月 要 离职", {"晓", "下个月", "离职"}),
        ("아버지가췌장암", "아버지 가 췌장암", {"췌장암"}),
        ("จะลาออกเดือนหน้า", "จะ ลาออก เดือน หน้า", {"ลาออก"}),
    ],
)
def test_scripts_without_spaces_are_divided_into_words(run: str, words: str, telling: set[str]) -> None:
    """A run is divided by frequency, with the words of its own language."""
    found = divided(run, japanese=False)
    assert [run[word.start : word.end] for word in found] == words.split()
    assert {run[word.start : word.end] for word in found if word.information >= TELLING} == telling
