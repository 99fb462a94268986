"""Options of commands that are derived from an operation's description in the contracts."""

import inspect
from collections.abc import Callable, Container, Mapping
from datetime import datetime
from functools import wraps
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin

import typer
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import Session, storable
from nemuri.client.operations import bare, is_list, is_mapping, limits_of, named_values, options_of, singular
from nemuri_contracts.client_events import Setting
from nemuri_contracts.error_messages import plain
from nemuri_contracts.event import Moment, Options

F = TypeVar("F", bound=Callable[..., None])
_METAVARS: Final = {int: "N", float: "N", str: "TEXT"}
_MAX_SHOWN_LIMIT: Final = 10**6
"""Higher limits are not shown in the help, only checked."""
_MOMENT: Final[TypeAdapter[datetime]] = TypeAdapter(Moment, config=ConfigDict(defer_build=True))
_FROM_SETTINGS: Final = {"project": "NEMURI_PROJECT", "domains": "NEMURI_DOMAINS"}
"""Options of a setting that come from the environment if the command line has none."""


def takes(model: type[Options], *, without: Container[str] = ()) -> Callable[[F], F]:
    """Give a command the options of an operation, except those `without` and those that its function names itself.

    The function gets the values that were given as keyword arguments, checked. A project and domains that are missing
    come from the settings. Raises `WrongUse` with one line if an option is invalid.
    """

    def decorate(command: F) -> F:
        signature = inspect.signature(command)
        own = {
            name: parameter
            for name, parameter in signature.parameters.items()
            if parameter.kind is not parameter.VAR_KEYWORD
        }
        options = {
            name: field
            for name, field in options_of(model).items()
            if name not in own and name not in without and _is_shown(field)
        }
        texts = [name for name in own if name in model.model_fields and model.model_fields[name].is_required()]

        @wraps(command)
        def call(context: typer.Context, **given: Any) -> None:
            given = {
                name: argument
                for name, argument in given.items()
                if name not in options or argument not in (None, (), [])
            }
            given |= _read({name: (options[name], given[name]) for name in options if name in given})
            _check(model, {name: given[name] for name in (*options, *texts) if name in given})
            if issubclass(model, Setting):
                project, domains = Session.of(context).setting(given.get("project"), given.get("domains"))
                given |= {"project": project, "domains": domains}
            command(context, **given)

        parameters = sorted(
            [*own.values(), *(_parameter(model, *option) for option in options.items())], key=_is_optional
        )
        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {"return": None}
        return call  # type: ignore[return-value]

    return decorate


def _is_shown(field: FieldInfo) -> bool:
    """Return True if a value can be written on the command line."""
    kind = bare(field.annotation)
    value = bare(get_args(kind)[0]) if is_list(field) else kind
    return value in {str, int, float, bool, datetime} or get_origin(value) in {Literal, dict}


def _is_optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not parameter.empty


def _parameter(model: type[Options], name: str, field: FieldInfo) -> inspect.Parameter:
    """Return the parameter from which typer makes an option of an operation."""
    many, kind = is_list(field) or is_mapping(field), bare(field.annotation)
    limits = {name: limit for name, limit in limits_of(field).items() if limit <= _MAX_SHOWN_LIMIT}
    metavar = "TIME" if kind is datetime else "NAME=VALUE" if is_mapping(field) else _METAVARS.get(kind)
    kind = str if many or kind is datetime else kind  # typer reads texts and lists of texts; the model checks them
    source = f" Default: {_FROM_SETTINGS[name]}." if issubclass(model, Setting) and name in _FROM_SETTINGS else ""
    option = typer.Option(
        flag_of(name, field),
        metavar=metavar or _METAVARS.get(kind),
        help=(field.description or "") + (" Repeatable." if many else "") + source,
        min=None if many else limits.get("minimum"),
        max=None if many else limits.get("maximum"),
        show_default=not many and field.default not in (None, False),
    )
    absent = None if many or field.default is None else field.default
    annotation = list[kind] if many else kind  # type: ignore[valid-type]
    annotation = annotation if absent is not None else annotation | None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=absent, annotation=Annotated[annotation, option]
    )


def flag_of(name: str, field: FieldInfo) -> str:
    """Return the name of an option on the command line, such as `--budget-tokens`."""
    return f"--{singular(name, field).replace('_', '-')}"


def _read(given: Mapping[str, tuple[FieldInfo, Any]]) -> dict[str, Any]:
    """Return the values of times and of named values. Raises `WrongUse` with one line."""
    found = dict[str, Any]()
    for name, (field, value) in given.items():
        try:
            if is_mapping(field):
                found[name] = named_values(value, field)
            elif bare(field.annotation) is datetime:
                found[name] = _MOMENT.validate_python(value)
        except ValidationError as error:
            raise WrongUse(f"{flag_of(name, field)}: {plain(error.errors(include_url=False)[0])}") from None
        except ValueError as error:
            raise WrongUse(f"{flag_of(name, field)}: {error}") from None
    return found


def _check(model: type[Options], given: dict[str, Any]) -> None:
    """Raise `WrongUse` with one line unless the operation takes these values."""
    for name, value in given.items():
        field = model.model_fields[name]
        label = name.upper() if field.is_required() else flag_of(name, field)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                storable(**{label: text})
    try:
        model.model_validate(given)
    except ValidationError as error:
        faults = [problem for problem in error.errors(include_url=False) if problem["type"] != "missing"]
        if not faults:
            return
        fault = faults[0]
        name = str(fault["loc"][0]) if fault["loc"] else ""
        label = f"{flag_of(name, model.model_fields[name])}: " if name else ""
        raise WrongUse(f"{label}{plain(fault)}") from None
