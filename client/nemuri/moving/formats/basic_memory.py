"""Basic Memory: notes in Markdown with front matter, observations and relations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from nemuri.files.documents import InputError
from nemuri.files.yaml_files import parse_yaml
from nemuri.moving.foreign_fields import digest, memories, moment
from nemuri.moving.foreign_files import markdown_files, read_text
from nemuri.moving.formats.markdown_lists import MarkdownItem, front_matter, markdown_items
from nemuri.moving.items import Item, LeftOut

_OBSERVATION: Final = re.compile(r"\[([^\[\]()]+)\]\s+(.+)", re.DOTALL)
_NO_CATEGORY: Final = re.compile(r"[\d:.,\s-]*|[xX]|[^\w]")
"""Times of a transcript and marks of tasks stand in brackets too, and are no categories."""
_RELATION: Final = re.compile(r"(?:\"([^\"]+)\"|'([^']+)'|(\S+))\s+\[\[([^\[\]]+)\]\](?:\s*\(([^()]*)\))?")
_CONTEXT: Final = re.compile(r"(.*\S)\s*\(([^()]*)\)", re.DOTALL)
_TAG: Final = re.compile(r"(?<!\S)#([^\s#]+)")
_KINDS: Final = ("fact", "preference", "plan", "event", "instruction")
"""Categories of observations that are kinds of memories."""


@dataclass(frozen=True, slots=True)
class _Note:
    name: str
    """Its permalink, or its path."""
    title: str
    tags: tuple[object, ...]
    kind: str | None
    created: datetime | None


def read(path: Path) -> Iterator[Item]:
    """Yield the observations, the relations and the prose of a note, or of all notes in a directory.

    All of a note are parts of one conversation, whose name is the permalink, so that they help each other to be found,
    and its title is their subject. A part has no id of its own: it is known by its note and its words.
    """
    for name, file in markdown_files(path):
        text = read_text(file)
        note, skipped = _note(text, name, file)
        items = [*markdown_items("\n".join(text.split("\n")[skipped:]), skipped + 1)]
        known = set[str]()
        for position, item in enumerate(items):
            if item.has_list and item.text.endswith(":"):
                continue
            key = digest(note.name, *item.leads, item.text)
            if key in known:
                yield LeftOut("a line that stands in its note twice", f"{file}:{item.line}")
            else:
                known.add(key)
                yield from _part(item, note, key, position, f"{file}:{item.line}")


def _note(text: str, name: str, file: Path) -> tuple[_Note, int]:
    written, skipped = front_matter(text)
    found = parse_yaml(written, str(file), InputError, before=1) if written else {}
    about: Mapping[str, Any] = found if isinstance(found, dict) else {}
    tags = about.get("tags") or ()
    listed = [tag.strip() for tag in tags.split(",")] if isinstance(tags, str) else tags
    created = about.get("created") or about.get("date")
    return (
        _Note(
            name=_word(about.get("permalink")) or name.removesuffix(".md"),
            title=_word(about.get("title")) or file.stem,
            tags=tuple(word for tag in listed if (word := _word(tag))) if isinstance(listed, list | tuple) else (),
            kind=_word(about.get("type")),
            created=moment(created if isinstance(created, datetime) else _word(created), f"{file}:1"),
        ),
        skipped,
    )


def _word(value: object) -> str | None:
    """Return a word or a number of the front matter as a text; None for anything else."""
    return str(value).strip() or None if isinstance(value, str | int | float | date) else None


def _part(item: MarkdownItem, note: _Note, key: str, position: int, location: str) -> Iterator[Item]:
    about: dict[str, Any] = {
        "subject": note.title,
        "said_at": note.created,
        "turn": {"conversation": note.name, "position": position},
    }
    metadata: dict[str, object] = {"note": note.name, "type": note.kind}
    tags = [*note.tags, *(tag for tag in _TAG.findall(item.text) if tag not in note.tags)]
    relation = _RELATION.fullmatch(item.text) if item.in_list else None
    observation = None if relation else _observed(item)
    if relation is not None:
        *kinds, target, context = relation.groups()
        kind = next(filter(None, kinds))
        words = f"{note.title} {kind.replace('_', ' ')} {target}" + (f" ({context})" if context else "")
        metadata |= {"relation": kind, "target": target}
    elif observation is not None:
        category, words, context = observation
        metadata |= {"category": category, "context": context}
        if category.casefold() in _KINDS:
            about["kind"] = category.casefold()
    else:
        words = " ".join([*(f"{lead.rstrip().rstrip(':')}:" for lead in item.leads), item.text])
    yield from memories(key, words, location, tags=tags, metadata=metadata, **about)


def _observed(item: MarkdownItem) -> tuple[str, str, str | None] | None:
    """Return category, text and context of an observation; None if the item is none."""
    match = _OBSERVATION.fullmatch(item.text) if item.in_list else None
    if match is None or _NO_CATEGORY.fullmatch(match[1].strip()):
        return None
    context = _CONTEXT.fullmatch(match[2])
    return (match[1].strip(), context[1], context[2]) if context else (match[1].strip(), match[2].strip(), None)
