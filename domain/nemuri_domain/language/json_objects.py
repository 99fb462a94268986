"""Extraction of JSON objects from a model's reply: fenced, between sentences, nested."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

_MOST_TRIES: Final = 20


def find_objects(text: str) -> Iterator[Mapping[str, object]]:
    """Return the JSON objects in a text in their order, each followed by the objects directly inside it."""
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
    """Return a string on one line with at most `longest` characters, without NUL and lone surrogates; "" for other
    values.
    """
    if not isinstance(value, str):
        return ""
    whole = value.replace("\0", "").encode("utf-8", "ignore").decode()
    return " ".join(whole.split())[:longest].rstrip()
