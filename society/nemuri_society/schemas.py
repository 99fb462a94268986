"""Generator of the published formats: the messages between hosts and worlds, and society files.

    python -m nemuri_society.schemas society/schemas

There is a JSON Schema for every action, every message and society files, and an AsyncAPI document of the messages.
Everything is derived from the contracts.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from nemuri.platform.api_schemas import (
    DIALECT,
    PARAMETERS,
    channel,
    described,
    json_text,
    message,
    message_fields,
    operation,
    write,
    yaml_text,
)
from nemuri_society.contracts.record import Record
from nemuri_society.contracts.society import HostHealthReport
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import ACTIONS, MESSAGES, Acts, Joined, Joining, Percepts
from nemuri_society.operations.society_file import schema as society_file_schema

ABOUT = """\
Hosts run the agents of a society, and a world process runs their world. They exchange these messages, which the log
does not store. The record of a society has a stream of its own. Every message is one JSON value in UTF-8.
"""
SUBJECTS = SocietySubjects("{namespace}")
PLACES: dict[str, dict[str, Any]] = {
    "namespace": PARAMETERS["namespace"],
    "society": {"description": "A society's name."},
    "host": {"description": "Host of the simulation, by the name with which it joined."},
}
SENT: dict[str, tuple[str, type[BaseModel]]] = {
    "joining": (SUBJECTS.joining("{society}"), Joining),
    "acts": (SUBJECTS.acts("{society}"), Acts),
    "percepts": (SUBJECTS.percepts("{society}", "{host}"), Percepts),
    "vitals": (SUBJECTS.vitals("{society}", "{host}"), HostHealthReport),
    "record": (SUBJECTS.record("{society}", "host"), Record),
}
"""Messages by name, with their subjects."""


def documents() -> dict[str, str]:
    """Return the text of every document, by path."""
    kinds = ACTIONS | MESSAGES | {"vitals": HostHealthReport, "record": Record}
    schemas = {f"worlds/{name}.json": json_text(_schema(kind)) for name, kind in kinds.items()}
    schemas["society.json"] = json_text({"$schema": DIALECT} | society_file_schema())
    return {"asyncapi.yaml": yaml_text(asyncapi()), **dict(sorted(schemas.items()))}


def asyncapi() -> dict[str, Any]:
    """Return the description of the messages in AsyncAPI 3."""
    return described("Nemuri: societies", ABOUT, dict(_channels()), dict(_operations()), dict(_messages()))


def _channels() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, (address, about) in SENT.items():
        yield name, channel(address, about, name, PLACES)
    yield "joined", {"address": None, "summary": "Reply inbox of the host.", "messages": {"joined": message("joined")}}


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for name in ("joining", "acts", "vitals", "record"):
        yield operation("host", "send", name)
    name, told = operation("world", "receive", "joining")
    reply = {"address": {"location": "$message.header#/reply"}, "channel": {"$ref": "#/channels/joined"}}
    yield name, {**told, "reply": reply}
    yield operation("world", "receive", "acts")
    yield operation("world", "send", "percepts")


def _messages() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, (_, about) in SENT.items():
        yield name, message_fields(about, f"worlds/{name}.json")
    yield "joined", message_fields(Joined, "worlds/joined.json")


def _schema(about: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a message. Fields with a default may be left out, except an action's name."""
    whole = TypeAdapter(about).json_schema(mode="validation")
    for part in (whole, *whole.get("$defs", {}).values()):
        named = [name for name, field in part.get("properties", {}).items() if "const" in field]
        if named:
            part["required"] = named + part.get("required", [])
    return {"$schema": DIALECT} | whole


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m nemuri_society.schemas FOLDER")
    write(Path(sys.argv[1]), documents())
