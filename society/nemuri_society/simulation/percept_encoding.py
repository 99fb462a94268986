"""Encoding of percepts in messages of limited size.

Each percept is on a separate line, so a host can separate percepts without parsing them; it parses only the third that
agents really read. A message in another layout is parsed whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from nemuri_society.contracts.world_protocol import ACTS_LIMIT

_HEAD, _END, _NEXT = b',"percepts":{\n', b"\n}}", b",\n"
EMPTY_EVENT_FIELDS: Final = (b'"heard":[],', b'"deeds":[],', b'"outcomes":[],', b'"hurt":0,')
"""Substrings that a JSON percept contains if it reports no event. They cannot occur within a JSON string, because its
quotes are escaped.
"""


def pack_percepts(second: float, percepts: Mapping[str, bytes], max_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Yield messages of at most `max_bytes` bytes, each with the number of percepts in it.

    There are as few messages as possible without changing the order. A percept that is too big for a message is
    skipped.
    """
    begin = b'{"second":%s%s' % (orjson.dumps(second), _HEAD)
    for parts in _grouped(_lines(percepts), max_bytes - len(begin) - len(_END)):
        yield begin + _NEXT.join(parts) + _END, len(parts)


def unpack_percepts(data: bytes) -> Iterator[tuple[str, bytes | Mapping[str, Any]]]:
    """Yield the agent id and the percept of each entry in a message. The percepts of `pack_percepts` stay unparsed
    bytes.

    Raises ValueError, LookupError, TypeError or AttributeError for an invalid message.
    """
    _, head, rest = data.partition(_HEAD)
    if not head or not rest.endswith(_END):
        yield from orjson.loads(data)["percepts"].items()
        return
    for line in rest[: -len(_END)].split(_NEXT):
        name, _, percept = line.partition(b":")
        yield orjson.loads(name), percept


def has_no_events(percept: bytes) -> bool:
    """Return True if a percept reports no event: no utterance, no deed, no outcome of an act, no wound."""
    return all(field in percept for field in EMPTY_EVENT_FIELDS)


def _lines(percepts: Mapping[str, bytes]) -> Iterator[bytes]:
    for agent_id, percept in percepts.items():
        yield orjson.dumps(agent_id) + b":" + percept


def _grouped(parts: Iterable[bytes], max_bytes: int) -> Iterator[list[bytes]]:
    group, size = list[bytes](), 0
    for part in parts:
        if len(part) > max_bytes:
            continue
        if group and (size + len(_NEXT) + len(part) > max_bytes or len(group) == ACTS_LIMIT):
            yield group
            group, size = [], 0
        size += len(part) + len(_NEXT) * bool(group)
        group.append(part)
    if group:
        yield group
