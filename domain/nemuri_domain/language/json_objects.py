"""JSON objects that a model wrote among other words: fenced, between sentences, nested."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

_MOST_TRIES: Final = 20


def objects(text: str) -> Iterator[Mapping[str, object]]:
    """The JSON objects in a text in their order, each followed by those directly within it; prose is passed over."""
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
    """A string of a reply in one line of so many characters, without NUL and halves of characters; empty for others."""
    if not isinstance(value, str):
        return ""
    whole = value.replace("\0", "").encode("utf-8", "ignore").decode()
    return " ".join(whole.split())[:longest].rstrip()
