"""Which files are taken for transcripts."""

from pathlib import Path

import pytest

from nemuri.hook.transcript_import import NoTranscripts, transcripts


def test_a_directory_stands_for_all_transcripts_in_it(tmp_path: Path) -> None:
    """However deep, in order, and each once; a file that is named is one by any name."""
    inside = [tmp_path / "a" / "b" / "1.jsonl", tmp_path / "a" / "2.jsonl"]
    other, named = tmp_path / "a" / "notes.md", tmp_path / "session.txt"
    inside[0].parent.mkdir(parents=True)
    for path in (*inside, other, named):
        path.touch()
    (tmp_path / "a" / "again.jsonl").symlink_to(inside[0])
    assert transcripts([tmp_path / "a", inside[1], named]) == [inside[1], inside[0], named]


def test_where_there_is_none_that_is_said(tmp_path: Path) -> None:
    """For a path that is not there, and for a directory without any."""
    with pytest.raises(NoTranscripts, match=r"there is no .*none"):
        transcripts([tmp_path / "none"])
    with pytest.raises(NoTranscripts, match="jsonl"):
        transcripts([tmp_path])
