"""Upcasts: pure functions from an older released version of an event to the next version.

The entry `("memory_encoded", 1)` maps that event's JSON object from version 1 to version 2. `upcast` sets the version
number. Entries are never removed, because old events stay in logs.
"""

from collections.abc import Callable, Mapping
from typing import Any

Object = dict[str, Any]
Upcast = Callable[[Object], Object]

UPCASTS: dict[tuple[str, int], Upcast] = {}
"""Upcast by kind and old version. Empty, because no event has changed since its release."""


def upcast(event: Object, upcasts: Mapping[tuple[str, int], Upcast] = UPCASTS) -> Object:
    """Return the event's JSON object after all applicable upcasts. If none applies, return `event` itself."""
    kind, version = event.get("kind"), event.get("version")
    if not isinstance(kind, str) or type(version) is not int:
        return event
    while (upcast := upcasts.get((kind, version))) is not None:
        version += 1
        event = upcast(event) | {"version": version}
    return event
