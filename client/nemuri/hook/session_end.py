"""The hook for the end of a session: it stores the turns in the spool, from which they are uploaded."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemuri.hook import spool
from nemuri.hook.prompt_context import valid_label
from nemuri.hook.session_upload import session_of
from nemuri_domain.affective.transcripts import Transcript, parse_transcript

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings


def spool_session(said: dict[str, Any], where: "HookSettings") -> Path | None:
    """Store the ended session in the spool, and return its file; None if the session has no turns.

    `said` is the hook's input. Raises `OSError` if the transcript cannot be read or the session cannot be stored.
    """
    path = said.get("transcript_path")
    if not isinstance(path, str) or not path:
        return None
    transcript, name = transcript_at(Path(path).expanduser(), said.get("session_id"))
    if not transcript.turns:
        return None
    return spool.put(where.data, session_of(where.agent, name, transcript, datetime.now(UTC)))


def transcript_at(path: Path, named: object = None) -> tuple[Transcript, str]:
    """Return the transcript in a file and the name of its session.

    The name is `named`, or else the name in the transcript, or else the file's name.
    """
    stem = valid_label(path.stem) or "session"
    with path.open("rb") as lines:
        transcript = parse_transcript(lines, valid_label(named) or stem)
    return transcript, valid_label(named) or valid_label(transcript.session) or stem
