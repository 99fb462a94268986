"""Percepts as messages that a server takes, and the percepts in messages.

Each percept stands on a line of its own, so that a host finds them without reading them: of three in a second it looks
at one. A message that is laid out otherwise is read as a whole, and is as good.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from nemuri_contracts.world_protocol import ACTS_LIMIT

_HEAD, _END, _NEXT = b',"percepts":{\n', b"\n}}", b",\n"
CALM: Final = (b'"heard":[],', b'"outcomes":[],', b'"hurt":0,')
"""What stands in a percept that tells nothing that happens once; within a string the quotes would be escaped."""


def packed(second: float, percepts: Mapping[str, bytes], room: int) -> Iterator[tuple[bytes, int]]:
    """The percepts in as few messages of at most `room` bytes as it takes; each with how many are in it.

    A percept that does not fit into a message of its own is in none.
    """
    begin = b'{"second":%s%s' % (orjson.dumps(second), _HEAD)
    for parts in _shared(_encoded(percepts), room - len(begin) - len(_END)):
        yield begin + _NEXT.join(parts) + _END, len(parts)


def unpacked(data: bytes) -> Iterator[tuple[str, bytes | Mapping[str, Any]]]:
    """Of each agent its percept, as the bytes that it still is where `packed` laid the message out.

    Raises ValueError, and others that a strange form raises, for what is no such message.
    """
    _, head, rest = data.partition(_HEAD)
    if not head or not rest.endswith(_END):
        yield from orjson.loads(data)["percepts"].items()
        return
    for line in rest[: -len(_END)].split(_NEXT):
        name, _, percept = line.partition(b":")
        yield orjson.loads(name), percept


def calm(percept: bytes) -> bool:
    """Whether nothing in it can wait for nobody: no words, no outcomes, no wounds."""
    return all(each in percept for each in CALM)


def _encoded(percepts: Mapping[str, bytes]) -> Iterator[bytes]:
    for agent_id, percept in percepts.items():
        yield orjson.dumps(agent_id) + b":" + percept


def _shared(parts: Iterable[bytes], room: int) -> Iterator[list[bytes]]:
    together, size = list[bytes](), 0
    for part in parts:
        if len(part) > room:
            continue
        if together and (size + len(_NEXT) + len(part) > room or len(together) == ACTS_LIMIT):
            yield together
            together, size = [], 0
        size += len(part) + len(_NEXT) * bool(together)
        together.append(part)
    if together:
        yield together
