"""Tests of requests that can be understood only with earlier ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.follow_up_requests import TOPIC_WORDS, depends_on_earlier, self_contained, topic_words

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=80)


@pytest.mark.parametrize(
    "request_",
    [
        "How do I sort it in place?", "Why?", "And what about list.extend?", "What about tuples?",
        "Does it copy the elements?", "Is that also true for dictionaries?", "In Java?", "The default value?",
        "When was he born?", "How much do they cost?", "What is the same for sets?", "Tell me more.",
        "Can you explain this in one sentence?", "Who invented that?", "それはいつ作られましたか？", "では、大阪は？",
        "大阪は？", "その高さを教えてください。", "同じことは辞書でもできますか？", "なぜですか？",
        "これを日本語で説明してください", "Javaの場合は？", "もっと詳しく", "東京ではそれが禁止されていますか？",
    ],
)  # fmt: skip
def test_pronouns_demonstratives_and_fragments_refer_back(request_: str) -> None:
    """Requests with pronouns, demonstratives or fragments depend on an earlier request, in English and Japanese."""
    assert depends_on_earlier(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "What does list.append return?", "Define moss.", "Which function is it that returns the length of a list?",
        "Does a list change when it is copied?", "Is it possible to sort a list in place?", "What is moss?",
        "How tall is Tokyo Tower and when was it built?", "The city says that cars must stop. Is a bike a car?",
        "What are closures, and are they slow?", "東京タワーの高さは何メートルですか？", "東京タワーの高さは？",
        "きのこの種類を教えてください", "みその作り方は？", "リストをコピーする方法を教えてください。",
        "それぞれの都道府県の人口は？", "その他の方法はありますか",
    ],
)  # fmt: skip
def test_a_request_that_stands_on_its_own_is_left_as_it_is(request_: str) -> None:
    """An independent request is not changed. A pronoun that refers to a noun in the request, or is part of a word, does
    not make it dependent.
    """
    assert self_contained(request_, ["What does a lamp cost?"]) == request_


def test_the_topic_of_the_earlier_question_is_put_beside() -> None:
    """The topic of the earlier question is added in its own words. Words that the request already has are left out."""
    assert (
        self_contained("And what about list.extend?", ["What does list.append return in Python?"])
        == "About list.append, return, Python: And what about list.extend?"
    )
    assert (
        self_contained("それはいつ完成しましたか？", ["東京タワーの高さは？"])
        == "東京・タワーについて：それはいつ完成しましたか？"
    )
    assert self_contained("And the lamp?", ["What does a lamp cost?"]) == "About cost: And the lamp?"


def test_the_newest_question_that_is_about_something_counts() -> None:
    """The newest earlier question that has a topic is used. If none has a topic, the request is not changed."""
    earlier = ["What do lamps cost?", "Where does moss grow?", "Thanks!"]

    assert self_contained("Why?", earlier) == "About moss, grow: Why?"
    assert self_contained("Why?", ["Thanks!"]) == "Why?"
    assert self_contained("Why?", []) == "Why?"


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_any_request_keeps_its_own_words(request_: str, earlier: list[str]) -> None:
    """Any request keeps its own words, and the result is the same each time."""
    first = self_contained(request_, earlier)

    assert first == self_contained(request_, earlier)
    assert first.endswith(request_.strip()) or first == request_
    assert all(len(topic_words(source)) <= TOPIC_WORDS for source in earlier)
