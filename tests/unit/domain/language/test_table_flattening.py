"""Tests of the conversion of file trees and tables into separate rows of text."""

import time

import pytest

from nemuri_domain.language.table_flattening import flatten_layout, is_layout_row
from nemuri_domain.retrieval.passage_ranking import passages

TREE = """\
shop/
  services/      one folder for each consumer
    intake/        cuts large inputs
    router/        routes by the summary alone; ends a task
                   when its last part is answered
    log.py bus.py  the log and the bus
  docs/          decisions
Then prose goes on and/or
wraps.
"""
DRAWN = """\
shop
├── services
│   ├── intake/   # cuts large inputs
│   └── router/   # routes tasks
└── notes.md      # what was decided
"""
TABLE = """\
| service | does | when |
|---|:--:|---|
| intake | cuts documents | at first |
| `router` | routes tasks | |

| a | b |
"""


def rows(text: str) -> list[str]:
    """Return the rows that the conversion makes from a text."""
    return [line for line in flatten_layout(text).split("\n") if is_layout_row(line)]


def test_a_row_of_a_tree_stands_behind_its_path() -> None:
    """Each row of a file tree gets its whole path and its continuation lines. Prose is not changed."""
    assert rows(TREE) == [
        "shop/services/ one folder for each consumer",
        "shop/services/intake/ cuts large inputs",
        "shop/services/router/ routes by the summary alone; ends a task when its last part is answered",
        "shop/services/log.py bus.py the log and the bus",
        "shop/docs/ decisions",
    ]
    assert flatten_layout(TREE).endswith("Then prose goes on and/or\nwraps.\n")


def test_what_tree_draws_is_read_too() -> None:
    """The output of the program `tree` is converted, without its comment marks."""
    said = [
        line for line in flatten_layout(DRAWN).split("\n") if "tasks" in line or "inputs" in line or "decided" in line
    ]
    assert said == ["intake/ cuts large inputs", "router/ routes tasks", "notes.md what was decided"]


def test_a_row_of_a_table_has_the_heads_of_its_columns() -> None:
    """Each cell of a table's row gets its column's heading; empty cells are left out. Without headings the cells stand
    alone.
    """
    assert [line for line in flatten_layout(TABLE).split("\n") if line] == [
        "service: intake; does: cuts documents; when: at first",
        "service: `router`; does: routes tasks",
        "a; b",
    ]


@pytest.mark.parametrize("text", ["", "One line.", "a\n\nb\n", "x = {1: 2}\nfor y in x:\n    print(y)\n", "3 | 4"])
def test_everything_else_comes_back_as_it_is(text: str) -> None:
    """Prose, code and text that only resembles a table are unchanged."""
    assert flatten_layout(text) == text


@pytest.mark.parametrize("unit", [" ", "| ", "│ ", "a/", "a.b ", "|a", "├── ", "a/ b/ ", "`-- "])
def test_time_is_linear(unit: str) -> None:
    """The conversion takes time proportional to the length, also for lines that contain only beginnings of rows."""

    def taken(times: int) -> float:
        began = time.process_time()
        flatten_layout(unit * times)
        return time.process_time() - began

    assert taken(40_000) < 1.0


def test_passages_of_rows_are_single_and_fit_to_be_quoted() -> None:
    """Each row is a passage that can be quoted. A name of code with few words is not."""
    found = {
        passage.text: passage.fitness
        for passage in passages("d1", f"{TREE}\n{TABLE}\n`a/b.py`, `c`, reacts to `task_done`.")
    }
    assert found["shop/services/intake/ cuts large inputs"] == 0.9
    assert found["service: `router`; does: routes tasks"] == 0.9
    assert found["`a/b.py`, `c`, reacts to `task_done`."] == 0.25
