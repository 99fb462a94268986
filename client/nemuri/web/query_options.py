"""Options of operations in the query of an address, for the HTTP interface and the window alike."""

import json
from collections.abc import Iterable
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from nemuri.client.operations import is_list, is_mapping, named_values, singular
from nemuri.web.problems import Problem, problem_in

M = TypeVar("M", bound=BaseModel)


def options_in(query: Iterable[tuple[str, str]], kind: type[M]) -> M:
    """Return the options that the pairs of a query give. An option with many values is repeated under the name of one
    (`tag` for `tags`), and named values are written `metadata=NAME=VALUE`.

    Raises `Problem` 422 for an unknown option, for one that is given twice and for a value of another form.
    """
    known = {singular(name, field): (name, field) for name, field in kind.model_fields.items()}
    values = dict[str, list[str]]()
    for parameter, value in query:
        if parameter not in known:
            raise Problem(422, f"there is no query parameter {parameter!r:.80}; there are {', '.join(sorted(known))}")
        values.setdefault(parameter, []).append(value)
    try:
        return kind.model_validate(
            {known[parameter][0]: _value(parameter, known[parameter][1], given) for parameter, given in values.items()}
        )
    except ValidationError as error:
        raise problem_in(error) from error


def _value(parameter: str, field: FieldInfo, given: list[str]) -> Any:
    if is_list(field):
        return given
    if is_mapping(field):
        try:
            return named_values(given, field)
        except ValueError as error:
            raise Problem(422, f"{parameter}: {error}") from error
    if len(given) > 1:
        raise Problem(422, f"{parameter}: it is given {len(given)} times; give it once")
    return literal(given[0], field)


def literal(text: str, field: FieldInfo) -> Any:
    """Return the value of an option: a number or a flag is written as in JSON, anything else is text."""
    if not {int, float, bool}.intersection((field.annotation, *get_args(field.annotation))):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float) else text
