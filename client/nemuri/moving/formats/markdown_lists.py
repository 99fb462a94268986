"""Items of Markdown files: list items with what leads to them, and paragraphs, each with the headings above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_HEADING: Final = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM: Final = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_RULE: Final = re.compile(r" {0,3}([-*_])(?:\s*\1){2,}\s*$")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(slots=True)
class MarkdownItem:
    """A list item or a paragraph."""

    text: str
    """Its lines, with a block of code that belongs to it."""
    line: int
    """Number of its first line, from 1."""
    headings: tuple[str, ...]
    """The headings above it, the outermost first."""
    leads: tuple[str, ...] = ()
    """The list items above it, the outermost first, or the paragraph that ends with a colon before its list."""
    in_list: bool = False
    has_list: bool = False
    """True if list items stand below it."""


def without_comments(text: str) -> str:
    """Return a Markdown text without HTML comments. The numbers of its lines stay."""
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)


def front_matter(text: str) -> tuple[str | None, int]:
    """Return the YAML between the first lines `---` of a text, and the number of lines before the rest; None and 0
    without.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return None, 0
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    return (None, 0) if end is None else ("\n".join(lines[1:end]), end + 1)


@dataclass(slots=True)
class _Reader:
    headings: list[tuple[int, str]] = field(default_factory=list)
    """The headings above, with their levels."""
    stack: list[tuple[int, MarkdownItem]] = field(default_factory=list)
    """The list items above, with their indents."""
    lead: MarkdownItem | None = None
    """The paragraph before the list."""
    items: list[MarkdownItem] = field(default_factory=list)
    current: MarkdownItem | None = None
    """The item to which the next line belongs."""
    fence: str | None = None

    def take(self, line: str, number: int) -> None:
        if self.fence is not None or (opening := _FENCE.match(line)) is not None:
            self._code(line, number)
            if self.fence is None:
                self.fence = opening[1] if opening else None
            elif line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
                self.fence = None
        elif (heading := _HEADING.match(line)) is not None:
            level = len(heading[1])
            self.headings = [*((above, title) for above, title in self.headings if above < level), (level, heading[2])]
            self.stack, self.lead, self.current = [], None, None
        elif not line.strip() or _RULE.match(line):
            self.current = None
        elif (item := _ITEM.match(line)) is not None:
            self._list_item(len(item[1].expandtabs(4)), item[2], number)
        elif self.current is not None:
            self.current.text += f"\n{line.strip()}"
        else:
            self._paragraph(line, number)

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings if title)

    def _code(self, line: str, number: int) -> None:
        """Add a line of code to the item or paragraph before it. Code without one is a paragraph."""
        owner = self.current or (self.stack[-1][1] if self.stack else self.lead)
        if owner is None or owner.headings != self._titles():
            self._paragraph(line, number)
        else:
            owner.text += f"\n{line.rstrip()}"
            self.current = owner

    def _list_item(self, indent: int, text: str, number: int) -> None:
        while self.stack and self.stack[-1][0] >= indent:
            self.stack.pop()
        above = [item for _, item in self.stack]
        if self.lead is not None and self.lead.text.rstrip().endswith(":"):
            above.insert(0, self.lead)
        for item in above:
            item.has_list = True
        self.current = MarkdownItem(text, number, self._titles(), tuple(item.text for item in above), in_list=True)
        self.items.append(self.current)
        self.stack.append((indent, self.current))

    def _paragraph(self, line: str, number: int) -> None:
        if self.stack and line[:1].isspace():  # a further paragraph of a list item
            self.current = self.stack[-1][1]
            self.current.text += f"\n\n{line.strip()}"
            return
        self.stack = []
        self.current = self.lead = MarkdownItem(line.strip(), number, self._titles())
        self.items.append(self.current)


def markdown_items(text: str, first_line: int = 1) -> Iterator[MarkdownItem]:
    """Yield the list items and paragraphs of a Markdown text in order. Headings, rules and comments are none."""
    reader = _Reader()
    for number, line in enumerate(without_comments(text).split("\n"), first_line):
        reader.take(line, number)
    yield from reader.items
