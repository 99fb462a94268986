"""Tests of keywords and tags."""

import pytest

from nemuri_domain.language.keywords import candidates, keywords, tags_in


def test_identifiers_and_frequent_content_words_come_first() -> None:
    """Identifiers and frequent content words come first, in their most frequent form."""
    text = "Memories fade. The memory of pgvector: memory and list.append() are used in 2026 by 10:30."

    assert keywords(text, 3) == ("memory", "list.append", "pgvector")


def test_japanese_gives_runs_of_katakana_and_kanji() -> None:
    """Japanese keywords are runs of katakana and kanji, without general words and numerals."""
    found = keywords("この場合、エージェントの記憶は分散システムで二十年も使用する。", 9)

    assert set(found) == {"エージェント", "記憶", "分散", "システム"}


def test_numbers_stop_words_and_short_words_are_no_keywords() -> None:
    """Numbers, stop words and short words are not keywords, even if nothing else is left."""
    assert keywords("The 2026-11-20 of 3.14 is to do 1234567a ab __ ...") == ()
    assert keywords("") == ()
    assert keywords("memory", 0) == ()


def test_inflected_forms_share_a_key() -> None:
    """Inflected forms of a word have the same key."""
    assert candidates("Memories, memory") == (("memori", "Memories"), ("memori", "memory"))


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("memory", "Two Memories remain"),
        ("Memories", "a memory"),
        ("C++", "written in c++."),
        ("list.append", "call list.append(x)"),
        ("state machine", "a State\n machine"),
        ("メモリー", "メモリを使う"),
        ("メモリ", "メモリーを使う"),
        ("東京", "東京都に住む"),
        ("犬", "犬と歩く"),
        ("AI", "これはAIです"),
        ("ﾃﾞｰﾀ", "データを読む"),
    ],
)
def test_a_tag_occurs_as_a_whole_term(tag: str, text: str) -> None:
    """A tag is found as a whole term. Case, width, plural and a final ー do not matter."""
    assert tags_in([tag], text) == (tag,)


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("art", "a party"),
        ("リスト", "キリスト教"),
        ("犬", "番犬小屋"),
        ("list.append", "my_list.appended"),
        ("AI", "said"),
        ("", "anything"),
        ("ー", "データ"),
    ],
)
def test_a_part_of_a_word_is_not_a_tag(tag: str, text: str) -> None:
    """A tag is not found as a part of a word."""
    assert tags_in([tag], text) == ()


def test_occurring_tags_keep_their_order() -> None:
    """Found tags are returned in the order in which they were given."""
    assert tags_in(["b1", "a1", "c1"], "a1 b1") == ("b1", "a1")
