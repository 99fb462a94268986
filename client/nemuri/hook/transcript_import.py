"""Import of transcripts from files and directories."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nemuri.hook.project import project_of
from nemuri.hook.session_turns import outside_pauses, transcript_at
from nemuri.hook.session_upload import SessionUploader, UploadResult, session_of
from nemuri_domain.affective.transcripts import SkipReason, Transcript

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings


class NoTranscripts(Exception):  # noqa: N818 - the name states a fact
    """No transcripts to import. The message is one line."""


@dataclass(slots=True)
class Imported:
    """The result of an import."""

    transcripts: int = 0
    skipped: Counter[SkipReason] = field(default_factory=Counter)
    """Number of lines that belong to no turn, by reason."""
    offered: UploadResult = field(default_factory=UploadResult)


class OldSession(NamedTuple):
    """A session in a transcript."""

    name: str
    transcript: Transcript
    ended_at: datetime


def transcripts(paths: Iterable[Path]) -> list[Path]:
    """Return the files and all transcripts in the directories, sorted, each once. Raises `NoTranscripts`."""
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise NoTranscripts(f"there is no {path}")
        inside = sorted(file for file in path.rglob("*.jsonl") if file.is_file()) if path.is_dir() else [path]
        if not inside:
            raise NoTranscripts(f"there is no transcript in {path}: none of its files ends in .jsonl")
        found |= dict.fromkeys(file.resolve() for file in inside)
    return [*found]


def import_transcripts(paths: Iterable[Path], where: "HookSettings") -> Imported:
    """Append every turn of the transcripts, oldest session first, and return when the log has stored all of them.

    A repeated import adds no memories. Raises `NoTranscripts`, also if no line is a JSON object, and
    `PlatformNotFound`, `PlainError` and `OSError`.
    """
    files, became = transcripts(paths), Imported()
    offering = SessionUploader(where)
    try:
        offering.check(where.agent)
        sessions = sorted((_session(path, where, became) for path in files), key=lambda session: session.ended_at)
        days = {session.ended_at.astimezone().date() for session in sessions if session.transcript.turns}
        for name, transcript, ended_at in sessions:
            later = sum(day > ended_at.astimezone().date() for day in days)
            if transcript.turns:
                project = project_of(transcript.directory)
                offering.offer(session_of(where.agent, name, transcript, ended_at, project, later))
    finally:
        offering.close()
    became.offered = offering.became
    if set(became.skipped) == {"broken"} and not became.offered.turns:
        raise NoTranscripts("none of the files is a transcript: no line is a JSON object")
    return became


def _session(path: Path, where: "HookSettings", became: Imported) -> OldSession:
    """Return the session in a transcript, without turns of a pause. It is counted in `became`."""
    transcript, name = transcript_at(path)
    became.transcripts += 1
    became.skipped.update(transcript.skipped)
    ended_at = transcript.ended_at or datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return OldSession(name, transcript._replace(turns=outside_pauses(transcript.turns, where.data)), ended_at)
