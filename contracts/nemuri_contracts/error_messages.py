"""Plain messages for invalid input. The only place that translates pydantic's error types."""

from typing import Final

from pydantic_core import ErrorDetails

LISTED: Final = "`nemuri agents` lists all agents"
_PLAIN: Final = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such key; check its spelling",
    "string_type": "write a text",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length:,} characters",
    "string_pattern_mismatch": "it must have the form {pattern}",
    "string_unicode": "the text is not valid Unicode",
    "is_instance_of": "it must be a {class}",
    "path_type": "write a path",
    "callable_type": "it must be a function",
    "time_delta_type": "it must be a timedelta",
    "tuple_type": "write a list",
    "list_type": "write a list",
    "dict_type": "write a mapping",
    "mapping_type": "write a mapping",
    "model_type": "write a mapping",
    "model_attributes_type": "write a mapping",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "finite_number": "write a finite number",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "uuid_type": "write a whole id",
    "uuid_parsing": "write a whole id",
    "datetime_type": "write a date, as 2026-01-31, or with a time, as 2026-01-31T12:00:00Z",
    "datetime_parsing": "write a date, as 2026-01-31, or with a time, as 2026-01-31T12:00:00Z",
    "datetime_from_date_parsing": "write a date, as 2026-01-31, or with a time, as 2026-01-31T12:00:00Z",
    "greater_than": "it must be above {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than": "it must be below {lt}",
    "less_than_equal": "it must be at most {le}",
    "too_short": "at least {min_length}, not {actual_length}",
    "too_long": "at most {max_length:,}, not {actual_length}",
    "literal_error": "it must be {expected}",
    "value_error": "{error}",
    "json_invalid": "no valid JSON: {error}",
    "union_tag_not_found": "the {discriminator} is missing",
    "union_tag_invalid": "unknown {discriminator} {tag!r}",
}
"""Message template by pydantic's error type. The placeholders are pydantic's context values."""

_TOLD_APART: Final[dict[object, str]] = {"'kind'": "kind of event", "'store'": "kind of line"}
"""Name of a union's discriminator in messages, by pydantic's quoted name."""
_TAG: Final = 60
"""Maximum length of a quoted unknown tag, in characters."""


def no_agent(agent_id: str) -> str:
    """Return the message for an unknown agent, with the command that lists agents."""
    return f"there is no agent {agent_id!r}; {LISTED}"


def not_by_use(agent_id: str, memory: str) -> str:
    """Return the message for an agent without strength memory, with the command that shows its memory."""
    command = {"affective": "affect"}.get(memory, "tiers")
    return f"{agent_id} has {memory} memory; see `nemuri {command} {agent_id}`"


def no_feeling(agent_id: str) -> str:
    """Return the message for an id that is not the id of an agent with affective memory."""
    return f"there is no agent {agent_id!r} with affective memory"


def no_tiers(agent_id: str) -> str:
    """Return the message for an id that is not the id of an agent with tiered memory."""
    return f"there is no agent {agent_id!r} with tiered memory"


def plain(fault: ErrorDetails) -> str:
    """Return the message for a validation error, without the location of the value.

    An error type without a template keeps pydantic's message.
    """
    if fault["type"] == "string_too_short" and fault["ctx"]["min_length"] == 1:
        return "it is empty"
    words = _PLAIN.get(fault["type"])
    given = {name: _whole(value) for name, value in fault.get("ctx", {}).items()}
    if "discriminator" in given:
        given |= {"discriminator": _TOLD_APART.get(given["discriminator"], given["discriminator"])}
        given |= {"tag": str(given.get("tag"))[:_TAG]}
    return fault["msg"] if words is None else words.format(**given)


def _whole(value: object) -> object:
    """Return a float without a fraction as an int, and any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
