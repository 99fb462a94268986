"""Tests of what is no news in a conversation."""

import pytest

from nemuri_domain.conversations.second_hand import is_known_request, own_words

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


def test_only_a_request_that_was_made_before_is_known() -> None:
    """A statement may be repeated by its speaker, and a new question is news."""
    known = ["Where does Ann live?", "Ann lives here."]
    assert is_known_request("where does  Ann live?", known)
    assert not is_known_request("Ann lives here.", known)
    assert not is_known_request("Where does Bob live?", known)
