"""Private parts of a prompt are removed from it, and from the reply wherever it may repeat them."""

import unicodedata
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from nemuri_domain.affective.private_parts import PrivateParts
from nemuri_domain.affective.sanitize import without_private


class Case(NamedTuple):
    """A prompt with private parts, a reply to it, and texts that must not remain, or must."""

    prompt: str
    reply: str
    gone: list[str]
    kept: list[str]


CASES = [Case(**each) for each in yaml.safe_load(Path(__file__).with_name("private_parts.yaml").read_text("utf-8"))]


def folded(text: str) -> str:
    """Return a text in which forms of the same letters are equal."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def stored_reply(case: Case) -> str:
    """Return the reply of a case as it is stored."""
    openly, parts = without_private(case.prompt)
    return PrivateParts(parts).without_repeated(case.reply, openly)


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


@pytest.mark.parametrize("case", CASES, ids=[each.prompt[9:25] for each in CASES])
def test_a_reply_does_not_repeat_what_was_private(case: Case) -> None:
    """Names, numbers, rarer words and phrases of private parts are replaced. The other words of the reply remain."""
    stored = stored_reply(case)
    assert [each for each in case.gone if folded(each) in folded(stored)] == []
    assert [each for each in case.kept if folded(each) not in folded(stored)] == []


def test_a_reply_about_something_else_stays() -> None:
    """The replies of the other cases share words with a private part, and fewer than one in a thousand is changed."""
    changed = total = 0
    for case in CASES:
        openly, parts = without_private(case.prompt)
        private = PrivateParts(parts)
        for other in CASES:
            if other is not case:
                total += 1
                changed += private.without_repeated(other.reply, openly) != other.reply
    assert total > 6000
    assert changed <= total / 1000


@pytest.mark.parametrize(
    ("part", "reply", "kept"),
    [
        (
            "Okafor Chidi, 12 Elm Road",
            "I sent it to Okafor Chidi at 12 Elm Road.",
            "I sent it to [private] at [private].",
        ),
        ("my therapist is Dr. Okafor", "Dr. okafor is noted.", "[private] is noted."),
        ("tag hidden kumquat.", "The kumquat is fine.", "The [private] is fine."),
        ("the code is A-4711", "A-4711 is the code.", "[private] is the code."),
        ("we should do it", "We should see.", "We should see."),
        ("山田さんの住所", "山田さんの住所は登録しました。", "[private]は登録しました。"),
        ("kumquat", "The cumquats and a kumquats.", "The cumquats and a [private]."),
        ("Mark knows. I told Mark.", "Mark the line. Now Mark knows.", "[private] the line. Now [private]."),
        ("データ通販ドルチェッタ", "ドルチェッタのデータ", "[private]のデータ"),
        ("林さんは欠席", "森林は静かです。林は欠席。", "森林は静かです。[private]は[private]。"),
        ("２０２６", "2026 and 20265", "[private] and 20265"),
        ("tanaka", "class TanakaReport", "class [private]Report"),
    ],
)
def test_runs_of_words_are_replaced(part: str, reply: str, kept: str) -> None:
    """A run that is shared is replaced as a whole, without the words at its edges that tell nothing."""
    assert PrivateParts([part]).without_repeated(reply) == kept


def test_what_was_said_openly_is_no_secret() -> None:
    """A word of a private part stays in a reply if the prompt has it outside of the private part too."""
    private = PrivateParts(["the kumquat tender of Okafor"])
    said = "Okafor has a kumquat tender."
    assert private.without_repeated(said, "Plan a kumquat tender.") == "[private] has a kumquat tender."
    assert private.without_repeated(said) == "[private] has a [private]."


def test_nothing_is_private_without_private_parts() -> None:
    """Without private parts, or with blank ones, every text stays."""
    assert not PrivateParts([" "])
    assert PrivateParts([" ", ""]).without_repeated("any text") == "any text"


def test_private_parts_are_added_in_the_course_of_a_conversation() -> None:
    """Parts that are added later are replaced beside the earlier ones."""
    private = PrivateParts(["Okafor"])
    assert private.without_repeated("Okafor, Raghunathan") == "[private], Raghunathan"
    private.add(["Raghunathan"])
    assert private.without_repeated("Okafor and Raghunathan") == "[private] and [private]"
