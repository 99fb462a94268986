"""Tests of reading memories from files."""

import json
from pathlib import Path

import pytest

from nemuri.files.documents import InputError
from nemuri.files.memory_lines import MAX_FILE_BYTES, MAX_LINE_BYTES, read_memories
from nemuri_contracts.client_events import Scope

FULL = {
    "content": "salt the water",
    "tags": ["pasta"],
    "learnings": {"craft": "before it boils"},
    "scope": {"level": "project", "name": "dinner"},
    "said_by": "Ann",
    "said_at": "2026-01-02T03:04:05Z",
}


def test_every_line_is_a_memory(tmp_path: Path) -> None:
    """Each line is one memory with all its fields. Empty lines and a byte order mark are ignored."""
    file = tmp_path / "lines.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(FULL).encode() + b'\r\n\n{"content": "b"}')
    lines = read_memories(file)
    first, second = lines.values()
    assert list(lines) == [f"{file}:1", f"{file}:3"]
    assert (first.said_by, first.scope.name, first.learnings) == ("Ann", "dinner", {"craft": "before it boils"})
    assert second.content == "b"


def test_a_line_without_a_scope_takes_it_from_the_settings(tmp_path: Path) -> None:
    """A line without a scope gets the scope of the settings.

    A line with a scope, even the universal one, keeps it, and then the settings are not read.
    """
    file = tmp_path / "lines.jsonl"
    anywhere = {"content": "a", "scope": {"level": "universal"}}
    named = [json.dumps(FULL), json.dumps(anywhere)]
    file.write_text("\n".join([*named, '{"content": "b"}']))
    bank = Scope(level="project", name="bank")
    assert [memory_content.scope.name for memory_content in read_memories(file, lambda: bank).values()] == [
        "dinner",
        None,
        "bank",
    ]

    file.write_text("\n".join(named))
    assert len(read_memories(file, lambda: pytest.fail("asked"))) == 2


@pytest.mark.parametrize(
    ("line", "expected_message"),
    [
        (b'{"content": "a"', ":2: no valid JSON"),
        (b'{"content": "a", "mood": 1}', ":2: mood"),
        (b'{"content": "a\\u0000"}', ":2: content"),
        (b"\xff\xfe", ":2: no valid JSON"),
        (b'{"content": "' + b"a" * MAX_LINE_BYTES + b'"}', ":2: the line is longer"),
    ],
)
def test_a_bad_line_is_reported(tmp_path: Path, line: bytes, expected_message: str) -> None:
    """The error about a bad line names file, line and reason, and no memory is returned."""
    file = tmp_path / "lines.jsonl"
    file.write_bytes(b'{"content": "fine"}\n' + line)
    with pytest.raises(InputError) as raised:
        read_memories(file)
    assert expected_message in str(raised.value)


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    """A file above the maximum size is refused without being read completely."""
    file = tmp_path / "lines.jsonl"
    with file.open("wb") as huge:
        huge.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(InputError, match="larger than 64 MB"):
        read_memories(file)
