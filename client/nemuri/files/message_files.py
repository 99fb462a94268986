"""Files of messages: a JSON list, an object with `messages`, or one JSON message on each line."""

import sys
from pathlib import Path
from typing import Any

import orjson

from nemuri.files.documents import InputError, read_bounded

MAX_BYTES = 256 * 1024 * 1024
"""Maximum size of a file of messages."""


def read_message_file(path: Path) -> list[Any]:
    """Return the messages in a file, or in the standard input for `-`. Raises `InputError` with the line at fault."""
    if str(path) == "-":
        data, name = sys.stdin.buffer.read(MAX_BYTES + 1), "the standard input"
        if len(data) > MAX_BYTES:
            raise InputError(f"{name} is larger than {MAX_BYTES // 1024**2} MiB; divide it")
    else:
        data, name = read_bounded(path, MAX_BYTES, "; divide it"), str(path)
    if not data.strip():
        raise InputError(f"{name} is empty; write messages as JSON")
    try:
        return _listed(orjson.loads(data), name)
    except orjson.JSONDecodeError:
        return [
            _message(line, f"{name}, line {number}") for number, line in enumerate(data.splitlines(), 1) if line.strip()
        ]


def _listed(value: Any, name: str) -> list[Any]:
    found = value.get("messages", value) if isinstance(value, dict) else value
    if isinstance(found, dict):
        return [found]
    if not isinstance(found, list):
        raise InputError(f"{name} must hold a list of messages, or one message on each line")
    return found


def _message(line: bytes, place: str) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{place} is no JSON: {error}") from None
