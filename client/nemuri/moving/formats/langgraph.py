"""LangGraph: the items of a store, as `Item.dict()` writes them, in a JSON list or as JSON lines."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from nemuri.files.documents import InputError
from nemuri.moving.foreign_fields import digest, memories, moment
from nemuri.moving.foreign_files import identifier, read_json, records
from nemuri.moving.items import Item

_TEXTS: Final = ("content", "text", "memory", "data")
"""Fields of an item's value that hold its text, in order."""


def read(path: Path) -> Iterator[Item]:
    """Yield the items of a store as memories.

    The namespace becomes the property `namespace`, a list of words. The text of a value is its field `content`, `text`,
    `memory` or `data`, also one level deeper, as LangMem writes it; other fields become properties. A value without
    such a field is one memory with a line for each field.
    """
    for location, record in records(read_json(path), str(path), "items"):
        namespace, value = record.get("namespace"), record.get("value")
        if not isinstance(namespace, list) or not all(isinstance(part, str) for part in namespace):
            raise InputError(f"{location}: it has no 'namespace' that is a list of texts; is this the right format?")
        if not isinstance(value, Mapping):
            raise InputError(f"{location}: it has no 'value' that is an object; is this the right format?")
        key = identifier(record, location, "key")
        text, properties = _text(value)
        yield from memories(
            digest(*namespace, key),
            text,
            location,
            metadata=properties | {"namespace": [part for part in namespace if part.strip()] or None, "key": key},
            said_at=moment(record.get("updated_at") or record.get("created_at"), location),
        )


def _text(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the text of an item's value, and the fields that are no part of it."""
    for name in _TEXTS:
        inner = value.get(name)
        rest = {other: element for other, element in value.items() if other != name}
        if isinstance(inner, str):
            return inner, rest
        if isinstance(inner, Mapping):
            deeper = next((field for field in _TEXTS if isinstance(inner.get(field), str)), None)
            if deeper is not None:
                return inner[deeper], rest | {other: inner[other] for other in inner if other != deeper}
    lines = (f"{name.replace('_', ' ')}: {_written(element)}" for name, element in value.items() if element is not None)
    return "\n".join(lines), {}


def _written(element: object) -> str:
    return element if isinstance(element, str) else json.dumps(element, ensure_ascii=False)
