"""Options of operations: described once in the contracts, and the same in every face."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from nemuri.cli.app import program
from nemuri.cli.command_tree import build_program
from nemuri.client import keyword_types, keywords
from nemuri.client.client import Client
from nemuri.client.keyword_types import keywords_of
from nemuri.client.operations import bare, limits_of, options_of, singular
from nemuri.http_api.openapi import document
from nemuri.mcp_server.server import TOOLS, _tool
from nemuri.window.task_form import option_inputs
from nemuri_contracts import client_events, queries
from nemuri_contracts.colleagues import HandoverWish
from nemuri_contracts.conversations import ConversationOptions
from nemuri_contracts.event import Options
from nemuri_contracts.tiered import Experience

COMPARED = ("type", "enum", "minimum", "exclusiveMinimum", "maximum", "maxLength", "maxItems", "default")
ROOT: Any = build_program(program())


@dataclass(frozen=True)
class Operation:
    """An operation and its name in each face; None where a face does not have it."""

    model: type[Options]
    method: Callable[..., Any] | None = None
    command: str | None = None
    endpoint: str | None = None
    tool: str | None = None


OPERATIONS = (
    Operation(client_events.TaskOptions, Client.submit, "submit", "submit_task", "ask"),
    Operation(client_events.TaskOptions, Client.ask, "ask", "submit_task", "ask"),
    Operation(client_events.FeedbackOptions, Client.feedback, "feedback", "give_feedback", "feedback"),
    Operation(client_events.OptionChoice, endpoint="choose_option"),
    Operation(client_events.MemoryContent, Client.remember, "remember", "store_memory", "remember"),
    Operation(client_events.Setting, Client.memo, None, "show_contents"),
    Operation(HandoverWish, Client.handover, "agent handover"),
    Operation(queries.RecallOptions, Client.recall, "recall", "recall_memories", "recall"),
    Operation(queries.MemoryListOptions, Client.memory_page, None, "list_memories"),
    Operation(queries.MemoryConditions, Client.memories, "memories", "list_memories"),
    Operation(queries.ProfileOptions, Client.profile, "profile", "show_profile", "profile"),
    Operation(ConversationOptions, Client.converse, "converse", "converse", "converse"),
    Operation(queries.TaskListOptions, Client.tasks, None, "list_tasks"),
    Operation(queries.JournalQuery, Client.journal),
    Operation(queries.AffectBriefQuery, Client.affect_brief),
    Operation(queries.AffectListQuery, Client.affect_memories, "affect list"),
    Operation(queries.AffectRecallQuery, Client.affect_recall, "affect recall"),
    Operation(Experience, Client.experience, "tiers record"),
    Operation(queries.TiersRecallQuery, Client.tiers_recall, "tiers recall"),
)
OTHER_MEANING = {
    ("remember", "tool", "project"), ("remember", "command", "project"), ("feedback", "tool", "prevented_error"),
    ("ask", "command", "summary"), ("submit", "command", "summary"), ("feedback", "command", "prevented_error"),
    ("ask", "tool", "agent"), ("recall_memories", "endpoint", "metadata"), ("list_memories", "endpoint", "metadata"),
}  # fmt: skip
"""Options that a face reads in a form of its own: from a file, from the beginning of an id, as the whole scope, or
as NAME=VALUE."""


def test_options_are_the_same_in_every_face() -> None:
    """Find no option whose type, choices, limits or default differ between its description and a face."""
    differences = [
        f"{name} of {face} {operation}: {told} instead of {wanted}"
        for operation, face, name, told, wanted in compared()
        if told != wanted
    ]
    assert differences == []


def compared() -> Iterator[tuple[str, str, str, dict[str, Any], dict[str, Any]]]:
    """Yield each option of each face: what the face says of it, and what the description says of that."""
    for operation in OPERATIONS:
        described = schemas_of(operation.model.model_json_schema())
        for face, name, options in faces(operation):
            for option, told in options.items():
                if option in described and (name, face, option) not in OTHER_MEANING:
                    wanted = described[option]
                    yield name, face, option, told, {key: wanted.get(key) for key in told}


def faces(operation: Operation) -> Iterator[tuple[str, str, dict[str, dict[str, Any]]]]:
    """Yield the faces of an operation: kind of face, name of the operation there, and its options."""
    if operation.method is not None:
        parameters = inspect.signature(operation.method).parameters
        assert keywords_of(operation.model).keys() <= parameters.keys(), "the signature names every option"
        yield (
            "method",
            operation.method.__name__,
            {
                name: {"default": plain(each.default)}
                for name, each in parameters.items()
                if name in options_of(operation.model)
            },
        )
    if operation.command is not None:
        yield "command", operation.command, command_options(operation.command, operation.model)
    if operation.endpoint is not None:
        yield "endpoint", operation.endpoint, endpoint_options(operation.endpoint, operation.model)
    if operation.tool is not None:
        [offered] = [tool for tool in TOOLS if tool.function.__name__ == operation.tool]
        yield "tool", operation.tool, schemas_of(_tool(offered, frozenset()).parameters)


def command_options(path: str, model: type[Options]) -> dict[str, dict[str, Any]]:
    """Return the options of a command: their choices, the limits in its help, and their defaults."""
    command = ROOT
    for word in path.split():
        command = command.commands[word]
    flags = {f"--{singular(name, each).replace('_', '-')}": name for name, each in model.model_fields.items()}
    found = dict[str, dict[str, Any]]()
    for parameter in command.params:
        for flag in flags.keys() & {*parameter.opts}:
            told = {"minimum": parameter.min, "maximum": parameter.max, "default": parameter.default}
            choices = get_args(bare(parameter.type_descriptor.annotation))
            told |= {"enum": [*choices]} if choices and not parameter.multiple else {}
            found[flags[flag]] = {key: value for key, value in told.items() if value not in (None, False)}
    return found


def endpoint_options(name: str, model: type[Options]) -> dict[str, dict[str, Any]]:
    """Return the options of an endpoint as OpenAPI describes them, in its query or its body."""
    described = document()
    [operation] = [
        each for path in described["paths"].values() for each in path.values() if each["operationId"] == name
    ]
    if "requestBody" in operation:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        return schemas_of(described["components"]["schemas"][reference.rpartition("/")[2]])
    names = {singular(each, field): each for each, field in model.model_fields.items()}
    listed = operation["parameters"]
    schema = {names[each["name"]]: each["schema"] for each in listed if each["name"] in names and each["in"] == "query"}
    found = schemas_of({"properties": schema})
    for each in found.values():
        if each["default"] is None:
            del each["default"]  # a query cannot express null
    return found


def schemas_of(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what is compared of each property of a JSON schema."""
    found = dict[str, dict[str, Any]]()
    for name, about in schema["properties"].items():
        kinds = [each for each in about.get("anyOf", ()) if each.get("type") != "null"]
        whole = about | (kinds[0] if len(kinds) == 1 else {})
        found[name] = {key: None if whole.get(key) == {} else whole.get(key) for key in COMPARED}
    return found


def plain(value: Any) -> Any:
    """Return a default as JSON has it."""
    if isinstance(value, Options | client_events.Scope):
        return value.model_dump(mode="json")
    return list(value) if isinstance(value, tuple) else value or None if isinstance(value, dict) else value


def test_the_form_has_the_limits_of_the_options() -> None:
    """Compare the inputs of the form of tasks with the options that have a label."""
    inputs = {each["name"]: each for each in option_inputs(str)}
    labelled = {name: field for name, field in options_of(client_events.TaskOptions).items() if field.title}
    assert inputs.keys() == labelled.keys()
    for name, field in labelled.items():
        assert limits_of(field).items() <= inputs[name].items()
        assert (inputs[name]["type"] == "checkbox") == (bare(field.annotation) is bool)


def test_the_types_of_keyword_arguments_are_current() -> None:
    """Compare the checked-in types with those that `make generate` writes."""
    assert inspect.getsource(keywords) == keyword_types.keyword_types()
    assert Path(str(keywords.__file__)).name == "keywords.py"


def test_every_option_is_documented() -> None:
    """Document every field with a default. What has no documentation, a query carries for the client itself."""
    hidden = {"after", "following", "within", "program", "tool", "request"}
    undocumented = [
        f"{model.__name__}.{name}"
        for model in keyword_types.OPTIONS.values()
        for name, each in model.model_fields.items()
        if not each.is_required() and not each.description and name not in hidden
    ]
    assert undocumented == []
