"""Nemuri's own Markdown: what `nemuri export --format markdown` writes, for people to read and to edit.

Each memory is a list item. What else is known of it stands as JSON in a comment on its last line.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from nemuri.files.documents import InputError
from nemuri.moving.foreign_files import read_text
from nemuri.moving.formats.jsonl import AgentLine, MemoryLine, memory_of
from nemuri.moving.items import ForeignAgent, Item
from nemuri_contracts.codec import validation_message

_BULLET, _INDENT = "- ", "  "
_OPEN, _CLOSE = "<!-- ", " -->"
_AGENT: Final = "<!-- agent "


def write(agent: str, lines: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a Markdown file with the objects of an export in JSON lines."""
    yield f"# Memories of {agent}"
    yield ""
    for line in lines:
        if "agent" in line:
            yield f"{_AGENT}{_json(line['agent'])}{_CLOSE}"
            yield ""
            continue
        content = str(line["content"])
        about = {name: value for name, value in line.items() if name != "content" or "\r" in content}
        first, *rest = content.replace("\r", " ").split("\n")
        yield _BULLET + first
        yield from (_INDENT + further for further in rest)
        if about or _is_comment(rest[-1] if rest else first):
            yield f"{_INDENT}{_OPEN}{_json(about)}{_CLOSE}"


def read(path: Path) -> Iterator[Item]:
    """Yield the memories in such a file. Headings and empty lines between items are for the reader only.

    Raises `InputError` with the line at fault.
    """
    repeated = Counter[str]()
    item, begin, blank, found = list[str](), 0, 0, False
    for number, line in enumerate([*read_text(path).split("\n"), _BULLET], 1):
        if item and line.startswith(_INDENT):
            item += [*[""] * blank, line.removeprefix(_INDENT)]
            blank = 0
            continue
        if item and not line:  # part of the memory if it goes on below; many editors remove the spaces of such a line
            blank += 1
            continue
        if item:
            yield _memory(item, f"{path}:{begin}", repeated)
            item, blank, found = [], 0, True
        if line.startswith(_BULLET):
            item, begin = [line.removeprefix(_BULLET)], number
        elif line.startswith(_AGENT) and line.endswith(_CLOSE):
            yield _agent(line, f"{path}:{number}")
        elif line.strip() and not line.startswith("#"):
            raise InputError(f"{path}:{number}: expected a list item that begins with '- ', or a further line of one")
    if not found:
        raise InputError(f"{path}: there is no list item in this file")


def _memory(item: list[str], location: str, repeated: Counter[str]) -> Item:
    about: object = {}
    if _is_comment(item[-1]) and len(item) > 1:
        try:
            about = json.loads(item.pop()[len(_OPEN) : -len(_CLOSE)])
        except (ValueError, RecursionError):
            raise InputError(f"{location}: the comment below the memory is no JSON") from None
    if not isinstance(about, dict):
        raise InputError(f"{location}: the comment below the memory is no JSON object")
    try:
        line = MemoryLine.model_validate_json(json.dumps({"content": "\n".join(item)} | about))
    except ValidationError as error:
        raise InputError(f"{location}: {validation_message(error)}") from error
    return memory_of(line, location, repeated)


def _agent(line: str, location: str) -> ForeignAgent:
    try:
        return ForeignAgent(AgentLine.model_validate_json(f'{{"agent":{line[len(_AGENT) : -len(_CLOSE)]}}}').agent)
    except ValidationError as error:
        raise InputError(f"{location}: {validation_message(error)}") from error


def _is_comment(line: str) -> bool:
    return line.startswith(_OPEN) and line.endswith(_CLOSE)


def _json(value: object) -> str:
    """Return a value as JSON that ends no comment."""
    return json.dumps(value, ensure_ascii=False).replace("-->", "--\\u003e")
