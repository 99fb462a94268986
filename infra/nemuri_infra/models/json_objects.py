"""Extraction of JSON objects from a model's reply: between sentences, in code fences, or nested."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

_MOST_TRIES: Final = 20


def find_objects(text: str) -> Iterator[Mapping[str, object]]:
    """Yield the JSON objects in a text in order, each followed by the objects directly inside it. Invalid JSON is
    skipped.
    """
    decoder = json.JSONDecoder(strict=False)
    position = text.find("{")
    for _ in range(_MOST_TRIES):
        if position < 0:
            return
        end = position + 1
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield value
            yield from (inner for inner in value.values() if isinstance(inner, dict))
        position = text.find("{", end)


def one_line(value: object, longest: int) -> str:
    """Return a string on one line, cut to `longest` characters, without NUL and lone surrogates; "" for any other
    value.
    """
    if not isinstance(value, str):
        return ""
    whole = value.replace("\0", "").encode("utf-8", "ignore").decode()
    return " ".join(whole.split())[:longest].rstrip()
