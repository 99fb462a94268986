"""Tests of the comparison of statements in several texts."""

from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.tasks.consensus import CLAIMS_PER_TEXT, Claim, compare_texts

SAID = ("Moss is green.", "Moss is not green.", "The boiler has 3 valves.", "The boiler has 4 valves.", "Cats sleep.")
TEXTS = st.lists(st.lists(st.sampled_from(SAID), max_size=4).map(" ".join), max_size=4)


def test_what_two_say_is_shared_and_said_once() -> None:
    """A statement of two texts is shared. It is listed once, in the words of the first text and without its list
    mark.
    """
    found = compare_texts(
        ["The boiler runs at 70 degrees.", "- The boiler runs at 70 degrees Celsius.", "Cats sleep a lot."]
    )

    assert _said(found.shared) == [(0, "The boiler runs at 70 degrees.")]
    assert _said(found.alone) == [(2, "Cats sleep a lot.")]
    assert found.against == ()


def test_another_number_or_the_contrary_is_dissent() -> None:
    """Another number or a negation makes a contradiction. The statement of the majority is shared; in a tie both are
    contradicted.
    """
    seventy, ninety = "The boiler runs at 70 degrees.", "The boiler runs at 90 degrees."

    assert _said(compare_texts([seventy, seventy, ninety]).against) == [(2, ninety)]
    assert _said(compare_texts([seventy, ninety]).against) == [(0, seventy), (1, ninety)]
    assert compare_texts([seventy, ninety]).shared == ()
    denied = compare_texts(["Moss grows on roofs.", "Moss does not grow on roofs.", "Moss grows on roofs."])
    assert _said(denied.against) == [(1, "Moss does not grow on roofs.")]
    assert _said(denied.shared) == [(0, "Moss grows on roofs.")]


def test_japanese_statements_are_compared_too() -> None:
    """Japanese statements are compared by topic, numbers and negation."""
    found = compare_texts(
        ["空のリストは偽です。納期は5日です。", "空のリストは偽である。納期は9日です。", "空のリストは偽ではない。"]
    )

    assert _said(found.shared) == [(0, "空のリストは偽です。")]
    assert _said(found.against) == [(0, "納期は5日です。"), (1, "納期は9日です。"), (2, "空のリストは偽ではない。")]


def test_a_must_is_no_denial() -> None:
    """Japanese forms of obligation, which contain a negation, do not negate a statement."""
    found = compare_texts(["鍵を必ず閉めなければならない。", "鍵を必ず閉めます。"])

    assert _said(found.shared) == [(0, "鍵を必ず閉めなければならない。")]


def test_numbers_are_compared_without_their_separators() -> None:
    """Numbers are compared without thousands separators."""
    assert _said(compare_texts(["The hall costs 1,000 euro.", "The hall costs 1000 euro."]).against) == []


def test_very_long_texts_are_compared_by_their_beginning() -> None:
    """Only the beginning of a very long text is compared, so that the time is bounded."""
    found = compare_texts(
        ["".join(f"Room {number} of building {number} is number {number}. " for number in range(500))]
    )

    assert len(found.alone) == CLAIMS_PER_TEXT


@given(TEXTS)
def test_every_statement_has_one_place(texts: list[str]) -> None:
    """Every statement is in exactly one of three lists: shared, alone, contradicted."""
    found = compare_texts(texts)
    everything = [*found.shared, *found.alone, *found.against]
    said = {each.text for each in everything}

    assert len(set(everything)) == len(everything)
    assert said == {f"{each.strip('. ')}." for text in texts for each in text.split(".") if each.strip()}


def _said(statements: tuple[Claim, ...]) -> list[tuple[int, str]]:
    return [(statement.speaker, statement.text) for statement in statements]
