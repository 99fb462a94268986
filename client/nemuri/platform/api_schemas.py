"""Generator of the bus documentation: an AsyncAPI document, and a JSON Schema for every event, query and answer.

It also writes a JSON Schema for every action and every message of the protocol between agent hosts and worlds.

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
from nemuri_contracts.queries import Query, Refusal, RetryQuery
from nemuri_contracts.society import HostHealthReport
from nemuri_contracts.subjects import PARTITIONS, Subjects
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.world_protocol import ACTIONS, MESSAGES, Acts, Joined, Joining, Percepts
from nemuri_infra.bus.event_log import MESSAGE_ID, RECORDED_AT
from nemuri_infra.runtime.service import Service
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
    "service": {"description": "A service.", "enum": list(SERVICES)},
    "society": {"description": "A society's name."},
    "host": {"description": "Host of the simulation, by the name with which it joined."},
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


SOCIETY: dict[str, tuple[str, type[BaseModel]]] = {
    "joining": (SUBJECTS.joining("{society}"), Joining),
    "acts": (SUBJECTS.acts("{society}"), Acts),
    "percepts": (SUBJECTS.percepts("{society}", "{host}"), Percepts),
    "vitals": (SUBJECTS.vitals("{society}", "{host}"), HostHealthReport),
}
"""Messages between agent hosts and the world process, by name, with their subjects. The log does not store them."""


class _Plain(yaml.SafeDumper):
    """A YAML dumper without anchors and aliases, which not every reader supports."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - whatever it is
        return True


def documents() -> dict[str, str]:
    """Return the text of every document, by path."""
    found = {f"events/{kind}.json": _text(_schema(event)) for kind, event in EVENTS.items()}
    for query, answer in _questions().values():
        found[f"questions/{query.name}.json"] = _text(_schema(query))
        found[f"answers/{answer.__name__}.json"] = _text(_schema(answer))
    for plain in (TaskResult, Refusal):
        found[f"answers/{plain.__name__}.json"] = _text(_schema(plain))
    for name, kind in (ACTIONS | MESSAGES | {"vitals": HostHealthReport}).items():
        found[f"worlds/{name}.json"] = _text(_worlds_schema(kind))
    whole = yaml.dump(asyncapi(), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120)
    return {"asyncapi.yaml": whole, **dict(sorted(found.items()))}


def asyncapi() -> dict[str, Any]:
    """Return the description of the bus in AsyncAPI 3."""
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Nemuri", "version": version("nemuri"), "description": ABOUT},
        "defaultContentType": "application/json",
        "servers": {"nats": {"host": "127.0.0.1:4222", "protocol": "nats", "description": "NATS with JetStream."}},
        "channels": dict(_channels()),
        "operations": dict(_operations()),
        "components": {"messages": dict(_messages())},
    }


def _channels() -> Iterator[tuple[str, dict[str, Any]]]:
    for kind, event in EVENTS.items():
        yield kind, _channel(SUBJECTS.address(event), event, kind)
    for name, (query, _) in _questions().items():
        address = SUBJECTS.query(f"{name}.{{service}}" if query is RetryQuery else name)
        yield f"ask_{name}", _channel(address, query, f"ask_{name}")
        answers = {f"answer_{name}": _message(f"answer_{name}"), "refusal": _message("refusal")}
        yield f"told_{name}", {"address": None, "summary": "Reply inbox of the client.", "messages": answers}
    for name, (address, about) in SOCIETY.items():
        yield f"society_{name}", _channel(address, about, f"society_{name}")
    yield (
        "society_joined",
        {
            "address": None,
            "summary": "Reply inbox of the host.",
            "messages": {"society_joined": _message("society_joined")},
        },
    )
    yield "result", _channel(SUBJECTS.result("{task}"), TaskResult, "result")
    yield "dead_letter", _channel(SUBJECTS.dead("{service}", "{sequence}"), None, "dead_letter")


def _channel(address: str, about: type[BaseModel] | None, message: str) -> dict[str, Any]:
    named = {name: PARAMETERS[name] for name in PARAMETERS if f"{{{name}}}" in address}
    summary = {"summary": _line(about)} if about else {"summary": "The original message of a dead letter."}
    return {"address": address, **summary, "messages": {message: _message(message)}, "parameters": named}


def _message(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/messages/{name}"}


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for service in SERVICES.values():
        for event in service.handlers:
            yield _operation(service, "receive", event.kind_of())
        for kind in sorted(event.kind_of() for event in service.emits()):
            yield _operation(service, "send", kind)
        if service.handlers:
            yield _operation(service, "send", "dead_letter")
        for query, _ in service.query_topics():
            name, told = _operation(service, "receive", f"ask_{query.name}")
            channel = {"$ref": f"#/channels/told_{query.name}"}
            yield name, {**told, "reply": {"address": {"location": "$message.header#/reply"}, "channel": channel}}
    yield _operation(SERVICES["query-api"], "send", "result")
    for name in ("joining", "acts", "vitals"):
        yield _operation("host", "send", f"society_{name}")
    name, told = _operation("world", "receive", "society_joining")
    channel = {"$ref": "#/channels/society_joined"}
    yield name, {**told, "reply": {"address": {"location": "$message.header#/reply"}, "channel": channel}}
    yield _operation("world", "receive", "society_acts")
    yield _operation("world", "send", "society_percepts")


def _operation(service: Service | str, action: str, channel: str) -> tuple[str, dict[str, Any]]:
    name = service if isinstance(service, str) else service.name
    return f"{name}_{action}s_{channel}", {"action": action, "channel": {"$ref": f"#/channels/{channel}"}}


def _messages() -> Iterator[tuple[str, dict[str, Any]]]:
    for kind, event in EVENTS.items():
        headers = _headers(recorded=True, named=issubclass(event, ClientEvent))
        yield kind, {**_message_fields(event, f"events/{kind}.json"), "headers": headers}
    for name, (query, answer) in _questions().items():
        yield f"ask_{name}", _message_fields(query, f"questions/{name}.json")
        yield f"answer_{name}", _message_fields(answer, f"answers/{answer.__name__}.json")
    for name, (_, about) in SOCIETY.items():
        yield f"society_{name}", _message_fields(about, f"worlds/{name}.json")
    yield "society_joined", _message_fields(Joined, "worlds/joined.json")
    yield "refusal", _message_fields(Refusal, "answers/Refusal.json")
    yield "result", _message_fields(TaskResult, "answers/TaskResult.json")
    yield "dead_letter", {"summary": "The bytes of the original message.", "contentType": "application/octet-stream"}


def _message_fields(about: type[BaseModel], path: str) -> dict[str, Any]:
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
    found: dict[str, tuple[type[Query], type[BaseModel]]] = {RetryQuery.name: (RetryQuery, RetriedView)}
    for service in SERVICES.values():
        for query, answering in service.query_handlers.items():
            said = get_type_hints(answering)["return"]
            [answer] = [each for each in get_args(said) or (said,) if each is not Refusal]
            found[query.name] = (query, answer)
    return dict(sorted(found.items()))


def _schema(about: type[BaseModel]) -> dict[str, Any]:
    said_by_clients = issubclass(about, Query | ClientEvent)  # Clients may leave out fields with a default.
    whole = TypeAdapter(about).json_schema(mode="validation" if said_by_clients else "serialization")
    for name in ("recorded_at", "sequence", "client_id") if issubclass(about, Event) else ():
        whole["properties"].pop(name, None)  # Taken from the log, and never part of a message.
    return {"$schema": DIALECT} | whole


def _worlds_schema(about: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a message of the world protocol.

    Fields with a default may be left out, except an action's name.
    """
    whole = TypeAdapter(about).json_schema(mode="validation")
    for part in (whole, *whole.get("$defs", {}).values()):
        named = [name for name, field in part.get("properties", {}).items() if "const" in field]
        if named:
            part["required"] = named + part.get("required", [])
    return {"$schema": DIALECT} | whole


def _line(about: type[BaseModel]) -> str:
    return (inspect.getdoc(about) or about.__name__).splitlines()[0]


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Write all documents into a folder, and delete JSON files there that are no longer generated."""
    wanted = documents()
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
    write(Path(sys.argv[1]))
