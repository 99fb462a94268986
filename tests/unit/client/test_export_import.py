"""Tests of the check that a file is a complete export. It is made before anything is appended."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from nemuri.operations.export_format import EndLine, EventLine, summarize_export
from nemuri.operations.session import OperationError
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.event import derive

WHEN = datetime(2026, 1, 2, tzinfo=UTC)
EVENT = PolicyAdopted(event_id=derive("a", "policy_adopted"), agent_id="cook", parameters={}, recorded_at=WHEN)
LINE = EventLine.of(EVENT).model_dump_json() + "\n"


def line(number: int) -> str:
    """Return the line of the event with this number."""
    return (
        EventLine.of(EVENT.model_copy(update={"event_id": derive(number, "policy_adopted")})).model_dump_json() + "\n"
    )


def end(events: int) -> str:
    """Return the last line of an export, which states its number of events."""
    return EndLine(events=events).model_dump_json() + "\n"


def written(path: Path, text: str) -> Path:
    """Write a file with this text and return its path."""
    file = path / "log.jsonl"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("number", [0, 2])
def test_a_complete_export_is_counted(tmp_path: Path, number: int) -> None:
    """A complete export is accepted, and its events are counted. The export of an empty log is its last line alone."""
    assert summarize_export(written(tmp_path, "".join(map(line, range(number))) + end(number))).events == number


@pytest.mark.parametrize(
    ("text", "expected_message"),
    [
        ("", "empty or cut off"),
        (LINE, "empty or cut off"),
        (LINE + end(2), "holds 1 events, but 2 were exported"),
        (LINE + end(1) + LINE, "there are lines after the end"),
        (LINE + end(1)[:-6], "log.jsonl:2: "),
        (LINE[: len(LINE) // 2], "log.jsonl:1: "),
    ],
)
def test_an_incomplete_export_is_refused(tmp_path: Path, text: str, expected_message: str) -> None:
    """An export is refused if it is empty, truncated, or has missing or additional lines."""
    with pytest.raises(OperationError, match=expected_message):
        summarize_export(written(tmp_path, text))
