"""A Sphinx extension that writes the reference pages from the code, before Sphinx reads the sources."""

import ast
import inspect
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

NOTE = "This page is generated from the code."


def setup(app: Any) -> dict[str, Any]:
    """Register the extension."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / "reference" / "generated"))
    app.connect("autodoc-before-process-signature", _plain_types)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _plain_types(_app: Any, function: Any, _bound: bool) -> None:  # noqa: FBT001 - Sphinx passes it so
    """Remove from a function's annotations the metadata that only validators read (`Annotated`)."""
    function = getattr(function, "__func__", function)
    with suppress(Exception):
        plain = get_type_hints(inspect.unwrap(function))
        while function is not None:  # the function and all that it wraps
            function.__annotations__ = plain
            function = getattr(function, "__wrapped__", None)


def write(folder: Path) -> None:
    """Write every generated page into a folder. A page that is up to date keeps its time of change."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"cli": cli(), "settings": settings(), "policies": policies(), "events": events()}
    for name, lines in pages.items():
        text = "\n".join(lines) + "\n"
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def cli() -> Iterator[str]:
    """Return the page of the command line, from the tree of commands that `nemuri` runs."""
    os.environ.setdefault("NEMURI_DATA", "~/.local/share/nemuri")
    from nemuri.cli.app import program
    from nemuri.cli.command_tree import build_program, panels
    from nemuri.cli.man_page import EXIT_CODES

    root = build_program(program())
    yield from ("# Command line", "", NOTE, "", "Every command also takes `--data DIR` and `--verbose`.", "")
    yield from (f"Exit codes: {', '.join(f'{code} {meaning}' for code, meaning in EXIT_CODES.items())}.", "")
    headings = {name: heading for heading, names in panels().items() for name in names}
    shown = ""
    for name, command in root.commands.items():
        if (heading := headings.get(name, "Others")) != shown:
            shown = heading
            yield from (f"## {heading}", "")
        yield from _command(f"nemuri {name}", command)


def _command(path: str, command: Any) -> Iterator[str]:
    if getattr(command, "hidden", False):
        return
    parameters = [each for each in command.params if each.name not in {"data", "verbose", "help"}]
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    options = [each for each in parameters if each.param_type_name == "option" and not getattr(each, "hidden", False)]
    nested = getattr(command, "commands", {})
    words = [path, *(_metavar(each) for each in arguments), *(["[OPTIONS]"] if options else [])]
    yield from (f"### `{path}`", "", _plain(command.help or ""), "")
    if not nested or getattr(command, "invoke_without_command", False):
        yield from ("```text", " ".join(words), "```", "")
    rows = [(_metavar(each), getattr(each, "help", None) or "") for each in arguments]
    rows += [(_option(each), _option_help(each)) for each in options]
    if rows:
        yield from ("| parameter | meaning |", "|---|---|")
        yield from (f"| `{name}` | {_cell(text)} |" for name, text in rows)
        yield ""
    for name, each in nested.items():
        yield from _command(f"{path} {name}" if not arguments else f"{path} {_metavar(arguments[0])} {name}", each)


def _metavar(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name.strip('[]')}]"


def _option(option: Any) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {option.metavar or option.name.upper()}"


def _option_help(option: Any) -> str:
    text = option.help or ""
    default = option.default
    plain = isinstance(default, str | int | float) and not isinstance(default, bool)
    return f"{text} Default: {default}." if plain and getattr(option, "show_default", True) else text


def settings() -> Iterator[str]:
    """Return the page of the settings, with their environment variables."""
    from nemuri_infra.models.provider import environment_variables, installed_providers
    from nemuri_infra.process.extensions import parts
    from nemuri_infra.runtime.settings import Settings

    shown = set[str]()
    yield from ("# Settings", "", NOTE, "", "A process reads its settings from environment variables only.", "")
    yield from ("| variable | type | default | meaning |", "|---|---|---|---|")
    for source in (Settings, *installed_providers().values(), *parts("settings")):
        meanings, variables = _docstrings(source), environment_variables(source)
        for name, field in source.model_fields.items():
            if name not in shown:  # the embedder and a provider may share a key
                kind = f"`{_type(field.annotation)}`{_range(field.metadata)}"
                yield f"| `{variables[name]}` | {kind} | {_default(field)} | {_cell(meanings.get(name, ''))} |"
        shown |= set(source.model_fields)


def policies() -> Iterator[str]:
    """Return the page of the three memories' parameters."""
    from nemuri_domain.affective import policy as affective
    from nemuri_domain.strength import policy as strength
    from nemuri_domain.tiered import policy as tiered

    yield from ("# Policies", "", NOTE, "")
    yield from (
        "A policy is the parameters of one agent's memory. They stand under `policy` in the agent's YAML file.",
        "An event adopts them, so that history can be replayed under others.",
        "",
    )
    for name, module in (("Strength", strength), ("Affective", affective), ("Tiered", tiered)):
        [policy] = [
            each
            for each_name, each in vars(module).items()
            if each_name.endswith("Policy") and isinstance(each, type) and each.__module__ == module.__name__
        ]
        yield from (f"## {name} memory", "", "| parameter | type | default | meaning |", "|---|---|---|---|")
        yield from _parameters(policy)
        yield ""


def _parameters(policy: type[BaseModel], prefix: str = "") -> Iterator[str]:
    meanings = _docstrings(policy)
    for name, field in policy.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _parameters(field.annotation, f"{prefix}{name}.")
            continue
        kind = f"`{_type(field.annotation)}`{_range(field.metadata)}"
        yield f"| `{prefix}{name}` | {kind} | {_default(field)} | {_cell(meanings.get(name, ''))} |"


def events() -> Iterator[str]:
    """Return the page of all events, with their subjects, their fields and the services that know them."""
    from nemuri_contracts.codec import EVENTS
    from nemuri_contracts.event import Event
    from nemuri_contracts.subjects import Subjects
    from nemuri_services.service_registry import SERVICES

    subjects = Subjects("NAMESPACE")
    envelope = set(Event.model_fields)
    yield from ("# Events", "", NOTE, "")
    yield from (
        "Every event has an envelope: `event_id`, `kind`, `version`, `correlation_id` (the task), `causation_id`",
        "(the event that caused it) and `agent_id`. JSON Schemas and an AsyncAPI document lie in `contracts/schemas/`.",
        "",
    )
    for family in ("client", "task", "agent", "operator"):
        yield from (f"## Family `{family}`", "")
        for kind, event in sorted(EVENTS.items()):
            if event.stream != family:
                continue
            senders = ["clients"] if family == "client" else []
            senders += [name for name, each in SERVICES.items() if event in each.emits()]
            readers = [name for name, each in SERVICES.items() if event in each.handlers]
            address = re.sub(r"\{(\w+)\}", lambda part: part[1].upper(), subjects.address(event))
            yield from (f"### `{kind}`", "", _plain(inspect.getdoc(event) or ""), "")
            yield f"- Subject: `{address}`"
            yield f"- Appended by: {', '.join(senders) or 'operators'}"
            yield from (f"- Handled by: {', '.join(readers) or 'projections only'}", "")
            fields = {name: field for name, field in event.model_fields.items() if name not in envelope}
            fields.pop("client_id", None) if family == "client" else None
            if fields:
                meanings = {name: text for each in reversed(event.__mro__) for name, text in _docstrings(each).items()}
                yield from ("| field | type | meaning |", "|---|---|---|")
                for name, field in fields.items():
                    yield f"| `{name}` | `{_type(field.annotation)}` | {_cell(meanings.get(name, ''))} |"
                yield ""


@cache
def _docstrings(owner: type) -> dict[str, str]:
    """Return the strings under the fields of a class, by field."""
    try:
        [tree] = ast.parse(dedent(inspect.getsource(owner))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    found = {}
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for field, text in pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            found[field.target.id] = text.value.value
    return found


def _type(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if kind in (None, NoneType):
        return "None"
    if kind is Ellipsis:
        return "…"
    if origin is None:
        return "secret" if getattr(kind, "__name__", "") == "SecretStr" else getattr(kind, "__name__", str(kind))
    name = getattr(origin, "__name__", str(origin))
    if name == "Literal":
        return ", ".join(map(repr, inner)).replace("'", '"')
    if name == "Annotated":
        return _type(inner[0])
    if name in {"Union", "UnionType"}:
        return " or ".join(_type(each) for each in inner)
    return f"{name}[{', '.join(_type(each) for each in inner)}]"


def _range(metadata: list[Any]) -> str:
    signs = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))
    found = [f"{sign} {getattr(each, name):g}" for each in metadata for name, sign in signs if hasattr(each, name)]
    return f", {', '.join(found)}" if found else ""


def _default(field: Any) -> str:
    if field.default is PydanticUndefined:
        return "required" if field.default_factory is None else "see the text"
    return "none" if field.default in (None, "") else f"`{field.default}`"


def _plain(text: str) -> str:
    """Return prose as Markdown: the braces and brackets of docstrings are no markup."""
    return inspect.cleandoc(text).replace("[", "\\[").replace("<", "\\<")


def _cell(text: str) -> str:
    return " ".join(_plain(text).split()).replace("|", "\\|")
