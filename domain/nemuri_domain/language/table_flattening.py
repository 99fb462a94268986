"""Conversion of file trees and tables to rows that can be understood on their own."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from nemuri_domain.language.table_markup import RULE, cells_of, is_row, is_rule, with_markdown_tables

_NAME: Final = r"[\w.*@-]+"
_TREE_ROW: Final = re.compile(
    rf"(?P<indent>[ \t]*)(?P<names>(?:{_NAME}(?:/{_NAME})*/|{_NAME}\.\w{{1,5}})(?: {_NAME}/?)*)"
    r"(?:[ \t]{2,}(?P<text>\S.*))?"
)
_BRANCH: Final = re.compile(r"[│| \t\u00a0]*(?:[├└]─*|\|--|`--|\+--)[ \t\u00a0]")
"""The characters that the program `tree` prints in front of a name."""
_COMMENT: Final = re.compile(r"(?:#+|//|--|←|<-)[ \t]*")
_LONGEST_HEAD: Final = 60
"""Maximum characters of a column head that is repeated in each row."""


def flatten_layout(text: str) -> str:
    """Return the text with the whole path in each row of its file trees, and the column heads in each row of its
    tables.

    An indented row `intake/  large inputs` below `services/` becomes `services/intake/ large inputs`, and its
    continuation lines are joined to it. A row `| intake | cuts |` below the heads `| service | does |` becomes
    `service: intake; does: cuts`. There are blank lines around these rows. Tables may be written in Markdown, in HTML
    or as comma-separated lines. The rest of the text is unchanged.
    """
    return "\n".join(_rows(with_markdown_tables(text).split("\n")))


def row_with_heads(heads: str, row: str) -> str:
    """Return a row of a table as one text, in which each cell has the head of its column.

    `heads` and `row` are lines of a table in Markdown, or with tabs, commas or semicolons between the cells.
    """
    separator = max(("|", "\t", ";", ","), key=lambda mark: (heads.count(mark) > 0, heads.count(mark)))
    if separator == "|":
        return _row(cells_of(heads), cells_of(row))
    split = [[cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])] for line in (heads, row)]
    return _row(*split)


def is_layout_row(sentence: str) -> bool:
    """Return True if a sentence is a row made by `flatten_layout`."""
    return _LAID_OUT.match(sentence) is not None


_LAID_OUT: Final = re.compile(
    rf"(?:{_NAME}/)+\S* \S|[^:;|]{{1,{_LONGEST_HEAD}}}: \S[^;]*; [^:;|]{{1,{_LONGEST_HEAD}}}: \S"
)


@dataclass(slots=True)
class _Tree:
    """The folders that contain the present row, each with its indentation."""

    folders: list[tuple[int, str]] = field(default_factory=list)

    def path(self, indent: int, names: str) -> str:
        """Return the path of a row. If the row is a folder, it is added to the folders of the following rows."""
        while self.folders and self.folders[-1][0] >= indent:
            self.folders.pop()
        above = "".join(folder for _, folder in self.folders)
        if names.endswith("/") and " " not in names:
            self.folders.append((indent, names))
        return above + names


def _rows(lines: Sequence[str]) -> Iterator[str]:
    tree, heads, at = _Tree(), list[str](), 0
    while at < len(lines):
        line = lines[at]
        if is_row(line):
            if at + 1 < len(lines) and is_rule(lines[at + 1]):
                heads, at = cells_of(line), at + 2
                continue
            yield from ("", _row(heads, cells_of(line)), "")
        elif (row := _TREE_ROW.fullmatch(_unbranched(line))) and (row["text"] or row["names"].endswith("/")):
            path = tree.path(len(row["indent"].expandtabs()), row["names"])
            text, at = _continued(row, lines, at)
            yield from ("", f"{path} {text}", "") if text else ("",)
        else:
            heads = heads if not line.strip() else []
            if line.strip() and not line.startswith((" ", "\t")):
                tree = _Tree()
            yield line
        at += 1


def _continued(row: re.Match[str], lines: Sequence[str], at: int) -> tuple[str, int]:
    """Return the description of a row, with its continuation lines, and the index of its last line."""
    if not row["text"]:
        return "", at
    said, column = (
        [_COMMENT.sub("", row["text"], count=1) if _COMMENT.match(row["text"]) else row["text"]],
        row.start("text"),
    )
    while at + 1 < len(lines):
        following = lines[at + 1]
        indent = len(following) - len(following.lstrip())
        if not following.strip() or indent < column or _TREE_ROW.fullmatch(_unbranched(following)):
            break
        said.append(following.strip())
        at += 1
    return " ".join(said), at


def _unbranched(line: str) -> str:
    """Return the line with spaces in place of the branches that `tree` prints."""
    branch = _BRANCH.match(line)
    return line if branch is None else " " * branch.end() + line[branch.end() :]


def _row(heads: Sequence[str], cells: Sequence[str]) -> str:
    """Return the cells of a row as one text. If all columns with content have short heads, each cell gets its head."""
    if RULE.fullmatch(" | ".join(cells)):
        return ""
    plain = [(head.strip("*` "), cell) for head, cell in zip(heads, cells, strict=False) if cell]
    if len(heads) == len(cells) and len(plain) > 1 and all(head and len(head) <= _LONGEST_HEAD for head, _ in plain):
        return "; ".join(f"{head}: {cell}" for head, cell in plain)
    return "; ".join(cell for cell in cells if cell)
