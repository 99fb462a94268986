"""Options of an operation, read from its description in the contracts (docs/decisions/0111)."""

from collections.abc import Iterable
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen
from pydantic.fields import FieldInfo

from nemuri_contracts.client_events import MetadataValue
from nemuri_contracts.event import Options

_LIMITS: Final = {
    Ge: ("ge", "minimum"),
    Gt: ("gt", "exclusiveMinimum"),
    Le: ("le", "maximum"),
    MaxLen: ("max_length", "maxLength"),
}
"""Attributes of limits, and their names in JSON schemas."""


def options_of(model: type[Options]) -> dict[str, FieldInfo]:
    """Return the options of an operation by name: the fields that have a default and a documentation."""
    return {name: field for name, field in model.model_fields.items() if field.description and not field.is_required()}


def bare(annotation: Any) -> Any:
    """Return a type without `Annotated` and without None."""
    if get_origin(annotation) is Annotated:
        return bare(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        [kind] = [argument for argument in get_args(annotation) if argument is not NoneType]
        return bare(kind)
    return annotation


def choices_of(model: type[Options], name: str) -> tuple[Any, ...]:
    """Return the values that an option may have, its default first."""
    field = model.model_fields[name]
    return tuple(sorted(get_args(bare(field.annotation)), key=lambda argument: argument != field.default))


def is_list(field: FieldInfo) -> bool:
    """Return True if an option has any number of values."""
    return get_origin(bare(field.annotation)) is tuple


def is_mapping(field: FieldInfo) -> bool:
    """Return True if an option has any number of named values."""
    return get_origin(bare(field.annotation)) is dict


def singular(name: str, field: FieldInfo) -> str:
    """Return the name of an option where it is repeated for each of its values: `domain` for `domains`."""
    return name.removesuffix("s") if is_list(field) or is_mapping(field) else name


def named_values(texts: Iterable[str], field: FieldInfo) -> dict[str, Any]:
    """Return the value of an option with named values, each written as `NAME=VALUE`.

    A value is a number if it is written as one and the option takes numbers. A name that is given several times has
    the list of its values. Raises ValueError for another form.
    """
    numbers, found = get_args(bare(field.annotation))[1] is MetadataValue, dict[str, Any]()
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name or not value:
            raise ValueError(f"write NAME=VALUE instead of {text!r:.80}")
        read = _number(value) if numbers else value
        if name not in found:
            found[name] = read
        elif numbers:
            several = found[name] if isinstance(found[name], list) else [found[name]]
            found[name] = [str(one) for one in (*several, value)]
        else:
            raise ValueError(f"{name!r:.80} is given twice")
    return found


def _number(text: str) -> float | str:
    try:
        number = float(text)
    except ValueError:
        return text
    return number if isfinite(number) else text


def values_of(request: Options, model: type[Options]) -> dict[str, Any]:
    """Return the options of an operation in a request that may have more fields."""
    return {name: getattr(request, name) for name in model.model_fields}


def limits_of(field: FieldInfo) -> dict[str, Any]:
    """Return the limits of an option by their names in JSON schemas, such as `minimum` and `maxLength`."""
    return {
        name: getattr(limit, attribute)
        for limit in field.metadata
        for kind, (attribute, name) in _LIMITS.items()
        if isinstance(limit, kind)
    }


def documentation_of(field: FieldInfo) -> str:
    """Return the documentation of an option with its limits, in one line."""
    limits, said = limits_of(field), [field.description or ""]
    low, above, high = (limits.get(name) for name in ("minimum", "exclusiveMinimum", "maximum"))
    if low is not None or above is not None:
        least = f"At least {low:,}" if low is not None else f"Above {above:,}"
        said.append(f"{least}." if high is None or high > 10**6 else f"{least}, at most {high:,}.")
    if "maxLength" in limits:
        unit = " characters" if bare(field.annotation) is str else ""
        said.append(f"At most {limits['maxLength']:,}{unit}.")
    return " ".join(said)
