"""Arguments of tools that are derived from an operation's description in the contracts."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import Field

from nemuri_contracts.event import Options

F = TypeVar("F", bound=Callable[..., Any])


def takes(model: type[Options], *names: str, **notes: str) -> Callable[[F], F]:
    """Give a tool these options of an operation, with their types, limits, defaults and documentation.

    `notes` are further sentences of documentation, by option.

    The tool's function gets them as keyword arguments. A host shows every argument to its model, so that a tool takes
    only the options that an assistant needs.
    """

    def decorate(tool: F) -> F:
        own = [
            parameter
            for parameter in inspect.signature(tool).parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]
        options = [_parameter(name, model, notes.get(name)) for name in names]
        hints = get_type_hints(tool, include_extras=True)
        own = [parameter.replace(annotation=hints[parameter.name]) for parameter in own]
        tool.__signature__ = inspect.Signature([*own, *options], return_annotation=hints["return"])  # type: ignore[attr-defined]
        tool.__annotations__ = (
            {parameter.name: parameter.annotation for parameter in own}
            | {option.name: option.annotation for option in options}
            | {"return": hints["return"]}
        )
        return tool

    return decorate


def _parameter(name: str, model: type[Options], note: str | None) -> inspect.Parameter:
    field = model.model_fields[name]
    about = " ".join(filter(None, (field.description, note)))
    annotation = Annotated[field.annotation, *field.metadata, Field(description=about)]  # type: ignore[name-defined]
    default = field.get_default(call_default_factory=True)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
