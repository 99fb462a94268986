"""Private parts of a prompt are removed from it, and from the reply wherever it may repeat them."""

import pytest

from nemuri_domain.affective.sanitize import without_private, without_repeated


@pytest.mark.parametrize(
    ("prompt", "kept", "parts"),
    [
        ("Send it to <private>Okafor</private> now.", "Send it to [private] now.", ["Okafor"]),
        ("<PRIVATE>rutabaga</Private> grows", "[private] grows", ["rutabaga"]),
        ("It is <private>not closed", "It is [private]", ["not closed"]),
        ("<private>all</private> <private>of it</private>", "", ["all", "of it"]),
        ("a <private>b\nc</private> d <private>e</private>", "a [private] d [private]", ["b\nc", "e"]),
        ("nothing private", "nothing private", []),
    ],
)
def test_private_parts_are_removed_from_a_prompt(prompt: str, kept: str, parts: list[str]) -> None:
    """Each part is replaced by a mark, in any case of its tags. A prompt that is private as a whole becomes empty."""
    assert without_private(prompt) == (kept, parts)


@pytest.mark.parametrize(
    ("part", "reply", "kept"),
    [
        (
            "Okafor Chidi, 12 Elm Road",
            "I sent it to Okafor Chidi at 12 Elm Road.",
            "I sent it to [private] at [private].",
        ),
        ("my therapist is Dr. Okafor", "Dr. okafor is noted.", "Dr. [private] is noted."),
        ("tag hidden kumquat.", "The kumquat is fine.", "The [private] is fine."),
        ("the code is A-4711", "A-4711 is the code.", "[private] is the code."),
        ("we should do it", "We should see.", "We should see."),
        ("山田さんの住所", "山田さんの住所は登録しました。", "[private]は登録しました。"),
        ("category", "The cat and the categories.", "The cat and the categories."),
    ],
)
def test_what_a_reply_repeats_is_replaced(part: str, reply: str, kept: str) -> None:
    """Pieces of a private part are replaced, and its names, its words with digits and its rarer words."""
    assert without_repeated(reply, [part]) == kept
