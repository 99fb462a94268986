"""Validation of a module's output. An invalid output makes only this run of the module fail."""

from collections.abc import Mapping
from typing import Any, Final

from orjson import dumps

from nemuri_contracts.world_protocol import Say, action_of
from nemuri_domain.cognition.module import Spec

MAX_CHANGED_BYTES: Final = 262_144
"""Maximum bytes of the changes of one run as JSON. A section is written as one message."""


def check_changes(spec: Spec, changes: Any) -> None:
    """Raise ValueError or TypeError for an invalid output of a module.

    Invalid are changes of undeclared sections, changes that are too large, values that are not JSON, and invalid acts
    or speech.
    """
    if not isinstance(changes, Mapping):
        raise TypeError(f"module {spec.name!r} returned {type(changes).__name__} instead of changes")
    if foreign := sorted(changes.keys() - spec.writes):
        raise ValueError(f"module {spec.name!r} changed undeclared sections: {', '.join(foreign)}")
    size = len(dumps({section: dict(values) for section, values in changes.items()}))
    if size > MAX_CHANGED_BYTES:
        raise ValueError(f"module {spec.name!r} changed {size:,} bytes at once; the limit is {MAX_CHANGED_BYTES:,}")
    for act in changes.get("pending_acts", {}).get("queue") or ():
        _check_act(act)
    if text := changes.get("pending_speech", {}).get("text"):
        Say.model_validate({"text": text})


def _check_act(act: Any) -> None:
    if not isinstance(act, Mapping) or not isinstance(act.get("id"), str):
        raise TypeError("an act in the queue must be an object with an id")
    action_of.validate_python(act.get("act"))
