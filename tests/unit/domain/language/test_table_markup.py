"""Tests of the conversion of HTML and comma-separated tables to Markdown tables."""

import pytest

from nemuri_domain.language.request_items import separate_requests
from nemuri_domain.language.table_flattening import flatten_layout
from nemuri_domain.language.table_markup import with_markdown_tables
from nemuri_domain.language.text_units import text_units

QUESTIONS = tuple(f"What is the capital of country {number}?" for number in range(30))


def test_a_comma_separated_table_becomes_a_markdown_table() -> None:
    """Convert the lines of a comma-separated table, quoted fields included, and leave the text around it."""
    text = 'Costs:\nitem,owner\n"pens, red",Ann\npaper,Bob\n\nThe end.'
    assert with_markdown_tables(text) == (
        "Costs:\n| item | owner |\n|---|---|\n| pens, red | Ann |\n| paper | Bob |\n\nThe end."
    )


GRID = """\
+------+--------------------+
| sign | meaning            |
|======|====================|
| <    | aligned to the     |
|      | left.              |
+------+--------------------+
| >    | aligned right      |
+------+--------------------+"""


def test_the_lines_of_a_row_of_a_grid_are_joined() -> None:
    """Read a row of a grid table as one row, although it has several lines, and as one unit of its document."""
    assert with_markdown_tables(f"Signs:\n{GRID}\nThe end.") == (
        "Signs:\n| sign | meaning |\n|---|---|\n| < | aligned to the left. |\n| > | aligned right |\nThe end."
    )
    units = [f"Signs:\n\n{GRID}\n"[unit.start : unit.end] for unit in text_units(f"Signs:\n\n{GRID}\n")]
    assert any("aligned to the" in unit and "left." in unit for unit in units)


def test_an_html_table_becomes_a_markdown_table() -> None:
    """Convert an HTML table, markup inside its cells left out."""
    markup = "<table><tr><th>item<th>owner</tr><tr><td><b>pens</b></td><td>Ann &amp; Bob</td></tr></table>"
    assert with_markdown_tables(f"Costs: {markup}!") == (
        "Costs: \n| item | owner |\n|---|---|\n| pens | Ann & Bob |\n!"
    )


@pytest.mark.parametrize(
    "text",
    [
        "We sold 1,234 pens.\nWe sold 2,345 books.\nWe sold 3,456 cups.",
        "First, a word.\nThen, a second.\nLast, a third.",
        "- pens,red\n- books,blue\n- cups,green",
        "a,b\nc,d",
        "a,b\nc,d,e\nf,g,h,i",
        "昨日、本を読みました。\n今日、映画を見ました。\n明日、手紙を書きます。",
    ],
)
def test_other_lines_with_commas_are_no_table(text: str) -> None:
    """Leave numbers, prose, lists, and lines of different length unchanged."""
    assert with_markdown_tables(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Please answer each row.\nid,question,owner\n" + "\n".join(f"{n},{q},Ann" for n, q in enumerate(QUESTIONS)),
        "Answer: <table>" + "".join(f"<tr><td>{question}</td></tr>" for question in QUESTIONS) + "</table>",
    ],
)
def test_the_rows_of_these_tables_are_items(text: str) -> None:
    """Find every question that a comma-separated table or an HTML table asks."""
    assert [request.removesuffix(" (owner: Ann)") for request in separate_requests(text)] == [*QUESTIONS]


def test_the_rows_of_these_tables_have_their_heads() -> None:
    """Give the rows of a comma-separated table the heads of its columns when they are read one by one."""
    rows = [each for each in flatten_layout("item,owner\npens,Ann\npaper,Bob").split("\n") if each]
    assert rows == ["item: pens; owner: Ann", "item: paper; owner: Bob"]
