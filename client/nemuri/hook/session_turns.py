"""Hooks that hand on the turns of a session: after each turn, before a compaction, and at the end.

Turns go to the spool, from which they are uploaded.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemuri.hook import open_sessions, session_context, spool
from nemuri.hook.growing_transcript import current_transcript
from nemuri.hook.open_sessions import OpenSession
from nemuri.hook.pause import pauses
from nemuri.hook.project import project_of
from nemuri.hook.session_upload import session_of
from nemuri_domain.affective.sanitize import valid_label
from nemuri_domain.affective.transcripts import Transcript, TranscriptTurn, parse_transcript, turn_id

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings


def spool_session(said: dict[str, Any], where: "HookSettings") -> Path | None:
    """Store the new turns of an ended session in the spool, and return the file; None if there are none.

    `said` is the hook's input. Raises `OSError` if the transcript cannot be read or the turns cannot be stored.
    """
    session = _session(said, where)
    if session is None:
        return None
    path = _spooled(session, transcript_at(Path(session.transcript), session.session)[0], where, said)
    open_sessions.close(where.data, session.agent, session.session)
    session_context.end(where.data, session.agent, session.session)
    return path


def spool_turns(said: dict[str, Any], where: "HookSettings", *, finished: bool) -> Path | None:
    """Store the new turns of a session that goes on in the spool, and return the file; None if there are none.

    If `finished` is false, the last turn may go on and is left for later. Raises the errors of `spool_session`.
    """
    session = _session(said, where)
    if session is None:
        return None
    transcript = current_transcript(session, said.get("last_assistant_message"))
    if transcript is None:
        open_sessions.save(where.data, session)  # so that it is handed on if no other hook does it
        return None
    return _spooled(session, transcript, where, said, but_last=not finished)


def spool_left_behind(where: "HookSettings", but: str | None = None) -> None:
    """Store the turns of sessions whose end was missed, except the session `but`. Raises the errors of
    `spool_session`.
    """
    for open_session in open_sessions.left_behind(where.data, but):
        _spooled(open_session, transcript_at(Path(open_session.transcript), open_session.session)[0], where, {})
        open_sessions.close(where.data, open_session.agent, open_session.session)


def note_session(said: dict[str, Any], where: "HookSettings") -> None:
    """Note a session that begins, so that its turns are handed on although no other hook runs. Raises `OSError`."""
    session = _session(said, where)
    if session is not None and session.handed is None and said.get("source") != session_context.RESUMED:
        open_sessions.save(where.data, session)


def transcript_at(path: Path, named: object = None) -> tuple[Transcript, str]:
    """Return the transcript in a file and the name of its session.

    The name is `named`, or else the name in the transcript, or else the file's name.
    """
    name, stem = valid_label(named), valid_label(path.stem) or "session"
    transcript = parse_transcript(path.read_bytes().splitlines(), name or stem)
    return transcript, name or valid_label(transcript.session) or stem


def outside_pauses(turns: Iterable[TranscriptTurn], data: str) -> tuple[TranscriptTurn, ...]:
    """Return the turns that lie in no pause. A turn without a time counts as one of now."""
    now, paused = datetime.now(UTC), pauses(data)
    return tuple(turn for turn in turns if not any(one.contains(turn.said_at or now) for one in paused))


def _session(said: dict[str, Any], where: "HookSettings") -> OpenSession | None:
    """Return the session of a hook's input; None if it names no transcript."""
    path = said.get("transcript_path")
    if not isinstance(path, str) or not path:
        return None
    transcript = Path(path).expanduser()
    name = valid_label(said.get("session_id")) or valid_label(transcript.stem) or "session"
    return open_sessions.load(where.data, where.agent, name, str(transcript))


def _spooled(
    session: OpenSession,
    transcript: Transcript,
    where: "HookSettings",
    said: dict[str, Any],
    *,
    but_last: bool = False,
) -> Path | None:
    """Store the turns that were not handed on yet and that lie in no pause, and return their file.

    Turns that were handed on and taken back later are named in it: of a session that was resumed, all that were taken
    back. With them, the session's context may have lost more.
    """
    turns = transcript.turns[:-1] if but_last else transcript.turns
    now, ids = datetime.now(UTC), {str(turn_id(session.agent, turn.identity)): turn for turn in turns}
    handed = session.handed or frozenset()
    fresh = outside_pauses((turn for name, turn in ids.items() if name not in handed), where.data)
    gone = {str(turn_id(session.agent, turn)) for turn in transcript.rewound}
    if session.handed is not None:
        gone &= session.handed
    path = None
    if gone:
        session_context.begin_anew(where.data, session.agent, session.session)
    session_context.add(where.data, session.agent, session.session, ids.keys() - handed)
    if fresh or gone:
        project = project_of(transcript.directory or said.get("cwd"))
        wanted = transcript._replace(turns=fresh)
        told = session_of(session.agent, session.session, wanted, now, project)
        path = spool.put(where.data, told | {"taken_back": sorted(gone)})
    open_sessions.save(where.data, session._replace(handed=(handed | ids.keys()) - gone))
    return path
