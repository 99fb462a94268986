"""Generator of the bus documentation: an AsyncAPI document, and a JSON Schema for every event, query and answer.

    python -m nemuri.platform.api_schemas contracts/schemas

Everything is derived: subjects from the contracts, schemas from the events, publishers and consumers from the services.
"""

import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args, get_type_hints

import yaml
from pydantic import BaseModel, TypeAdapter

from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import ClientEvent, Event
from nemuri_contracts.memory_views import RetriedView
from nemuri_contracts.queries import Command, Query, Refusal, RetryEvent
from nemuri_contracts.subjects import PARTITIONS, Subjects
from nemuri_contracts.task_views import TaskResult
from nemuri_infra.bus.event_decoding import RECORDED_AT
from nemuri_infra.bus.event_log import MESSAGE_ID
from nemuri_services.service_registry import SERVICES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SUBJECTS = Subjects("{namespace}")
PARAMETERS: dict[str, dict[str, Any]] = {
    "namespace": {"description": "The namespace of the platform.", "default": "nemuri"},
    "client": {"description": "Name of the client: 1 to 64 letters, digits, `_` and `-`, as the permissions allow."},
    "partition": {
        "description": f"CRC-32 of the task's or the agent's id, modulo {PARTITIONS}; subscribe with `*` instead."
    },
    "agent": {"description": "The agent's id."},
    "conversation": {"description": "The conversation's id, derived from its client, its agent and its name."},
    "service": {"description": "A service.", "enum": list(SERVICES)},
    "sequence": {"description": "Stream sequence of the event that the message is about."},
    "task": {"description": "The task's id, which is the event id of its `task_submitted`."},
}
ABOUT = """\
All events are in one append-only JetStream stream. A client publishes the event kinds of the subject family `client`,
each on a subject that contains the client's own name. The client chooses the event's id (a UUID of another version than
5) and sends it as `event_id` and as the header `Nats-Msg-Id`; an event that is published again under the same id counts
once. An event is stored when the server has acknowledged it. The result of a task appears in a key-value store under
the task's id and is updated there; a watch of this key yields each change. Queries are request and reply messages and
are not stored. Every message is one JSON value in UTF-8.
"""


class _Plain(yaml.SafeDumper):
    """A YAML dumper without anchors and aliases, which not every reader supports."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - whatever it is
        return True


def documents() -> dict[str, str]:
    """Return the text of every document, by path."""
    found = {f"events/{kind}.json": json_text(_schema(event)) for kind, event in EVENTS.items()}
    for query, answer in _questions().values():
        found[f"questions/{query.name}.json"] = json_text(_schema(query))
        found[f"answers/{answer.__name__}.json"] = json_text(_schema(answer))
    for plain in (TaskResult, Refusal):
        found[f"answers/{plain.__name__}.json"] = json_text(_schema(plain))
    return {"asyncapi.yaml": yaml_text(asyncapi()), **dict(sorted(found.items()))}


def asyncapi() -> dict[str, Any]:
    """Return the description of the bus in AsyncAPI 3."""
    return described("Nemuri", ABOUT, dict(_channels()), dict(_operations()), dict(_messages()))


def described(
    title: str, about: str, channels: dict[str, Any], operations: dict[str, Any], messages: dict[str, Any]
) -> dict[str, Any]:
    """Return an AsyncAPI 3 document with these parts, each by name."""
    return {
        "asyncapi": "3.0.0",
        "info": {"title": title, "version": version("nemuri"), "description": about},
        "defaultContentType": "application/json",
        "servers": {"nats": {"host": "127.0.0.1:4222", "protocol": "nats", "description": "NATS with JetStream."}},
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages},
    }


def _channels() -> Iterator[tuple[str, dict[str, Any]]]:
    for kind, event in EVENTS.items():
        yield kind, channel(SUBJECTS.address(event), event, kind)
    for name, (query, _) in _questions().items():
        address = SUBJECTS.query(f"{name}.{{service}}" if query is RetryEvent else name)
        yield f"ask_{name}", channel(address, query, f"ask_{name}")
        answers = {f"answer_{name}": message(f"answer_{name}"), "refusal": message("refusal")}
        yield f"told_{name}", {"address": None, "summary": "Reply inbox of the client.", "messages": answers}
    yield "result", channel(SUBJECTS.result("{task}"), TaskResult, "result")
    yield "dead_letter", channel(SUBJECTS.dead("{service}", "{sequence}"), None, "dead_letter")


def channel(
    address: str, about: type[BaseModel] | None, name: str, parameters: Mapping[str, dict[str, Any]] = PARAMETERS
) -> dict[str, Any]:
    """Return the channel of an address with one message. `parameters` describe the variable parts of addresses."""
    named = {part: parameters[part] for part in parameters if f"{{{part}}}" in address}
    summary = {"summary": _line(about)} if about else {"summary": "The original message of a dead letter."}
    return {"address": address, **summary, "messages": {name: message(name)}, "parameters": named}


def message(name: str) -> dict[str, str]:
    """Return a reference to a message."""
    return {"$ref": f"#/components/messages/{name}"}


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for service in SERVICES.values():
        for event in service.handlers:
            yield operation(service.name, "receive", event.kind_of())
        for kind in sorted(event.kind_of() for event in service.emits()):
            yield operation(service.name, "send", kind)
        if service.handlers:
            yield operation(service.name, "send", "dead_letter")
        for query, _ in service.query_topics():
            name, told = operation(service.name, "receive", f"ask_{query.name}")
            channel = {"$ref": f"#/channels/told_{query.name}"}
            yield name, {**told, "reply": {"address": {"location": "$message.header#/reply"}, "channel": channel}}
    yield operation("query-api", "send", "result")


def operation(name: str, action: str, address: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the description of an operation of a process on the channel `address`."""
    return f"{name}_{action}s_{address}", {"action": action, "channel": {"$ref": f"#/channels/{address}"}}


def _messages() -> Iterator[tuple[str, dict[str, Any]]]:
    for kind, event in EVENTS.items():
        headers = _headers(recorded=True, named=issubclass(event, ClientEvent))
        yield kind, {**message_fields(event, f"events/{kind}.json"), "headers": headers}
    for name, (query, answer) in _questions().items():
        yield f"ask_{name}", message_fields(query, f"questions/{name}.json")
        yield f"answer_{name}", message_fields(answer, f"answers/{answer.__name__}.json")
    yield "refusal", message_fields(Refusal, "answers/Refusal.json")
    yield "result", message_fields(TaskResult, "answers/TaskResult.json")
    yield "dead_letter", {"summary": "The bytes of the original message.", "contentType": "application/octet-stream"}


def message_fields(about: type[BaseModel], path: str) -> dict[str, Any]:
    """Return the description of a message whose schema is in the file `path`."""
    return {"name": about.__name__, "summary": _line(about), "payload": {"$ref": f"./{path}"}}


def _headers(*, recorded: bool, named: bool) -> dict[str, Any]:
    told = {
        MESSAGE_ID: {"type": "string", "format": "uuid", "description": "The event's id."},
        "traceparent": {"type": "string", "description": "W3C trace context of the event."},
    }
    if recorded:
        told[RECORDED_AT] = {"type": "string", "format": "date-time", "description": "Only for imported events."}
    return {"type": "object", "properties": told, "required": [MESSAGE_ID] if named else []}


def _questions() -> dict[str, tuple[type[Query], type[BaseModel]]]:
    """Return every query by name, with the type of its answer."""
    found: dict[str, tuple[type[Query], type[BaseModel]]] = {RetryEvent.name: (RetryEvent, RetriedView)}
    for service in SERVICES.values():
        for query, answering in service.query_handlers.items():
            said = get_type_hints(answering)["return"]
            [answer] = [argument for argument in get_args(said) or (said,) if argument is not Refusal]
            found[query.name] = (query, get_args(answer)[0] if issubclass(query, Command) else answer)
    return dict(sorted(found.items()))


def _schema(about: type[BaseModel]) -> dict[str, Any]:
    said_by_clients = issubclass(about, Query | ClientEvent)  # Clients may leave out fields with a default.
    whole = TypeAdapter(about).json_schema(mode="validation" if said_by_clients else "serialization")
    for name in ("recorded_at", "sequence", "client_id") if issubclass(about, Event) else ():
        whole["properties"].pop(name, None)  # Taken from the log, and never part of a message.
    return {"$schema": DIALECT} | whole


def _line(about: type[BaseModel]) -> str:
    return (inspect.getdoc(about) or about.__name__).splitlines()[0]


def json_text(value: Mapping[str, Any]) -> str:
    """Return a schema as the text of its file."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def yaml_text(value: Mapping[str, Any]) -> str:
    """Return an AsyncAPI document as the text of its file."""
    return yaml.dump(value, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120)


def write(folder: Path, wanted: Mapping[str, str]) -> None:
    """Write documents, by path, into a folder, and delete JSON files there that are not among them."""
    for name, text in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in folder.rglob("*.json"):
        if path.relative_to(folder).as_posix() not in wanted:
            path.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m nemuri.platform.api_schemas FOLDER")
    write(Path(sys.argv[1]), documents())
