"""What a reader finds in a file of a test."""

import json
from collections.abc import Iterable
from pathlib import Path

from nemuri.moving.items import ForeignConversation, ForeignMemory, Item, LeftOut
from nemuri.moving.registry import FORMATS


def written(path: Path, content: object) -> Path:
    """Write a text, or a value as JSON, to a file and return its path."""
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(name: str, path: Path) -> list[Item]:
    """Return everything in a file of the format `name`."""
    return [*FORMATS[name].read(path)]


def memories(items: Iterable[Item]) -> list[ForeignMemory]:
    """Return the memories among the items."""
    return [item for item in items if isinstance(item, ForeignMemory)]


def texts(items: Iterable[Item]) -> list[str]:
    """Return the texts of the memories among the items."""
    return [memory.content.content for memory in memories(items)]


def conversations(items: Iterable[Item]) -> list[ForeignConversation]:
    """Return the conversations among the items."""
    return [item for item in items if isinstance(item, ForeignConversation)]


def reasons(items: Iterable[Item]) -> list[str]:
    """Return why things were left out, in order."""
    return sorted(item.reason for item in items if isinstance(item, LeftOut))
