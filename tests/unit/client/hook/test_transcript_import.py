"""Tests of finding transcript files."""

from pathlib import Path

import pytest

from nemuri.hook.transcript_import import NoTranscripts, transcripts


def test_a_directory_yields_all_transcripts_in_it(tmp_path: Path) -> None:
    """Transcripts are found at any depth of a directory, in sorted order and once each. A file that is named directly
    is accepted under any name.
    """
    inside = [tmp_path / "a" / "b" / "1.jsonl", tmp_path / "a" / "2.jsonl"]
    other, named = tmp_path / "a" / "notes.md", tmp_path / "session.txt"
    inside[0].parent.mkdir(parents=True)
    for path in (*inside, other, named):
        path.touch()
    (tmp_path / "a" / "again.jsonl").symlink_to(inside[0])
    assert transcripts([tmp_path / "a", inside[1], named]) == [inside[1], inside[0], named]


def test_a_path_without_transcripts_is_refused(tmp_path: Path) -> None:
    """A missing path and a directory without transcripts are refused with a message."""
    with pytest.raises(NoTranscripts, match=r"there is no .*none"):
        transcripts([tmp_path / "none"])
    with pytest.raises(NoTranscripts, match="jsonl"):
        transcripts([tmp_path])
