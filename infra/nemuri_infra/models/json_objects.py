"""Extraction of JSON objects from a model's reply: between sentences, in code fences, or nested."""

import json
import re
from collections.abc import Container, Iterator, Mapping
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


def cut_list(text: str, name: str) -> list[object] | None:
    """Return the whole values at the beginning of the list under a name, in JSON that may be cut off; None if there is
    no such list.
    """
    found = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text)
    if found is None:
        return None
    decoder, values, position = json.JSONDecoder(strict=False), list[object](), found.end()
    while position < len(text):
        position += len(text) - position - len(text[position:].lstrip(" \t\r\n,"))
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        values.append(value)
    return values


def without_texts(value: object, texts: Container[str]) -> object:
    """Return a JSON value in which each string that is one of `texts` is empty."""
    if isinstance(value, str):
        return "" if value in texts else value
    if isinstance(value, list):
        return [without_texts(element, texts) for element in value]
    if isinstance(value, dict):
        return {name: without_texts(element, texts) for name, element in value.items()}
    return value


def one_line(value: object, longest: int) -> str:
    """Return a string on one line, cut to `longest` characters, without NUL and lone surrogates; "" for any other
    value.
    """
    if not isinstance(value, str):
        return ""
    whole = value.replace("\0", "").encode("utf-8", "ignore").decode()
    return " ".join(whole.split())[:longest].rstrip()
