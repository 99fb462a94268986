"""The maximum size of a key point. All key points of a long document must fit into one event."""

import orjson

POINT_CHARACTERS = 400
POINT_BYTES = 600
"""Maximum bytes of a key point as JSON in UTF-8. A thousand key points with their references fit into one message."""


def capped(point: str) -> str:
    """Return a key point of at most `POINT_CHARACTERS` and `POINT_BYTES`. A shortened one ends in "…"."""
    if len(point) <= POINT_CHARACTERS and _on_the_wire(point) <= POINT_BYTES:
        return point
    cut = point[: POINT_CHARACTERS - 1]
    while _on_the_wire(f"{cut}…") > POINT_BYTES:
        cut = cut[:-1]
    return f"{cut.rstrip()}…"


def _on_the_wire(text: str) -> int:
    return len(orjson.dumps(text)) - len('""')
