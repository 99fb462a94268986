"""Reading of lists with markers: a tree of items, and its leaves as the separate requests."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from nemuri_domain.language.list_markers import (
    ListMarker,
    is_heading_or_row,
    marker_at,
    markers_inside,
    numbered_inside,
)
from nemuri_domain.language.request_sentences import asks_for_something, is_order, is_request
from nemuri_domain.language.sentences import normalised

_INDENT = re.compile(r"[ \t\u3000]*")
_BOX = re.compile(r"\[[ xX✓]?\][ \t]+|[☐☑☒][ \t]*")
"""A checkbox after a list marker."""
_LINES_BACK: Final = 20
"""Maximum number of lines above a list in which items before its first line are searched."""
_LEAD: Final = (":", "：", "—", "–")


@dataclass(slots=True)
class ListItem:
    """An item of a list, with the more deeply indented items below it."""

    indent: int
    parts: list[str] = field(default_factory=list)
    lines: int = 0
    children: list["ListItem"] = field(default_factory=list)

    @property
    def own(self) -> str:
        """The item's own lines on one line, without the items below it."""
        return normalised(_BOX.sub("", "\n".join(self.parts), count=1))

    @property
    def text(self) -> str:
        """The item and all items below it on one line."""
        return normalised("\n".join((self.own, *(child.text for child in self.children))))

    @property
    def all_lines(self) -> int:
        """The number of lines of the item and of all items below it."""
        return self.lines + sum(child.all_lines for child in self.children)

    def leaves(self, heading: str = "") -> Iterator[str]:
        """Yield the separate requests of the item, each after the headings above it.

        The items below an item are requests of their own if most of them ask for something, or if there are several and
        the item itself is only a heading. Otherwise they are notes that belong to the item.
        """
        below = [child for child in self.children if any(map(str.isalnum, child.text))]
        asking = [child for child in below if asks_for_something(child.own) or child.children]
        asks = asks_for_something(self.own) and not self.own.endswith(_LEAD)
        if not (2 * len(asking) > len(below) or (len(below) > 1 and not asks)):
            yield f"{heading}{self.text}"
            return
        if asks and is_request(self.own):
            yield f"{heading}{self.own}"
        topic = "" if is_order(self.own) and not self.own.endswith(_LEAD) else self.own.rstrip("".join(_LEAD)).strip()
        for child in below:
            yield from child.leaves(f"{heading}{topic}: " if topic and not asks else heading)


def read_lists(text: str) -> list[ListItem | str]:
    """Return the outer items of the text's lists and the lines around the lists, in order, without blank lines."""
    reader = _ListReader()
    for line in text.splitlines():
        reader.read(line)
    return [
        part
        for list_item in reader.found
        for part in (_inline(list_item) if isinstance(list_item, str) else (list_item,))
    ]


class _ListReader:
    """The reader of the lines of one text."""

    def __init__(self) -> None:
        self.found: list[ListItem | str] = []
        self.path: list[ListItem] = []
        """The items that contain the present line, outermost first."""
        self.blank = True

    def read(self, line: str) -> None:
        """Add a line to the present item, or as a new item, or as a line outside the lists."""
        if not line.strip():
            self.blank = True
            return
        indent = len(_INDENT.match(line).group().expandtabs(4))  # type: ignore[union-attr]  # matches any line
        mark, nested = marker_at(line, 0, len(line)), bool(self.path) and indent > self.path[0].indent
        if mark:
            self._begin(mark, indent)
        elif self.path and not nested and (self.blank or is_heading_or_row(line, 0, len(line))):
            self.path = []
        if not self.path:
            self.found.append(line)
        else:
            self.path[-1].parts.append(line[mark.body if mark else 0 :])
            self.path[-1].lines += 1
        self.blank = False

    def _begin(self, mark: ListMarker, indent: int) -> None:
        outer = self.path[0].indent if self.path else None
        while self.path and self.path[-1].indent >= indent:
            self.path.pop()
        item = ListItem(indent)
        if self.path:
            self.path[-1].children.append(item)
        else:
            if outer is None or outer > indent:
                self.found = _with_first(self.found, mark, indent)
            self.found.append(item)
        self.path.append(item)


def _inline(line: str) -> Sequence[ListItem | str]:
    """Return the items of a list that is inside one line, after the text before it; only the line if it has none."""
    marks = numbered_inside(line)
    if not marks:
        return (line,)
    before, items = line[: marks[0].start].rstrip(), _split(line, marks, 0)
    return [before, *items] if before else items


def _split(line: str, marks: Sequence[ListMarker], indent: int) -> list[ListItem]:
    ends = [*(mark.start for mark in marks[1:]), len(line)]
    return [ListItem(indent, [line[mark.body : end]], 1) for mark, end in zip(marks, ends, strict=True)]


def _with_first(found: list[ListItem | str], following: ListMarker, indent: int) -> list[ListItem | str]:
    """Return `found` with the items that come before `following` and start inside the line that introduces the list.

    The lines after that line belong to the last of these items. If `following` is a bullet, only the line directly
    above it is searched.
    """
    furthest = len(found) - (1 if following.ordinal is None else _LINES_BACK)
    for index in range(len(found) - 1, max(furthest, 0) - 1, -1):
        line = found[index]
        if isinstance(line, ListItem):
            if line.indent > indent:
                continue
            return found
        if is_heading_or_row(line, 0, len(line)):
            return found
        if marks := markers_inside(line, following):
            begun = _split(line, marks, indent)
            for list_item in found[index + 1 :]:
                if isinstance(list_item, str):
                    begun[-1].parts.append(list_item)
                    begun[-1].lines += 1
                else:
                    begun[-1].children.append(list_item)
            return [*found[:index], line[: marks[0].start].rstrip(), *begun]
    return found
