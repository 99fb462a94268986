"""At the end of a session: its turns are kept, and offered if there is a platform."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemuri.hook import spool
from nemuri.hook.prompt_context import label
from nemuri.hook.session_upload import session_of
from nemuri_domain.affective.transcripts import Transcript, read

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import Whereabouts


def kept(said: dict[str, Any], where: "Whereabouts") -> Path | None:
    """Put the session that has ended, as the hook was `said`, into the spool; None where nothing was said in it.

    Raises `OSError` where its transcript cannot be read or nothing can be kept.
    """
    path = said.get("transcript_path")
    if not isinstance(path, str) or not path:
        return None
    transcript, name = transcript_at(Path(path).expanduser(), said.get("session_id"))
    if not transcript.turns:
        return None
    return spool.put(where.data, session_of(where.agent, name, transcript, datetime.now(UTC)))


def transcript_at(path: Path, named: object = None) -> tuple[Transcript, str]:
    """A transcript and the name of its session: as it is `named`, as it says, or as its file is called."""
    stem = label(path.stem) or "session"
    with path.open("rb") as lines:
        transcript = read(lines, label(named) or stem)
    return transcript, label(named) or label(transcript.session) or stem
