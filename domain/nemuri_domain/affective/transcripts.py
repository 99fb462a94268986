"""Parser of a coding assistant's transcript, which has one JSON object per line. It returns turns.

A turn is a prompt of the user and everything that the assistant says until the next prompt (document 001, generation of
memories). These entries are not prompts: results of tools, entries that the assistant generates, entries of other
agents, marks of an interruption, and slash commands with their replies. Keys, tokens and passwords are redacted in
every turn.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid3

from nemuri_contracts.wire_constants import TURN_LIMIT
from nemuri_domain.affective.sanitize import is_conversation, storable
from nemuri_domain.language.secret_redaction import redact

TURN_NAMESPACE = UUID("6e656d75-7269-5000-8000-7475726e7300")
"""Namespace of the ids of turns. The ids have UUID version 3, because version 5 is reserved for the platform's own
ids.
"""
SkipReason = Literal[
    "broken", "repeated", "side_chain", "meta", "tool_result", "interrupted", "command", "blank", "unprompted", "other"
]
_INSERTED = re.compile(
    r"<(system-reminder|memories|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook)>.*?</\1>",
    re.DOTALL,
)
"""Text that programs insert into a prompt, such as retrieved memories."""
_COMMAND = re.compile(r"<(command-(name|message|args|contents)|local-command-\w+|bash-(input|stdout|stderr))>")
"""Tags of commands and their output in a transcript."""
_INTERRUPTED = "[Request interrupted by user"
_NOTIFICATION = "<task-notification>"
_SYNTHETIC = "<synthetic>"
"""Model name of replies that no model wrote."""


class Turn(NamedTuple):
    """A prompt and the reply to it."""

    prompt: str
    reply: str
    said_at: datetime | None
    """Time of the prompt, in UTC; None if neither the prompt nor an earlier line has a time."""
    identity: str
    """Stable id of the turn. It is equal in every copy of the transcript."""


class Transcript(NamedTuple):
    """The result of parsing a transcript."""

    turns: tuple[Turn, ...]
    skipped: dict[SkipReason, int]
    """Number of lines that were skipped, by reason."""
    session: str | None
    """The session's id in the transcript."""
    ended_at: datetime | None
    """The latest time of any line."""


def turn_id(agent: str, identity: str) -> UUID:
    """Return the event id under which a turn is offered to an agent. A turn that is offered again has the same id."""
    return uuid3(TURN_NAMESPACE, f"{agent}/{identity}")


def parse_transcript(lines: Iterable[bytes], session: str) -> Transcript:
    """Return the turns in the lines of a transcript. Lines that cannot be parsed are counted and never raise.

    `session` makes the ids of turns unique between sessions, for transcripts whose entries have no id.
    """
    reading = _Reading(session)
    for line in lines:
        if line.strip():
            reading.take(line)
    return reading.end()


class _Reading:
    """The state of the parser."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._named: str | None = None
        self._turns: list[Turn] = []
        self._skipped: Counter[SkipReason] = Counter()
        self._seen: set[str] = set()
        self._open: Turn | None = None
        self._reply: list[str] = []
        self._last: datetime | None = None
        self._of_command = False

    def take(self, line: bytes) -> None:
        """Parse one line."""
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            self._skipped["broken"] += 1
            return
        entry, at = _prompted(entry), _time(entry.get("timestamp"))
        self._last = max(filter(None, (self._last, at)), default=None)
        self._named = self._named or _text(entry.get("sessionId")).strip() or None
        why = self._why_not(entry) or self._taken(entry, at)
        if why is not None:
            self._skipped[why] += 1

    def end(self) -> Transcript:
        """Return the result after the last line."""
        self._close()
        return Transcript(tuple(self._turns), dict(self._skipped), self._named, self._last)

    def _why_not(self, entry: dict[str, Any]) -> SkipReason | None:
        """Return the reason for skipping an entry that depends on the entry alone; None if the entry may belong to a
        turn.
        """
        if entry.get("type") not in ("user", "assistant"):
            return "other"
        if entry.get("isSidechain"):
            return "side_chain"
        name = _text(entry.get("uuid"))
        if name and name in self._seen:
            return "repeated"
        self._seen.add(name)
        made = any(entry.get(each) for each in ("isMeta", "isCompactSummary", "isApiErrorMessage"))
        return "meta" if made or _message(entry).get("model") == _SYNTHETIC else None

    def _taken(self, entry: dict[str, Any], at: datetime | None) -> SkipReason | None:
        blocks = _blocks(_message(entry).get("content"))
        if entry["type"] == "assistant":
            return self._replied(blocks)
        if any(block.get("type") == "tool_result" for block in blocks):
            return "tool_result"
        whole = _joined(blocks)
        prompt = _INSERTED.sub("", whole).strip()
        if prompt.startswith(_INTERRUPTED):
            return "interrupted"
        if prompt.startswith(_NOTIFICATION) or (whole.strip() and not prompt):
            return "meta"
        self._close()
        self._of_command = bool(_COMMAND.match(prompt)) or prompt.startswith("/")
        if not is_conversation(prompt) or self._of_command:
            return "command" if self._of_command else "blank"
        identity = _text(entry.get("uuid")).strip() or f"{self._session}/{len(self._turns)}/{prompt}"
        self._open = Turn(storable(redact(prompt), TURN_LIMIT), "", at or self._last, storable(identity, len(identity)))
        return None

    def _replied(self, blocks: list[dict[str, Any]]) -> SkipReason | None:
        if self._open is None:
            return "command" if self._of_command else "unprompted"
        if said := _joined(blocks).strip():
            self._reply.append(said)
        return None

    def _close(self) -> None:
        if self._open is not None:
            self._turns.append(self._open._replace(reply=storable(redact("\n\n".join(self._reply)), TURN_LIMIT)))
        self._open, self._reply = None, []


def _prompted(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the entry. If it is a prompt that a person queued while the assistant worked, return it as an entry of
    type `user`.
    """
    queued = entry.get("attachment")
    if entry.get("type") != "attachment" or not isinstance(queued, dict) or queued.get("type") != "queued_command":
        return entry
    origin = queued.get("origin")
    by_somebody_else = isinstance(origin, dict) and origin.get("kind") != "human"
    if queued.get("commandMode", "prompt") != "prompt" or queued.get("isMeta") or by_somebody_else:
        return entry
    named = {"uuid": queued.get("source_uuid") or entry.get("uuid")}
    return entry | named | {"type": "user", "message": {"content": queued.get("prompt")}}


def _message(entry: dict[str, Any]) -> dict[str, Any]:
    message = entry.get("message")
    return message if isinstance(message, dict) else {}


def _blocks(content: object) -> list[dict[str, Any]]:
    """Return the content as a list of blocks. In a transcript it is either text or such a list."""
    if isinstance(content, list):
        return [each if isinstance(each, dict) else {"type": "text", "text": each} for each in content]
    return [{"type": "text", "text": content}]


def _joined(blocks: list[dict[str, Any]]) -> str:
    return "\n".join(filter(None, (_text(each.get("text")) for each in blocks if each.get("type") == "text")))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    try:
        told = datetime.fromisoformat(_text(value))
        return (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
