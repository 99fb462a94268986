"""Export of a society's record into a file: JSON lines, or a Parquet table."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

import orjson

from nemuri_infra.bus.event_log import Log
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.stores.society_record import SocietyRecord, StoredEvent
from nemuri_society.stores.society_states import States

FORMATS: Final = (".jsonl", ".parquet")
MANIFEST_SUFFIX: Final = ".manifest.json"
ROWS: Final = 10_000
"""Number of rows that are written at once."""
COMMON: Final = ("kind", "second", "agent", "name", "at", "branch", "current")
"""Columns of every event; the fields of its kind are in the column `values`, as JSON."""


class ExportError(Exception):
    """The record cannot be exported. The message is one line."""


class _Writer(Protocol):
    def write(self, rows: list[dict[str, Any]]) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export."""

    events: int
    missed: int
    """Number of events that hosts could not write, because the server did not answer for long."""
    manifest: Path


async def export_record(log: Log, name: str, file: Path, *, places: bool = True) -> Exported:
    """Write the record of a society, with abandoned branches, into a new file, and its manifest beside it.

    Without `places`, samples of places are left out. The files appear when they are complete. Raises `SocietyError` if
    the society does not exist, and `ExportError` if the file cannot be written.
    """
    states, record = await States.open(log, name), SocietyRecord(log, name)
    names = {agent.id: agent.name for agent in (await read_society(states)).agents}
    manifest = file.with_name(file.name + MANIFEST_SUFFIX)
    check_target(file)
    temporary, runs, events = file.with_name(file.name + ".part"), list[dict[str, Any]](), 0
    try:
        writer = _writer(file.suffix, temporary)
        try:
            rows = list[dict[str, Any]]()
            async for event in record.events(branches=True):
                if event.kind in {"run", "end", "restored", "forked"}:
                    runs.append({"at": event.at.isoformat(), **event.values})
                if places or event.kind != "places":
                    rows.append(row_of(event, names))
                    events += 1
                if len(rows) == ROWS:
                    writer.write(rows)
                    rows.clear()
            writer.write(rows)
        finally:
            writer.close()
        missed = await record.missed()
        told = {"society": name, "format": 1, "events": events, "missed": missed, "runs": runs}
        manifest.write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2))
        temporary.replace(file)
    except OSError as error:
        raise ExportError(f"{file} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return Exported(events, missed, manifest)


def check_target(file: Path) -> None:
    """Raise `ExportError` if a record cannot be exported into this file."""
    if file.suffix not in FORMATS:
        raise ExportError(f"{file.name!r} has no known format; name a file that ends in {' or '.join(FORMATS)}")
    if file.exists():
        raise ExportError(f"{file} exists already; choose another name")
    if not file.absolute().parent.is_dir():
        raise ExportError(f"there is no directory {file.absolute().parent}")
    if file.suffix == ".parquet":
        _pyarrow()


def row_of(event: StoredEvent, names: dict[str, str]) -> dict[str, Any]:
    """Return an event as a row: the columns of `COMMON`, and the other fields in `values`."""
    agent = event.agent
    common = (event.kind, event.second, agent, names.get(agent or ""), event.at, event.branch, event.current)
    own = {key: value for key, value in event.values.items() if key not in {"kind", "second", "agent"}}
    return dict(zip(COMMON, common, strict=True)) | {"values": own}


def read_export(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of an exported file, with `values` as an object, and `at` as ISO 8601 in both formats."""
    if file.suffix == ".jsonl":
        with file.open("rb") as lines:
            yield from map(orjson.loads, lines)
        return
    parquet = _pyarrow()[1].ParquetFile(file)
    for batch in parquet.iter_batches():
        for row in batch.to_pylist():
            yield row | {"values": orjson.loads(row["values"]), "at": row["at"].isoformat()}


class _JsonLines:
    def __init__(self, file: Path) -> None:
        self._file = file.open("wb")

    def write(self, rows: list[dict[str, Any]]) -> None:
        self._file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)

    def close(self) -> None:
        self._file.close()


class _Parquet:
    def __init__(self, file: Path) -> None:
        self._arrow, parquet = _pyarrow()
        arrow = self._arrow
        types = (
            arrow.string(), arrow.float64(), arrow.string(), arrow.string(),
            arrow.timestamp("us", tz="UTC"), arrow.int32(), arrow.bool_(),
        )  # fmt: skip
        fields = [*zip(COMMON, types, strict=True), ("values", arrow.string())]
        self._schema = arrow.schema(fields)
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")

    def write(self, rows: list[dict[str, Any]]) -> None:
        texts = [row | {"values": orjson.dumps(row["values"]).decode()} for row in rows]
        self._writer.write_table(self._arrow.Table.from_pylist(texts, schema=self._schema))

    def close(self) -> None:
        self._writer.close()


def _writer(suffix: str, file: Path) -> _Writer:
    return _Parquet(file) if suffix == ".parquet" else _JsonLines(file)


def _pyarrow() -> tuple[Any, Any]:
    """Return the modules `pyarrow` and `pyarrow.parquet`. Raises `ExportError` if they are not installed."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        why = "Parquet files need the extra `tables`: pip install 'nemuri[tables]', or export to .jsonl"
        raise ExportError(why) from error
