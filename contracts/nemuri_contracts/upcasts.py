"""Released versions of events that are no longer said, lifted to those that are: pure, one version at a time.

An entry `("memory_encoded", 1)` makes of that event's JSON object in version 1 the object in version 2; its version is
raised for it. An entry stays for ever, for what it lifts lies in logs for ever.
"""

from collections.abc import Callable, Mapping
from typing import Any

Object = dict[str, Any]
Upcast = Callable[[Object], Object]

UPCASTS: dict[tuple[str, int], Upcast] = {}
"""By kind and by the version that is lifted; no event has changed since its release."""


def lifted(event: Object, upcasts: Mapping[tuple[str, int], Upcast] = UPCASTS) -> Object:
    """The event's JSON object in the newest version that upcasts lead to; the same object where none applies."""
    kind, version = event.get("kind"), event.get("version")
    if not isinstance(kind, str) or type(version) is not int:
        return event
    while (upcast := upcasts.get((kind, version))) is not None:
        version += 1
        event = upcast(event) | {"version": version}
    return event
