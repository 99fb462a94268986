"""Reading the files of other products: texts, JSON, JSON lines, directories and ZIP archives."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nemuri.files.documents import InputError, read_bounded

MAX_FILE_BYTES = 512 * 1024 * 1024
"""Maximum size of a file in bytes."""
MAX_DEPTH_ERROR = "it is nested too deeply"


def decode(data: bytes, name: str) -> str:
    """Return the text of a UTF-8 file, without a byte order mark and with `\\n` as the end of each line.

    Raises `InputError` with the line of the first invalid byte.
    """
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: the file is not UTF-8; convert it") from None


def read_text(path: Path) -> str:
    """Return the text of a file. Raises `InputError` if it cannot be read, is too large or is no UTF-8."""
    return decode(read_bounded(path, MAX_FILE_BYTES, "; divide it"), str(path))


def read_json(path: Path) -> Any:
    """Return the value in a JSON file, or the list of values in a file with one JSON value on each line.

    Raises `InputError` with the line at fault.
    """
    return parse_json(read_text(path), str(path))


def parse_json(text: str, name: str) -> Any:
    """Return the value in a JSON text, or the list of the values on its lines. Raises as `read_json` does."""
    if not text.strip():
        raise InputError(f"{name}: the file is empty")
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{name}: {MAX_DEPTH_ERROR}") from None
    except ValueError as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) > 1 and _is_json(lines[0][1]):
            return [_line(line, f"{name}:{number}") for number, line in lines]
        line_number = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise InputError(f"{name}:{line_number}: this is no JSON: {reason}") from None


def records(value: Any, name: str, *lists: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects in a JSON value with their locations: of a list, or of an object's lists with these names.

    Raises `InputError` if the value is neither, has none of the lists, or holds something else than objects.
    """
    if isinstance(value, Mapping):
        found = [(key, value[key]) for key in lists if isinstance(value.get(key), list)]
        if not found:
            raise InputError(f"{name}: expected a list, or an object with a list {' or '.join(lists)}")
    elif isinstance(value, list):
        found = [("record", value)]
    else:
        raise InputError(f"{name}: expected a list of objects, not {_kind(value)}")
    for title, elements in found:
        for number, element in enumerate(elements, 1):
            location = f"{name}, {title} {number}"
            if not isinstance(element, Mapping):
                raise InputError(f"{location}: expected an object, not {_kind(element)}")
            yield location, element


def text_of(record: Mapping[str, Any], name: str, location: str) -> str:
    """Return a text of a record, empty for null. Raises `InputError` if it is missing or something else."""
    if name not in record:
        raise InputError(f"{location}: it has no {name!r}; is this the right format?")
    value = record[name]
    if value is not None and not isinstance(value, str):
        raise InputError(f"{location}: {name} must be a text, not {_kind(value)}")
    return value or ""


def identifier(record: Mapping[str, Any], location: str, *names: str) -> str:
    """Return the id of a record, under the first of the names that it has. Raises `InputError` if it has none."""
    for name in names:
        if isinstance(value := record.get(name), str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    raise InputError(f"{location}: it has no {names[0]!r}; is this the right format?")


def markdown_files(path: Path) -> list[tuple[str, Path]]:
    """Return a Markdown file, or those in a directory and below, by their paths relative to it, in order.

    Hidden files and directories are left out. Raises `InputError` if a directory has none.
    """
    if not path.is_dir():
        return [(path.name, path)]
    found = sorted(
        (relative.as_posix(), path / relative)
        for relative in (file.relative_to(path) for file in path.rglob("*.md"))
        if not any(part.startswith(".") for part in relative.parts)
    )
    if not found:
        raise InputError(f"{path}: there is no Markdown file in this directory")
    return found


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _line(line: str, location: str) -> Any:
    try:
        return json.loads(line)
    except RecursionError:
        raise InputError(f"{location}: {MAX_DEPTH_ERROR}") from None
    except ValueError as error:
        raise InputError(f"{location}: this is no JSON: {getattr(error, 'msg', error)}") from None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
