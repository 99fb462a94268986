"""Tests of what is no news in a conversation."""

import pytest

from nemuri_domain.conversations.second_hand import is_known_request, listed_sentences, own_words, without_listed

KNOWN = [
    "Ann lives in a blue house in Bergen.",
    "アンはベルゲンの青い家に住んでいる。",
    "Bob has a cat. It is called Ada.",
    "Tea",
]


@pytest.mark.parametrize(
    "text",
    [
        "Ann lives in a blue house in Bergen.",
        "As you told me, ann lives in a  blue house in bergen!",
        "- Ann lives in a blue house in Bergen\n- Bob has a cat",
        "アンはベルゲンの青い家に住んでいる。",
        "Sure. Bob has a cat. It is called Ada.",
    ],
)
def test_what_only_repeats_a_memory_is_no_news(text: str) -> None:
    """A quotation, also with a few words around it or beside it, leaves nothing."""
    assert own_words(text, KNOWN) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ann has moved to Oslo.", "Ann has moved to Oslo."),
        ("Tea is good.", "Tea is good."),
        ("Ann lives in a blue house in Bergen, but she will soon move to a small flat in the middle of Oslo.", None),
        (
            "Bob has a cat. The veterinarian in the harbour street looks after it twice a year.",
            "The veterinarian in the harbour street looks after it twice a year.",
        ),
        ("", ""),
    ],
)
def test_what_says_more_is_news(text: str, left: str | None) -> None:
    """A sentence with more than a quotation is kept, and the other sentences of a text too."""
    assert own_words(text, KNOWN) == (text if left is None else left)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What you know:\n- Ann lives in a blue house in Bergen. (since May)\n- Bob has a cat", ""),
        ("Known:\n\n- Bob has a cat\n- Cy has a dog\n\nAnd me?", "Known:\n- Cy has a dog\nAnd me?"),
        ("> Bob has a cat. It is called Ada.\n\nThat is wrong, she is a dog.", "That is wrong, she is a dog."),
        ("1. アンはベルゲンの青い家に住んでいる。\n2. アンは猫を飼っている。", "2. アンは猫を飼っている。"),
        ("Ann lives in a blue house in Bergen. Bob has a cat.", None),
        ("- Ann lives in a blue house in Bergen, and next year she will move to a small flat in Oslo", None),
    ],
)
def test_memories_in_a_list_or_a_quotation_are_no_news(text: str, left: str | None) -> None:
    """Running text is kept, because a person may state again what holds."""
    assert without_listed(text, KNOWN) == (text if left is None else left)


def test_items_and_quotations_are_found() -> None:
    """Each is a sentence of its own, and running text is none of them."""
    assert listed_sentences("See:\n- Tea\n> Ann sleeps.\n\nShe does.") == ["- Tea", "> Ann sleeps."]


def test_only_a_request_that_was_made_before_is_known() -> None:
    """A statement may be repeated by its speaker, and a new question is news."""
    known = ["Where does Ann live?", "Ann lives here."]
    assert is_known_request("where does  Ann live?", known)
    assert not is_known_request("Ann lives here.", known)
    assert not is_known_request("Where does Bob live?", known)
