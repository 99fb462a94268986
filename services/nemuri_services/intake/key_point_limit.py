"""How long a key point may be, so that those of a long document fit the one event that joins them."""

import orjson

POINT_CHARACTERS = 400
POINT_BYTES = 600
"""As JSON in UTF-8: a thousand points and their references stay below what one message may have."""


def capped(point: str) -> str:
    """A key point of at most `POINT_CHARACTERS` characters and `POINT_BYTES` bytes; one that was cut ends in "…"."""
    if len(point) <= POINT_CHARACTERS and _on_the_wire(point) <= POINT_BYTES:
        return point
    cut = point[: POINT_CHARACTERS - 1]
    while _on_the_wire(f"{cut}…") > POINT_BYTES:
        cut = cut[:-1]
    return f"{cut.rstrip()}…"


def _on_the_wire(text: str) -> int:
    return len(orjson.dumps(text)) - len('""')
