"""The transcript of a session that goes on. The assistant writes it a moment later than it calls a hook."""

import json
import time
from pathlib import Path

from nemuri.hook.open_sessions import OpenSession
from nemuri_domain.affective.transcripts import Transcript, parse_transcript, turn_id
from nemuri_domain.language.secret_redaction import redact

WRITING_SECONDS = 0.5
"""Maximum seconds to wait until the assistant's last message is in the transcript."""
POLL_SECONDS = 0.02


def current_transcript(session: OpenSession, last: object) -> Transcript | None:
    """Return the transcript once the assistant's last message is in it; None if there is no file yet.

    `last` is that message; without a text nothing is waited for. If the message does not come, it is added to the last
    turn, unless that turn was handed on already: then the present turn is not in the file yet, and a later hook hands
    it on.
    """
    path, end, size = Path(session.transcript), time.monotonic() + WRITING_SECONDS, -1
    lines, transcript = list[bytes](), None
    while True:
        now = path.stat().st_size if path.exists() else -1
        if now != size:
            size, lines = now, path.read_bytes().splitlines()
            transcript = parse_transcript(lines, session.session)
        if not isinstance(last, str) or (transcript is not None and _has(transcript, last)):
            return transcript
        if time.monotonic() > end:
            return transcript and _with(transcript, lines, last, session)
        time.sleep(POLL_SECONDS)  # nothing tells when the assistant has written


def _has(transcript: Transcript, last: str) -> bool:
    return bool(transcript.turns) and redact(last).strip() in transcript.turns[-1].reply


def _with(transcript: Transcript, lines: list[bytes], last: str, session: OpenSession) -> Transcript:
    """Return the transcript with the assistant's last message, if its last turn is new and the message adds to it.

    Private parts are replaced in both before they are compared.
    """
    if not transcript.turns or str(turn_id(session.agent, transcript.turns[-1].identity)) in (session.handed or ()):
        return transcript
    said = {"type": "assistant", "message": {"content": last}}
    longer = parse_transcript([*lines, json.dumps(said).encode()], session.session)
    before = transcript.turns[-1].reply
    added = longer.turns[-1].reply.removeprefix(before).strip()
    return longer if added and added not in before else transcript
