"""Parser of a coding assistant's transcript, which has one JSON object per line. It returns turns.

A turn is a prompt of the user and everything that the assistant says until the next prompt (document 001, generation of
memories). What the user says in between belongs to it too: why a tool call was refused, and answers to questions. These
entries are not prompts: results of tools, entries that the assistant's program or another agent writes, marks of an
interruption, slash commands with their replies, and prompts that the user took back. Keys, tokens, passwords and
private parts are replaced in every turn.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid3

from nemuri_contracts.wire_constants import TURN_LIMIT
from nemuri_domain.affective.inserted_text import without_inserted
from nemuri_domain.affective.private_parts import PrivateParts
from nemuri_domain.affective.sanitize import is_conversation, is_machine_made, storable, without_private
from nemuri_domain.affective.transcript_branches import rewound_entries
from nemuri_domain.affective.turn_matters import Matters, ToolCalls
from nemuri_domain.language.secret_redaction import Redactor

TURN_NAMESPACE = UUID("6e656d75-7269-5000-8000-7475726e7300")
"""Namespace of the ids of turns. The ids have UUID version 3, because version 5 is reserved for the platform's own
ids.
"""
SkipReason = Literal[
    "broken", "repeated", "side_chain", "meta", "tool_result", "interrupted", "command", "blank", "unprompted",
    "rewound", "other",
]  # fmt: skip
_COMMAND = re.compile(r"<(command-(name|message|args|contents)|local-command-\w+|bash-(input|stdout|stderr))>")
"""Tags of commands and their output in a transcript."""
_INTERRUPTED = "[Request interrupted by user"
_SYNTHETIC = "<synthetic>"
"""Model name of replies that no model wrote."""
_NOT_TYPED = (
    "isMeta", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly", "isVirtual", "textNotTyped",
    "handedOff", "queueSkipAttachments", "wakeupSource", "scheduledTaskId",
)  # fmt: skip
"""Fields that are set in entries that a program wrote."""


class TranscriptTurn(NamedTuple):
    """A prompt and the reply to it."""

    prompt: str
    """The user's words. Those that followed in the same turn begin with a note in brackets on a line of their own."""
    reply: str
    said_at: datetime | None
    """Time of the prompt, in UTC; None if neither the prompt nor an earlier line has a time."""
    identity: str
    """Stable id of the turn. It is equal in every copy of the transcript."""
    matters: Matters = Matters()


class Transcript(NamedTuple):
    """The result of parsing a transcript."""

    turns: tuple[TranscriptTurn, ...]
    skipped: dict[SkipReason, int]
    """Number of lines that were skipped, by reason."""
    session: str | None
    """The session's id in the transcript."""
    ended_at: datetime | None
    """The latest time of any line."""
    directory: str | None = None
    """The directory in which the session began."""
    rewound: tuple[str, ...] = ()
    """Identities of the turns that the user took back."""


def turn_id(agent: str, identity: str) -> UUID:
    """Return the event id under which a turn is offered to an agent. A turn that is offered again has the same id."""
    return uuid3(TURN_NAMESPACE, f"{agent}/{identity}")


def parse_transcript(lines: Iterable[bytes], session: str) -> Transcript:
    """Return the turns in the lines of a transcript. Lines that cannot be parsed are counted and never raise.

    `session` makes the ids of turns unique between sessions, for transcripts whose entries have no id.
    """
    entries = [_entry(line) for line in lines if line.strip()]
    reading = _Reading(session, rewound_entries([entry for entry in entries if entry is not None]))
    for entry in entries:
        reading.take(entry)
    return reading.end()


class _Reading:
    """The state of the parser."""

    def __init__(self, session: str, rewound: set[str]) -> None:
        self._session, self._rewound = session, rewound
        self._named: str | None = None
        self._directory: str | None = None
        self._turns: list[TranscriptTurn] = []
        self._taken_back: list[str] = []
        self._skipped: Counter[SkipReason] = Counter()
        self._seen: set[str] = set()
        self._open: TranscriptTurn | None = None
        self._asked: list[str] = []
        self._reply: list[str] = []
        self._private = PrivateParts()
        self._redactor = Redactor()
        self._calls = ToolCalls(lambda text: self._redactor.redact(self._unrepeated(text)))
        self._last: datetime | None = None
        self._of_command = False

    def take(self, entry: dict[str, Any] | None) -> None:
        """Take the next entry; None for a line that is not an object."""
        if entry is None:
            self._skipped["broken"] += 1
            return
        entry, at = _prompted(entry), _time(entry.get("timestamp"))
        self._last = max(filter(None, (self._last, at)), default=None)
        self._named = self._named or _text(entry.get("sessionId")).strip() or None
        self._directory = self._directory or _text(entry.get("cwd")) or None
        why = self._why_not(entry) or self._taken(entry, at)
        if why is not None:
            self._skipped[why] += 1

    def end(self) -> Transcript:
        """Return the result after the last line."""
        self._close()
        kept = Transcript(tuple(self._turns), dict(self._skipped), self._named, self._last, self._directory)
        return kept._replace(rewound=tuple(self._taken_back))

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
        return "meta" if _by_a_program(entry) else None

    def _taken(self, entry: dict[str, Any], at: datetime | None) -> SkipReason | None:
        blocks = _blocks(_message(entry).get("content"))
        if entry["type"] == "assistant":
            return self._replied(blocks, rewound=_text(entry.get("uuid")) in self._rewound)
        if any(block.get("type") == "tool_result" for block in blocks):
            answers = self._calls.answered(entry, blocks)
            self._private.add(part for answer in answers for part in without_private(answer)[1])
            self._asked += answers
            return "tool_result"
        whole = _joined(blocks)
        prompt = without_inserted(whole)
        if prompt.startswith(_INTERRUPTED):
            return "interrupted"
        of_command = bool(_COMMAND.match(prompt)) or prompt.startswith("/")
        if not of_command and (is_machine_made(prompt) or (whole.strip() and not prompt)):
            return "meta"
        self._close()
        self._of_command = of_command
        return self._begun(entry, prompt, at)

    def _begun(self, entry: dict[str, Any], prompt: str, at: datetime | None) -> SkipReason | None:
        """Open a turn with a prompt of the user; return the reason if it is not remembered."""
        if self._of_command:
            return "command"
        if _text(entry.get("uuid")) in self._rewound:
            self._taken_back.append(_identity(entry))
            return "rewound"
        said, parts = without_private(prompt)
        self._private.add(parts)
        if not is_conversation(said):
            return "blank"
        identity = _identity(entry) or f"{self._session}/{len(self._turns)}/{prompt}"
        self._open = TranscriptTurn("", "", at or self._last, storable(identity, len(identity)))
        self._asked = [said]
        return None

    def _replied(self, blocks: list[dict[str, Any]], *, rewound: bool) -> SkipReason | None:
        if rewound:
            return "rewound"
        if self._open is None:
            return "command" if self._of_command else "unprompted"
        self._calls.take(blocks)
        if said := _joined(blocks).strip():
            self._reply.append(said)
        return None

    def _close(self) -> None:
        matters = self._calls.matters()
        if self._open is not None:
            prompt = self._cleaned("\n\n".join((self._asked[0], *map(self._unrepeated, self._asked[1:]))))
            reply = self._cleaned(self._unrepeated("\n\n".join(self._reply)))
            prompt = self._redactor.without_known(prompt)
            matters = Matters(*(tuple(map(self._redactor.without_known, secret)) for secret in matters))
            self._turns.append(self._open._replace(prompt=prompt, reply=reply, matters=matters))
        self._open, self._asked, self._reply = None, [], []

    def _unrepeated(self, text: str) -> str:
        """Return a text of the open turn without private parts, and without what it repeats of them."""
        openly = self._asked[0] if self._asked else ""
        return self._private.without_repeated(without_private(text)[0], openly)

    def _cleaned(self, text: str) -> str:
        return storable(self._redactor.redact(text), TURN_LIMIT)


def _identity(entry: dict[str, Any]) -> str:
    """Return the id of a prompt; "" if the transcript gives none."""
    name = _text(entry.get("uuid")).strip()
    return storable(name, len(name))


def _entry(line: bytes) -> dict[str, Any] | None:
    """Return the entry of a line; None if it is not a JSON object."""
    try:
        entry = json.loads(line.lstrip(b"\0"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _by_a_program(entry: dict[str, Any]) -> bool:
    """Return True if a program wrote the entry, by the fields with which the assistant marks its origin."""
    if any(entry.get(field) for field in _NOT_TYPED) or _message(entry).get("model") == _SYNTHETIC:
        return True
    origin, turn = entry.get("origin"), entry.get("turnOrigin")
    return (
        (isinstance(origin, dict) and origin.get("kind") != "human")
        or entry.get("promptSource") == "system"
        or turn not in (None, "human", "sdk", "unknown")
    )


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
        return [block if isinstance(block, dict) else {"type": "text", "text": block} for block in content]
    return [{"type": "text", "text": content}]


def _joined(blocks: list[dict[str, Any]]) -> str:
    return "\n".join(filter(None, (_text(block.get("text")) for block in blocks if block.get("type") == "text")))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    try:
        told = datetime.fromisoformat(_text(value))
        return (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
