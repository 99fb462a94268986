"""JSON schemas that every provider supports, and the check of a value against one.

The strict modes of OpenAI and Anthropic support a part of JSON Schema only: every property is required, no other
property is allowed, and there are no limits of lengths or numbers. These functions build nothing else.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from nemuri_infra.models.chat import Schema

JsonType = Mapping[str, Any]
TEXT: Final[JsonType] = {"type": "string"}
NUMBER: Final[JsonType] = {"type": "number"}
INTEGER: Final[JsonType] = {"type": "integer"}
FLAG: Final[JsonType] = {"type": "boolean"}

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def described(kind: JsonType, description: str) -> JsonType:
    """Return the type with a description for the model."""
    return {**kind, "description": description}


def one_of(*words: str) -> JsonType:
    """Return the type of a string that is one of the words."""
    return {"type": "string", "enum": list(words)}


def listed(kind: JsonType) -> JsonType:
    """Return the type of a list of values of a type."""
    return {"type": "array", "items": dict(kind)}


def optional(kind: JsonType) -> JsonType:
    """Return the type of a value that may be null."""
    return {"anyOf": [dict(kind), {"type": "null"}]}


def record(**properties: JsonType) -> JsonType:
    """Return the type of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": {name: dict(kind) for name, kind in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def closed(name: str, /, **properties: JsonType) -> Schema:
    """Return the schema of an object with exactly these properties. `name` consists of letters, digits and `_`."""
    return Schema(name, json.dumps(record(**properties), ensure_ascii=False))


def mismatch(value: object, kind: JsonType, index: str = "") -> str:
    """Return in one line why a value does not fit a type; "" if it fits. `index` is the name of the value.

    Only what this module builds is checked: types, properties, items, enumerations and null.
    """
    name = index or "the value"
    if "anyOf" in kind:
        reasons = [mismatch(value, option, index) for option in kind["anyOf"]]
        return "" if "" in reasons else reasons[0]
    wanted = str(kind.get("type"))
    if wanted in _TYPES and (
        not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean")
    ):
        return f"{name} must be of type {wanted}"
    if "enum" in kind and value not in kind["enum"]:
        return f"{name} must be one of {', '.join(map(str, kind['enum']))}"
    if isinstance(value, list):
        found = (mismatch(element, kind.get("items", {}), f"{name}[{index}]") for index, element in enumerate(value))
        return next((reason for reason in found if reason), "")
    return _record_mismatch(value, kind, index) if isinstance(value, dict) else ""


def _record_mismatch(value: Mapping[str, object], kind: JsonType, index: str) -> str:
    properties = kind.get("properties", {})
    prefix = f"{index}." if index else ""
    for name in kind.get("required", ()):
        if name not in value:
            return f"{prefix}{name} is missing"
    if kind.get("additionalProperties") is False:
        for name in value:
            if name not in properties:
                return f"{prefix}{name} is unknown; known: {', '.join(properties)}"
    found = (mismatch(element, properties.get(name, {}), f"{prefix}{name}") for name, element in value.items())
    return next((reason for reason in found if reason), "")
