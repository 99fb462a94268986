"""claude-mem: its SQLite database (`~/.claude-mem/claude-mem.db`), or the JSON of its script `export-memories`."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from nemuri.files.documents import InputError, read_bounded
from nemuri.moving.foreign_fields import memories, moment
from nemuri.moving.foreign_files import MAX_FILE_BYTES, identifier, read_json, records
from nemuri.moving.items import Item, LeftOut

_MAGIC: Final = b"SQLite format 3\0"
_TABLES: Final = {"observations": "observations", "session_summaries": "summaries", "user_prompts": "prompts"}
"""Tables of the database, and the lists of the same records in an export."""
_SUMMARY: Final = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def read(path: Path) -> Iterator[Item]:
    """Yield observations and summaries of sessions as memories of their projects, oldest first.

    Prompts are left out: the database has no answers to them.
    """
    if read_bounded(path, MAX_FILE_BYTES, "; divide it").startswith(_MAGIC):
        value: Mapping[str, Any] = _database(path)
    else:
        value = read_json(path)
    for location, record in records(value, str(path), *_TABLES.values()):
        if "prompt_text" in record:
            yield LeftOut("a prompt without its answer", location)
        elif "learned" in record:
            yield from _memory(record, location, "summary", _summary(record), [])
        else:
            yield from _memory(record, location, "observation", _observation(record, location), _tags(record, location))


def _database(path: Path) -> dict[str, list[dict[str, Any]]]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            known = {row["name"] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "observations" not in known:
                raise InputError(f"{path}: the database has no table observations; is this the right format?")
            return {
                name: [dict(row) for row in database.execute(f"SELECT * FROM {table} ORDER BY id")]  # noqa: S608
                for table, name in _TABLES.items()
                if table in known
            }
    except sqlite3.Error as error:
        raise InputError(f"{path}: the database cannot be read ({error})") from None


def _memory(record: Mapping[str, Any], location: str, kind: str, text: str, tags: list[object]) -> Iterator[Item]:
    session = identifier(record, location, "memory_session_id", "sdk_session_id")
    project = record.get("project")
    scope = {"scope": {"level": "project", "name": project}} if project else {}
    files = [*_list(record, "files_modified", location), *_list(record, "files_edited", location)]
    yield from memories(
        f"{session}/{kind}/{identifier(record, location, 'id')}"[:200],
        text,
        location,
        tags=tags,
        metadata={"type": record.get("type") or kind, "files": files or None},
        said_at=moment(record.get("created_at_epoch") or record.get("created_at"), location),
        turn={"conversation": session, "position": record.get("prompt_number")},
        **scope,
    )


def _observation(record: Mapping[str, Any], location: str) -> str:
    lines = [record.get("title"), record.get("subtitle"), record.get("narrative") or record.get("text")]
    facts = [f"- {fact}" for fact in _list(record, "facts", location)]
    return "\n".join([*(str(line) for line in lines if line), *facts])


def _summary(record: Mapping[str, Any]) -> str:
    told = ((name, record.get(name)) for name in _SUMMARY)
    return "\n".join(f"{name.replace('_', ' ').capitalize()}: {text}" for name, text in told if text)


def _tags(record: Mapping[str, Any], location: str) -> list[object]:
    return _list(record, "concepts", location)


def _list(record: Mapping[str, Any], name: str, location: str) -> list[object]:
    """Return a list of a record, which the database holds as JSON."""
    value = record.get(name)
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise InputError(f"{location}: {name} is no JSON list") from None
    return value if isinstance(value, list) else []
