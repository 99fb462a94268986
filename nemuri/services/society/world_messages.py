"""Percepts as messages that a server takes."""

from collections.abc import Iterable, Iterator, Mapping

import orjson

from nemuri.contracts.worlds import ACTS_LIMIT

_END = b"}}"


def packed(second: float, percepts: Mapping[str, bytes], room: int) -> Iterator[tuple[bytes, int]]:
    """The percepts in as few messages of at most `room` bytes as it takes; each with how many are in it.

    A percept that does not fit into a message of its own is in none.
    """
    begin = b'{"second":%s,"percepts":{' % orjson.dumps(second)
    for parts in _shared(_encoded(percepts), room - len(begin) - len(_END)):
        yield begin + b",".join(parts) + _END, len(parts)


def _encoded(percepts: Mapping[str, bytes]) -> Iterator[bytes]:
    for agent_id, percept in percepts.items():
        yield orjson.dumps(agent_id) + b":" + percept


def _shared(parts: Iterable[bytes], room: int) -> Iterator[list[bytes]]:
    together, size = list[bytes](), 0
    for part in parts:
        if len(part) > room:
            continue
        if together and (size + 1 + len(part) > room or len(together) == ACTS_LIMIT):
            yield together
            together, size = [], 0
        size += len(part) + bool(together)
        together.append(part)
    if together:
        yield together
