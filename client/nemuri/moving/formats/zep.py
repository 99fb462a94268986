"""Zep and Graphiti: edges (facts), nodes (summaries), episodes and messages of threads, as their clients write them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from nemuri.files.documents import InputError
from nemuri.moving.foreign_fields import memories, moment
from nemuri.moving.foreign_files import identifier, read_json, records, text_of
from nemuri.moving.items import ForeignConversation, Item, LeftOut

_LISTS: Final = ("edges", "facts", "nodes", "episodes", "messages")
_ROLES: Final = ("user", "assistant")
_Record = tuple[str, Mapping[str, Any]]


def read(path: Path) -> Iterator[Item]:
    """Yield the facts of edges, the summaries of nodes, and the episodes of a graph.

    A file is a list of one of them, or an object with the lists `edges`, `nodes`, `episodes` and `messages`. A fact
    holds from `valid_at` until `invalid_at`. Episodes that are messages become conversations, by thread.
    """
    value = read_json(path)
    found = [*records(value, str(path), *_LISTS)]
    names = {str(record.get("uuid")): record["name"] for _, record in found if "summary" in record and "name" in record}
    threads = defaultdict[str, list[_Record]](list)
    outer = str(value.get("thread_id") or value.get("session_id") or "") if isinstance(value, Mapping) else ""
    for location, record in found:
        if "fact" in record:
            yield from _fact(record, location, names)
        elif "summary" in record and "name" in record:
            yield from _summary(record, location)
        elif "content" not in record:
            raise InputError(f"{location}: it has no 'fact', 'summary' or 'content'; is this the right format?")
        elif record.get("source", "message") == "message":
            thread = record.get("thread_id") or record.get("session_id") or outer or "messages"
            threads[str(thread)].append((location, record))
        elif record.get("source") == "json":
            yield LeftOut("a JSON record that was given to the graph", location)
        else:
            told = moment(record.get("created_at"), location)
            text = text_of(record, "content", location)
            yield from memories(identifier(record, location, "uuid", "uuid_"), text, location, said_at=told)
    for thread, messages in threads.items():
        yield from _conversation(thread, messages)


def _fact(record: Mapping[str, Any], location: str, names: Mapping[str, str]) -> Iterator[Item]:
    since = moment(record.get("valid_at"), location)
    until = moment(record.get("invalid_at") or record.get("expired_at"), location)
    if since is not None and until is not None and since > until:
        yield LeftOut("a time from which a fact holds, after the one until which it holds", location)
        since = None
    subject = record.get("source_node_name") or names.get(str(record.get("source_node_uuid")))
    told = moment(record.get("created_at"), location)
    yield from memories(
        identifier(record, location, "uuid", "uuid_"),
        text_of(record, "fact", location),
        location,
        metadata={"relation": record.get("name")},
        subject=subject,
        valid_from=since,
        until=until,
        said_at=told,
    )


def _summary(record: Mapping[str, Any], location: str) -> Iterator[Item]:
    labels = record.get("labels")
    yield from memories(
        identifier(record, location, "uuid", "uuid_"),
        text_of(record, "summary", location),
        location,
        tags=labels if isinstance(labels, list) else (),
        subject=record["name"] or None,
        said_at=moment(record.get("created_at"), location),
    )


def _conversation(thread: str, messages: list[_Record]) -> Iterator[Item]:
    turns = list[tuple[datetime | None, dict[str, Any]]]()
    for location, record in messages:
        role = str(record.get("role_type") or record.get("role") or "").lower()
        text = text_of(record, "content", location)
        if role not in _ROLES or not text.strip():
            reason = "an empty message" if role in _ROLES else f"a message with the role {role or 'none'}"
            yield LeftOut(reason, location)
            continue
        speaker = record.get("name") or (record.get("role") if record.get("role_type") else None)
        at = moment(record.get("created_at"), location)
        turns.append((at, {"role": role, "content": text, "name": speaker, "at": at}))
    if all(at is not None for at, _ in turns):
        turns.sort(key=lambda turn: turn[0].timestamp() if turn[0] else 0.0)
    if turns:
        yield ForeignConversation(thread, tuple(message for _, message in turns), messages[0][0])
