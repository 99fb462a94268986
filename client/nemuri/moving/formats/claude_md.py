"""CLAUDE.md, AGENTS.md and other Markdown files of instructions: each list item and each paragraph is a memory."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nemuri.moving.foreign_fields import digest, memories
from nemuri.moving.foreign_files import markdown_files, read_text
from nemuri.moving.formats.markdown_lists import front_matter, markdown_items
from nemuri.moving.items import Item, LeftOut

_IMPORT: Final = re.compile(r"@\S+")


def read(path: Path) -> Iterator[Item]:
    """Yield the instructions in a Markdown file, or in all Markdown files of a directory.

    An item that stands below another one, or below a line that ends with a colon, begins with that. Headings are tags.
    An instruction has no id of its own: it is known by its headings and its words, so that one that was changed is
    another one.
    """
    known = set[str]()
    for name, file in markdown_files(path):
        text = read_text(file)
        yaml, skipped = front_matter(text)
        if yaml is not None:
            yield LeftOut("front matter", f"{file}:1")
        body = "\n".join(text.split("\n")[skipped:])
        for item in markdown_items(body, skipped + 1):
            location = f"{file}:{item.line}"
            lines = item.text.split("\n")
            own = "\n".join(line for line in lines if not _IMPORT.fullmatch(line))
            if own != item.text:
                yield LeftOut("an import of another file", location)
            if not own or (item.has_list and own.rstrip().endswith(":")):
                continue  # it says something only together with the items below it, which begin with it
            words = " ".join([*(_lead(lead) for lead in item.leads), own])
            key = digest(*item.headings, words)
            if key in known:
                yield LeftOut("an instruction that stands in the files twice", location)
                continue
            known.add(key)
            yield from memories(key, words, location, tags=item.headings, kind="instruction", metadata={"file": name})


def _lead(text: str) -> str:
    """Return a text that leads to another one, with a colon at its end."""
    return f"{text.rstrip().rstrip(':')}:"
