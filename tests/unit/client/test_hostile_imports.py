"""Forged export files are refused before anything is imported."""

import gzip
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import orjson
import pytest

from nemuri.operations import export_format as reading
from nemuri.operations.export_format import summarize_export
from nemuri.operations.session import OperationError
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import derive

TASK = TaskSubmitted(event_id=UUID(int=4 << 76 | 1 << 63), text="hi")
TEXT = b"some words"
REF = sha256(TEXT).hexdigest()
ROW = np.eye(1, 4, dtype="<f4").tobytes()
KEY = f"some-model.4.{REF}"


def task_line(client: str = "ann", at: str = "2026-01-02T03:04:05Z", **event: Any) -> bytes:
    """Return the export line of a submitted task, as JSON bytes."""
    whole = TASK.model_dump(mode="json") | event
    return orjson.dumps({"store": "log", "recorded_at": at, "client": client, "event": whole})


def kept(store: str, name: str, data: bytes) -> bytes:
    """Return the export line of an entry of a store, as JSON bytes."""
    return orjson.dumps({"store": store, "name": name, "data": b64encode(data).decode()})


def end(events: int) -> bytes:
    """Return the last line of an export, which states its number of events."""
    return orjson.dumps({"store": "end", "events": events})


def file(folder: Path, *lines: bytes) -> Path:
    """Write a file with these lines and return its path."""
    path = folder / "log.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_a_genuine_export_is_accepted(tmp_path: Path) -> None:
    """An export with a blob, a vector, and events of clients and of the tutor is accepted. The other tests change one
    of its lines.
    """
    tutor = task_line("tutor", event_id=str(derive("a", "task_submitted")))
    silent = kept("vector", f"some-model.4.{'0' * 64}", bytes(16))
    whole = file(tmp_path, kept("blob", REF, TEXT), kept("vector", KEY, ROW), silent, task_line(), tutor, end(2))
    assert summarize_export(whole).events == 2


@pytest.mark.parametrize(
    ("line", "expected_message"),
    [
        (gzip.compress(b"\n" * 10_000_000, mtime=0), "no valid JSON"),
        (b'{"store": "log", "event": ' + b"[" * 100_000, "no valid JSON: recursion limit"),
        (b"\xff\xfe", "no valid JSON"),
        (b"null", "log.jsonl:1: "),
        (task_line().replace(b'"hi"', b'"\\ud800"'), "no valid JSON"),
        (task_line().replace(b'"panel":null', b'"panel":NaN'), "panel"),
        (task_line().replace(b'"panel":null', b'"panel":1e999'), "panel"),
        (task_line().replace(b'"panel":null', b'"panel":' + b"9" * 40), "panel"),
        (task_line().replace(b'"panel":null', b'"panel":' + b"9" * 9_000), "no valid JSON"),
        (task_line(kind="task_sold"), "log.jsonl:1: "),
        (task_line(sequel=1), "there is no such key"),
        (task_line(text="a\0b"), "NUL"),
        (task_line(correlation_id="../x"), "write a whole id"),
        *((task_line(name), "has no valid client id") for name in ("../", "a.b", "*", ">", " ", "a b", "é", "a" * 65)),
        (task_line("tutor"), "ids of version 5 are reserved"),
        (task_line("ann", event_id=str(derive("a", "task_submitted"))), "ids of version 5 are reserved"),
        (task_line(at="0001-01-01T00:00:00+14:00"), "recorded_at: the time must lie between"),
        (task_line(at="9999-12-31T23:59:59-14:00"), "recorded_at: the time must lie between"),
        (task_line(at="1969-12-31T00:00:00Z"), "recorded_at: the time must lie between"),
        (task_line(at="2026-01-02T03:04:05"), "recorded_at"),
        (task_line(at="1e300"), "recorded_at"),
        (kept("blob", REF, TEXT + b"!"), "do not match its name, their sha256"),
        (kept("blob", "../../etc/passwd", TEXT), "do not match its name, their sha256"),
        (kept("blob", sha256(b"\xff").hexdigest(), b"\xff"), "not text in UTF-8"),
        (kept("blob", REF, TEXT).replace(b"c29t", b"c29"), "data"),
        *(
            (kept("clock", "ahead", data), "the clock can be ahead by 0 to 36500 days")
            for data in (b"", b"nan", b"inf", b"1e300", b"-1", b"3153600001", b"soon")
        ),
        (kept("clock", "behind", b"1"), "the clock can be ahead by 0 to 36500 days"),
        (kept("vector", KEY, ROW[:-1]), "15 bytes; its name requires 16"),
        (kept("vector", KEY, ROW * 2), "32 bytes; its name requires 16"),
        (kept("vector", KEY, np.full(4, np.nan, "<f4").tobytes()), "must be 1 or 0"),
        (kept("vector", KEY, np.full(4, np.inf, "<f4").tobytes()), "must be 1 or 0"),
        (kept("vector", KEY, np.full(4, 3e38, "<f4").tobytes()), "must be 1 or 0"),
        *(
            (kept("vector", name, ROW), "the name of the vector must be")
            for name in (REF, f"m.4.{REF[1:]}", f"m.0.{REF}", f"m.-4.{REF}", f"m/>.4.{REF}", f"m.4.{REF}\n", ">")
        ),
        (kept("shelf", KEY, ROW), "log.jsonl:1: "),
    ],
)
def test_a_forged_line_is_refused(tmp_path: Path, line: bytes, expected_message: str) -> None:
    """A forged line is refused with one line that names its place, whatever lines follow it."""
    with pytest.raises(OperationError, match=r"log\.jsonl:1: ") as raised:
        summarize_export(file(tmp_path, line, end(1)))
    assert expected_message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("line", [task_line(), kept("blob", REF, TEXT), kept("vector", KEY, ROW)])
def test_a_duplicate_line_is_refused(tmp_path: Path, line: bytes) -> None:
    """Two lines with the same name are refused, equal or not, because the log would keep only the first."""
    other = line.replace(b'"hi"', b'"ho"')
    with pytest.raises(OperationError, match=r"log\.jsonl:2: .* is in the file twice"):
        summarize_export(file(tmp_path, line, other, end(2)))


def test_no_line_is_read_beyond_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a line stops at the maximum length. The test uses a sparse file."""
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 1_000)
    path = file(tmp_path, task_line(event_id=str(uuid4())))
    with path.open("r+b") as sparse:
        sparse.truncate(200 * 1024 * 1024)
    with pytest.raises(OperationError, match=r"log\.jsonl:2: the line is longer"):
        summarize_export(path)
