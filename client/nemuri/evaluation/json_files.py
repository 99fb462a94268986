"""Reading the JSON files of benchmarks, which may be large."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from nemuri.evaluation.benchmark import BenchmarkFileError

_SPACE: Final = " \t\r\n"


@contextmanager
def read_json(path: Path, expected: str) -> Iterator[Iterator[Any]]:
    """Open a file with a JSON list, and yield an iterator over its elements, which decodes one at a time.

    Raises `BenchmarkFileError` with what was `expected` if the file cannot be read, or if its elements, inside the
    context, have another form.
    """
    try:
        yield _elements(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BenchmarkFileError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise BenchmarkFileError(f"{path} is not a file of {expected} ({reason:.120})") from error


def _elements(text: str) -> Iterator[Any]:
    decoder, at = json.JSONDecoder(), _beyond(text, 0, _SPACE)
    if text[at : at + 1] != "[":
        raise ValueError("it is no JSON list")
    at = _beyond(text, at + 1, _SPACE)
    while text[at : at + 1] != "]":
        element, at = decoder.raw_decode(text, at)
        yield element
        at = _beyond(text, at, _SPACE + ",")


def _beyond(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at
