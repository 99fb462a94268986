"""Division of documents into turns, paragraphs, list items, table rows and lines of code, with their context."""

from itertools import pairwise

import pytest

from nemuri_domain.language.text_units import UNIT_CHARACTERS, Unit, text_units


def told(text: str) -> list[tuple[str, str, list[str]]]:
    """Return kind, text and context of each unit."""
    return [
        (unit.kind, text[unit.start : unit.end], [text[start:end] for start, end in unit.context])
        for unit in text_units(text)
    ]


TALK = """\
Session 1, 8 May 2023

{0}Ann{1} Where did you go?
{0}Bob{1} To Lisbon.
We took the train.
{0}Ann{1} Lovely!

Session 2, 9 May 2023

{0}Bob{1} I am back.
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [("", ":"), ("**", ":**"), ("**", "**:"), ("[13:56] ", ":"), ("2023-05-08 13:56 - ", ":"), ("D1:3 ", " (13:56):")],
)
def test_each_turn_of_a_conversation_is_a_unit(before: str, after: str) -> None:
    """A turn goes from one speaker's name to the next. Its context is the heading of its session."""
    found = told(TALK.format(before, after))
    turns = [(text, context) for kind, text, context in found if kind == "turn"]
    assert [text.splitlines()[0].rpartition(after)[2].strip() for text, _ in turns] == [
        "Where did you go?",
        "To Lisbon.",
        "Lovely!",
        "I am back.",
    ]
    assert turns[1][0].endswith("We took the train.")
    assert [context for _, context in turns] == [["Session 1, 8 May 2023"]] * 3 + [["Session 2, 9 May 2023"]]


def test_japanese_turns_are_units() -> None:
    """Names before a full-width colon are speakers."""
    found = told("田中：どこへ行きましたか。\n佐藤：リスボンです。\n田中：いいですね。\n佐藤：はい。\n")
    assert [kind for kind, *_ in found] == ["turn"] * 4


def test_a_colon_in_prose_starts_no_turn() -> None:
    """A text in which only one line begins with words and a colon is no conversation."""
    found = told("Note: the pump is old.\nIt was built in 1950 and\nis still in use.")
    assert [kind for kind, *_ in found] == ["paragraph"]


NESTED = """\
# Pumps

The limits are:

- Pump A
  - Pressure: 3.5 bar
    at most
  - Flow: 2 l/s
- Pump B

After the list.
"""


def test_an_item_has_the_items_above_it_as_context() -> None:
    """The context of a nested item is its heading, the introduction of the list, and the items above it."""
    items = [(text.split("\n")[0].strip(), context) for kind, text, context in told(NESTED) if kind == "item"]
    above = ["# Pumps", "The limits are:"]
    assert items == [
        ("- Pump A", above),
        ("- Pressure: 3.5 bar", [*above, "- Pump A"]),
        ("- Flow: 2 l/s", [*above, "- Pump A"]),
        ("- Pump B", above),
    ]


TABLES = {
    "markdown": ("| pump | bar |", "| A | 3 |", "| pump | bar |\n|---|---|\n| A | 3 |\n| B | 4 |"),
    "tabs": ("pump\tbar", "A\t3", "pump\tbar\nA\t3\nB\t4"),
    "commas": ("pump,bar,year", "A,3,1950", 'pump,bar,year\nA,3,1950\n"B, old",4,1951'),
    "html": (
        "<tr><th>pump</th></tr>",
        "<tr><td>A</td></tr>",
        "<table>\n<tr><th>pump</th></tr>\n<tr><td>A</td></tr>\n<tr><td>B</td></tr></table>",
    ),
}


@pytest.mark.parametrize("form", TABLES)
def test_each_row_of_a_table_has_the_head_row_as_context(form: str) -> None:
    """A table of any form gives a unit for each row, whose context is the head row."""
    head, row, table = TABLES[form]
    rows = [(text, context) for kind, text, context in told(f"Before.\n\n{table}\n\nAfter.") if kind == "row"]
    assert rows[:2] == [(head, []), (row, [head])]
    assert len(rows) == 3


def test_lines_of_whole_sentences_are_paragraphs() -> None:
    """Lines that end in full stops are paragraphs of their own. Other lines of a block are wraps."""
    assert len(told("雨が降った。\n風が吹いた。\n雪が積もった。")) == 3
    assert len(told("The rain\nfell and the\nwind blew.")) == 1


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    """No unit is longer than the limit, and together they hold all sentences, without overlap."""
    text = " ".join(f"Sentence number {number} is about pumps." for number in range(200)) + " " + "x" * 2_000
    found = text_units(text)
    assert max(unit.end - unit.start for unit in found) <= UNIT_CHARACTERS
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert "".join(text[unit.start : unit.end] for unit in found).replace(" ", "") == text.replace(" ", "")


def test_headings_of_all_levels_are_context() -> None:
    """A heading stays in the context until one of its level or above comes."""
    text = "# A\n\n## B\n\nOne.\n\n## C\n\nTwo.\n\nTitle\n=====\n\nThree."
    found = {text: context for kind, text, context in told(text)}
    assert found["One."] == ["# A", "## B"]
    assert found["Two."] == ["# A", "## C"]
    assert found["Three."] == ["Title"]


def test_a_text_without_content_has_no_units() -> None:
    """White space alone gives no unit."""
    assert text_units(" \n\f\n") == ()
    assert text_units("x") == (Unit(0, 1, "paragraph", 0),)
