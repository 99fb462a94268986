"""mem0: what `get_all` returns, of the library and of the platform, as JSON or JSON lines."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from nemuri.moving.foreign_fields import memories, moment
from nemuri.moving.foreign_files import identifier, read_json, records, text_of
from nemuri.moving.items import Item, LeftOut

_AS_METADATA: Final = ("agent_id", "app_id", "actor_id")


def read(path: Path) -> Iterator[Item]:
    """Yield the memories in a file of mem0.

    `user_id` is the person, `run_id` the conversation, `categories` are tags. A memory that was updated is told at the
    time of its update. Relations of the graph are left out: their memories say the same.
    """
    value = read_json(path)
    if isinstance(value, Mapping):
        for location, _ in records({"relations": value.get("relations") or []}, str(path), "relations"):
            yield LeftOut("a relation of the graph", location)
    for location, record in records(value, str(path), "results", "memories"):
        yield from _memory(record, location)


def _memory(record: Mapping[str, Any], location: str) -> Iterator[Item]:
    created = moment(record.get("created_at"), location)
    updated = moment(record.get("updated_at"), location)
    own = record.get("metadata")
    metadata = dict(own) if isinstance(own, Mapping) else {}
    metadata |= {name: record[name] for name in _AS_METADATA if record.get(name) is not None}
    categories = record.get("categories")
    conversation = record.get("run_id")
    yield from memories(
        identifier(record, location, "id"),
        text_of(record, "memory", location),
        location,
        tags=categories if isinstance(categories, list) else (),
        metadata=metadata,
        person=record.get("user_id") or None,
        said_at=updated or created,
        expires_at=moment(record.get("expiration_date"), location),
        turn={"conversation": str(conversation)} if conversation else None,
    )
